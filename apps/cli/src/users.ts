/** `geomill users`: manages the users of the account area, also while the service runs. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { Directory } from '@geomill/service/pages/account/area.ts';
import { linkAddress } from '@geomill/service/pages/account/one-time-links.ts';
import type { User } from '@geomill/service/pages/account/users.ts';
import type { Config } from '@geomill/service/settings/config.ts';
import { type Flags, type Parsed, parseCommand } from './arguments.ts';
import { type AccountsConfig, actor, openAccountsOf, table, when } from './keys.ts';
import { standardOutput } from './standard-output.ts';

export const usage = (): string => `geomill users create EMAIL [--name NAME] [--admin] [--password-stdin]
geomill users list [--json]
geomill users reset EMAIL [--password-stdin]
geomill users disable EMAIL
geomill users enable EMAIL

  --name NAME       display name (default: the part before @)
  --admin           administrator: may use everything and manage users
  --password-stdin  read the password from the first line of standard input instead of printing a link to set one
  --json            list as JSON

DATABASE_URL or else DATA_DIR must be set as for the service, which may be running. A link can be used once, expires after
24 hours and is printed alone on standard output. It begins with BASE_URL, or with HOST and PORT if BASE_URL is not set.

Examples:
  geomill users create --admin ada@example.org
  geomill users list`;

export const flags = (): Flags => ({
  name: { type: 'string' },
  admin: { type: 'boolean' },
  'password-stdin': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
});

type UsersConfig = AccountsConfig & Pick<Config, 'baseUrl' | 'host' | 'port'>;

interface Call {
  readonly directory: Directory;
  readonly config: UsersConfig;
  readonly values: Parsed['values'];
  readonly email: string;
}

interface Action {
  readonly flags: readonly string[];
  /** Arguments after its name. */
  readonly takes: 0 | 1;
  readonly perform: (call: Call) => Promise<void>;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  create: { flags: ['name', 'admin', 'password-stdin'], takes: 1, perform: create },
  list: { flags: ['json'], takes: 0, perform: list },
  reset: { flags: ['password-stdin'], takes: 1, perform: reset },
  disable: { flags: [], takes: 1, perform: disable },
  enable: { flags: [], takes: 1, perform: enable },
};

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], config: UsersConfig): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const [name, ...rest] = parsed.positionals;
  const action = Object.hasOwn(ACTIONS, name ?? '') ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw failure(generalErrors.USAGE, {
      detail: 'users takes create, list, reset, disable or enable; see geomill users --help',
    });
  const foreign = Object.keys(parsed.values).find((flag) => !action.flags.includes(flag));
  if (foreign !== undefined)
    throw failure(generalErrors.USAGE, { detail: `users ${name} has no --${foreign}` });
  if (rest.length !== action.takes) {
    const takes = action.takes === 0 ? 'flags only' : 'one e-mail address';
    throw failure(generalErrors.USAGE, { detail: `users ${name} takes ${takes}` });
  }
  const accounts = await openAccountsOf(config);
  try {
    const { openDirectory } = await import('@geomill/service/pages/account/area.ts');
    const warn = (message: string): void => void process.stderr.write(`geomill: ${message}\n`);
    const directory = await openDirectory({ accounts, baseUrl: baseUrlOf(config), warn });
    try {
      await action.perform({ directory, config, values: parsed.values, email: rest[0] ?? '' });
    } finally {
      directory.library.close();
    }
  } finally {
    await accounts.close();
  }
  return 0;
}

async function create({ directory, config, values, email }: Call): Promise<void> {
  const { users } = directory;
  const name = typeof values.name === 'string' ? values.name : '';
  // Read and checked before the user is created, so that no user without a password is left.
  const password = values['password-stdin'] === true ? await readPassword(email) : null;
  const user = await users.create({ email, name, isAdmin: values.admin === true }, actor());
  const what = `${user.isAdmin ? 'administrator' : 'user'} ${user.email} is created`;
  if (password === null) await handOut(directory, config, user, what);
  else await setPassword(directory, user, password, what);
}

async function reset({ directory, config, values, email }: Call): Promise<void> {
  const user = await directory.users.named(email);
  if (values['password-stdin'] !== true)
    await handOut(directory, config, user, 'the old password is good until then');
  else await setPassword(directory, user, await readPassword(user.email), 'all their sessions have ended');
}

async function disable({ directory, email }: Call): Promise<void> {
  const user = await directory.users.named(email);
  await directory.users.disable(user, actor());
  process.stderr.write(`${user.email} is disabled; sessions, keys and clients of theirs are refused\n`);
}

async function enable({ directory, email }: Call): Promise<void> {
  const user = await directory.users.named(email);
  await directory.users.enable(user, actor());
  process.stderr.write(`${user.email} is enabled; keys that were not revoked count again\n`);
}

async function list({ directory, values }: Call): Promise<void> {
  const found = await directory.users.list();
  if (values.json === true) {
    standardOutput().write(`${JSON.stringify(found.map(toJson), null, 2)}\n`);
    return;
  }
  if (found.length === 0) {
    process.stderr.write('there are no users; geomill users create --admin EMAIL makes the first\n');
    return;
  }
  const rows = found.map((user) => [user.email, user.name, stateOf(user), when(user.createdAt), user.id]);
  standardOutput().write(table([['email', 'name', 'state', 'created', 'id'], ...rows]));
}

async function handOut({ users }: Directory, config: UsersConfig, user: User, what: string): Promise<void> {
  const token = await users.makeLink(user, actor());
  standardOutput().write(`${linkAddress(baseUrlOf(config), 'password', token)}\n`);
  process.stderr.write(
    `${what}. Open this link to set the password; it can be used once and expires after 24 hours.\n`,
  );
}

async function setPassword({ users }: Directory, user: User, password: string, what: string): Promise<void> {
  await users.setPassword(user, password, actor());
  process.stderr.write(`${what}, the password is set\n`);
}

/** Throws USAGE, ACCOUNT_FIELD. Not from an argument, which other users of the machine can see. */
async function readPassword(email: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const [password] = Buffer.concat(chunks).toString().split(/\r?\n/, 1);
  if (password === '')
    throw failure(generalErrors.USAGE, { detail: '--password-stdin found no password on standard input' });
  const { checkPassword } = await import('@geomill/service/pages/account/users.ts');
  checkPassword(password, email);
  return password;
}

function baseUrlOf({ baseUrl, host, port }: UsersConfig): string {
  // A browser cannot open an address that means all addresses.
  const isAny = host === '0.0.0.0' || host === '::';
  return baseUrl ?? `http://${isAny ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

function stateOf({ disabledAt, isAdmin, hasPassword, id }: User): string {
  const canSignIn = hasPassword || id.startsWith('oidc:');
  const words = [disabledAt !== null ? 'disabled' : canSignIn ? 'active' : 'no password'];
  return [...words, ...(isAdmin ? ['admin'] : [])].join(',');
}

function toJson(user: User): object {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    admin: user.isAdmin,
    has_password: user.hasPassword,
    created_at: new Date(user.createdAt).toISOString(),
    disabled_at: user.disabledAt === null ? null : new Date(user.disabledAt).toISOString(),
  };
}
