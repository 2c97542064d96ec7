/** Time that passes only when a test says so. */
import type { Timers } from '../../packages/core/src/timers.ts';

interface Waiting {
  at: number;
  readonly act: () => void;
  /** Null: once. */
  readonly everyMs: number | null;
}

export class ManualTimers implements Timers {
  #now = 0;
  readonly #waiting = new Set<Waiting>();

  now(): number {
    return this.#now;
  }

  /** Without a wait, `act` is called soon. */
  after(ms: number, act: () => void): () => void {
    if (ms <= 0) {
      const soon = setImmediate(act);
      return () => clearImmediate(soon);
    }
    return this.#add({ at: this.#now + ms, act, everyMs: null });
  }

  every(ms: number, act: () => void): () => void {
    return this.#add({ at: this.#now + ms, act, everyMs: ms });
  }

  /** Milliseconds until each of the calls that are waited for, intervals included. */
  get pending(): number[] {
    return [...this.#waiting].map(({ at }) => at - this.#now).sort((a, b) => a - b);
  }

  /** Lets so many milliseconds pass, and makes the calls that are due meanwhile, in their order. */
  pass(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#next(end); next !== null; next = this.#next(end)) {
      this.#now = next.at;
      if (next.everyMs === null) this.#waiting.delete(next);
      else next.at += next.everyMs;
      next.act();
    }
    this.#now = end;
  }

  #add(waiting: Waiting): () => void {
    this.#waiting.add(waiting);
    return () => void this.#waiting.delete(waiting);
  }

  /** The first call that is due until then. */
  #next(end: number): Waiting | null {
    let first: Waiting | null = null;
    for (const one of this.#waiting) if (one.at <= end && (first === null || one.at < first.at)) first = one;
    return first;
  }
}
