/** Data directories of every release, which test/releases/make.ts has made. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

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

export const RELEASES = readdirSync(releaseDirectory('')).filter((name) => /^\d+\.\d+\.\d+$/.test(name));
