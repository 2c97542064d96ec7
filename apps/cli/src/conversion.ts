/** What the commands that write a file have in common: their flags, what they ask of the pipeline, how they run it. */
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ParseArgsConfig } from 'node:util';
import { type CrsText, parseCrs, parseInputCrs, parseOutputCrs, SOURCE_CRS } from '@geomill/core/crs/crs.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { type FailOn, failOnSeverities } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { Format } from '@geomill/formats/format.ts';
import { inputFormatById, outputFormatById } from '@geomill/formats/format-by-id.ts';
import { inputFormats } from '@geomill/formats/registry.ts';
import { GZIP_EXTENSION, gzipFile } from '@geomill/io/gzip.ts';
import { TemporaryDirectory } from '@geomill/io/temporary-directory.ts';
import type { ConversionReport } from '@geomill/pipeline/report.ts';
import { documentText, reportDocument } from '@geomill/pipeline/report-document.ts';
import type {
  ConversionRequest,
  InputFileRequest,
  InputPath,
  MergeRequest,
  OutputRequest,
} from '@geomill/pipeline/request.ts';
import { runConversion } from '@geomill/pipeline/run.ts';
import { deliveredKind } from '@geomill/pipeline/split-request.ts';
import { catalogue } from '@geomill/service/catalogue.ts';
import type { Config } from '@geomill/service/settings/config.ts';
import { inputLimits, type LimitSettings } from '@geomill/service/settings/input-limits.ts';
import {
  chooseInputFormat,
  chooseOutputFormat,
  crsSharing,
  formatFlags,
  formatOptions,
  type Parsed,
} from './arguments.ts';
import { KeptCrsMemory } from './crs-memory.ts';
import { asOutputFailure, checkOutput, isSameFile, type OutputPath, statOf } from './files.ts';
import { interruptible } from './interrupt.ts';
import { progressBar } from './progress-bar.ts';
import type { FetchContext } from './remote-files.ts';
import { restartForLargeFiles } from './restart.ts';
import { type SplitDirectory, StagedFiles, splitOf } from './split.ts';
import { StagedInputs } from './staged-inputs.ts';
import { standardOutput } from './standard-output.ts';
import { stepFlags, stepsOf, stepUsage } from './steps.ts';
import { joinedReport, summarize } from './summary.ts';
import { nameOfInput, shownInput } from './urls.ts';
import { FLAG_FORM } from './wording.ts';

/** Name of the findings in the temporary directory. */
const FINDINGS = 'findings.geojson';

/** The settings that matter to a command. */
export type CommandContext = Pick<Config, 'gridDirectory' | 'cacheDirectory' | 'sourceDateEpoch'> &
  LimitSettings &
  FetchContext;

/** Flags of every command that writes a file. */
export function conversionFlags(): NonNullable<ParseArgsConfig['options']> {
  return {
    from: { type: 'string' },
    to: { type: 'string' },
    'to-crs': { type: 'string' },
    layer: { type: 'string', multiple: true },
    'fail-on': { type: 'string' },
    strict: { type: 'boolean' },
    'accept-impossible-coordinates': { type: 'boolean' },
    exact: { type: 'boolean' },
    decimals: { type: 'string' },
    overwrite: { type: 'boolean' },
    threads: { type: 'string' },
    report: { type: 'string' },
    findings: { type: 'string' },
    json: { type: 'boolean' },
    quiet: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
    ...formatFlags('in'),
    ...formatFlags('out'),
    ...stepFlags(),
  };
}

/** The last lines of every such command's usage. */
export function conversionUsage(done: string): string {
  return `  --in-NAME VALUE       option of the input format, e.g. --in-delimiter ';'   (docs/formats)
  --out-NAME VALUE      option of the output format, e.g. --out-bbox true
  --decimals N          decimal places of coordinates in text formats (default 7 for computed degrees)
  --overwrite           replace OUT if it exists
  --fail-on SEVERITY    write no output if a warning has this severity or a worse one: changed, lost
  --strict              write no output if a longitude is beyond 360 or a latitude beyond 90 degrees
  --accept-impossible-coordinates
                        convert longitudes beyond 360 and latitudes beyond 90 degrees as they are, however many
  --exact               let PROJ transform every position, also of large files   (docs/crs.md)
  --threads N           maximum number of worker threads for large files (default: one per core)
  --report FILE         write the report to FILE, as JSON
  --findings FILE       write the places of features that were dropped, repaired or changed to FILE, as GeoJSON
  --json                print the report as JSON
  --quiet               print errors only

Transformations, applied in the given order; each can be repeated   (docs/transformations.md):
${stepUsage()}

Exit status: 0 ${done}, 1 error in the input or the request, 2 wrong usage, 3 internal error, 130 interrupted.`;
}

