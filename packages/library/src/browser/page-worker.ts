/** A worker that runs calls of the library, for a page: starts it, gives it calls and returns its answers. */
import type { GeomillError as GeomillErrorObject, ReadOptions, RunOptions } from '../types.ts';
import type { FromWorker, FunctionName, ToWorker, WireError } from './calls.ts';

export class PageError extends Error implements GeomillErrorObject {
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

/** What ends a question. */
type Answer = Exclude<
  FromWorker,
  { readonly progress: unknown } | { readonly report: unknown } | { readonly closed: true }
>;

interface Waiting {
  resolve(message: Answer): void;
  reject(error: unknown): void;
  onProgress: RunOptions['onProgress'];
  onReport: ReadOptions['onReport'];
}

export class PageWorker implements AsyncDisposable {
  readonly #start: () => Worker;
  #worker: Worker | null = null;
  #calls = 0;
  #onClosed = (): void => {};
  readonly #waiting = new Map<number, Waiting>();

  /** `start`: starts `worker.js`. Bundlers have to see its address, so the caller has it. */
  constructor(start: () => Worker) {
    this.#start = start;
  }

  /** The number of a call for `ask`. */
  newCall(): number {
    return ++this.#calls;
  }

  /** Sends a message that is not answered. */
  tell(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }

  async call<Result>(name: FunctionName, args: readonly unknown[], options: RunOptions): Promise<Result> {
    const call = this.newCall();
    const answer = await this.ask(call, { call, name, args }, options);
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

  /** Sends a message, and resolves with the answer. An abort rejects with CANCELLED. */
  ask(call: number, message: ToWorker, { signal, onProgress, onReport }: ReadOptions): Promise<Answer> {
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
    const worker = this.#start();
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

export function refused(message: string, code = 'CONFIG_INVALID'): PageError {
  return new PageError({ code, message, location: undefined, suggestions: [], fixes: [] });
}
