/** Runs a job: its inputs become files, the pipeline converts them, its output becomes the files that the caller gets. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, extname, join } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { type InputFormat, outputKind } from '@geomill/formats/format.ts';
import { formats } from '@geomill/formats/registry.ts';
import { GZIP_EXTENSION, gzipFile } from '@geomill/io/gzip.ts';
import { DEFAULT_LIMITS, type InputLimits } from '@geomill/io/limits.ts';
import { TemporaryDirectory } from '@geomill/io/temporary-directory.ts';
import { transformations } from '@geomill/operations/registry.ts';
import { completedReport } from '@geomill/pipeline/completed-report.ts';
import type { Division } from '@geomill/pipeline/division/division.ts';
import type { ConversionReport } from '@geomill/pipeline/report.ts';
import { reportDocument } from '@geomill/pipeline/report-document.ts';
import type { ConversionPaths, ConversionRequest, JobRequest } from '@geomill/pipeline/request.ts';
import { type ConversionControl, runConversion } from '@geomill/pipeline/run.ts';
import { deliveredKind } from '@geomill/pipeline/split-request.ts';
import { newThreads, type ThreadSource } from '@geomill/pipeline/threads.ts';
import { configOfDocument, parseDocument } from '@geomill/requests/job-document.ts';
import { type ParsedConfig, parseJobRequest } from '@geomill/requests/parse-job-request.ts';
import { asJobError, invalidJob, JOB_FORM, libraryCatalogue } from './messages.ts';
import { fileAtPath, fileInMemory } from './output-files.ts';
import { checkedPath, filesBelow, newDirectory, type StatedOutput, statedOutput } from './output-target.ts';
import {
  formatOfInput,
  pathOf,
  type StagedInput,
  type StatedInput,
  stageInput,
  statedInput,
} from './staged-inputs.ts';
import type { Converted, Input, Output, OutputFile, Report, RunOptions } from './types.ts';

/** A job of any operation. */
export interface AnyJob {
  readonly operation: ConversionRequest['operation'];
  readonly inputs: readonly Input[];
  readonly output: Output;
  /** Steps and the other members of a job document. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** What a call works with. */
export interface Call {
  readonly temporary: TemporaryDirectory;
  readonly signal: AbortSignal;
  readonly paths: Omit<ConversionPaths, 'inputs' | 'outputPath'>;
  readonly control: ConversionControl;
}

/** Gives the threads for a call; undefined: threads that end with it. */
export type ThreadsFor = ((signal: AbortSignal) => ThreadSource) | undefined;

/** A call that began: `close` removes its temporary directory. */
export interface OpenCall extends Call {
  /** A thrown value as an error of the library. */
  failure(thrown: unknown): unknown;
  close(): void;
}

/** Throws CANCELLED, CONFIG_INVALID, and SETTING_INVALID for a temporary directory that cannot be used. */
export function openCall(options: RunOptions, threadsFor?: ThreadsFor): OpenCall {
  try {
    const settings = {
      gridDirectory: options.gridDirectory ?? null,
      threads: threadCount(options.threads),
      limits: limitsOf(options.limits),
      ...(options.time === undefined ? {} : { timeMs: options.time.getTime() }),
    };
    if (options.signal?.aborted === true)
      throw failure(generalErrors.CANCELLED, {}, undefined, options.signal.reason);
    const abort = new AbortController();
    const onAbort = (): void => abort.abort(options.signal?.reason);
    const { signal } = abort;
    const temporary = TemporaryDirectory.required('geomill-', options.temporaryDirectory);
    // The signal of the caller may live long: it keeps nothing of a call that has ended.
    options.signal?.addEventListener('abort', onAbort, { once: true });
    return {
      ...{ temporary, signal },
      paths: { ...settings, scratchDirectory: temporary.directory('scratch') },
      control: {
        signal,
        onProgress: (progress) => options.onProgress?.(progress),
        threads: threadsFor?.(signal) ?? newThreads,
      },
      failure: (thrown) => asJobError(temporary.explained(thrown)),
      close() {
        options.signal?.removeEventListener('abort', onAbort);
        temporary.remove();
      },
    };
  } catch (error) {
    throw asJobError(error);
  }
}

/** Calls `work` with a temporary directory, which is removed when it ends. Throws only errors of the library. */
export async function withCall<Result>(
  options: RunOptions,
  threadsFor: ThreadsFor,
  work: (call: Call) => Promise<Result>,
): Promise<Result> {
  const call = openCall(options, threadsFor);
  try {
    return await work(call);
  } catch (error) {
    throw call.failure(error);
  } finally {
    call.close();
  }
}

function threadCount(threads: unknown): number {
  if (threads === undefined) return availableParallelism();
  if (typeof threads === 'number' && Number.isInteger(threads) && threads >= 1 && threads <= 256)
    return threads;
  throw invalidJob(`the option 'threads' must be a number from 1 to 256, not ${JSON.stringify(threads)}`);
}

function limitsOf(stated: RunOptions['limits'] = {}): InputLimits {
  for (const [name, value] of Object.entries(stated)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name))
      throw invalidJob(
        `the option 'limits.${name}' is unknown; limits: ${Object.keys(DEFAULT_LIMITS).join(', ')}`,
      );
    if (typeof value !== 'number' || !(value > 0))
      throw invalidJob(`the option 'limits.${name}' must be a number above 0`);
  }
  return { ...DEFAULT_LIMITS, ...stated };
}

