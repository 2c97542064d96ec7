/** `geomill submit URL IN OUT`: what `geomill convert` does, as a job of a service. */
import { readFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import {
  type Finding,
  GeomillClient,
  GeomillProblem,
  type JobHandle,
  type Output,
  type Report,
  type SubmitJobConfig,
} from '@geomill/client/client.ts';
import type { NamedFile } from '@geomill/client/file-input.ts';
import { fileFrom } from '@geomill/client/node/files.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { severities } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { counted } from '@geomill/core/messages/message.ts';
import { formatOfPart } from '@geomill/formats/format-by-id.ts';
import { ioErrors } from '@geomill/io/errors.ts';
import { OutputFileSink } from '@geomill/io/output-file.ts';
import { asOutputFailure, type OutputPath } from '@geomill/library/output-path.ts';
import { documentText } from '@geomill/pipeline/report-document.ts';
import { type Flags, type Parsed, parseCommand } from './arguments.ts';
import { checkReport, writeBeside } from './conversion.ts';
import { conversionFlags, conversionUsage } from './conversion-flags.ts';
import { type Conversion, checkedRuns, crsOf } from './conversion-request.ts';
import { cliErrors } from './errors.ts';
import { checkOutput, inputStats, readFailure } from './files.ts';
import { interruptible } from './interrupt.ts';
import { progressBar } from './progress-bar.ts';
import { standardOutput } from './standard-output.ts';
import { configOfSubmission } from './submitted-config.ts';
import { megabytes } from './summary.ts';
import { isUrl, shownInput } from './urls.ts';
import { FLAG_FORM } from './wording.ts';

/** Options of a conversion that concern the machine on which it runs. */
const LOCAL_FLAGS = ['threads', 'findings'] as const;

export const usage = (): string => `geomill submit URL IN OUT [options]

Converts IN as a job of the geomill service at URL, however long that takes, and saves its output as OUT.

  URL                   address of the service, such as http://127.0.0.1:8080
  IN, OUT               files; the extension states the format; OUT '-' is standard output; the service fetches an IN that is
                        a URL, if it allows the host
  --api-key-file FILE   file with the API key, if the service requires one
  --from FORMAT         format of IN          --to FORMAT           format of OUT
  --from-crs CRS        CRS of IN, if the file does not define one (EPSG:28350)
  --override-crs        use --from-crs although the file defines another CRS
  --to-crs CRS          CRS of OUT (default: that of IN; a format with a fixed CRS, such as KML, keeps that one)
  --layer NAME          read only this layer; can be repeated
  --layer-name NAME     name of the layer in OUT, if there is only one
  --split-by FIELD      a layer of OUT for each value of FIELD, or a file in OUT if that is a .zip
${usageOfService()}

An interrupted command cancels its job.

Examples:
  geomill submit http://127.0.0.1:8080 roads.gpkg roads.zip --to shp --to-crs EPSG:25832
  geomill submit https://geomill.example.org survey.csv survey.gpkg --from-crs EPSG:25832 --api-key-file key.txt`;

function usageOfService(): string {
  const lines = conversionUsage('converted').split('\n');
  return lines.filter((line) => !LOCAL_FLAGS.some((flag) => line.startsWith(`  --${flag} `))).join('\n');
}

export function flags(): Flags {
  const shared = { ...conversionFlags() };
  for (const flag of LOCAL_FLAGS) delete shared[flag];
  return {
    'api-key-file': { type: 'string' },
    'from-crs': { type: 'string' },
    'override-crs': { type: 'boolean' },
    'layer-name': { type: 'string' },
    'split-by': { type: 'string' },
    ...shared,
  };
}

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const [service, input, output, ...others] = parsed.positionals;
  if (output === undefined || others.length > 0 || !isUrl(service) || URL.parse(service) === null)
    throw failure(generalErrors.USAGE, {
      detail: 'submit takes the URL of a service, IN and OUT; see geomill submit --help',
    });
  const [{ request }] = await checkedRuns(conversionOf(input, output, parsed), parsed);
  const { config, stepFiles } = configOfSubmission(request, isUrl(input) ? input : null);
  const read = [input, ...Object.values(stepFiles)];
  const target = targetOf(output, read, parsed);
  checkReport(parsed.values.report, read, target.path);
  const client = new GeomillClient({ baseUrl: service, ...keyOf(parsed) });
  const submission = {
    ...(isUrl(input) ? {} : { input: await fileOf(input) }),
    ...(Object.keys(stepFiles).length === 0 ? {} : { mask: await partsOf(stepFiles) }),
    config: config as SubmitJobConfig,
  };
  const report = await interruptible(async (signal) => {
    let job: JobHandle | null = null;
    try {
      job = await client.submit(submission, { signal });
      return await delivered(job, target, parsed, signal);
    } catch (error) {
      if (signal.aborted) await job?.cancel();
      throw asServiceFailure(error, service);
    }
  });
  tell(report, parsed, output);
  return 0;
}

