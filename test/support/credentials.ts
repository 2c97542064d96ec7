/** Credentials of every kind, good and bad, for the accounts of a test service. */
import { type Accounts, openAccounts } from '../../apps/service/src/accounts/accounts.ts';
import type { CreatedCredential } from '../../apps/service/src/accounts/credentials.ts';
import type { Scope } from '../../apps/service/src/accounts/principal.ts';
import { makeId, makeSecret } from '../../apps/service/src/accounts/secret-text.ts';
import { accountsPath } from '../../apps/service/src/jobs/data-directory.ts';

/** Headers that show a credential. */
export type Shown = Readonly<Record<string, string>>;

const LONG_AGO = Date.UTC(2020, 0, 1);
const DAY_MS = 24 * 3600 * 1000;
const READ_WRITE: readonly Scope[] = ['jobs:read', 'jobs:write'];

export class TestCredentials implements AsyncDisposable {
  readonly accounts: Accounts;
  /** The same database, as it was opened long ago: what it makes for a day has expired. */
  readonly #old: Accounts;
  /** Everything secret that was made here. */
  readonly secrets: string[] = [];

  /** Beside the service, as the command line has it open. */
  constructor(dataDirectory: string) {
    const path = accountsPath(dataDirectory);
    this.accounts = openAccounts({ path });
    this.#old = openAccounts({ path, now: () => LONG_AGO });
  }

  key(owner: string, scopes: readonly Scope[] = READ_WRITE): Promise<CreatedCredential> {
    return this.#make(this.accounts, 'key', owner, scopes, null);
  }

  client(owner: string, scopes: readonly Scope[] = READ_WRITE): Promise<CreatedCredential> {
    return this.#make(this.accounts, 'client', owner, scopes, null);
  }

  async expiredKey(owner: string): Promise<string> {
    return (await this.#make(this.#old, 'key', owner, READ_WRITE, LONG_AGO + DAY_MS)).secret;
  }

  async revokedKey(owner: string): Promise<string> {
    const { credential, secret } = await this.key(owner);
    await this.accounts.credentials.revoke(credential.id, 'test');
    return secret;
  }

  async disabledKey(): Promise<string> {
    const { secret } = await this.key('disabled');
    await this.accounts.states.change('disabled', { isDisabled: true }, 'test');
    return secret;
  }

  /** Well-formed, with a right checksum, and of nobody. */
  unknownKey(): string {
    return this.#keep(makeSecret('gm', makeId()));
  }

  /** Of a key that there is, but not its secret. */
  async wrongKey(owner: string): Promise<string> {
    return this.#keep(makeSecret('gm', (await this.key(owner)).credential.id.slice('gm_'.length)));
  }

  async token(owner: string, scopes: readonly Scope[] = READ_WRITE): Promise<string> {
    return this.tokenOf(this.accounts, await this.client(owner, scopes));
  }

  async expiredToken(owner: string): Promise<string> {
    return this.tokenOf(this.#old, await this.client(owner));
  }

  async revokedToken(owner: string): Promise<string> {
    const client = await this.client(owner);
    const token = await this.tokenOf(this.accounts, client);
    await this.accounts.credentials.revoke(client.credential.id, 'test');
    return token;
  }

  /** One letter of its signature is another. */
  async forgedToken(owner: string): Promise<string> {
    const [head, payload, signature] = (await this.token(owner)).split('.');
    const first = signature.startsWith('A') ? 'B' : 'A';
    return this.#keep([head, payload, first + signature.slice(1)].join('.'));
  }

  async tokenOf(accounts: Accounts, { credential, secret }: CreatedCredential): Promise<string> {
    const { ok } = await accounts.tokens.issue(credential.id, secret);
    if (ok === undefined) throw new Error('no token was issued');
    return this.#keep(ok.accessToken);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.accounts.close();
    await this.#old.close();
  }

  async #make(
    accounts: Accounts,
    kind: 'key' | 'client',
    owner: string,
    scopes: readonly Scope[],
    expiresAt: number | null,
  ): Promise<CreatedCredential> {
    const created = await accounts.credentials.create(
      { kind, owner, name: 'test', scopes, expiresAt },
      'test',
    );
    this.#keep(created.secret);
    return created;
  }

  #keep(secret: string): string {
    this.secrets.push(secret);
    return secret;
  }
}

export function apiKey(text: string): Shown {
  return { apiKey: text };
}

export function bearer(text: string): Shown {
  return { authorization: `Bearer ${text}` };
}
