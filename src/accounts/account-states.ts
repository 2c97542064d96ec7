/** Which accounts are administrators or disabled. Read at every request, so that changes take effect immediately. */
import type { Statement } from '../engines/sqlite/database.ts';
import type { AuditLog } from './audit.ts';
import type { AccountsDatabase } from './database.ts';

export interface AccountState {
  readonly isAdmin: boolean;
  /** Milliseconds since 1970; null: not disabled. */
  readonly disabledAt: number | null;
}

/**
 * Separate from the tables of the user library, so that neither its update functions nor an identity provider can create
 * an administrator. Owners that are not users (service accounts, external subjects) can be disabled, too.
 */
export class AccountStates {
  readonly #database: AccountsDatabase;
  readonly #audit: AuditLog;
  readonly #find: Statement;
  readonly #now: () => number;

  constructor(database: AccountsDatabase, audit: AuditLog, now: () => number = Date.now) {
    this.#database = database;
    this.#audit = audit;
    this.#find = database.durable.prepare('SELECT is_admin, disabled_at FROM account_states WHERE owner = ?');
    this.#now = now;
  }

  of(owner: string): AccountState {
    const row = this.#find.get<{ is_admin: number; disabled_at: number | null }>(owner);
    return { isAdmin: row?.is_admin === 1, disabledAt: row?.disabled_at ?? null };
  }

  /** Number of administrators that are not disabled. */
  activeAdmins(): number {
    const row = this.#database.durable
      .prepare('SELECT count(*) AS count FROM account_states WHERE is_admin = 1 AND disabled_at IS NULL')
      .get<{ count: number }>();
    return row?.count ?? 0;
  }

  /** Takes effect in all processes on return. Keys, clients, tokens and sessions of a disabled account are rejected. */
  change(
    owner: string,
    wanted: { readonly isAdmin?: boolean; readonly isDisabled?: boolean },
    actor: string,
  ): void {
    this.#database.durable.transaction(() => {
      const before = this.of(owner);
      const isAdmin = wanted.isAdmin ?? before.isAdmin;
      const isDisabled = wanted.isDisabled ?? before.disabledAt !== null;
      const disabledAt = isDisabled ? (before.disabledAt ?? this.#now()) : null;
      if (isAdmin === before.isAdmin && disabledAt === before.disabledAt) return;
      this.#database.durable
        .prepare('INSERT OR REPLACE INTO account_states (owner, is_admin, disabled_at) VALUES (?, ?, ?)')
        .run(owner, isAdmin ? 1 : 0, disabledAt);
      this.#audit.append({ actor, event: 'user.changed', subject: owner, detail: { isAdmin, isDisabled } });
    });
  }
}
