/** The embedded service that is moved: its databases, and the files that their rows refer to. It is only read. */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { Database, type Statement } from '@geomill/sqlite/database.ts';
import { asDatabaseFailure } from '@geomill/sqlite/database-failure.ts';
import { sqliteErrors } from '@geomill/sqlite/errors.ts';
import { currentVersionFault } from '@geomill/sqlite/migrations.ts';
import { problemsOf } from '@geomill/sqlite/node/copy-database.ts';
import { JobFiles, type PromisedFile } from '../../jobs/job-files.ts';
import { type FileKind, isJobFileName } from '../../storage/store.ts';
import { Examples } from '../doctor/finding.ts';
import { maintenanceErrors } from '../errors.ts';
import { DATABASES } from '../manifest.ts';

export interface SourceFile extends PromisedFile {
  readonly path: string;
  readonly bytes: number;
  /** Of an output: the attempt that stored it. */
  readonly attempt: number;
  readonly findingsBytes: number;
  /** Of an upload, where the store needs one. */
  readonly place: string | null;
}

export const KINDS: readonly FileKind[] = ['input', 'output', 'upload'];

export class MoveSource {
  readonly directory: string;
  readonly jobs: Database;
  /** Null: the service has no database of accounts. */
  readonly accounts: Database | null;
  readonly #jobFiles: JobFiles;
  readonly #output: Statement;
  readonly #upload: Statement;

  /** Throws SERVICE_DATABASE_DAMAGED, SERVICE_DATABASE_UNUSABLE. */
  constructor(directory: string) {
    this.directory = directory;
    this.jobs = openSound(directory, 'jobs.sqlite');
    this.accounts = existsSync(join(directory, 'accounts.sqlite'))
      ? openSound(directory, 'accounts.sqlite')
      : null;
    this.#jobFiles = new JobFiles(join(directory, 'jobs.sqlite'));
    this.#output = this.jobs.prepare(
      'SELECT fence AS attempt, coalesce(findings_bytes, 0) AS findingsBytes FROM jobs WHERE id = ?',
    );
    this.#upload = this.jobs.prepare('SELECT place FROM uploads WHERE id = ?');
  }

  *files(): Iterable<SourceFile> {
    for (const file of this.#jobFiles.promised()) {
      const { kind, key, jobId } = file;
      const output =
        kind === 'output' ? this.#output.get<{ attempt: number; findingsBytes: number }>(jobId)! : NO_OUTPUT;
      const { place } = kind === 'upload' ? this.#upload.get<{ place: string | null }>(key)! : NO_PLACE;
      const path = join(this.directory, `${kind}s`, key);
      yield { ...file, ...output, place, path, bytes: file.bytes ?? 0 };
    }
  }

  /** Whether a job or upload has this key. */
  owns(kind: FileKind, key: string): boolean {
    const table = kind === 'upload' ? 'uploads' : 'jobs';
    const id = key.split('.', 1)[0];
    return this.jobs.prepare(`SELECT 1 FROM ${table} WHERE id = ?`).get(id) !== undefined;
  }

  /** Throws MIGRATION_INVALID if files are missing or have another size than their rows say. */
  checkSizes(): void {
    const wrong = new Examples();
    for (const { kind, key, path, bytes } of this.files()) {
      const facts = lstatSync(path, { throwIfNoEntry: false });
      const isRight =
        facts?.isFile() === true && (kind === 'upload' ? facts.size >= bytes : facts.size === bytes);
      if (!isRight)
        wrong.add(
          `${kind}s/${key} ${facts === undefined ? 'is missing' : `has ${facts.size} bytes, not ${bytes}`}`,
        );
    }
    if (wrong.count > 0) throw invalid(this.directory, wrong);
  }

  /** Number of files of jobs and uploads that no row refers to; the service would remove them. */
  countOrphans(): number {
    const promised = new Set<string>();
    for (const { path } of this.files()) promised.add(path);
    let orphans = 0;
    for (const kind of KINDS) {
      const folder = join(this.directory, `${kind}s`);
      if (!existsSync(folder)) continue;
      for (const name of readdirSync(folder))
        if (isJobFileName(kind, name) && !promised.has(join(folder, name))) orphans += 1;
    }
    return orphans;
  }

  close(): void {
    this.#jobFiles.close();
    this.accounts?.close();
    this.jobs.close();
  }
}

const NO_OUTPUT = { attempt: 0, findingsBytes: 0 };
const NO_PLACE: { readonly place: string | null } = { place: null };

/** The error about files that cannot be moved. */
export function invalid(directory: string, { count, text }: Examples): Error {
  const reason = `${count === 1 ? 'a file is not as its row says' : `${count} files are not as their rows say`}: ${text}. Restore a backup that has them, or start the service and delete these jobs and uploads`;
  return failure(maintenanceErrors.MIGRATION_INVALID, { path: directory, reason });
}

function openSound(directory: string, name: string): Database {
  const path = join(directory, name);
  try {
    const [problem] = problemsOf(path, 'quick');
    if (problem !== undefined)
      throw failure(sqliteErrors.SERVICE_DATABASE_DAMAGED, { path, reason: problem });
    const database = new Database(path, 'read-only');
    const reason = currentVersionFault(database.userVersion, DATABASES[name]);
    if (reason === null) return database;
    database.close();
    throw failure(generalErrors.SERVICE_DATABASE_UNUSABLE, { path, reason });
  } catch (error) {
    throw asDatabaseFailure(error, path);
  }
}
