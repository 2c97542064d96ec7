/** Records when credentials were last used, without delaying the request. */
import type { Statement } from '../engines/sqlite/database.ts';
import type { AccountsDatabase } from './database.ts';

/** Precision of the recorded time. */
const RESOLUTION_MS = 60_000;
const DELAY_MS = 1000;

export class LastUse {
  readonly #database: AccountsDatabase;
  readonly #update: Statement;
  readonly #pending = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: AccountsDatabase) {
    this.#database = database;
    this.#update = database.relaxed.prepare(
      'UPDATE credentials SET last_used_at = ?1 WHERE id = ?2 AND coalesce(last_used_at, 0) < ?1',
    );
  }

  /** `noted`: the stored time when the credential was checked. Milliseconds since 1970. */
  note(id: string, noted: number | null, now: number): void {
    if (noted !== null && now - noted < RESOLUTION_MS) return;
    if (!this.#pending.has(id)) this.#pending.set(id, now);
    this.#timer ??= setTimeout(() => this.flush(), DELAY_MS).unref();
  }

  /** Writes pending times in one commit. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.size === 0) return;
    try {
      this.#database.relaxed.transaction(() => {
        for (const [id, at] of this.#pending) this.#update.run(at, id);
      });
      this.#pending.clear();
    } catch {
      // Another process writes, or the disk is full: the next use tries again. Requests must not fail because of this.
    }
  }
}
