/**
 * Password hashes, one after the other: each takes 32 MB for a tenth of a second, and a client that sends a thousand
 * sign-ins at once must not get a thousand times that.
 */
import { failure } from '../errors.ts';

const AT_A_TIME = 1;
/** About ten seconds of waiting. */
const MAX_WAITING = 100;
const RETRY_SECONDS = 10;

export class HashQueue {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Runs the work after all earlier work. Throws SIGN_IN_BUSY where too much waits already. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running < AT_A_TIME) this.#running += 1;
    else if (this.#waiting.length < MAX_WAITING)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else throw failure('SIGN_IN_BUSY', { seconds: RETRY_SECONDS });
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The place is handed on, so that no caller who comes in between takes it.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