/** Inputs as files, with their formats. */
export interface ReadyInputs {
  readonly stated: readonly StatedInput[];
  readonly staged: readonly StagedInput[];
  /** Null for an input whose format the job states. */
  readonly found: readonly (InputFormat | null)[];
}

/** `isList`: the job has a list of inputs. */
export async function readyInputs(
  inputs: readonly Input[],
  isList: boolean,
  { temporary, signal }: Pick<Call, 'temporary' | 'signal'>,
): Promise<ReadyInputs> {
  const nameOf = (i: number): string => (isList ? `inputs[${i}]` : 'input');
  const stated = inputs.map((input, i) => statedInput(input, nameOf(i)));
  const staged: StagedInput[] = [];
  for (const [i, input] of stated.entries())
    staged.push(await stageInput(input, nameOf(i), join(temporary.path, 'inputs', String(i + 1)), signal));
  const found = staged.map((input, i) =>
    stated[i].members.format === undefined ? formatOfInput(input, nameOf(i)) : null,
  );
  return { stated, staged, found };
}

/** The job as a request to the pipeline. Throws what the checks of its members throw. */
export function requestOf(
  operation: JobRequest['operation'],
  { stated, found }: ReadyInputs,
  output: Readonly<Record<string, unknown>> | null,
  rest: AnyJob['rest'],
): { readonly request: JobRequest; readonly findings: ParsedConfig['findings'] } {
  const ids = stated.map(({ members }, i) => found[i]?.id ?? members.format);
  const mixed = mixedFormats(operation, ids);
  const entries = stated.map(({ members: { format: _, ...members } }, i) =>
    i === 0 ? { ...members, format: mixed.format } : members,
  );
  const config =
    operation === 'inspect'
      ? inspectionConfig(rest, entries[0], output)
      : configOfDocument(parseDocument({ ...rest, operation, inputs: entries, outputs: [output] }), 0);
  // The CRSs that a job does not state are those of `geomill convert`.
  const endpoint = {
    operation,
    inputFormat: null,
    spelling: 'nested',
    isCrsOptional: true,
    keepsCrs: true,
  } as const;
  const parsed = parseJobRequest(config, endpoint, { formats, transformations }, undefined, 'paths');
  const request = parsed.forFiles(stated.length);
  return { request: withMixed(request, mixed, ids), findings: parsed.findings };
}

function inspectionConfig(
  { steps, ...rest }: AnyJob['rest'],
  input: object,
  output: object | null,
): Readonly<Record<string, unknown>> {
  return {
    ...{ ...rest, input },
    ...(steps === undefined ? {} : { transformations: steps }),
    ...(output === null ? {} : { output }),
  };
}

interface MixedFormats {
  /** Of the config. */
  readonly format: unknown;
  /** Of the target of an append, if it is another one. */
  readonly target: unknown;
}

/** Throws CONFIG_INVALID for formats that one call cannot read together. */
function mixedFormats(
  operation: JobRequest['operation'],
  [first, ...others]: readonly unknown[],
): MixedFormats {
  const other = others.find((id) => id !== first);
  if (other === undefined || operation === 'merge') return { format: first, target: undefined };
  if (others.every((id) => id === other)) return { format: other, target: first };
  throw invalidJob(
    `the inputs after the first are of several formats (${[...new Set(others)].join(', ')}); append those of each format by a call of its own`,
  );
}

function withMixed(request: JobRequest, { target }: MixedFormats, ids: readonly unknown[]): JobRequest {
  const { input } = request;
  if (target !== undefined) return { ...request, input: { ...input, targetFormat: String(target) } };
  const files = input.files.map((file, i) =>
    ids[i] === ids[0] ? file : { ...file, own: { format: String(ids[i]), options: {} } },
  );
  return { ...request, input: { ...input, files } };
}