/** One run of such a command. */
export interface Conversion {
  readonly operation: ConversionRequest['operation'];
  /** As typed: paths, URLs, '-' for standard input. */
  readonly inputs: readonly string[];
  /** One for each input. */
  readonly files: readonly InputFileRequest[];
  /** As typed; '-' is standard output. */
  readonly output: string;
  /** The output's name without ending where it has none, which gives layers their names. */
  readonly unnamed: string;
  /** Gets the files of a split output, in place of `output`, whose name is used for layers without one. Missing: none. */
  readonly directory?: SplitDirectory;
  /** What becomes of the attributes of a merge. */
  readonly merge?: MergeRequest;
  /** The request, where flags do not state it. */
  readonly request?: ConversionRequest;
  /** Formats of all files of the command, if it has further conversions; a read option is one of any of them. */
  readonly among?: readonly Format[];
}

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function runCommand(
  conversion: Conversion,
  parsed: Parsed,
  context: CommandContext,
): Promise<number> {
  const { report, request } = await runConversionOf(conversion, parsed, context, restartForLargeFiles);
  tell(report, request, parsed, conversion.output);
  return 0;
}

export interface Converted {
  readonly report: ConversionReport;
  readonly request: ConversionRequest;
}

/** Resolves when the output is complete. `onChecked` gets the files that will be read, before anything is written. Throws GeomillError. */
export async function runConversionOf(
  conversion: Conversion,
  parsed: Parsed,
  context: CommandContext,
  onChecked: (files: readonly string[], requests: readonly ConversionRequest[]) => void = () => {},
): Promise<Converted> {
  const { operation, inputs, output } = conversion;
  const { runs, requests } = await checkedRuns(conversion, parsed);
  const read = filesRead(inputs, requests);
  if (read.filter((path) => path === '-').length > 1)
    throw failure(generalErrors.USAGE, { detail: "standard input, '-', can be one of the files only" });
  const overwrite = parsed.values.overwrite === true;
  const path: OutputPath =
    output === '-' || conversion.directory !== undefined
      ? { path: output, isUpdate: false }
      : checkOutput(output, {
          inputs: read,
          overwrite,
          isUpdate: operation === 'append',
          isExtended: parsed.values.update === true,
        });
  checkReport(parsed.values.report, read, path.path);
  checkFindings(parsed, read, path.path, requests.length);
  onChecked(read, requests);
  const temporary = new TemporaryDirectory();
  const work = temporary.path;
  try {
    const reports: ConversionReport[] = [];
    // One for all runs, which fetch at most MAX_UPLOAD together.
    const staged = new StagedInputs(work, context);
    for (const [i, request] of requests.entries()) {
      const isLast = i === requests.length - 1;
      const step = `step-${i + 1}.gpkg`;
      const run = { ...runs[i], ...(isLast ? {} : { output: step }) };
      const to = isLast ? path : { path: join(work, step), isUpdate: false };
      const replacesTarget = path.isUpdate && parsed.values['drop-other-content'] !== true;
      const own = { ...request.output, ...(replacesTarget ? { replacesTarget } : {}) };
      const where = { temporary, read, staged, ...to };
      const runRequest = { ...request, output: own };
      reports.push(await interruptible((signal) => convert(runRequest, parsed, run, where, context, signal)));
      // The target of the next run, under the name of the original.
      if (!isLast) Object.assign(runs[i + 1], { target: { path: to.path, name: nameOfInput(inputs[0]) } });
    }
    if (typeof parsed.values.findings === 'string')
      writeBeside(parsed.values.findings, readFileSync(join(work, FINDINGS)));
    return { report: joinedReport(reports), request: requests[requests.length - 1] };
  } catch (error) {
    throw asOutputFailure(temporary.explained(error), output);
  } finally {
    temporary.remove();
  }
}

