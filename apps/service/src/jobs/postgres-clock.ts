/**
 * The time of day by the clock of a database, for all processes that share it. One whose own clock is wrong must not give files an
 * expiry in the past, nor remove those of others. Between readings the time goes on with the monotonic clock, which nobody sets.
 */
import type { Statements } from '../postgres/database.ts';

/** Milliseconds since 1970 in SQL. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

export class DatabaseClock {
  readonly #statements: Statements;
  /** At 0 of the monotonic clock. */
  #startMs = Number.NaN;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return Math.round(this.#startMs + performance.now());
  }

  /** Reads the clock: before `now` is called, and from time to time. It was read in the midst of the statement, for all that is known. */
  async read(): Promise<void> {
    const asked = performance.now();
    const [{ time }] = await this.#statements.rows<{ time: number }>(`SELECT ${NOW_MS} AS time`);
    this.#startMs = time - (asked + performance.now()) / 2;
  }
}
