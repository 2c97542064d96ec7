/** Which accounts are administrators or disabled. Read at every request, so that changes take effect immediately. */
import type { AuditLog } from './audit.ts';
import { type AccountsDatabase, rows, run, type Work } from './database.ts';

export interface AccountState {
  readonly isAdmin: boolean;
  /** Milliseconds since 1970; null: not disabled. */
  readonly disabledAt: number | null;
}

export interface WantedState {
  readonly isAdmin?: boolean;
  readonly isDisabled?: boolean;
}

interface StateRow {
  readonly is_admin: number;
  readonly disabled_at: number | null;
}

const FIND = 'SELECT is_admin, disabled_at FROM account_states WHERE owner = ?';
export const COUNT_ADMINS =
  'SELECT count(*) AS count FROM account_states WHERE is_admin = 1 AND disabled_at IS NULL';

/**
 * Separate from the tables of the user library, so that neither its update functions nor an identity provider can create
 * an administrator. Owners that are not users (service accounts, external subjects) can be disabled, too.
 */
export class AccountStates {
  readonly #database: AccountsDatabase;
  readonly #audit: AuditLog;
  readonly #now: () => number;

  constructor(database: AccountsDatabase, audit: AuditLog, now: () => number = Date.now) {
    this.#database = database;
    this.#audit = audit;
    this.#now = now;
  }

  async of(owner: string): Promise<AccountState> {
    const [row] = await this.#database.rows<StateRow>(FIND, owner);
    return toState(row);
  }

  /** Number of administrators that are not disabled. */
  async activeAdmins(): Promise<number> {
    const [{ count }] = await this.#database.rows<{ count: number }>(COUNT_ADMINS);
    return count;
  }

  /** Takes effect in all processes when it resolves. Keys, clients, tokens and sessions of a disabled account are rejected. */
  change(owner: string, wanted: WantedState, actor: string): Promise<void> {
    return this.#database.transaction(() => this.changing(owner, wanted, actor));
  }

  /** The same as a part of a transaction. */
  *changing(owner: string, wanted: WantedState, actor: string): Work<void> {
    const before = toState((yield* rows<StateRow>(FIND, owner))[0]);
    const isAdmin = wanted.isAdmin ?? before.isAdmin;
    const isDisabled = wanted.isDisabled ?? before.disabledAt !== null;
    const disabledAt = isDisabled ? (before.disabledAt ?? this.#now()) : null;
    if (isAdmin === before.isAdmin && disabledAt === before.disabledAt) return;
    yield* run(
      `INSERT INTO account_states (owner, is_admin, disabled_at) VALUES (?, ?, ?)
        ON CONFLICT (owner) DO UPDATE SET is_admin = excluded.is_admin, disabled_at = excluded.disabled_at`,
      owner,
      isAdmin ? 1 : 0,
      disabledAt,
    );
    const detail = { isAdmin, isDisabled };
    yield* this.#audit.adding({ actor, event: 'user.changed', subject: owner, detail });
  }
}

function toState(row: StateRow | undefined): AccountState {
  return { isAdmin: row?.is_admin === 1, disabledAt: row?.disabled_at ?? null };
}