/** The inputs, then the files of steps; each once. */
export function filesRead(
  inputs: readonly string[],
  requests: readonly ConversionRequest[],
): readonly string[] {
  const ofSteps = requests.flatMap(({ transformations }) =>
    transformations.flatMap(({ file }) => (file === undefined ? [] : [file.input])),
  );
  return [...inputs, ...new Set(ofSteps)];
}

/** The runs of a command line and their requests. Throws USAGE, and what the checks of options and steps throw. */
export async function checkedRuns(
  conversion: Conversion,
  parsed: Parsed,
): Promise<{ readonly runs: Run[]; readonly requests: readonly ConversionRequest[] }> {
  const { request: stated } = conversion;
  if (stated !== undefined) {
    const from = inputFormatById(stated.input.format, 'input.format');
    return { runs: [{ ...conversion, from }], requests: [stated] };
  }
  const runs = runsOf(conversion, parsed);
  const requests: ConversionRequest[] = [];
  for (const run of runs) requests.push(await requestOf(run, runs, parsed));
  return { runs, requests };
}

/** One conversion by the pipeline. All its inputs have one format, except for the target of an append and in a merge. */
type Run = Conversion & {
  readonly from: Format;
  readonly targetFormat?: Format;
  /** Of each input of a merge, if they differ. */
  readonly fromEach?: readonly Format[];
  /** The output of the run before, in place of the first input. */
  readonly target?: InputPath;
};

/** An append of files with several formats is one run for each format, each appending to the output of the one before. */
function runsOf(conversion: Conversion, parsed: Parsed): Run[] {
  const { operation, inputs, files, output } = conversion;
  const { from, to } = parsed.values;
  // Standard input has the format of the first file that has a name.
  const named = inputs.find((path) => path !== '-') ?? '-';
  const [first, ...others] = inputs.map((path) => chooseInputFormat(from, path === '-' ? named : path));
  const byFormat = Map.groupBy(others.keys(), (i) => others[i]);
  const isMixed = byFormat.size > 1 || (byFormat.size === 1 && !byFormat.has(first));
  if (!isMixed) return [{ ...conversion, from: first }];
  if (operation === 'merge') return [{ ...conversion, from: first, fromEach: [first, ...others] }];
  const other = others.findIndex((format) => format !== first);
  const canMix =
    operation === 'append' && first.isExtendable && chooseOutputFormat(to, output).format === first;
  if (!canMix)
    throw failure(generalErrors.USAGE, {
      detail: `'${shownInput(inputs[0])}' is ${first.id} and '${shownInput(inputs[other + 1])}' is ${others[other].id}; files of several formats can be merged, or appended to a GeoPackage and written as one; else convert some first`,
    });
  return [...byFormat].map(([format, positions]) => ({
    ...conversion,
    from: format,
    ...(format === first ? {} : { targetFormat: first }),
    inputs: [inputs[0], ...positions.map((i) => inputs[i + 1])],
    files: [files[0], ...positions.map((i) => files[i + 1])],
  }));
}

