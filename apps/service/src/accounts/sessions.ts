/** Whether a session of the account area still exists. Read at every request, so that signing out takes effect immediately. */
import type { AccountsDatabase } from './database.ts';

export interface PageSession {
  readonly id: string;
  /** Account id of the signed-in user. */
  readonly owner: string;
}

export class Sessions {
  readonly #database: AccountsDatabase;

  constructor(database: AccountsDatabase) {
    this.#database = database;
  }

  async isActive({ id, owner }: PageSession, now: number): Promise<boolean> {
    const [row] = await this.#database.rows<{ expires_at: string | Date }>(
      'SELECT "expiresAt" AS expires_at FROM "session" WHERE id = ? AND "userId" = ?',
      id,
      owner,
    );
    return row !== undefined && new Date(row.expires_at).getTime() > now;
  }
}
