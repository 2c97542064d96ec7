/** The manifest of a backup: version, time, and every file with its checksum. */
import { createHash } from 'node:crypto';
import { createReadStream, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { failure } from '@geomill/core/messages/errors.ts';
import { type SchemaHistory, versionFault } from '@geomill/sqlite/migrations.ts';
import { ACCOUNTS_SCHEMA } from '../accounts/sqlite-database.ts';
import { JOBS_SCHEMA } from '../jobs/job-schema.ts';
import { isJobFileName } from '../storage/store.ts';
import { maintenanceErrors } from './errors.ts';

export const MANIFEST = 'manifest.json';
const FORMAT = 'geomill-backup';
/** Version of the layout of a backup. It increases with each change that older versions of geomill cannot restore. */
const VERSION = 1;
/** Maximum size: the manifest of a million files has about 150 MiB. */
const MAX_MANIFEST_BYTES = 256 * 1024 ** 2;

export interface BackupFile {
  /** Within the backup, and within the data directory: `jobs.sqlite`, `inputs/<key>`, `outputs/<id>`. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly format: typeof FORMAT;
  readonly version: number;
  /** Version of geomill that made the backup. */
  readonly geomill: string;
  /** ISO 8601. */
  readonly created_at: string;
  readonly outputs: boolean;
  /** Schema versions by file. */
  readonly databases: Readonly<Record<string, number>>;
  readonly files: readonly BackupFile[];
}

/** The databases of a data directory, and the schemas of each that this geomill knows. */
export const DATABASES: Readonly<Record<string, SchemaHistory>> = {
  'jobs.sqlite': JOBS_SCHEMA,
  'accounts.sqlite': ACCOUNTS_SCHEMA,
};

export function makeManifest(facts: Omit<Manifest, 'format' | 'version'>): Manifest {
  return { format: FORMAT, version: VERSION, ...facts };
}

/** Reads and checks the manifest of the backup in `directory`. Throws BACKUP_INVALID. */
export function readManifest(directory: string): Manifest {
  const refuse = (reason: string, cause?: unknown): Error =>
    failure(maintenanceErrors.BACKUP_INVALID, { path: directory, reason }, undefined, cause);
  const path = join(directory, MANIFEST);
  let manifest: Manifest;
  try {
    const stat = lstatSync(path);
    if (!stat.isFile())
      throw refuse(`its ${MANIFEST} is a symbolic link or no file; a backup has only files`);
    if (stat.size > MAX_MANIFEST_BYTES)
      throw refuse(`its ${MANIFEST} is larger than ${MAX_MANIFEST_BYTES} bytes`);
    manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  } catch (error) {
    if (error instanceof SyntaxError) throw refuse(`its ${MANIFEST} is not JSON`, error);
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw refuse(`it has no ${MANIFEST}`, error);
    throw error;
  }
  if (manifest?.format !== FORMAT) throw refuse(`its ${MANIFEST} is not one of a geomill backup`);
  if (!Number.isInteger(manifest.version) || manifest.version > VERSION)
    throw refuse(newer(`the layout has version ${manifest.version}`, VERSION, manifest));
  if (typeof manifest.databases !== 'object' || manifest.databases === null || !Array.isArray(manifest.files))
    throw refuse(`its ${MANIFEST} lacks 'databases' or 'files'`);
  for (const [name, schema] of Object.entries(manifest.databases)) {
    if (!Object.hasOwn(DATABASES, name) || !Number.isInteger(schema))
      throw refuse(`its ${MANIFEST} has an entry that is not of a backup`);
    const reason = versionFault(schema, DATABASES[name]);
    if (reason !== null)
      throw refuse(`of its ${name}: ${reason}. It was made by geomill ${manifest.geomill}`);
  }
  const paths = new Set<string>();
  for (const file of manifest.files) {
    if (!isBackupPath(file?.path) || !/^[0-9a-f]{64}$/.test(file.sha256) || !Number.isSafeInteger(file.bytes))
      throw refuse(`its ${MANIFEST} has an entry that is not of a backup`);
    if (paths.has(file.path)) throw refuse(`its ${MANIFEST} names ${file.path} twice`);
    paths.add(file.path);
  }
  for (const name of Object.keys(DATABASES)) {
    const isThere = paths.has(name);
    if (isThere !== Object.hasOwn(manifest.databases, name) || (name === 'jobs.sqlite' && !isThere))
      throw refuse(`its ${MANIFEST} does not name ${name}, or not its schema version`);
  }
  return manifest;
}

function newer(what: string, known: number, { geomill }: Manifest): string {
  return `${what} and this geomill knows ${known}; restore it with geomill ${geomill} or a newer one`;
}

/** Whether a path is one of a data directory; a restore writes no other files. */
function isBackupPath(path: unknown): path is string {
  if (typeof path !== 'string') return false;
  if (Object.hasOwn(DATABASES, path)) return true;
  const [directory, name, ...rest] = path.split('/');
  if (rest.length > 0 || name === undefined) return false;
  return (
    (directory === 'inputs' && isJobFileName('input', name)) ||
    (directory === 'outputs' && isJobFileName('output', name))
  );
}

/** The entry of a file in its current state. */
export async function describeFile(
  directory: string,
  path: string,
  signal: AbortSignal,
): Promise<BackupFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(
    createReadStream(join(directory, path), { highWaterMark: 1024 ** 2 }),
    async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
      }
    },
    { signal },
  );
  return { path, bytes, sha256: hash.digest('hex') };
}