async function requestOf(run: Run, runs: readonly Run[], parsed: Parsed): Promise<ConversionRequest> {
  const { operation, from, targetFormat, files, output, merge } = run;
  const { values } = parsed;
  const failOn = failOnOf(values['fail-on']);
  const to = chooseOutputFormat(values.to, output);
  const isExtended = values.update === true;
  if (isExtended && (!to.format.isExtendable || output === '-'))
    throw failure(generalErrors.USAGE, {
      detail: `--update adds layers to an existing GeoPackage, and '${output}' is not one`,
    });
  const layerName = values['layer-name'];
  const among = run.among ?? run.fromEach ?? runs.map((other) => other.from);
  const isCrsShared = crsSharing(values, among, operation === 'append' ? (targetFormat ?? from) : null);
  const split = splitOf(parsed, output, run.directory, to.format, to.options);
  return {
    operation,
    input: {
      format: from.id,
      ...(targetFormat === undefined ? {} : { targetFormat: targetFormat.id }),
      files: await Promise.all(
        files.map(async (stated, i) => {
          const file = isCrsShared(i) ? { ...stated, crsOnlyIfMissing: true as const } : stated;
          const own = run.fromEach?.[i] ?? from;
          if (own === from) return file;
          return { ...file, own: { format: own.id, options: await formatOptions(parsed, 'in', own, among) } };
        }),
      ),
      layers: values.layer === undefined ? null : (values.layer as string[]),
      options: await formatOptions(parsed, 'in', from, among),
    },
    transformations: await stepsOf(parsed),
    output: {
      format: to.format.id,
      ...outputCrsOf(values['to-crs']),
      toFile: true,
      ...(typeof layerName === 'string' ? { layerName } : {}),
      ...(split === null ? {} : { split }),
      ...(isExtended ? { existing: values.overwrite === true ? 'replace' : 'add' } : {}),
      options: { ...to.options, ...(await formatOptions(withDecimals(parsed), 'out', to.format)) },
    },
    ...(merge === undefined ? {} : { merge }),
    ...(failOn === null ? {} : { failOn }),
    ...(values.strict === true ? { strict: true } : {}),
    ...(values['accept-impossible-coordinates'] === true ? { acceptImpossibleCoordinates: true } : {}),
    ...(values.exact === true ? { exact: true } : {}),
  };
}

function failOnOf(value: unknown): FailOn | null {
  if (value === undefined) return null;
  const severity = failOnSeverities.find((known) => known === value);
  if (severity !== undefined) return severity;
  throw failure(generalErrors.USAGE, {
    detail: `--fail-on takes ${failOnSeverities.join(' or ')}, not '${String(value)}'`,
  });
}

/** The CRS that a flag states; null where it was not given. */
export function crsOf(value: unknown, flag: string): CrsText | null {
  return typeof value === 'string' ? parseInputCrs(value, `--${flag}`, parseCrs) : null;
}

/** `--decimals` is short for `--out-decimals`. */
function withDecimals(parsed: Parsed): Parsed {
  const { decimals } = parsed.values;
  if (decimals === undefined) return parsed;
  return { ...parsed, values: { ...parsed.values, 'out-decimals': decimals } };
}

function outputCrsOf(value: unknown): Pick<OutputRequest, 'crs' | 'crsPath'> {
  if (typeof value !== 'string') return { crs: SOURCE_CRS };
  return { crs: parseOutputCrs(value, '--to-crs', parseCrs), crsPath: 'output.epsg' };
}

