/**
 * Token buckets: each request takes a token, and tokens are refilled at a steady rate. Kept in memory, per process; a
 * restart fills all buckets.
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

  /** `now`: milliseconds of a monotonic clock. */
  constructor(rules: BucketRules, now: () => number = () => performance.now()) {
    this.#intervalMs = 1000 / rules.ratePerSecond;
    this.#depthMs = rules.burst * this.#intervalMs;
    this.#maxBuckets = rules.maxBuckets ?? DEFAULT_MAX_BUCKETS;
    this.#now = now;
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
    this.#forget(now);
    return 0;
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
