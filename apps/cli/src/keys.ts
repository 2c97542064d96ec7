/** `geomill keys`: API keys and OAuth clients from the command line, also while the service runs. */
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { type Accounts, type AccountsOptions, openAccountsAt } from '@geomill/service/accounts/accounts.ts';
import type { Credential, CredentialKind } from '@geomill/service/accounts/credentials.ts';
import { accountErrors } from '@geomill/service/accounts/errors.ts';
import { checkScopes } from '@geomill/service/accounts/new-credential.ts';
import { DEFAULT_SCOPES, formatScopes, SCOPES } from '@geomill/service/accounts/principal.ts';
import { publicIdIn } from '@geomill/service/accounts/secret-text.ts';
import { accountsPath } from '@geomill/service/jobs/data-directory.ts';
import { type DatabaseSettings, openDatabase } from '@geomill/service/jobs/open-database.ts';
import { type Flags, type Parsed, parseCommand } from './arguments.ts';
import { standardOutput } from './standard-output.ts';

export const usage = (): string => `geomill keys create --owner OWNER --name NAME [options]
geomill keys list [--owner OWNER] [--json]
geomill keys revoke ID

  --owner OWNER    e-mail address or id of a user, or the name of a service account
  --name NAME      description of the key
  --scope SCOPE    ${SCOPES.join(', ')}; can be repeated; default ${DEFAULT_SCOPES.join(' and ')}
  --expires WHEN   lifetime (90d, 12h, 8w) or the UTC day on which it expires (2030-01-31); default never
  --client         an OAuth client instead of a key; printed as client_id:client_secret
  --json           list as JSON

DATABASE_URL or else DATA_DIR must be set as for the service, which may be running. A key is printed once, alone on standard
output. It is not stored and cannot be shown again.

Examples:
  geomill keys create --owner ci --name 'build robot' --expires 90d
  geomill keys list --owner ci`;

export const flags = (): Flags => ({
  owner: { type: 'string' },
  name: { type: 'string' },
  scope: { type: 'string', multiple: true },
  expires: { type: 'string' },
  client: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
});

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], config: AccountsConfig): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const [action, ...rest] = parsed.positionals;
  const actions = Object.hasOwn(ACTIONS, action ?? '') ? ACTIONS[action] : undefined;
  if (actions === undefined)
    throw failure(generalErrors.USAGE, {
      detail: 'keys takes create, list or revoke; see geomill keys --help',
    });
  const { flags: known, perform, takes } = actions;
  const foreign = Object.keys(parsed.values).find((flag) => !known.includes(flag));
  if (foreign !== undefined)
    throw failure(generalErrors.USAGE, { detail: `keys ${action} has no --${foreign}` });
  if (rest.length !== takes)
    throw failure(generalErrors.USAGE, {
      detail: `keys ${action} takes ${takes === 0 ? 'flags only' : 'one ID'}`,
    });
  const accounts = await openAccountsOf(config);
  try {
    await perform(accounts, parsed.values, rest);
  } finally {
    await accounts.close();
  }
  return 0;
}

interface Action {
  readonly flags: readonly string[];
  /** Arguments after its name. */
  readonly takes: 0 | 1;
  readonly perform: (accounts: Accounts, values: Parsed['values'], rest: readonly string[]) => Promise<void>;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  create: { flags: ['owner', 'name', 'scope', 'expires', 'client'], takes: 0, perform: create },
  list: { flags: ['owner', 'json'], takes: 0, perform: list },
  revoke: { flags: [], takes: 1, perform: revoke },
};

export interface AccountsConfig extends DatabaseSettings {
  readonly dataDirectory: string;
}

/** A directory that is not there is more likely mistyped than wanted: it is not made. */
export async function openAccountsOf(
  config: AccountsConfig,
  options: AccountsOptions = {},
): Promise<Accounts> {
  const { dataDirectory } = config;
  const database = await openDatabase(config);
  if (database === null && !existsSync(dataDirectory)) {
    const reason = 'there is no such directory; name the one of the service, or start the service first';
    throw failure(generalErrors.SETTING_INVALID, { name: 'DATA_DIR', value: dataDirectory, reason });
  }
  if (database === null) return openAccountsAt({ path: accountsPath(dataDirectory) }, options);
  return openAccountsAt({ database, close: () => database.close() }, options);
}

