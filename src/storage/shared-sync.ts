/**
 * Waiting for the disk, for many callers at the price of few: a sync that begins after a caller's change covers it, so all
 * who ask while one sync runs share the next one.
 */
export class SharedSync {
  readonly #syncOnce: () => Promise<void>;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(syncOnce: () => Promise<void>) {
    this.#syncOnce = syncOnce;
  }

  /** Resolves when every change made before this call is durable. */
  sync(): Promise<void> {
    if (this.#running === null) return this.#run();
    // Whether the running one fails is for those who asked for it.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = null;
        return this.#run();
      });
    return this.#next;
  }

  #run(): Promise<void> {
    this.#running = this.#syncOnce().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }
}
