/** The time limits of a fetch: one for all of it, one for the current step. */
import { failure, type GeomillError } from '../errors.ts';
import type { FetchLimits } from './fetch-messages.ts';

export class Deadline implements Disposable {
  readonly #limits: FetchLimits;
  readonly #controller = new AbortController();
  readonly #total: NodeJS.Timeout;
  #step: NodeJS.Timeout | undefined;
  #stepMs = 0;
  #host = '';
  #expected: 'answer' | 'bytes' = 'answer';
  #over: GeomillError | null = null;

  constructor(limits: FetchLimits) {
    this.#limits = limits;
    this.#total = setTimeout(
      () => this.#end('send the whole file', limits.totalMs, 'INPUT_URL_TIMEOUT'),
      limits.totalMs,
    );
  }

  /** Fires when a limit is exceeded; `throwIfOver` then throws the error. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  expectHeaders(host: string): void {
    this.#expect(host, 'answer', this.#limits.headersMs);
  }

  /** Call this when data is received. */
  expectBytes(host: string): void {
    if (this.#expected === 'bytes' && this.#host === host) this.#step?.refresh();
    else this.#expect(host, 'bytes', this.#limits.stallMs);
  }

  /** Throws URL_TIMEOUT. */
  throwIfOver(): void {
    if (this.#over !== null) throw this.#over;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#total);
    clearTimeout(this.#step);
  }

  #expect(host: string, expected: 'answer' | 'bytes', ms: number): void {
    clearTimeout(this.#step);
    this.#host = host;
    this.#expected = expected;
    this.#stepMs = ms;
    this.#step = setTimeout(() => {
      this.#end(expected === 'answer' ? 'answer' : 'send any more', this.#stepMs, 'a fixed limit');
    }, ms);
  }

  #end(what: string, ms: number, setting: string): void {
    this.#over ??= failure('URL_TIMEOUT', { host: this.#host, what, seconds: ms / 1000, setting });
    this.#controller.abort(this.#over);
  }
}
