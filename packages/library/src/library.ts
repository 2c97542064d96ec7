/**
 * geomill as a library: `import { convert } from 'geomill'`. Every function takes the words of a job document, throws GeomillError, and leaves
 * nothing behind: no temporary file, no thread, no state that another call sees.
 */
import { GeomillError as GeomillFailure } from '@geomill/core/messages/errors.ts';
import { inspectionDocument } from '@geomill/pipeline/inspect-document.ts';
import { coreCount } from '@geomill/platform/process-facts.ts';
import { type ThreadsFor, withCall } from './call.ts';
import { inspectionRequest } from './job-requests.ts';
import { allFormats, allSteps, findCrs } from './lists.ts';
import { asJobError, invalidJob, JOB_FORM, libraryCatalogue } from './messages.ts';
import { joinParts, planParts, runOnePart } from './parts.ts';
import { readColumns, readFeatures } from './read-features.ts';
import { inspectFile } from './run.ts';
import { type AnyJob, convertIn, readyInputs } from './run-job.ts';
import { ThreadPool } from './thread-pool.ts';
import type {
  AppendJob,
  ColumnBatch,
  Converted,
  Converter,
  ConvertJob,
  CrsHit,
  CrsQuery,
  Feature,
  FormatFacts,
  GeomillErrorClass,
  GeomillError as GeomillErrorObject,
  Input,
  Inspection,
  InspectJob,
  MergeJob,
  Part,
  PartOptions,
  PartResult,
  Plan,
  PlanOptions,
  ReadOptions,
  RunOptions,
  Source,
  StepFacts,
  WriteOptions,
} from './types.ts';

export type * from './types.ts';

/** What every function throws. */
export const GeomillError: GeomillErrorClass = GeomillFailure as unknown as GeomillErrorClass;
export type GeomillError = GeomillErrorObject;

/** All formats with their options. */
export const formats: readonly FormatFacts[] = allFormats();

/** All steps with their parameters. */
export const steps: readonly StepFacts[] = allSteps();

/** Converts one input. Resolves when the output is complete. */
export function convert(job: ConvertJob, options: RunOptions = {}): Promise<Converted> {
  return converted('transform', job, options, undefined);
}

/** Adds the features of the other inputs to the layers of the first. */
export function append(job: AppendJob, options: RunOptions = {}): Promise<Converted> {
  return converted('append', job, options, undefined);
}

/** Makes one layer of all inputs. */
export function merge(job: MergeJob, options: RunOptions = {}): Promise<Converted> {
  return converted('merge', job, options, undefined);
}

/** Describes the layers, fields and CRS of an input and, with an output, what a conversion to it would change or lose. */
export function inspect(job: Input | InspectJob, options: RunOptions = {}): Promise<Inspection> {
  return inspected(job, options, undefined);
}

/** The features of an input, one after another; with `as: 'columns'` batches of typed arrays. */
export function read(
  input: Input,
  options: ReadOptions & { readonly as: 'columns' },
): AsyncGenerator<ColumnBatch>;
export function read(
  input: Input,
  options?: ReadOptions & { readonly as?: 'features' },
): AsyncGenerator<Feature>;
export function read(input: Input, options: ReadOptions = {}): AsyncGenerator<Feature | ColumnBatch> {
  const { as = 'features' } = options;
  if (as !== 'features' && as !== 'columns')
    throw asJobError(invalidJob(`'as' must be features or columns, not ${JSON.stringify(as)}`));
  return as === 'columns' ? readColumns(input, options) : readFeatures(input, options);
}

/** Writes features to a file. They are in EPSG:4326, as GeoJSON has it. */
export function write(path: string | URL, features: Source, options: WriteOptions = {}): Promise<Converted> {
  const { signal, onProgress, threads, limits, fetch, gridDirectory, temporaryDirectory, time, ...more } =
    options;
  const { steps: own, ...output } = more;
  return convert(
    { input: { data: features }, ...(own === undefined ? {} : { steps: own }), output: { ...output, path } },
    { signal, onProgress, threads, limits, fetch, gridDirectory, temporaryDirectory, time },
  );
}

