/**
 * Lets the processes of a service share what they have counted: attempts to guess secrets, and requests. Each process decides by
 * its own numbers, without a wait, and exchanges them with the database every second. So within a second each process
 * may still allow what it would allow alone; requests beyond the rate are then made up for by a longer wait.
 */
import type { PostgresDatabase } from '../postgres/database.ts';
import type { AttemptLimiter } from './attempt-limiter.ts';
import type { TokenBuckets } from './token-buckets.ts';

/** Lost with a crash of the database, as in the memory of a process. */
export const LIMITS_SCHEMA = `CREATE UNLOGGED TABLE attempts (
  kind text NOT NULL,
  subject text NOT NULL,
  failures integer NOT NULL,
  last_failure_at bigint NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (kind, subject)
);
CREATE INDEX attempts_changed ON attempts (changed_at);
CREATE UNLOGGED TABLE request_rates (
  kind text NOT NULL,
  subject text NOT NULL,
  full_at double precision NOT NULL,
  PRIMARY KEY (kind, subject)
);`;

const EXCHANGE_MS = 1000;
/** Changes of others are read for longer than the pause between two exchanges, so that none is missed. */
const RECENT_MS = 5 * EXCHANGE_MS;
const MAX_RECENT = 10_000;
const SWEEP_MS = 60_000;

const NOW_MS = '(extract(epoch FROM statement_timestamp()) * 1000)::bigint';
/** In the same order in all processes, so that none waits for the other. */
const COUNTED =
  '(SELECT * FROM unnest($2::text[], $3::float8[]) AS given (subject, count) ORDER BY subject) AS counted';

const ADD_ATTEMPTS = `INSERT INTO attempts AS a SELECT $1, subject, count::integer, ${NOW_MS}, ${NOW_MS} FROM ${COUNTED}
  ON CONFLICT (kind, subject) DO UPDATE SET
    failures = greatest(0, excluded.failures +
      CASE WHEN a.last_failure_at < excluded.changed_at - $4::bigint THEN 0 ELSE a.failures END),
    last_failure_at = CASE WHEN excluded.failures > 0 THEN excluded.last_failure_at ELSE a.last_failure_at END,
    changed_at = excluded.changed_at`;
const RECENT_ATTEMPTS = `SELECT subject, failures, ${NOW_MS} - last_failure_at AS age FROM attempts
  WHERE kind = $1 AND changed_at > ${NOW_MS} - ${RECENT_MS} ORDER BY changed_at DESC LIMIT ${MAX_RECENT}`;
const ADD_REQUESTS = `INSERT INTO request_rates AS r SELECT $1, subject, ${NOW_MS} + count FROM ${COUNTED}
  ON CONFLICT (kind, subject) DO UPDATE SET full_at = greatest(r.full_at, ${NOW_MS}) + excluded.full_at - ${NOW_MS}
  RETURNING subject, full_at - ${NOW_MS} AS wait`;

export class SharedLimits {
  readonly #database: PostgresDatabase;
  readonly #attempts = new Map<string, AttemptLimiter>();
  readonly #requests = new Map<string, TokenBuckets>();
  readonly #timer: NodeJS.Timeout;
  #exchanging: Promise<void> | null = null;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(database: PostgresDatabase) {
    this.#database = database;
    // While the database cannot be reached each process limits alone, and counts are kept for the next exchange.
    this.#timer = setInterval(() => void this.exchange().catch(() => {}), EXCHANGE_MS).unref();
  }

  /** `kind`: the same in all processes, for attempts that are counted together. */
  shareAttempts(kind: string, limiter: AttemptLimiter): void {
    limiter.collect();
    this.#attempts.set(kind, limiter);
  }

  shareRequests(kind: string, buckets: TokenBuckets): void {
    buckets.collect();
    this.#requests.set(kind, buckets);
  }

  /** Exchanges all counts now. Concurrent callers share one exchange. Throws errors of the driver. */
  exchange(): Promise<void> {
    this.#exchanging ??= this.#exchange().finally(() => {
      this.#exchanging = null;
    });
    return this.#exchanging;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    // Others should know of the last second; without the database, nothing can be done.
    await this.exchange().catch(() => {});
  }

  async #exchange(): Promise<void> {
    for (const [kind, limiter] of this.#attempts) {
      const { forgetAfterMs } = limiter.rules;
      await this.#send(limiter, (subjects, counts) =>
        this.#database.run(ADD_ATTEMPTS, [kind, subjects, counts, forgetAfterMs]),
      );
      const recent = await this.#database.rows<{ subject: string; failures: number; age: number }>(
        RECENT_ATTEMPTS,
        [kind],
      );
      for (const { subject, failures, age } of recent) limiter.learn(subject, failures, age);
    }
    for (const [kind, buckets] of this.#requests) {
      const learned = await this.#send(buckets, (subjects, counts) =>
        this.#database.rows<{ subject: string; wait: number }>(ADD_REQUESTS, [kind, subjects, counts]),
      );
      for (const { subject, wait } of learned ?? []) buckets.learn(subject, wait);
    }
    await this.#sweep();
  }

  /** Null: nothing was counted. */
  async #send<Result>(
    counter: AttemptLimiter | TokenBuckets,
    send: (subjects: string[], counts: number[]) => Promise<Result>,
  ): Promise<Result | null> {
    const counted = counter.drain();
    if (counted.size === 0) return null;
    try {
      return await send([...counted.keys()], [...counted.values()]);
    } catch (error) {
      counter.restore(counted);
      throw error;
    }
  }

  async #sweep(): Promise<void> {
    const now = performance.now();
    if (now < this.#sweptAt + SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [kind, { rules }] of this.#attempts)
      await this.#database.run(
        `DELETE FROM attempts WHERE kind = $1 AND changed_at < ${NOW_MS} - $2::bigint`,
        [kind, rules.forgetAfterMs],
      );
    await this.#database.run(`DELETE FROM request_rates WHERE full_at < ${NOW_MS}`);
  }
}
