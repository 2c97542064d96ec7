/** Limits the request rate of each account. */
import { failure } from '@geomill/core/messages/errors.ts';
import { sourceOf } from '../../accounts/attempt-limiter.ts';
import type { Principal } from '../../accounts/principal.ts';
import type { SharedLimits } from '../../accounts/shared-limits.ts';
import { TokenBuckets } from '../../accounts/token-buckets.ts';
import { httpErrors } from '../errors.ts';

export class RequestRate {
  readonly #ratePerSecond: number;
  readonly #buckets: TokenBuckets | null;

  /** A rate of 0: no limit. */
  constructor(ratePerSecond: number, burst: number) {
    this.#ratePerSecond = ratePerSecond;
    this.#buckets = ratePerSecond === 0 ? null : new TokenBuckets({ ratePerSecond, burst });
  }

  /** Counts requests together with the other processes of the service. */
  share(limits: SharedLimits | null): void {
    if (this.#buckets !== null) limits?.shareRequests('owner', this.#buckets);
  }

  /** Counts a request. `address`: where it comes from. Throws RATE_EXCEEDED. */
  count({ owner, credential }: Principal, address: string): void {
    if (this.#buckets === null) return;
    // Requests without credentials have the same owner, so they are counted by address.
    const key = credential.kind === 'open' ? `address:${sourceOf(address)}` : `owner:${owner}`;
    const waitMs = this.#buckets.take(key);
    if (waitMs > 0)
      throw failure(httpErrors.RATE_EXCEEDED, {
        limit: this.#ratePerSecond,
        seconds: Math.ceil(waitMs / 1000),
      });
  }
}