/** Divides a large conversion into parts. They can be run anywhere, also at the same time. */
export function plan(job: ConvertJob, options: PlanOptions = {}): Promise<Plan> {
  return planParts(job, options);
}

/** Runs a part of a plan. */
export function runPart(part: Part, options: PartOptions = {}): Promise<PartResult> {
  return runOnePart(part, options);
}

/** Makes the output of a plan and the results of its parts. A part without a result is run by the call. */
export function join(
  plan: Plan,
  results: Iterable<PartResult>,
  options: RunOptions = {},
): Promise<Converted> {
  return joinParts(plan, results, options);
}

/** Coordinate reference systems by code, name, alias or area, best match first; an empty query lists those of a filter. */
export function crs(query: string | number, options: CrsQuery = {}): CrsHit[] {
  return findCrs(query, options);
}

/** The functions with worker threads that stay between calls. `threads`: how many. Default: one for each core. */
export function createConverter({ threads = coreCount() }: Pick<RunOptions, 'threads'> = {}): Converter {
  const pool = new ThreadPool(threads);
  const threadsFor: ThreadsFor = (signal) => pool.forCall(signal);
  const withThreads = (options: RunOptions = {}): RunOptions => ({ threads, ...options });
  const close = (): Promise<void> => pool.close();
  return {
    convert: (job, options) => converted('transform', job, withThreads(options), threadsFor),
    append: (job, options) => converted('append', job, withThreads(options), threadsFor),
    merge: (job, options) => converted('merge', job, withThreads(options), threadsFor),
    inspect: (job, options) => inspected(job, withThreads(options), threadsFor),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function converted(
  operation: AnyJob['operation'],
  job: ConvertJob | AppendJob | MergeJob,
  options: RunOptions,
  threadsFor: ThreadsFor,
): Promise<Converted> {
  return withCall(options, threadsFor, (call) => convertIn(call, jobOf(operation, job)));
}

/** Throws CONFIG_INVALID for what is no job of the operation. */
function jobOf(operation: AnyJob['operation'], job: ConvertJob | AppendJob | MergeJob): AnyJob {
  if (typeof job !== 'object' || job === null)
    throw invalidJob("the job must be an object such as { input: 'roads.shp', output: 'roads.gpkg' }");
  const { output, ...members } = job;
  const { input, inputs, ...rest }: { input?: Input; inputs?: Input[] } = { ...members };
  const isList = operation !== 'transform';
  if (isList ? input !== undefined : inputs !== undefined)
    throw invalidJob(isList ? "'input' must be 'inputs', a list" : "'inputs' must be 'input', as it is one");
  if (isList && (!Array.isArray(inputs) || inputs.length === 0))
    throw invalidJob("'inputs' is required: a list of paths, bytes or GeoJSON");
  return { operation, inputs: inputs ?? [input as Input], output, rest: rest as AnyJob['rest'] };
}

async function inspected(
  job: Input | InspectJob,
  options: RunOptions,
  threadsFor: ThreadsFor,
): Promise<Inspection> {
  return withCall(options, threadsFor, async (call) => {
    const { input, output, steps, ...rest } = isInspectJob(job) ? job : { input: job };
    const { stated, staged, formats } = await readyInputs([input], false, call);
    const request = inspectionRequest({
      ...rest,
      input: { ...stated[0].members, format: formats[0].id },
      ...(steps === undefined ? {} : { transformations: steps }),
      ...(output === undefined ? {} : { output }),
    });
    const { found, dryRun } = await inspectFile(call, request, staged[0]);
    const { findings } = call.fetched.additions('input');
    const whole = { ...found, warnings: [...findings, ...found.warnings] };
    return inspectionDocument(whole, dryRun, libraryCatalogue, JOB_FORM) as Inspection;
  });
}

function isInspectJob(job: Input | InspectJob): job is InspectJob {
  return typeof job === 'object' && job !== null && 'input' in job;
}