async function create(accounts: Accounts, values: Parsed['values']): Promise<void> {
  const { owner: ownerText, name, expires } = values;
  if (typeof ownerText !== 'string' || typeof name !== 'string')
    throw failure(generalErrors.USAGE, { detail: 'keys create needs --owner and --name' });
  const owner = await accounts.owners.resolve(ownerText);
  const kind: CredentialKind = values.client === true ? 'client' : 'key';
  const scopes = values.scope === undefined ? DEFAULT_SCOPES : checkScopes(values.scope as string[]);
  const expiresAt = typeof expires === 'string' ? parseExpiry(expires, Date.now()) : null;
  const { credential, secret } = await accounts.credentials.create(
    { kind, owner: owner.id, name, scopes, expiresAt },
    actor(),
  );
  // A client is what `curl --user` wants: its id is not in its secret.
  standardOutput().write(`${kind === 'client' ? `${credential.id}:${secret}` : secret}\n`);
  const until = expiresAt === null ? 'does not expire' : `expires ${when(expiresAt)}`;
  process.stderr.write(
    `${kind} ${credential.id} of ${owner.kind} '${owner.id}': ${formatScopes(scopes)}; ${until}. It is shown this once.\n`,
  );
}

async function list(accounts: Accounts, values: Parsed['values']): Promise<void> {
  const { owner } = values;
  const id = typeof owner === 'string' ? (await accounts.owners.resolve(owner)).id : undefined;
  const { credentials } = accounts;
  const found = (await credentials.list({ owner: id })).map((one) => ({
    ...one,
    state: credentials.stateOf(one),
  }));
  if (values.json === true) {
    standardOutput().write(`${JSON.stringify(found.map(toJson), null, 2)}\n`);
    return;
  }
  if (found.length === 0) {
    process.stderr.write('there are no keys\n');
    return;
  }
  const head = ['id', 'kind', 'state', 'owner', 'name', 'scopes', 'created', 'expires', 'last used'];
  const rows = found.map((one) => [
    one.id,
    one.kind,
    one.state,
    one.owner,
    one.name,
    formatScopes(one.scopes).replaceAll(' ', ','),
    when(one.createdAt),
    when(one.expiresAt),
    when(one.lastUsedAt),
  ]);
  standardOutput().write(table([head, ...rows]));
}

async function revoke(
  accounts: Accounts,
  _values: Parsed['values'],
  [text]: readonly string[],
): Promise<void> {
  // A user who finds a leaked key knows the whole key, not its id, so the whole key is accepted. It is not repeated in the output.
  const id = publicIdIn(text);
  const before = id === null ? null : await accounts.credentials.get(id);
  if (id === null || before === null)
    throw failure(accountErrors.CREDENTIAL_UNKNOWN, { id: id ?? '(not an id)' });
  const after = await accounts.credentials.revoke(id, actor());
  const what = `${before.kind} ${id} '${before.name}' of '${before.owner}'`;
  process.stderr.write(
    before.revokedAt === null
      ? `${what} is revoked\n`
      : `${what} was revoked before, ${when(after!.revokedAt)}\n`,
  );
}

/** Milliseconds since 1970. Throws USAGE. */
function parseExpiry(text: string, now: number): number {
  const HOUR_MS = 3600_000;
  const units: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };
  const span = /^(\d{1,6})([hdw])$/.exec(text);
  if (span !== null) return now + Number(span[1]) * units[span[2]];
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Date.parse makes the 2nd of March of the 30th of February.
  if (!Number.isNaN(day) && new Date(day).toISOString().startsWith(text)) return day;
  throw failure(generalErrors.USAGE, {
    detail: `--expires wants 90d, 12h, 8w or a day like 2030-01-31, not '${text}'`,
  });
}

function toJson(one: Credential & { state: string }): object {
  const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  return {
    id: one.id,
    kind: one.kind,
    state: one.state,
    owner: one.owner,
    name: one.name,
    scopes: one.scopes,
    created_at: iso(one.createdAt),
    created_by: one.createdBy,
    expires_at: iso(one.expiresAt),
    last_used_at: iso(one.lastUsedAt),
    revoked_at: iso(one.revokedAt),
  };
}

/** To the minute, UTC. */
export function when(time: number | null): string {
  return time === null ? '-' : `${new Date(time).toISOString().slice(0, 16)}Z`;
}

/** In columns; the first row is the head. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row: readonly string[]) => row.map((cell, i) => cell.padEnd(widths[i])).join('  ');
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}

/** For the audit log: who is at the keyboard. */
export function actor(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // A container's user may have a number and no name.
    return `cli:${process.getuid?.() ?? 'unknown'}`;
  }
}
