/** Which accounts are administrators, and which are disabled: asked at every request, so that a change counts at once. */
import type { Statement } from '../engines/sqlite/database.ts';
import type { AuditLog } from './audit.ts';
import type { AccountsDatabase } from './database.ts';

export interface AccountState {
  readonly isAdmin: boolean;
  /** Milliseconds since 1970; null: it may act. */
  readonly disabledAt: number | null;
}

/**
 * Apart from the tables of the library that keeps users: its update functions, and whatever an identity provider sends,
 * cannot make an administrator. Owners that are no users (service accounts, outside subjects) can be disabled too.
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

  /** Administrators that may act. */
  activeAdmins(): number {
    const row = this.#database.durable
      .prepare('SELECT count(*) AS count FROM account_states WHERE is_admin = 1 AND disabled_at IS NULL')
      .get<{ count: number }>();
    return row?.count ?? 0;
  }

  /** From the return on every process acts on it. A disabled account's keys, clients, tokens and sessions are refused. */
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
