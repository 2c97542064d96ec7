/** Data directories of every release, which test/releases/make.ts has made. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DATABASES } from '../../apps/service/src/maintenance/manifest.ts';
import { versionOf } from '../../packages/engines/sqlite/src/migrations.ts';

/** What is in the data directory of a release. */
export interface ReleaseFixture {
  /** An API key of the account 'fixture', to which all jobs belong. */
  readonly key: string;
  /** Of the job that succeeded. */
  readonly idempotencyKey: string;
  readonly succeeded: string;
  readonly failed: string;
  /** Jobs that were waiting or running when the service was killed. */
  readonly unfinished: readonly string[];
}

export function releaseDirectory(release: string): string {
  return join(import.meta.dirname, '..', 'releases', release);
}

/** Whether the databases of the release have to be changed before this version uses them; not if they are its own. */
export function isOutOfDate(release: string): boolean {
  return Object.entries(DATABASES).some(([name, history]) => {
    const database = new DatabaseSync(join(releaseDirectory(release), name), { readOnly: true });
    try {
      return (
        (database.prepare('PRAGMA user_version').get() as { user_version: number }).user_version !==
        versionOf(history)
      );
    } finally {
      database.close();
    }
  });
}

export const RELEASES = readdirSync(releaseDirectory('')).filter((name) => /^\d+\.\d+\.\d+$/.test(name));
