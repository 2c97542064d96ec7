/** Whether a session of the account area still exists. Read at every request, so that signing out takes effect immediately. */
import type { Statement } from '../engines/sqlite/database.ts';
import type { AccountsDatabase } from './database.ts';

export interface PageSession {
  readonly id: string;
  /** Account id of the signed-in user. */
  readonly owner: string;
}

export class Sessions {
  readonly #database: AccountsDatabase;
  #find: Statement | null = null;

  constructor(database: AccountsDatabase) {
    this.#database = database;
  }

  isActive({ id, owner }: PageSession, now: number): boolean {
    // The user library creates its table before the first session, so a statement of the constructor could fail.
    this.#find ??= this.#database.durable.prepare(
      'SELECT expiresAt AS expires_at FROM "session" WHERE id = ? AND userId = ?',
    );
    const row = this.#find.get<{ expires_at: string }>(id, owner);
    return row !== undefined && Date.parse(row.expires_at) > now;
  }
}
