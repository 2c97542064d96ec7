/**
 * geomill in a page: `import { convert } from 'geomill'`. The same functions as in Node.js, which run in a worker; nothing is sent anywhere.
 * Inputs are Blobs, bytes, URLs or GeoJSON; outputs are returned.
 */

// What the registry has, as the build writes it: the page does not load the formats.
import { formats as allFormats, steps as allSteps } from '#lists';
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
  Output,
  OutputFile,
  ReadOptions,
  RunOptions,
  Source,
  StepFacts,
  WriteOptions,
} from '../types.ts';
import type { FunctionName, ToWorker, WireConverted, WireFile } from './calls.ts';
import { PageError, PageWorker, refused } from './page-worker.ts';

export type * from '../types.ts';

export const GeomillError: GeomillErrorClass = PageError as unknown as GeomillErrorClass;
export type GeomillError = GeomillErrorObject;

export const formats: readonly FormatFacts[] = allFormats;
export const steps: readonly StepFacts[] = allSteps;

export function convert(job: ConvertJob, options?: RunOptions): Promise<Converted> {
  return alone((worker) => worker.converted('convert', job, options));
}

export function append(job: AppendJob, options?: RunOptions): Promise<Converted> {
  return alone((worker) => worker.converted('append', job, options));
}

export function merge(job: MergeJob, options?: RunOptions): Promise<Converted> {
  return alone((worker) => worker.converted('merge', job, options));
}

export function inspect(job: Input | InspectJob, options?: RunOptions): Promise<Inspection> {
  return alone((worker) => worker.inspection(job, options));
}

export function read(
  input: Input,
  options: ReadOptions & { readonly as: 'columns' },
): AsyncGenerator<ColumnBatch>;
export function read(
  input: Input,
  options?: ReadOptions & { readonly as?: 'features' },
): AsyncGenerator<Feature>;
export async function* read(input: Input, options: ReadOptions = {}): AsyncGenerator<Feature | ColumnBatch> {
  await using worker = new LibraryWorker();
  yield* worker.items(input, options);
}

/** Writes features to a file, which is returned. `name`: that of the file. */
export function write(name: string | URL, features: Source, options: WriteOptions = {}): Promise<Converted> {
  const { signal, onProgress, limits, time, steps: own, threads: _, ...output } = options;
  const job = { input: { data: features }, ...(own === undefined ? {} : { steps: own }) };
  return convert({ ...job, output: { ...output, name: String(name) } }, { signal, onProgress, limits, time });
}

/** As in Node.js, but the database is loaded first. */
export function crs(query: string | number, options: CrsQuery = {}): Promise<CrsHit[]> {
  return alone((worker) => worker.crs(query, options));
}