async function convert(
  request: ConversionRequest,
  parsed: Parsed,
  { inputs, from, fromEach, targetFormat, output, unnamed, target, directory }: Run,
  {
    temporary,
    path,
    read,
    staged,
    expected,
  }: OutputPath & {
    readonly temporary: TemporaryDirectory;
    readonly read: readonly string[];
    readonly staged: StagedInputs;
  },
  context: CommandContext,
  signal: AbortSignal,
): Promise<ConversionReport> {
  const work = temporary.path;
  const scratchDirectory = temporary.directory('scratch');
  const format = outputFormatById(request.output.format, 'output.format');
  const isGzipped = GZIP_EXTENSION.test(output);
  const { outputExtension } = deliveredKind(format, request.output);
  const isStaged = isGzipped || directory !== undefined;
  const outputPath =
    output === '-'
      ? join(work, `${unnamed}${outputExtension}`)
      : isStaged
        ? join(work, basename(path).replace(GZIP_EXTENSION, ''))
        : path;
  const bar = progressBar(process.stderr, parsed.values.quiet !== true);
  let parts: StagedFiles | null = null;
  try {
    if (directory !== undefined) parts = new StagedFiles(directory);
    const sources: InputPath[] = [];
    for (const [i, input] of inputs.entries()) {
      const own = fromEach?.[i] ?? (i === 0 ? (targetFormat ?? from) : from);
      sources.push(i === 0 && target !== undefined ? target : await staged.file(input, [own], signal));
    }
    const stepInputs: Record<string, InputPath> = {};
    for (const { file } of request.transformations)
      if (file !== undefined) stepInputs[file.input] ??= await staged.file(file.input, inputFormats, signal);
    const paths = {
      inputs: sources,
      stepInputs,
      outputPath,
      ...(expected === undefined || isGzipped ? {} : { expected }),
      ...(parsed.values.update === true ? { existing: { path, name: basename(path) } } : {}),
      ...(parts === null ? {} : { outputDirectory: parts.path }),
      scratchDirectory,
      ...(parsed.values.findings === undefined ? {} : { findingsPath: join(work, FINDINGS) }),
      gridDirectory: context.gridDirectory,
      threads: threadCount(parsed.values.threads),
      limits: inputLimits(context),
      ...(context.sourceDateEpoch === null ? {} : { timeMs: context.sourceDateEpoch * 1000 }),
    };
    const crsMemory = new KeptCrsMemory(context.gridDirectory, context.cacheDirectory);
    const onFiles = (names: readonly string[]): void =>
      parts?.check(names, read, parsed.values.overwrite === true, parsed.values.report);
    const control = { signal, onProgress: bar.update, crsMemory, onFiles };
    const found = await runConversion(request, paths, control);
    crsMemory.keep();
    const report = (await staged.completed(
      found,
      target === undefined ? inputs[0] : null,
    )) as ConversionReport;
    if (parts !== null) {
      await parts.deliver(format);
      return report;
    }
    if (output === '-') await pipeline(createReadStream(outputPath), standardOutput(), { end: false });
    else if (isGzipped) {
      const byteLength = await gzipFile(outputPath, path, signal, expected);
      return { ...report, output: { ...report.output, byteLength, mediaType: 'application/gzip' } };
    }
    return report;
  } finally {
    bar.clear();
    parts?.remove();
  }
}

function threadCount(value: unknown): number {
  if (value === undefined) return availableParallelism();
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1 && count <= 256) return count;
  throw failure(generalErrors.USAGE, {
    detail: `--threads wants a number from 1 to 256, not '${String(value)}'`,
  });
}

function tell(
  report: ConversionReport,
  request: ConversionRequest,
  { values }: Parsed,
  output: string,
): void {
  const document = (): string => documentText(reportDocument(report, request, catalogue, FLAG_FORM));
  if (typeof values.report === 'string') writeBeside(values.report, document());
  // Opening standard output takes 1 to 3 ms, so only for what is written to it.
  if (values.json === true) (output === '-' ? process.stderr : standardOutput()).write(document());
  else if (values.quiet !== true) process.stderr.write(summarize(report, FLAG_FORM));
}

/** Before any work: the report must not replace an input or the output. */
export function checkReport(report: unknown, inputs: readonly string[], output: string): void {
  checkBeside('report', report, inputs, output);
}

/** As for the report. Throws USAGE also where the command line is several conversions. */
function checkFindings(
  { values: { findings, report } }: Parsed,
  inputs: readonly string[],
  output: string,
  conversions: number,
): void {
  if (typeof findings !== 'string') return;
  if (conversions > 1)
    throw failure(generalErrors.USAGE, {
      detail: '--findings takes files of one format; append the files of each format by a command of its own',
    });
  if (typeof report === 'string' && resolve(findings) === resolve(report))
    throw failure(generalErrors.USAGE, {
      detail: `--findings '${findings}' is the report; give it another name`,
    });
  checkBeside('findings', findings, inputs, output);
}

function checkBeside(
  flag: 'report' | 'findings',
  file: unknown,
  inputs: readonly string[],
  output: string,
): void {
  if (typeof file !== 'string') return;
  const written = output === '-' ? null : statOf(output);
  if (resolve(file) === resolve(output) || (written !== null && isSameFile(file, written)))
    throw failure(generalErrors.USAGE, {
      detail: `--${flag} '${file}' is the output itself; give the ${flag} another name`,
    });
  checkOutput(file, { inputs, overwrite: true, isUpdate: false });
}

/** Writes a file beside the output. */
export function writeBeside(path: string, content: string | Uint8Array): void {
  try {
    writeFileSync(path, content);
  } catch (error) {
    throw asOutputFailure(error, path);
  }
}
