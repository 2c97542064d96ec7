/** Accounts in a directory of their own, with a clock that the test sets. */
import { join } from 'node:path';
import { type Accounts, type AccountsOptions, openAccounts } from '../../src/accounts/accounts.ts';
import { makeWorkspace } from './convert.ts';

/** When the clock of a test begins. */
export const START = Date.UTC(2030, 0, 1);

export interface TestAccounts extends AsyncDisposable {
  readonly accounts: Accounts;
  readonly path: string;
  /** Milliseconds since 1970, as the accounts see them. */
  at: number;
}

export function openTestAccounts(options: Omit<AccountsOptions, 'path' | 'now'> = {}): TestAccounts {
  const workspace = makeWorkspace();
  const path = join(workspace.path, 'accounts.sqlite');
  const clock = { at: START };
  const accounts = openAccounts({ ...options, path, now: () => clock.at });
  return {
    path,
    accounts,
    get at() {
      return clock.at;
    },
    set at(time) {
      clock.at = time;
    },
    async [Symbol.asyncDispose]() {
      await accounts.close();
      workspace[Symbol.dispose]();
    },
  };
}
