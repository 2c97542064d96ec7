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
import type { FromWorker, FunctionName, ToWorker, WireConverted, WireError, WireFile } from './calls.ts';

export type * from '../types.ts';

class PageError extends Error implements GeomillErrorObject {
  override readonly name = 'GeomillError';
  readonly code: string;
  readonly location: GeomillErrorObject['location'];
  readonly suggestions: GeomillErrorObject['suggestions'];
  readonly fixes: GeomillErrorObject['fixes'];

  constructor({ code, message, location, suggestions, fixes }: WireError) {
    super(message);
    this.code = code;
    this.location = location;
    this.suggestions = suggestions;
    this.fixes = fixes;
  }
}

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
  await using worker = new PageWorker();
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
  return alone((worker) => worker.call<CrsHit[]>('crs', [query, options], {}));
}

/** The functions with a worker that stays between calls. */
export function createConverter(): Converter {
  const worker = new PageWorker();
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
async function alone<Result>(work: (worker: PageWorker) => Promise<Result>): Promise<Result> {
  await using worker = new PageWorker();
  return await work(worker);
}

interface Waiting {
  resolve(message: Exclude<FromWorker, { readonly progress: unknown } | { readonly report: unknown }>): void;
  reject(error: unknown): void;
  onProgress: RunOptions['onProgress'];
  onReport: ReadOptions['onReport'];
}

class PageWorker implements AsyncDisposable {
  #worker: Worker | null = null;
  #calls = 0;
  #onClosed = (): void => {};
  readonly #waiting = new Map<number, Waiting>();

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
    const call = ++this.#calls;
    let isDone = false;
    try {
      const args = [await wireInput(input), wireOptions(rest)];
      let message: ToWorker = { call, name: 'read', args };
      for (;;) {
        const answer = await this.#ask(call, message, { signal, onProgress, onReport });
        if (!('item' in answer)) break;
        yield answer.item as never;
        message = { next: call };
      }
      isDone = true;
    } finally {
      if (!isDone) this.#worker?.postMessage({ abort: call } satisfies ToWorker);
    }
  }

  async call<Result>(name: FunctionName, args: readonly unknown[], options: RunOptions): Promise<Result> {
    const call = ++this.#calls;
    const answer = await this.#ask(call, { call, name, args }, options);
    return ('result' in answer ? answer.result : undefined) as Result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    if (worker !== null && this.#waiting.size === 0) {
      const closed = new Promise<void>((resolve) => {
        this.#onClosed = resolve;
      });
      worker.postMessage({ close: true } satisfies ToWorker);
      await closed;
    }
    this.#end(refused('the converter was closed', 'CANCELLED'));
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
    return resultOf(await this.call(name, [wire, wireOptions(options)], options));
  }

  #ask(
    call: number,
    message: ToWorker,
    { signal, onProgress, onReport }: ReadOptions,
  ): Promise<Parameters<Waiting['resolve']>[0]> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting.delete(call);
        reject(refused('the conversion was cancelled', 'CANCELLED'));
        // A conversion computes without a pause: only its end stops it.
        if (this.#waiting.size === 0) this.#end();
        else this.#worker?.postMessage({ abort: call } satisfies ToWorker);
      };
      if (signal?.aborted === true) return onAbort();
      signal?.addEventListener('abort', onAbort, { once: true });
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value): void => {
          signal?.removeEventListener('abort', onAbort);
          this.#waiting.delete(call);
          settle(value);
        };
      this.#waiting.set(call, { resolve: settled(resolve), reject: settled(reject), onProgress, onReport });
      try {
        this.#started().postMessage(message);
      } catch (error) {
        settled(reject)(
          refused(`a member of the job cannot be sent to a worker: ${(error as Error).message}`),
        );
      }
    });
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module', name: 'geomill' });
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => this.#receive(data));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      const reason =
        event.message === '' || event.message === undefined ? 'it could not be loaded' : event.message;
      this.#end(refused(`the worker of geomill failed: ${reason}`, 'INTERNAL'));
    });
    this.#worker = worker;
    return worker;
  }

  #receive(message: FromWorker): void {
    if ('closed' in message) {
      this.#onClosed();
      return;
    }
    const waiting = this.#waiting.get(message.call);
    if (waiting === undefined) return;
    if ('progress' in message) waiting.onProgress?.(message.progress);
    else if ('report' in message) waiting.onReport?.(message.report);
    else if ('error' in message) waiting.reject(new PageError(message.error));
    else waiting.resolve(message);
  }

  /** Ends the worker; the next call starts another one. */
  #end(error?: PageError): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#onClosed();
    for (const { reject } of [...this.#waiting.values()]) reject(error);
  }
}

function refused(message: string, code = 'CONFIG_INVALID'): PageError {
  return new PageError({ code, message, location: undefined, suggestions: [], fixes: [] });
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
