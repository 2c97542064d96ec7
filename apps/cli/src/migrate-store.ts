/** `geomill migrate-store`: moves a stopped embedded service to PostgreSQL and to another store. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { openAccountsAt } from '@geomill/service/accounts/accounts.ts';
import { openDatabase } from '@geomill/service/jobs/open-database.ts';
import { type MoveResult, moveService } from '@geomill/service/maintenance/migrate/migrate-store.ts';
import type { PostgresDatabase } from '@geomill/service/postgres/database.ts';
import type { Config } from '@geomill/service/settings/config.ts';
import { openStore, type StoreSettings, storeOptions } from '@geomill/service/storage/open-store.ts';
import { type Flags, parseCommand } from './arguments.ts';
import { interruptible } from './interrupt.ts';
import { standardOutput } from './standard-output.ts';

export const usage = (): string => `geomill migrate-store [--files-stay] [--dry-run]

Moves the service in DATA_DIR to the PostgreSQL database in DATABASE_URL and to the store in STORE_URL: jobs, uploads, inputs and
outputs, users, sessions, keys, signing keys and the audit log. The service must be stopped, and database schema and store must be
empty. DATA_DIR is only read. Without DATABASE_URL only the files move, and the databases stay in DATA_DIR.

  --files-stay  moves the databases only: the files are in STORE_URL already
  --dry-run     only checks whether the move is possible

Each copied file is compared with its original; its checksum is printed, in the format of sha256sum. If the command is interrupted, call
it again with the same settings: it continues. Then start the service with these settings, and keep DATA_DIR until it works.

Examples:
  geomill migrate-store > checksums.txt`;

export const flags = (): Flags => ({
  'files-stay': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
});

type MigrateConfig = Pick<
  Config,
  'dataDirectory' | 'databaseUrl' | 'databaseSchema' | 'databaseConnections'
> &
  StoreSettings;

const PROGRESS_MS = 5000;

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], config: MigrateConfig): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { values, positionals } = parsed;
  if (positionals.length > 0)
    throw failure(generalErrors.USAGE, {
      detail: 'migrate-store takes no arguments; the settings name what it moves',
    });
  const filesStay = values['files-stay'] === true;
  const isDryRun = values['dry-run'] === true;
  const { dataDirectory, storeUrl } = config;
  if (storeUrl === null) {
    const reason = 'it is required: the store to which the files move, or in which they are';
    throw failure(generalErrors.SETTING_INVALID, { name: 'STORE_URL', value: '', reason });
  }
  if (filesStay && config.databaseUrl === null)
    throw failure(generalErrors.USAGE, { detail: '--files-stay moves the databases and needs DATABASE_URL' });
  process.umask(0o077);
  const store = await openStore(storeOptions(config, dataDirectory));
  const database = await openDatabase(config);
  try {
    const result = await interruptible((signal) =>
      moveService({
        ...{ dataDirectory, database, store, storeUrl, filesStay, isDryRun, signal, makeAccountTables },
        onCopied: progress(),
      }),
    );
    tell(result, isDryRun, dataDirectory);
    return 0;
  } finally {
    await database?.close();
    store.close?.();
  }
}

async function makeAccountTables(database: PostgresDatabase, withUsers: boolean): Promise<void> {
  const accounts = await openAccountsAt({ database });
  try {
    if (!withUsers) return;
    const { openDirectory } = await import('@geomill/service/pages/account/area.ts');
    const { library } = await openDirectory({ accounts, baseUrl: 'http://localhost', warn: () => {} });
    library.close();
  } finally {
    await accounts.close();
  }
}

/** A line now and then. */
function progress(): () => void {
  let files = 0;
  let toldAt = performance.now();
  return () => {
    files += 1;
    if (performance.now() - toldAt < PROGRESS_MS) return;
    toldAt = performance.now();
    process.stderr.write(`${files} files copied\n`);
  };
}

function tell(
  { files, tables, orphans, size, wasFinished }: MoveResult,
  isDryRun: boolean,
  from: string,
): void {
  const lines = files.map(({ kind, key, sha256 }) => `${sha256}  ${kind}s/${key}\n`);
  standardOutput().write(lines.join(''));
  for (const { table, rows } of tables) process.stderr.write(`${table}: ${rows} rows\n`);
  if (orphans > 0) process.stderr.write(`${orphans} files that belong to no job or upload were left out\n`);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const end = isDryRun
    ? `the move is possible: ${size.files} files (${size.bytes} bytes) would be copied; nothing was changed`
    : wasFinished
      ? 'the move was complete already; nothing was changed'
      : `moved ${files.length} files (${bytes} bytes), each equal to its original; start the service with the same settings, and keep ${from} until it works`;
  process.stderr.write(`${end}\n`);
}