function conversionOf(input: string, output: string, { values }: Parsed): Conversion {
  if (input === '-')
    throw failure(generalErrors.USAGE, {
      detail: 'submit reads no standard input; name a file or a URL as IN',
    });
  if (/\.gz$/i.test(output))
    throw failure(generalErrors.USAGE, {
      detail: `'${output}': a service writes no .gz; leave .gz out of the name`,
    });
  if (formatOfPart(input) !== null && !isUrl(input))
    throw failure(generalErrors.USAGE, {
      detail: `'${input}' is one of the files of a shapefile; put all of them into a .zip and submit that`,
    });
  const crs = crsOf(values['from-crs'], 'from-crs');
  const overrides = values['override-crs'] === true;
  if (overrides && crs === null)
    throw failure(generalErrors.USAGE, {
      detail: '--override-crs needs --from-crs, the CRS in which the file is read',
    });
  const file = { crs, crsPath: 'input.epsg', ...(overrides ? { overridesCrs: true as const } : {}) };
  return { operation: 'transform', inputs: [input], files: [file], output, unnamed: 'geomill' };
}

function targetOf(output: string, inputs: readonly string[], { values }: Parsed): OutputPath {
  if (output === '-') return { path: output, isUpdate: false };
  const hasSidecar = values.sidecar === true || values['out-sidecar'] === 'true';
  if (hasSidecar && !output.toLowerCase().endsWith('.zip'))
    throw failure(generalErrors.USAGE, {
      detail: `--sidecar: the service delivers '${output}' and its sidecar in one archive; give OUT a name that ends with .zip, and its format with --to`,
    });
  return checkOutput(output, { inputs, overwrite: values.overwrite === true, isUpdate: false });
}

/** The key of the service, in a file so that the list of processes does not show it. */
function keyOf({ values }: Parsed): { readonly apiKey?: string } {
  const path = values['api-key-file'];
  if (typeof path !== 'string') return {};
  try {
    return { apiKey: readFileSync(path, 'utf8').trim() };
  } catch (error) {
    throw failure(ioErrors.FILE_NOT_FOUND, { path, reason: readFailure(error) }, undefined, error);
  }
}

async function fileOf(path: string): Promise<NamedFile> {
  if (inputStats(path).isDirectory)
    throw failure(generalErrors.USAGE, {
      detail: `'${path}' is a folder; put it into a .zip and submit that`,
    });
  return fileFrom(path);
}

async function partsOf(paths: Readonly<Record<string, string>>): Promise<Record<string, NamedFile>> {
  const parts: Record<string, NamedFile> = {};
  for (const [part, path] of Object.entries(paths)) parts[part] = await fileOf(path);
  return parts;
}

/** Waits for the job and saves its output. */
async function delivered(
  job: JobHandle,
  target: OutputPath,
  { values }: Parsed,
  signal: AbortSignal,
): Promise<{ readonly report: Report | null; readonly byteLength: number }> {
  const bar = progressBar(process.stderr, values.quiet !== true);
  try {
    const { report } = await job.wait({ onProgress: bar.update, signal });
    const byteLength = await save(await job.download({ signal }), target);
    return { report, byteLength };
  } finally {
    bar.clear();
  }
}

async function save(output: Output, { path, expected }: OutputPath): Promise<number> {
  let byteLength = 0;
  if (path === '-') {
    const counting = async function* (): AsyncGenerator<Uint8Array> {
      for await (const chunk of output.stream()) {
        byteLength += chunk.length;
        yield chunk;
      }
    };
    await pipeline(counting, standardOutput(), { end: false });
    return byteLength;
  }
  const sink = opened(path, () => new OutputFileSink(path, expected));
  try {
    for await (const chunk of output.stream()) opened(path, () => sink.append(chunk));
    return sink.finish();
  } finally {
    sink.abort();
  }
}

/** What `work` does with the output file. Throws OUTPUT_NOT_WRITABLE for a full disk and its like. */
function opened<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asOutputFailure(error, path);
  }
}

/** The client throws errors of its own, and TypeError if the service cannot be reached. */
function asServiceFailure(error: unknown, service: string): unknown {
  if (!(error instanceof Error) || error instanceof GeomillError) return error;
  const advice = error instanceof GeomillProblem && error.status === 401 ? '; add --api-key-file FILE' : '';
  const reason = inFlags(error.message) + advice;
  return failure(cliErrors.SUBMISSION_FAILED, { service: shownInput(service), reason }, undefined, error);
}

/** A message of the service, which names fields of a config, with the flags that state them. */
function inFlags(message: string): string {
  return message.replace(/'((?:in|out)put\.\w+)'/g, (_, path) => `'${FLAG_FORM.name(path)}'`);
}

function tell(
  { report, byteLength }: { readonly report: Report | null; readonly byteLength: number },
  { values }: Parsed,
  output: string,
): void {
  const document = (): string => documentText(report);
  if (typeof values.report === 'string') writeBeside(values.report, document());
  if (values.json === true) (output === '-' ? process.stderr : standardOutput()).write(document());
  else if (values.quiet !== true)
    process.stderr.write(
      `${report?.summary ?? 'converted'} (${megabytes(byteLength)})\n${warningLines(report)}`,
    );
}

/** The most serious first. A newer service may have codes that this version does not know: its messages are shown. */
function warningLines(report: Report | null): string {
  const rank = (finding: Finding): number => severities.indexOf(finding.severity);
  const sorted = [...(report?.warnings ?? [])].sort((a, b) => rank(b) - rank(a));
  return sorted
    .map(
      ({ severity, message, count }) =>
        `  ${severity}: ${inFlags(message)}${count > 1 ? ` (${counted(count, 'time')})` : ''}\n`,
    )
    .join('');
}
