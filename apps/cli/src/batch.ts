/** `geomill convert FILE... --out-dir DIR`: each file to an output of its own. */
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { asGeomillError, failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { counted } from '@geomill/core/messages/message.ts';
import { outputKind } from '@geomill/formats/format.ts';
import { formatByFileName, inputFormats } from '@geomill/formats/registry.ts';
import { ioErrors } from '@geomill/io/errors.ts';
import { GZIP_EXTENSION } from '@geomill/io/gzip.ts';
import type { ConversionReport } from '@geomill/pipeline/report.ts';
import { reportDocument } from '@geomill/pipeline/report-document.ts';
import type { ConversionRequest } from '@geomill/pipeline/request.ts';
import { catalogue } from '@geomill/service/catalogue.ts';
import { chooseInputFormat, chooseOutputFormat, type Parsed } from './arguments.ts';
import { type CommandContext, checkReport, runConversionOf, writeBeside } from './conversion.ts';
import { type Conversion, checkedRuns, filesRead } from './conversion-request.ts';
import { exitStatusOf } from './exit-status.ts';
import { checkOutput, makeDirectory } from './files.ts';
import { restartForLargeFiles } from './restart.ts';
import type { SplitDirectory } from './split.ts';
import { standardOutput } from './standard-output.ts';
import { isUrl, nameOfInput, shownInput } from './urls.ts';
import { errorLine, FLAG_FORM } from './wording.ts';

/** Most files that the patterns of one command line may match. */
const MAX_FILES = 100_000;

/** What became of one file, as `--json` prints it. */
interface BatchResult {
  readonly input: string;
  readonly output: string;
  readonly report?: ReturnType<typeof reportDocument>;
  readonly error?: { readonly code: string; readonly message: string };
}

/**
 * Converts the files one after another; a file that fails does not stop the others. `conversionOf` makes the conversion of
 * one file. Resolves with the highest exit status of the files. All
 * outputs are checked before the first conversion begins: throws USAGE for two inputs with the same output, and for an
 * output that exists.
 */
export async function runBatch(
  patterns: readonly string[],
  conversionOf: (input: string, output: string, directory?: SplitDirectory) => Conversion,
  parsed: Parsed,
  context: CommandContext,
): Promise<number> {
  const directory = String(parsed.values['out-dir']);
  const inputs = filesOf(patterns);
  const isSplit = parsed.values['split-by'] !== undefined;
  const taken = new Set<string>();
  const among = [...new Set(inputs.map((input) => chooseInputFormat(parsed.values.from, input)))];
  const conversions = inputs.map((input) => {
    const { stem, extension } = outputName(input, parsed);
    const prefix = inputs.length === 1 ? {} : { prefix: stem };
    const split = isSplit ? { path: directory, taken, ...prefix } : undefined;
    return { ...conversionOf(input, join(directory, stem + extension), split), among };
  });
  if (!isSplit) refuseClashes(conversions);
  const read = new Set(inputs);
  const allRequests: ConversionRequest[] = [];
  for (const conversion of conversions) {
    const runs = await checkedRuns(conversion, parsed);
    for (const file of filesRead(conversion.inputs, runs)) read.add(file);
    allRequests.push(...runs.map(({ request }) => request));
  }
  if (parsed.values.findings !== undefined)
    throw failure(generalErrors.USAGE, {
      detail: '--findings is for one OUT; it does not go with --out-dir',
    });
  restartForLargeFiles([...read], allRequests);
  makeDirectory(directory);
  const overwrite = parsed.values.overwrite === true;
  for (const { output } of isSplit ? [] : conversions) {
    const hasSidecar = allRequests.some((request) => request.output.options.sidecar === true);
    checkOutput(output, { inputs: [...read], overwrite, isUpdate: false, hasSidecar });
    checkReport(parsed.values.report, [...read], output);
  }
  const results: BatchResult[] = [];
  let status = 0;
  for (const conversion of conversions) {
    const output = isSplit ? directory : conversion.output;
    const input = shownInput(conversion.inputs[0]);
    try {
      const { report, request } = await runConversionOf(conversion, parsed, context);
      results.push({ input, output, report: reportDocument(report, request, catalogue, FLAG_FORM) });
      if (isShown(parsed)) process.stderr.write(`${resultLine(input, output, report)}\n`);
    } catch (thrown) {
      const error = asGeomillError(thrown);
      if (error.code === 'CANCELLED') throw error;
      status = Math.max(status, exitStatusOf(error));
      results.push({ input, output, error: shownError(error) });
      process.stderr.write(`${input}: ${errorLine(error)}\n`);
    }
  }
  const document = `${JSON.stringify(results, null, 2)}\n`;
  if (typeof parsed.values.report === 'string') writeBeside(parsed.values.report, document);
  if (parsed.values.json === true) standardOutput().write(document);
  else if (isShown(parsed)) process.stderr.write(totalLine(results));
  return status;
}

const isShown = ({ values }: Parsed): boolean => values.quiet !== true && values.json !== true;

/** The files that are named, and those that patterns match, which a shell without globs passes on. */
function filesOf(patterns: readonly string[]): readonly string[] {
  const files = patterns.flatMap((pattern) => {
    if (pattern === '-')
      throw failure(generalErrors.USAGE, {
        detail: "standard input, '-', has no name for an output in --out-dir",
      });
    if (isUrl(pattern) || !/[*?[{]/.test(pattern) || existsSync(pattern)) return [pattern];
    const matches = globSync(pattern).sort();
    if (matches.length === 0)
      throw failure(ioErrors.FILE_NOT_FOUND, { path: pattern, reason: 'no file matches' });
    return matches;
  });
  const unique = [...new Set(files)];
  if (unique.length > MAX_FILES)
    throw failure(generalErrors.USAGE, {
      detail: `${unique.length} files are too many for one command; the limit is ${MAX_FILES}`,
    });
  return unique;
}

/** The name of the input without its extension, and that of the output format. */
function outputName(
  input: string,
  { values }: Parsed,
): { readonly stem: string; readonly extension: string } {
  if (values.to === undefined)
    throw failure(generalErrors.USAGE, {
      detail: '--out-dir needs the format of the outputs: add --to FORMAT',
    });
  const { format, options } = chooseOutputFormat(values.to, input);
  const { outputExtension } = outputKind(format, options);
  const name = nameOfInput(input).replace(GZIP_EXTENSION, '');
  const lower = name.toLowerCase();
  const known = formatByFileName(inputFormats, name);
  const extension = known?.extensions
    .filter((one) => lower.endsWith(one))
    .sort((a, b) => b.length - a.length)[0];
  // A zip of a shapefile is often named like its .shp: roads.shp.zip.
  const part = known?.fileParts?.[0] ?? '';
  const stem = extension === undefined ? name.replace(/\.[^.]*$/, '') : name.slice(0, -extension.length);
  const isNamedAsPart = part !== '' && stem.toLowerCase().endsWith(part);
  return { stem: isNamedAsPart ? stem.slice(0, -part.length) : stem, extension: outputExtension };
}

/** File systems may ignore letter case. */
function refuseClashes(conversions: readonly Conversion[]): void {
  const taken = new Map<string, string>();
  for (const {
    inputs: [input],
    output,
  } of conversions) {
    const key = output.normalize('NFC').toLowerCase();
    const other = taken.get(key);
    if (other !== undefined)
      throw failure(generalErrors.USAGE, {
        detail: `'${shownInput(other)}' and '${shownInput(input)}' would both be written to '${output}'; convert them to different directories`,
      });
    taken.set(key, input);
  }
}

function resultLine(
  input: string,
  output: string,
  { features, warnings, output: { layers = [] }, totals }: ConversionReport,
): string {
  const notes = warnings.length === 0 ? '' : `, ${counted(warnings.length, 'warning')}`;
  const isFiles = layers.some((layer) => layer.files !== undefined);
  const files = isFiles ? (totals?.outputLayers ?? layers.length) : 0;
  const written = files === 0 ? '' : `${counted(files, 'file')}, `;
  return `${input} -> ${output}: ${written}${counted(features.written, 'feature')}${notes}`;
}

function totalLine(results: readonly BatchResult[]): string {
  const failed = results.filter(({ error }) => error !== undefined).length;
  const done = counted(results.length - failed, 'file');
  return `${done} converted${failed === 0 ? '' : `, ${failed} failed`}\n`;
}

function shownError(error: GeomillError): NonNullable<BatchResult['error']> {
  return { code: error.code, message: error.inForm(FLAG_FORM).message };
}