/** The functions with a worker that stays between calls. */
export function createConverter(): Converter {
  const worker = new LibraryWorker();
  const close = (): Promise<void> => worker[Symbol.asyncDispose]();
  return {
    convert: (job, options) => worker.converted('convert', job, options),
    append: (job, options) => worker.converted('append', job, options),
    merge: (job, options) => worker.converted('merge', job, options),
    inspect: (job, options) => worker.inspection(job, options),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const onlyInNode = (name: string) => (): Promise<never> =>
  Promise.reject(refused(`'${name}' divides conversions between processes, which a page has not`));
export const plan = onlyInNode('plan');
export const runPart = onlyInNode('runPart');
export const join = onlyInNode('join');

/** Runs a call in a worker that ends with it. */
async function alone<Result>(work: (worker: LibraryWorker) => Promise<Result>): Promise<Result> {
  await using worker = new LibraryWorker();
  return await work(worker);
}

/** Calls of the library in a worker. */
class LibraryWorker implements AsyncDisposable {
  readonly #worker = new PageWorker(
    () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module', name: 'geomill' }),
  );

  crs(query: string | number, options: CrsQuery): Promise<CrsHit[]> {
    return this.#worker.call('crs', [query, options], {});
  }

  converted(
    name: 'convert' | 'append' | 'merge',
    job: ConvertJob | AppendJob | MergeJob,
    options: RunOptions = {},
  ): Promise<Converted> {
    return this.#withInputs(name, job, options, convertedOf);
  }

  inspection(job: Input | InspectJob, options: RunOptions = {}): Promise<Inspection> {
    const own = typeof job === 'object' && job !== null && 'input' in job ? job : { input: job as Input };
    return this.#withInputs('inspect', own, options, (result) => result as Inspection);
  }

  async *items(input: Input, options: ReadOptions): AsyncGenerator<never> {
    const { signal, onProgress, onReport, ...rest } = options;
    const call = this.#worker.newCall();
    let isDone = false;
    try {
      const args = [await wireInput(input), wireOptions(rest)];
      let message: ToWorker = { call, name: 'read', args };
      for (;;) {
        const answer = await this.#worker.ask(call, message, { signal, onProgress, onReport });
        if (!('item' in answer)) break;
        yield answer.item as never;
        message = { next: call };
      }
      isDone = true;
    } finally {
      if (!isDone) this.#worker.tell({ abort: call });
    }
  }

  async #withInputs<Result>(
    name: FunctionName,
    job: object,
    options: RunOptions,
    resultOf: (result: unknown) => Result,
  ): Promise<Result> {
    if (typeof job !== 'object' || job === null) throw refused("the job must be an object with 'input' and 'output'"); // biome-ignore format: one line
    const { input, inputs, output, ...rest } = job as { input?: Input; inputs?: Input[]; output?: Output };
    const wire = {
      ...rest,
      ...(input === undefined ? {} : { input: await wireInput(input) }),
      ...(Array.isArray(inputs) ? { inputs: await Promise.all(inputs.map(wireInput)) } : {}),
      ...(output === undefined ? {} : { output: wireOutput(output) }),
    };
    return resultOf(await this.#worker.call(name, [wire, wireOptions(options)], options));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#worker[Symbol.asyncDispose]();
  }
}

/** What is plain data of the options. */
function wireOptions({
  signal: _,
  onProgress: __,
  fetch: ___,
  threads: ____,
  ...options
}: RunOptions & object): object {
  return options;
}

function wireOutput(output: Output): object {
  const options = typeof output === 'string' || output instanceof URL ? { path: output } : output;
  if (options.path !== undefined)
    throw refused(
      "'output.path': a page cannot write to a path; state 'format', and take the files of the result",
    );
  return options;
}

/** An input as data that a worker can get. */
async function wireInput(input: Input): Promise<unknown> {
  if (typeof input !== 'object' || input === null || input instanceof Blob || ArrayBuffer.isView(input))
    return input;
  if (input instanceof URL) return input.href;
  if ('data' in input || 'path' in input) {
    const { data, path, ...members } = input as { data?: Source; path?: string | URL };
    if (path !== undefined) return { ...members, path: String(path) };
    return { ...members, data: await wireInput(data as Input) };
  }
  if (Array.isArray(input)) return input;
  if (Symbol.asyncIterator in input || Symbol.iterator in input)
    return collected(input as AsyncIterable<unknown>);
  return input;
}

/** Bytes as a Blob, which is kept outside of the memory of the page; features as a list. */
async function collected(items: AsyncIterable<unknown> | Iterable<unknown>): Promise<unknown> {
  const bytes: BlobPart[] = [];
  const values: unknown[] = [];
  for await (const item of items)
    if (item instanceof Uint8Array) bytes.push(new Blob([item as Uint8Array<ArrayBuffer>]));
    else values.push(item);
  return bytes.length > 0 ? new Blob(bytes) : values;
}

function convertedOf(result: unknown): Converted {
  const { files, report } = result as WireConverted;
  return { files: files.map(outputFile), report };
}

function outputFile({ name, mediaType, content }: WireFile): OutputFile {
  return {
    ...{ name, path: null, mediaType, byteLength: content.size },
    bytes: async () => new Uint8Array(await content.arrayBuffer()),
    blob: async () => content,
    stream: () => content.stream() as ReadableStream<Uint8Array<ArrayBuffer>>,
  };
}
