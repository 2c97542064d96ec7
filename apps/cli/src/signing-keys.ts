/** `geomill signing-keys`: the keys that access tokens are signed with, also while the service runs. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { SigningKeyFacts, SigningKeys } from '@geomill/service/accounts/signing-keys.ts';
import type { Config } from '@geomill/service/settings/config.ts';
import { type Flags, parseCommand } from './arguments.ts';
import { type AccountsConfig, actor, openAccountsOf, table, when } from './keys.ts';
import { standardOutput } from './standard-output.ts';

export const usage = (): string => `geomill signing-keys rotate [--now]
geomill signing-keys list [--json]

rotate creates the next key. It is published for an hour before it signs, and the old key verifies until its last token has
expired: clients notice nothing.

  --now    use this if the private key has leaked: the new key signs immediately, all tokens of the old keys are refused
  --json   list as JSON

DATABASE_URL or else DATA_DIR must be set as for the service, which may be running: it uses the new key from its next request on.
TOKEN_LIFETIME must be set as it is for the service. Every rotation is in the audit log.

Examples:
  geomill signing-keys list
  geomill signing-keys rotate --now`;

export const flags = (): Flags => ({
  now: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
});

type KeysConfig = AccountsConfig & Pick<Config, 'tokenLifetimeSeconds'>;

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], config: KeysConfig): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { values, positionals } = parsed;
  const [action, ...rest] = positionals;
  if (action !== 'rotate' && action !== 'list')
    throw failure(generalErrors.USAGE, {
      detail: 'signing-keys takes rotate or list; see geomill signing-keys --help',
    });
  const foreign = Object.keys(values).find((flag) => flag !== (action === 'rotate' ? 'now' : 'json'));
  if (foreign !== undefined)
    throw failure(generalErrors.USAGE, { detail: `signing-keys ${action} has no --${foreign}` });
  if (rest.length > 0)
    throw failure(generalErrors.USAGE, { detail: `signing-keys ${action} takes flags only` });
  const tokenLifetimeMs = config.tokenLifetimeSeconds * 1000;
  const accounts = await openAccountsOf(config, { tokenLifetimeMs });
  try {
    if (action === 'list') await list(accounts.signingKeys, values.json === true);
    else await rotate(accounts.signingKeys, values.now === true);
  } finally {
    await accounts.close();
  }
  return 0;
}

async function rotate(keys: SigningKeys, atOnce: boolean): Promise<void> {
  const before = await keys.list();
  const made = await keys.rotate({ atOnce, actor: actor() });
  const count = before.length === 1 ? '1 key is' : `${before.length} keys are`;
  process.stderr.write(
    atOnce
      ? `key ${made.kid} signs from now on; ${count} removed and their tokens are refused\n`
      : `key ${made.kid} is published and signs from ${when(made.signsFrom)} on; tokens of the old key are accepted until they expire\n`,
  );
}

async function list(keys: SigningKeys, asJson: boolean): Promise<void> {
  const found = await keys.list();
  if (asJson) {
    standardOutput().write(`${JSON.stringify(found.map(toJson), null, 2)}\n`);
    return;
  }
  if (found.length === 0) {
    process.stderr.write('there are no signing keys; the first one is created with the first token\n');
    return;
  }
  const rows = found.map((key) => [key.kid, key.state, when(key.signsFrom), when(key.verifiesUntil)]);
  standardOutput().write(table([['key id', 'state', 'signs from', 'verifies until'], ...rows]));
}

function toJson({ kid, algorithm, state, signsFrom, verifiesUntil }: SigningKeyFacts): object {
  const iso = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
  return { kid, algorithm, state, signs_from: iso(signsFrom), verifies_until: iso(verifiesUntil) };
}
