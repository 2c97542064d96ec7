/** The time limits of a fetch: one for all of it, one for the current step. */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { PLATFORM_TIMERS, type Timers } from '@geomill/core/timers.ts';
import { remoteInputErrors } from './errors.ts';
import type { FetchLimits } from './fetch-messages.ts';

export class Deadline implements Disposable {
  readonly #limits: FetchLimits;
  readonly #controller = new AbortController();
  readonly #timers: Timers;
  readonly #cancelTotal: () => void;
  #cancelStep = (): void => {};
  #host = '';
  #over: GeomillError | null = null;

  constructor(limits: FetchLimits, timers: Timers = PLATFORM_TIMERS) {
    this.#limits = limits;
    this.#timers = timers;
    this.#cancelTotal = timers.after(limits.totalMs, () =>
      this.#end('send the whole file', limits.totalMs, 'INPUT_URL_TIMEOUT'),
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
    this.#expect(host, 'send any more', this.#limits.stallMs);
  }

  /** Throws URL_TIMEOUT. */
  throwIfOver(): void {
    if (this.#over !== null) throw this.#over;
  }

  [Symbol.dispose](): void {
    this.#cancelTotal();
    this.#cancelStep();
  }

  #expect(host: string, what: 'answer' | 'send any more', ms: number): void {
    this.#cancelStep();
    this.#host = host;
    this.#cancelStep = this.#timers.after(ms, () => this.#end(what, ms, 'a fixed limit'));
  }

  #end(what: string, ms: number, setting: string): void {
    this.#over ??= failure(remoteInputErrors.URL_TIMEOUT, {
      host: this.#host,
      what,
      seconds: ms / 1000,
      setting,
    });
    this.#controller.abort(this.#over);
  }
}
