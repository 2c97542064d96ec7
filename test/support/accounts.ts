/** Accounts in a database of their own, with a clock that the test sets. */
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import {
  type Accounts,
  type AccountsOptions,
  type AccountsPlace,
  openAccounts,
  openAccountsAt,
} from '../../apps/service/src/accounts/accounts.ts';
import { makeWorkspace } from './convert.ts';
import { noPostgres, sharedPostgres } from './postgres.ts';

/** When the clock of a test begins. */
export const START = Date.UTC(2030, 0, 1);

export interface TestAccounts extends AsyncDisposable {
  readonly accounts: Accounts;
  /** Milliseconds since 1970, as the accounts see them. */
  at: number;
  /** The same accounts as another process has them open; closed with these. */
  another(options?: AccountsOptions): Promise<Accounts>;
}

export type OpenAccounts = (options?: Omit<AccountsOptions, 'now'>) => Promise<TestAccounts>;

/** The databases that hold the contract; `skip` says why one cannot be tried here. */
const DATABASES: readonly {
  readonly name: string;
  readonly skip: string | false;
  readonly open: OpenAccounts;
}[] = [
  { name: 'SQLite', skip: false, open: async (options) => openTestAccounts(options) },
  { name: 'PostgreSQL', skip: noPostgres, open: openPostgresAccounts },
];

/** A test with the accounts in each database. */
export function contract(
  title: string,
  act: (open: OpenAccounts, context: TestContext) => Promise<void>,
): void {
  for (const { name, skip, open } of DATABASES)
    test(`${name}: ${title}`, { skip }, (context) => act(open, context));
}

export function openTestAccounts(
  options: Omit<AccountsOptions, 'now'> = {},
): TestAccounts & { readonly path: string } {
  const workspace = makeWorkspace();
  const path = join(workspace.path, 'accounts.sqlite');
  const clock = { at: START };
  const accounts = openAccounts({ ...options, path, now: () => clock.at });
  const opened = withClock(accounts, { path }, options, clock, () => workspace[Symbol.dispose]());
  return Object.assign(opened, { path });
}

let schemas = 0;

/** A place for accounts that nobody has used. */
export async function postgresPlace(): Promise<AccountsPlace> {
  const { url } = await sharedPostgres();
  return { postgres: { url, schema: `accounts_${++schemas}`, maxConnections: 3 } };
}

async function openPostgresAccounts(options: Omit<AccountsOptions, 'now'> = {}): Promise<TestAccounts> {
  const place = await postgresPlace();
  const clock = { at: START };
  const accounts = await openAccountsAt(place, { ...options, now: () => clock.at });
  return withClock(accounts, place, options, clock, () => {});
}

function withClock(
  accounts: Accounts,
  place: AccountsPlace,
  options: AccountsOptions,
  clock: { at: number },
  end: () => void,
): TestAccounts {
  const others: Accounts[] = [];
  return {
    accounts,
    get at() {
      return clock.at;
    },
    set at(time) {
      clock.at = time;
    },
    async another(more = {}) {
      const other = await openAccountsAt(place, { ...options, now: () => clock.at, ...more });
      others.push(other);
      return other;
    },
    async [Symbol.asyncDispose]() {
      for (const opened of [accounts, ...others]) await opened.close();
      end();
    },
  };
}
