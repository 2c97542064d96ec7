/**
 * A bucket of tokens for each key: a request takes one, and they come back at a steady rate. In memory: a restart fills
 * all buckets, several processes count each for themselves.
 *
 * Ours, because the libraries for it (@fastify/rate-limit, the memory store of rate-limiter-flexible) count in fixed
 * windows: around the border of two of them twice the limit passes, and a burst cannot be bounded apart from the rate.
 *
 * A bucket is one number, the time at which it will be full (as in the generic cell rate algorithm, ITU-T I.371):
 *
 *      now          full at
 *   ----|-----+-----+--|----->     a token is missing for each interval, or part of one, that is left until then
 *       |--- interval * burst ---|  a bucket that is full later than this is empty
 */
export interface BucketRules {
  /** Tokens that come back, a second. */
  readonly ratePerSecond: number;
  /** Tokens of a full bucket, at least 1. */
  readonly burst: number;
  /** Buckets remembered; beyond it the one that was asked longest ago is full again. */
  readonly maxBuckets?: number;
}

const DEFAULT_MAX_BUCKETS = 100_000;

export class TokenBuckets {
  readonly #intervalMs: number;
  readonly #depthMs: number;
  readonly #maxBuckets: number;
  readonly #now: () => number;
  /** When each is full; in the order of the last token taken, the oldest first. A bucket that is full needs no entry. */
  readonly #fullAt = new Map<string, number>();

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(rules: BucketRules, now: () => number = () => performance.now()) {
    this.#intervalMs = 1000 / rules.ratePerSecond;
    this.#depthMs = rules.burst * this.#intervalMs;
    this.#maxBuckets = rules.maxBuckets ?? DEFAULT_MAX_BUCKETS;
    this.#now = now;
  }

  /** Takes a token and gives 0; or takes none and gives the milliseconds until there will be one. */
  take(key: string): number {
    const now = this.#now();
    const fullAt = Math.max(now, this.#fullAt.get(key) ?? now) + this.#intervalMs;
    const waitMs = fullAt - this.#depthMs - now;
    // Less than a nanosecond is the rounding of sums, not a wait.
    if (waitMs > 1e-6) return waitMs;
    // Deleted first, so that it comes to stand last.
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
   * Every token that is taken adds one entry at most and looks at two, so that those that are full go as fast as others
   * come, without a timer.
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
