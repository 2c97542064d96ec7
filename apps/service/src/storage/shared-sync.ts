/**
 * Shares syncs between callers: a sync that starts after a caller's change covers it, so all
 * callers during one sync share the next one.
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
    // A failure of the running sync concerns its own callers.
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
