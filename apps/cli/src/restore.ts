/** `geomill restore`: puts a backup into a data directory. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { restore } from '@geomill/service/maintenance/restore.ts';
import type { Config } from '@geomill/service/settings/config.ts';
import { type Flags, parseCommand } from './arguments.ts';
import { refuseOtherPlaces } from './backup.ts';
import { interruptible } from './interrupt.ts';

export const usage = (): string => `geomill restore DIR [--overwrite]

Puts the backup DIR, made by 'geomill backup', into DATA_DIR. The service must be stopped. Every file is copied and checked before
anything in DATA_DIR changes.

  --overwrite  replaces the jobs and accounts that DATA_DIR holds; they are removed

Start the service afterwards: jobs that waited or ran at the time of the backup run.

Examples:
  geomill restore backups/monday --overwrite`;

export const flags = (): Flags => ({
  overwrite: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
});

type RestoreConfig = Parameters<typeof refuseOtherPlaces>[1] & Pick<Config, 'dataDirectory'>;

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], config: RestoreConfig): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { values, positionals } = parsed;
  if (positionals.length !== 1)
    throw failure(generalErrors.USAGE, {
      detail: 'restore takes the directory of one backup; see geomill restore --help',
    });
  refuseOtherPlaces('restores', config);
  process.umask(0o077);
  const { dataDirectory } = config;
  const manifest = await interruptible((signal) =>
    restore({ source: positionals[0], dataDirectory, overwrite: values.overwrite === true, signal }),
  );
  const countOf = (kind: string): number =>
    manifest.files.filter(({ path }) => path.startsWith(`${kind}/`)).length;
  process.stderr.write(
    `restored the backup of ${manifest.created_at} to ${dataDirectory}: ${Object.keys(manifest.databases).join(', ')}, ` +
      `${countOf('inputs')} inputs, ${countOf('outputs')} outputs; start the service\n`,
  );
  return 0;
}
