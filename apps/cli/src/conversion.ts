/** What the commands that write a file have in common: they check their files, have a job run by the library, and print its report. */
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { Format } from '@geomill/formats/format.ts';
import { inputFormatById, outputFormatById } from '@geomill/formats/format-by-id.ts';
import { inputFormats } from '@geomill/formats/registry.ts';
import { TemporaryDirectory } from '@geomill/io/temporary-directory.ts';
import { asOutputFailure, isSameFile, type OutputPath, statOf } from '@geomill/library/output-path.ts';
import { type Call, type Destination, type Run, runJob } from '@geomill/library/run.ts';
import type { ConversionReport } from '@geomill/pipeline/report.ts';
import { documentText, reportDocument } from '@geomill/pipeline/report-document.ts';
import type { ConversionRequest, InputPath } from '@geomill/pipeline/request.ts';
import { deliveredKind } from '@geomill/pipeline/split-request.ts';
import { catalogue } from '@geomill/service/catalogue.ts';
import type { Config } from '@geomill/service/settings/config.ts';
import { inputLimits, type LimitSettings } from '@geomill/service/settings/input-limits.ts';
import type { Parsed } from './arguments.ts';
import { type Conversion, checkedRuns, filesRead, type PlannedRun } from './conversion-request.ts';
import { KeptCrsMemory } from './crs-memory.ts';
import { checkOutput } from './files.ts';
import { interruptible } from './interrupt.ts';
import { progressBar } from './progress-bar.ts';
import type { FetchContext } from './remote-files.ts';
import { restartForLargeFiles } from './restart.ts';
import { StagedFiles } from './split.ts';
import { StagedInputs } from './staged-inputs.ts';
import { standardOutput } from './standard-output.ts';
import { summarize } from './summary.ts';
import { isUrl } from './urls.ts';
import { FLAG_FORM } from './wording.ts';

/** Name of the findings in the temporary directory. */
const FINDINGS = 'findings.geojson';

/** The settings that matter to a command. */
export type CommandContext = Pick<Config, 'gridDirectory' | 'cacheDirectory' | 'sourceDateEpoch'> &
  LimitSettings &
  FetchContext;

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
  const { values } = parsed;
  const runs = await checkedRuns(conversion, parsed);
  const read = filesRead(inputs, runs);
  if (read.filter((path) => path === '-').length > 1)
    throw failure(generalErrors.USAGE, { detail: "standard input, '-', can be one of the files only" });
  const path: OutputPath =
    output === '-' || conversion.directory !== undefined
      ? { path: output, isUpdate: false }
      : checkOutput(output, {
          inputs: read,
          overwrite: values.overwrite === true,
          isUpdate: operation === 'append',
          isExtended: values.update === true,
          hasSidecar: runs[runs.length - 1].request.output.options.sidecar === true,
        });
  checkReport(values.report, read, path.path);
  checkFindings(parsed, read, path.path, runs.length);
  onChecked(
    read,
    runs.map(({ request }) => request),
  );
  const temporary = new TemporaryDirectory();
  try {
    const report = await interruptible((signal) =>
      convert({ ...conversion, runs, read, path }, parsed, context, temporary, signal),
    );
    if (typeof values.findings === 'string')
      writeBeside(values.findings, readFileSync(join(temporary.path, FINDINGS)));
    return { report, request: runs[runs.length - 1].request };
  } catch (error) {
    throw asOutputFailure(temporary.explained(error), output === '-' ? 'standard output' : output);
  } finally {
    temporary.remove();
  }
}

/** A conversion whose files are checked. */
interface CheckedConversion extends Conversion {
  readonly runs: readonly PlannedRun[];
  readonly read: readonly string[];
  readonly path: OutputPath;
}

