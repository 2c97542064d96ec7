/**
 * Token buckets: each request takes a token, and tokens are refilled at a steady rate. Kept in memory; a restart fills all
 * buckets. Processes with a PostgreSQL database share what they count; see shared-limits.ts.
 *
 * Alternative rejected: @fastify/rate-limit and the memory store of rate-limiter-flexible, which count in fixed windows.
 * Around the boundary of two windows they allow twice the limit, and they cannot limit bursts separately from the rate.
 *
 * A bucket is one number, the time at which it will be full (as in the generic cell rate algorithm, ITU-T I.371):
 *
 *      now          full at
 *   ----|-----+-----+--|----->     a token is missing for each interval, or part of one, that is left until then
 *       |--- interval * burst ---|  a bucket that is full later than this is empty
 */
import { Collected } from './collected.ts';

export interface BucketRules {
  /** Tokens refilled per second. */
  readonly ratePerSecond: number;
  /** Tokens of a full bucket, at least 1. */
  readonly burst: number;
  /** Maximum number of buckets; beyond it the least recently used one is forgotten, as if it were full. */
  readonly maxBuckets?: number;
}

const DEFAULT_MAX_BUCKETS = 100_000;

export class TokenBuckets {
  readonly #intervalMs: number;
  readonly #depthMs: number;
  readonly #maxBuckets: number;
  readonly #now: () => number;
  /** When each bucket will be full, in the order of use. Full buckets need no entry. */
  readonly #fullAt = new Map<string, number>();
  /** Milliseconds by which the tokens that were taken have put off the time at which a bucket is full. */
  readonly #collected: Collected;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(rules: BucketRules, now: () => number = () => performance.now()) {
    this.#intervalMs = 1000 / rules.ratePerSecond;
    this.#depthMs = rules.burst * this.#intervalMs;
    this.#maxBuckets = rules.maxBuckets ?? DEFAULT_MAX_BUCKETS;
    this.#now = now;
    this.#collected = new Collected(this.#maxBuckets);
  }

  /** Takes a token and returns 0; or returns the milliseconds until one is available. */
  take(key: string): number {
    const now = this.#now();
    const fullAt = Math.max(now, this.#fullAt.get(key) ?? now) + this.#intervalMs;
    const waitMs = fullAt - this.#depthMs - now;
    // Less than a nanosecond is a rounding error, not a wait.
    if (waitMs > 1e-6) return waitMs;
    // Deleted first, so that it is inserted last.
    this.#fullAt.delete(key);
    this.#fullAt.set(key, fullAt);
    this.#collected.add(key, this.#intervalMs);
    this.#forget(now);
    return 0;
  }

  /** From now on, what is taken here is kept for `drain`. */
  collect(): void {
    this.#collected.begin();
  }

  /** Tokens by bucket that were taken here since the last call, as the milliseconds in which they are refilled. */
  drain(): ReadonlyMap<string, number> {
    return this.#collected.drain();
  }

  /** Takes back what was drained and did not get to the other processes. */
  restore(counts: ReadonlyMap<string, number>): void {
    this.#collected.restore(counts);
  }

  /** A bucket is full in so many milliseconds after what all processes took. Tokens that were not drained yet are added. */
  learn(key: string, fullInMs: number): void {
    this.#fullAt.delete(key);
    this.#fullAt.set(key, this.#now() + fullInMs + this.#collected.of(key));
  }

  /** Buckets that are remembered. */
  get size(): number {
    return this.#fullAt.size;
  }

  /**
   * Called for each token taken, which adds at most one entry; checks two, so that full buckets are removed without a
   * timer.
   */
  #forget(now: number): void {
    let looks = 2;
    for (const [key, fullAt] of this.#fullAt) {
      if (looks === 0) return;
      looks -= 1;
      if (fullAt > now && this.#fullAt.size <= this.#maxBuckets) return;
      this.#fullAt.delete(key);
    }
  }
}
