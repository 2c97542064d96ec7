/**
 * The accounts, opened when first needed: an open service that nobody shows a credential starts without their database
 * and without the code that knows tokens.
 */
import type { Accounts, AccountsOptions } from '../../accounts/accounts.ts';

const DAY_MS = 24 * 3600 * 1000;

export interface AccountsDoorOptions extends AccountsOptions {
  /** How long entries of the audit log are kept. */
  readonly auditRetentionMs: number;
}

export class AccountsDoor {
  readonly #options: AccountsDoorOptions;
  #opened: Accounts | null = null;
  #opening: Promise<Accounts> | null = null;
  #sweeper: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: AccountsDoorOptions) {
    this.#options = options;
  }

  /** Null: not opened yet. For the path of every request, which shall not wait for nothing. */
  get opened(): Accounts | null {
    return this.#opened;
  }

  /** Callers share one opening; after one that failed the next tries again. Throws ACCOUNTS_DATABASE. */
  open(): Promise<Accounts> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  /** After the last request. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    const opened = await this.#opening?.catch(() => null);
    opened?.close();
    this.#opened = null;
  }

  async #open(): Promise<Accounts> {
    const { openAccounts } = await import('../../accounts/accounts.ts');
    if (this.#isClosed) throw new Error('the accounts are closed');
    const accounts = openAccounts(this.#options);
    this.#opened = accounts;
    const sweep = (): void => {
      accounts.audit.sweep(this.#options.auditRetentionMs);
    };
    sweep();
    this.#sweeper = setInterval(sweep, DAY_MS).unref();
    return accounts;
  }
}
