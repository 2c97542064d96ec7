/** Records when credentials were last used, without delaying the request. */
import type { AccountsDatabase } from './database.ts';

/** Precision of the recorded time. */
const RESOLUTION_MS = 60_000;
const DELAY_MS = 1000;
const UPDATE = 'UPDATE credentials SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, 0) < ?';

export class LastUse {
  readonly #database: AccountsDatabase;
  readonly #pending = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: AccountsDatabase) {
    this.#database = database;
  }

  /** `noted`: the stored time when the credential was checked. Milliseconds since 1970. */
  note(id: string, noted: number | null, now: number): void {
    if (noted !== null && now - noted < RESOLUTION_MS) return;
    if (!this.#pending.has(id)) this.#pending.set(id, now);
    this.#timer ??= setTimeout(() => this.flush(), DELAY_MS).unref();
  }

  /** Writes pending times in one commit. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.size === 0) return;
    // Always in the same order, so that two processes do not wait for each other.
    const uses = [...this.#pending].sort(([a], [b]) => (a < b ? -1 : 1));
    try {
      await this.#database.note(
        uses.map(([id, at]) => ({ kind: 'changes', sql: UPDATE, values: [at, id, at] })),
      );
      for (const [id, at] of uses) if (this.#pending.get(id) === at) this.#pending.delete(id);
    } catch {
      // Another process writes, or the disk is full: the next use tries again. Requests must not fail because of this.
    }
  }
}
