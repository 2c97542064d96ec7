/**
 * Password hashes, one after the other: each takes 32 MB for a tenth of a second, and whoever sends a thousand sign-ins at
 * once must not get a thousand times that.
 */

const AT_A_TIME = 1;

export class HashQueue {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= AT_A_TIME) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The place is handed on, so that nobody who comes in between takes it.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