async function convert(
  conversion: CheckedConversion,
  parsed: Parsed,
  context: CommandContext,
  temporary: TemporaryDirectory,
  signal: AbortSignal,
): Promise<ConversionReport> {
  const { directory, output, path, divided } = conversion;
  const { values } = parsed;
  const timeMs = divided?.timeMs ?? (context.sourceDateEpoch ?? Number.NaN) * 1000;
  const { output: outputRequest } = conversion.runs[conversion.runs.length - 1].request;
  const format = outputFormatById(outputRequest.format, 'output.format');
  const crsMemory = new KeptCrsMemory(context.gridDirectory, context.cacheDirectory);
  const bar = progressBar(process.stderr, values.quiet !== true);
  const call: Call = {
    temporary,
    paths: {
      scratchDirectory: temporary.directory('scratch'),
      gridDirectory: context.gridDirectory,
      threads: threadCount(values.threads),
      limits: divided?.limits ?? inputLimits(context),
      ...(Number.isNaN(timeMs) ? {} : { timeMs }),
    },
    control: {
      ...{ signal, onProgress: bar.update, crsMemory },
      ...(divided === undefined ? {} : { division: divided.division }),
    },
  };
  let parts: StagedFiles | null = null;
  try {
    if (directory !== undefined) parts = new StagedFiles(directory);
    const staged = new StagedInputs(temporary.path, context);
    const runs = await stagedRuns(conversion, parsed, staged, signal);
    const { outputExtension } = deliveredKind(format, outputRequest);
    const destination: Destination =
      output === '-'
        ? { fileName: conversion.unnamed + outputExtension }
        : parts === null
          ? {
              path: path.path,
              ...(path.expected === undefined ? {} : { expected: path.expected }),
              ...(values.update === true ? { existing: fileAt(path.path) } : {}),
            }
          : partsDestination(parts, conversion, parsed);
    const additions = staged.additions(isUrl(conversion.inputs[0]));
    const { files, report } = await runJob(call, {
      ...{ runs, output: destination, catalogue },
      ...(values.findings === undefined ? {} : { findingsPath: join(temporary.path, FINDINGS) }),
      ...(additions === null ? {} : { additions }),
    });
    crsMemory.keep();
    await parts?.deliver(format);
    if (output === '-') await pipeline(createReadStream(files[0].path), standardOutput(), { end: false });
    return report;
  } finally {
    bar.clear();
    parts?.remove();
  }
}

/** The runs with their files, which are fetched and copied where they cannot be read in place. */
async function stagedRuns(
  { inputs, runs, path }: CheckedConversion,
  { values }: Parsed,
  staged: StagedInputs,
  signal: AbortSignal,
): Promise<Run[]> {
  const sources: InputPath[] = [];
  for (const [i, input] of inputs.entries())
    sources.push(await staged.file(input, [formatOfInput(runs, i)], signal));
  const stepInputs: Record<string, InputPath> = {};
  for (const { file } of runs[0].request.transformations)
    if (file !== undefined) stepInputs[file.input] ??= await staged.file(file.input, inputFormats, signal);
  const replacesTarget = path.isUpdate && values['drop-other-content'] !== true;
  return runs.map(({ request, positions }) => ({
    request: { ...request, output: { ...request.output, ...(replacesTarget ? { replacesTarget } : {}) } },
    inputs: positions.map((position) => sources[position]),
    stepInputs,
  }));
}

function formatOfInput(runs: readonly PlannedRun[], position: number): Format {
  for (const { request, positions } of runs) {
    const at = positions.indexOf(position);
    if (at < 0) continue;
    const { input } = request;
    const ofTarget = at === 0 ? input.targetFormat : undefined;
    return inputFormatById(ofTarget ?? input.files[at].own?.format ?? input.format, 'input.format');
  }
  throw failure(generalErrors.INTERNAL, { reason: `no run reads input ${position}` });
}

function partsDestination(
  parts: StagedFiles,
  { read, output }: CheckedConversion,
  { values }: Parsed,
): Destination {
  return {
    directory: parts.path,
    name: basename(output),
    onFiles: (names) => parts.check(names, read, values.overwrite === true, values.report),
  };
}

function fileAt(path: string): InputPath {
  return { path, name: basename(path) };
}

/** Throws USAGE. */
export function threadCount(value: unknown): number {
  if (value === undefined) return availableParallelism();
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1 && count <= 256) return count;
  throw failure(generalErrors.USAGE, {
    detail: `--threads wants a number from 1 to 256, not '${String(value)}'`,
  });
}

export function tell(
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
