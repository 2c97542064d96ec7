/** Commits the changes of one turn of the event loop together: one wait for the disk instead of one each. */
import type { Database } from '../engines/sqlite/database.ts';

interface Pending {
  work(): void;
  settle(commitError: unknown): void;
}

export class GroupCommit {
  readonly #database: Database;
  #pending: Pending[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Runs `work`, at most one changing statement, in a transaction with others; resolves with its result once that is
   * committed. What `work` throws rejects it alone: a statement that fails leaves the transaction as it was.
   */
  run<Result>(work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      let outcome: { readonly result: Result } | { readonly error: unknown } | null = null;
      this.#pending.push({
        work() {
          try {
            outcome = { result: work() };
          } catch (error) {
            outcome = { error };
          }
        },
        settle(commitError) {
          if (outcome !== null && 'error' in outcome) reject(outcome.error);
          else if (outcome === null || commitError !== null) reject(commitError);
          else resolve(outcome.result);
        },
      });
      if (this.#pending.length === 1) setImmediate(() => this.flush());
    });
  }

  /** Commits what is pending now. */
  flush(): void {
    const batch = this.#pending;
    if (batch.length === 0) return;
    this.#pending = [];
    let commitError: unknown = null;
    try {
      this.#database.transaction(() => {
        for (const { work } of batch) work();
      });
    } catch (error) {
      commitError = error;
    }
    for (const { settle } of batch) settle(commitError);
  }
}
