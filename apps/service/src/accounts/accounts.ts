/** Opens all parts of the accounts database together. */
import type { PostgresDatabase, PostgresOptions } from '../postgres/database.ts';
import { AccountStates } from './account-states.ts';
import { AuditLog } from './audit.ts';
import { Credentials } from './credentials.ts';
import type { AccountsDatabase } from './database.ts';
import { Owners } from './owners.ts';
import { Sessions } from './sessions.ts';
import { SigningKeys } from './signing-keys.ts';
import { openSqliteAccounts } from './sqlite-database.ts';
import { AccessTokens } from './tokens.ts';

export interface AccountsOptions {
  /** `iss` of access tokens. Default 'geomill': installations already differ in their signing keys. */
  readonly issuer?: string;
  /** `aud` of access tokens. Default: the issuer. */
  readonly audience?: string;
  /** Default 5 minutes. */
  readonly tokenLifetimeMs?: number;
  /** How long a signing key signs. Default 30 days. */
  readonly signingKeyRotationMs?: number;
  readonly now?: () => number;
}

export interface Accounts {
  readonly credentials: Credentials;
  readonly tokens: AccessTokens;
  readonly signingKeys: SigningKeys;
  readonly audit: AuditLog;
  readonly owners: Owners;
  readonly states: AccountStates;
  /** For the account area, which stores links and its secret there. */
  readonly database: AccountsDatabase;
  close(): Promise<void>;
}

/** `path`: of the database; `accountsPath` in apps/service/src/jobs/data-directory.ts. Throws ACCOUNTS_DATABASE. */
export function openAccounts({ path, ...options }: AccountsOptions & { readonly path: string }): Accounts {
  return accountsIn(openSqliteAccounts(path), options);
}

/** Where the accounts are: a file, or PostgreSQL for several processes and machines. */
export type AccountsPlace =
  | { readonly path: string }
  | { readonly postgres: PostgresOptions }
  /** `close`: called at the end; default: the database stays open. */
  | { readonly database: PostgresDatabase; readonly close?: () => Promise<void> };

/** Throws ACCOUNTS_DATABASE, and DatabaseFault for a `database` that cannot be reached. */
export async function openAccountsAt(place: AccountsPlace, options: AccountsOptions = {}): Promise<Accounts> {
  if ('path' in place) return openAccounts({ ...options, ...place });
  const { connectPostgresAccounts, postgresAccountsIn } = await import('./postgres-database.ts');
  return accountsIn(
    await ('database' in place
      ? postgresAccountsIn(place.database, place.close)
      : connectPostgresAccounts(place.postgres)),
    options,
  );
}

function accountsIn(database: AccountsDatabase, options: AccountsOptions): Accounts {
  const { issuer = 'geomill', tokenLifetimeMs = 5 * 60_000, now = Date.now } = options;
  const audit = new AuditLog(database, now);
  const credentials = new Credentials(database, audit, now);
  const rotationMs = options.signingKeyRotationMs;
  const signingKeys = new SigningKeys(database, audit, { rotationMs, tokenLifetimeMs, now });
  const audience = options.audience ?? issuer;
  const states = new AccountStates(database, audit, now);
  const sessions = new Sessions(database);
  const tokens = new AccessTokens(
    database,
    signingKeys,
    credentials,
    { sessions, states },
    {
      issuer,
      audience,
      lifetimeMs: tokenLifetimeMs,
      now,
    },
  );
  return {
    credentials,
    tokens,
    signingKeys,
    audit,
    owners: new Owners(database),
    states,
    database,
    async close() {
      await credentials.flush();
      await database.close();
    },
  };
}
