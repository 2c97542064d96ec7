/** `geomill backup`: a copy of a data directory, also while its service runs. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { packageVersion } from '@geomill/platform/package-version.ts';
import { backUp } from '@geomill/service/maintenance/backup.ts';
import type { Config } from '@geomill/service/settings/config.ts';
import { type Flags, parseCommand } from './arguments.ts';
import { interruptible } from './interrupt.ts';

export const usage = (): string => `geomill backup DIR [--outputs]

Copies jobs, accounts and the inputs of waiting jobs from DATA_DIR to the new directory DIR. The service may be running.

  --outputs  also copies the outputs that can still be fetched; without it a restored service reports them as expired

Everything in DIR is for its user alone: it holds password hashes and private keys. Files on the same file system are linked, not
copied; copy DIR to another machine to survive the loss of the disk. 'geomill restore' puts it back.

Examples:
  geomill backup backups/monday --outputs`;

export const flags = (): Flags => ({
  outputs: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
});

type BackupConfig = Pick<Config, 'dataDirectory' | 'databaseUrl' | 'databaseSchema' | 'storeUrl'>;

/** Throws SETTING_INVALID for a service whose databases or files are not in its data directory. */
export function refuseOtherPlaces(does: string, config: Omit<BackupConfig, 'dataDirectory'>): void {
  const { databaseUrl, databaseSchema: schema, storeUrl } = config;
  const docs = "'Back-up of PostgreSQL and a store' in docs/operate.md";
  if (databaseUrl !== null) {
    const reason = `this command ${does} a data directory alone. For PostgreSQL use its own tools: pg_dump --format=custom --schema=${schema} --file=jobs.dump "$DATABASE_URL", and pg_restore; for the store versions or copies of the bucket. See ${docs}`;
    throw failure(generalErrors.SETTING_INVALID, { name: 'DATABASE_URL', value: '...', reason });
  }
  if (storeUrl !== null) {
    const reason = `this command ${does} a data directory with all its files. Copy jobs.sqlite and accounts.sqlite while the service is stopped, then the store. See ${docs}`;
    throw failure(generalErrors.SETTING_INVALID, { name: 'STORE_URL', value: storeUrl, reason });
  }
}

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], config: BackupConfig): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { values, positionals } = parsed;
  if (positionals.length !== 1)
    throw failure(generalErrors.USAGE, {
      detail: 'backup takes one directory, which it makes; see geomill backup --help',
    });
  refuseOtherPlaces('makes backups of', config);
  process.umask(0o077);
  const withOutputs = values.outputs === true;
  const result = await interruptible((signal) =>
    backUp({
      dataDirectory: config.dataDirectory,
      target: positionals[0],
      withOutputs,
      version: packageVersion(),
      signal,
    }),
  );
  for (const id of result.incomplete)
    process.stderr.write(`geomill: files of job ${id} are missing in the data directory\n`);
  const outputs = withOutputs ? `${result.outputs} outputs` : 'no outputs';
  process.stderr.write(
    `backed up ${result.jobs} jobs, ${result.inputs} inputs and ${outputs} (${result.bytes} bytes) to ${positionals[0]}\n`,
  );
  return 0;
}
