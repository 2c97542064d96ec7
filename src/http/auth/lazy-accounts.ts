/**
 * The accounts, opened when they are first needed: an open service that receives no credentials never opens their
 * database and never loads the code for tokens.
 */
import type { Accounts, AccountsOptions } from '../../accounts/accounts.ts';

const DAY_MS = 24 * 3600 * 1000;

export interface LazyAccountsOptions extends AccountsOptions {
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
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    const opened = await this.#opening?.catch(() => null);
    await opened?.close();
    this.#opened = null;
  }

  async #open(): Promise<Accounts> {
    const { openAccounts } = await import('../../accounts/accounts.ts');
    if (this.#isClosed) throw new Error('the accounts are closed');
    const accounts = openAccounts(this.#options);
    const sweep = () => accounts.audit.sweep(this.#options.auditRetentionMs);
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
