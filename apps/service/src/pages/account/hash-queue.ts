/**
 * Computes password hashes one at a time: each takes 32 MB for a tenth of a second, and a client that sends a thousand
 * sign-ins at once must not multiply that.
 */
import { failure } from '@geomill/core/messages/errors.ts';
import { accountAreaErrors } from './errors.ts';

const AT_A_TIME = 1;
/** About ten seconds of waiting. */
const MAX_WAITING = 100;
const RETRY_SECONDS = 10;

export class HashQueue {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Runs the work after all earlier work. Throws SIGN_IN_BUSY if the queue is full. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running < AT_A_TIME) this.#running += 1;
    else if (this.#waiting.length < MAX_WAITING)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else throw failure(accountAreaErrors.SIGN_IN_BUSY, { seconds: RETRY_SECONDS });
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The slot is passed on directly, so that a new caller cannot take it.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