/** Converts in a call. `division`: where parts of the conversion can run. */
export async function convertIn(call: Call, job: AnyJob, division?: Division): Promise<Converted> {
  const { operation, rest } = job;
  const output = statedOutput(job.output);
  const inputs = await readyInputs(job.inputs, operation !== 'transform', call);
  const { request, findings } = requestOf(operation, inputs, output.members, rest);
  const conversion = request as ConversionRequest;
  const stepInputs = stepInputsOf(conversion);
  const target = targetOf(call, output, conversion, inputs.staged, Object.values(stepInputs));
  const control = { ...call.control, ...(division === undefined ? {} : { division }) };
  const own = { ...conversion, output: { ...conversion.output, toFile: true } };
  const paths = { ...call.paths, inputs: inputs.staged, stepInputs, ...target.paths };
  const found = await runConversion(own, paths, control);
  const noted = completedReport(
    found,
    findings.list(),
    { fetched: null, fetchedSources: [] },
    libraryCatalogue,
  ) as ConversionReport;
  const { files, report } = await target.deliver(noted);
  return { files, report: reportDocument(report, conversion, libraryCatalogue, JOB_FORM) as Report };
}

/** The files that steps name. Throws FILE_NOT_FOUND. */
function stepInputsOf({
  transformations: steps,
}: ConversionRequest): Record<string, { path: string; name: string }> {
  const found: Record<string, { path: string; name: string }> = {};
  for (const { file } of steps)
    if (file !== undefined) {
      const path = pathOf(file.input, 'steps');
      found[file.input] ??= { path, name: basename(path) };
    }
  return found;
}

interface Target {
  readonly paths: Pick<ConversionPaths, 'outputPath' | 'expected' | 'outputDirectory'>;
  deliver(report: ConversionReport): Promise<{ files: readonly OutputFile[]; report: ConversionReport }>;
}

function targetOf(
  call: Call,
  output: StatedOutput,
  request: ConversionRequest,
  inputs: readonly StagedInput[],
  stepInputs: readonly { readonly path: string }[],
): Target {
  const { mediaType } = deliveredKind(output.format, request.output);
  if (output.path === null) return memoryTarget(call, output, request, inputs[0]);
  const read = [...inputs.flatMap(({ userPath }) => userPath ?? []), ...stepInputs.map(({ path }) => path)];
  const isAppend = request.operation === 'append';
  const { path, expected } = checkedPath(output.path, {
    overwrite: output.overwrite,
    inputs: read,
    target: isAppend ? inputs[0].userPath : null,
  });
  if (request.output.split?.into === 'files' && !/\.zip$/i.test(path))
    throw invalidJob(
      "'output.path' cannot hold a file for each value of 'split_by'; use the name of a .zip, or leave it out to get the files",
    );
  if (!GZIP_EXTENSION.test(path))
    return {
      paths: { outputPath: path, expected },
      deliver: async (report) => ({
        files: expected
          .filter(({ path: file }) => existsSync(file))
          .map(({ path: file }) => fileAtPath(file, mediaType)),
        report,
      }),
    };
  const plain = join(
    newDirectory(join(call.temporary.path, 'output')),
    basename(path).replace(GZIP_EXTENSION, ''),
  );
  return {
    paths: { outputPath: plain },
    async deliver(report) {
      const byteLength = await gzipFile(plain, path, call.signal, expected);
      const gzip = 'application/gzip';
      return {
        files: [fileAtPath(path, gzip)],
        report: { ...report, output: { ...report.output, byteLength, mediaType: gzip } },
      };
    },
  };
}

/** The output goes to the temporary directory and is read from there. */
function memoryTarget(
  call: Call,
  { name, format }: StatedOutput,
  request: ConversionRequest,
  first: StagedInput,
): Target {
  const { outputExtension, mediaType } = deliveredKind(format, request.output);
  const stem = basename(first.name, extname(first.name.replace(GZIP_EXTENSION, ''))).replace(
    GZIP_EXTENSION,
    '',
  );
  const fileName = name === undefined ? `${stem || 'output'}${outputExtension}` : basename(name);
  const directory = newDirectory(join(call.temporary.path, 'output'));
  const isSplit = request.output.split?.into === 'files';
  const outputDirectory = newDirectory(join(call.temporary.path, 'parts'));
  const typeOfPart = outputKind(format, request.output.options).mediaType;
  return {
    paths: { outputPath: join(directory, fileName), ...(isSplit ? { outputDirectory } : {}) },
    deliver: async (report) => ({
      files: isSplit
        ? filesBelow(outputDirectory).map((path) => fileInMemory(path, typeOfPart))
        : filesBelow(directory).map((path) => fileInMemory(path, mediaType)),
      report,
    }),
  };
}
