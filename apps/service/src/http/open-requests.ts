/** Counts the long-lived requests of each account: event streams, downloads and requests that wait for a job. */
import { failure } from '@geomill/core/messages/errors.ts';
import { httpErrors } from './errors.ts';

const RETRY_SECONDS = 5;

export class OpenRequests {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();

  /** `limit`: per owner. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  hasRoom(owner: string): boolean {
    return this.#of(owner) < this.#limit;
  }

  /** Counts one more request until the returned function is called. Throws OWNER_REQUESTS_EXCEEDED. */
  enter(owner: string): () => void {
    const open = this.#of(owner);
    if (open >= this.#limit)
      throw failure(httpErrors.OWNER_REQUESTS_EXCEEDED, { open, limit: this.#limit, seconds: RETRY_SECONDS });
    this.#counts.set(owner, open + 1);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      const left = this.#of(owner) - 1;
      if (left > 0) this.#counts.set(owner, left);
      else this.#counts.delete(owner);
    };
  }

  #of(owner: string): number {
    return this.#counts.get(owner) ?? 0;
  }
}
