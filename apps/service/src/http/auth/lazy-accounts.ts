/**
 * The accounts, opened when they are first needed: an open service that receives no credentials never opens their
 * database and never loads the code for tokens.
 */
import type { Accounts, AccountsOptions, AccountsPlace } from '../../accounts/accounts.ts';

const DAY_MS = 24 * 3600 * 1000;

export interface LazyAccountsOptions extends AccountsOptions {
  readonly place: AccountsPlace;
  readonly auditRetentionMs: number;
}

export class LazyAccounts {
  readonly #options: LazyAccountsOptions;
  #opened: Accounts | null = null;
  #opening: Promise<Accounts> | null = null;
  #sweeper: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: LazyAccountsOptions) {
    this.#options = options;
  }

  /** Null: not opened yet. Synchronous, so that requests do not wait for a promise. */
  get opened(): Accounts | null {
    return this.#opened;
  }

  /** Concurrent callers share one attempt; after a failure the next caller tries again. Throws ACCOUNTS_DATABASE. */
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
    const opened = await this.#opening?.catch(() => null);
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    await opened?.close();
    this.#opened = null;
  }

  async #open(): Promise<Accounts> {
    const { openAccountsAt } = await import('../../accounts/accounts.ts');
    if (this.#isClosed) throw new Error('the accounts are closed');
    const { place, auditRetentionMs, ...options } = this.#options;
    const accounts = await openAccountsAt(place, options);
    const sweep = () => accounts.audit.sweep(auditRetentionMs);
    try {
      await sweep();
    } catch (error) {
      await accounts.close();
      throw error;
    }
    this.#opened = accounts;
    // If the database cannot be written now, the next day is early enough.
    this.#sweeper = setInterval(() => sweep().catch(() => {}), DAY_MS).unref();
    return accounts;
  }
}
