/** Databases of every release, which later versions bring up to date or refuse with the same words. */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Database } from '../../../packages/engines/sqlite/src/database.ts';
import { bringUpToDate, currentVersionFault, type SchemaHistory, versionFault, versionOf } from '../../../packages/engines/sqlite/src/migrations.ts'; // biome-ignore format: one line
import { makeWorkspace } from '../../../test/support/convert.ts';
import {
  isOutOfDate,
  RELEASES,
  type ReleaseFixture,
  releaseDirectory,
} from '../../../test/support/releases.ts';
import { openAccounts } from '../src/accounts/accounts.ts';
import { JobFiles } from '../src/jobs/job-files.ts';
import { JOBS_SCHEMA } from '../src/jobs/job-schema.ts';
import { JobSnapshot } from '../src/jobs/job-snapshot.ts';
import { SqliteQueue } from '../src/jobs/sqlite-queue.ts';
import { checkDatabases } from '../src/maintenance/doctor/databases.ts';
import { DATABASES, MANIFEST, readManifest } from '../src/maintenance/manifest.ts';

const LIMITS = { maxLength: 1000, retryAfterSeconds: 5 };

interface Copy extends Disposable {
  readonly path: string;
  readonly jobs: string;
  readonly fixture: ReleaseFixture;
}

function copyOf(release: string): Copy {
  const workspace = makeWorkspace();
  cpSync(releaseDirectory(release), workspace.path, { recursive: true });
  const fixture = JSON.parse(readFileSync(join(workspace.path, 'fixture.json'), 'utf8')) as ReleaseFixture;
  return { path: workspace.path, jobs: join(workspace.path, 'jobs.sqlite'), fixture, [Symbol.dispose]: () => workspace[Symbol.dispose]() }; // biome-ignore format: one line
}

function withVersion(path: string, version: number): void {
  const database = new Database(path, { synchronous: 'NORMAL' });
  database.userVersion = version;
  database.close();
}

test('there is a fixture of every release in the changelog', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../CHANGELOG.md'), 'utf8');
  const released = [...text.matchAll(/^## (\d+\.\d+\.\d+) /gm)].map(([, version]) => version);
  assert.deepEqual([...RELEASES].sort(), released.sort());
});

for (const release of RELEASES) {
  test(`${release}: jobs are brought up to date, with what their owners store`, async () => {
    using copy = copyOf(release);
    const { succeeded, failed, unfinished } = copy.fixture;
    const before = new Database(copy.jobs, 'read-only');
    const fences = before.prepare('SELECT id, attempts FROM jobs').all<{ id: string; attempts: number }>();
    before.close();
    const queue = new SqliteQueue({ ...LIMITS, path: copy.jobs, sync: { onFailure: (error) => assert.fail(String(error)) } }); // biome-ignore format: one line
    const stateOf = async (id: string) => (await queue.get(id))?.state;
    assert.equal(await stateOf(succeeded), 'SUCCESS');
    assert.equal(await stateOf(failed), 'FAILED');
    for (const id of unfinished) assert.match(`${await stateOf(id)}`, /QUEUED|RUNNING/);
    const { waiting, running, storedBytes } = await queue.holding('fixture');
    assert.equal(waiting + running, unfinished.length);
    assert.equal(await queue.length(), waiting);
    const jobs = await Promise.all(fences.map(({ id }) => queue.get(id)));
    assert.ok(jobs.every((job) => job !== null));
    assert.ok(storedBytes > jobs.reduce((sum, job) => sum + (job?.output?.byteLength ?? 0), 0));
    for (const { id, attempts } of fences)
      assert.ok(((await queue.summary(id))?.fence ?? -1) >= attempts, id);
    await queue.close();
  });

  test(`${release}: keys are valid, and their owner is the same`, async () => {
    using copy = copyOf(release);
    const accounts = openAccounts({ path: join(copy.path, 'accounts.sqlite') });
    const listed = await accounts.credentials.list();
    assert.deepEqual(listed.map(({ owner }) => owner), ['fixture']); // biome-ignore format: one line
    await accounts.close();
  });

  test(`${release}: doctor finds nothing wrong, and knows the files of every job`, () => {
    using copy = copyOf(release);
    const found = checkDatabases({ path: copy.path, depth: 'quick', isRunning: false, now: Date.now() });
    assert.deepEqual(found.filter(({ severity }) => severity === 'problem' || severity === 'warning'), []); // biome-ignore format: one line
    const files = new JobFiles(copy.jobs);
    const promised = [...files.promised()];
    files.close();
    assert.equal(promised.length, 1 + copy.fixture.unfinished.length);
    for (const { kind, key, bytes } of promised)
      assert.equal(readFileSync(join(copy.path, `${kind}s`, key)).length, bytes, `${kind} ${key}`);
  });

  if (!isOutOfDate(release)) continue;
  test(`${release}: a backup says that the service has to be started first`, () => {
    using copy = copyOf(release);
    const live = join(copy.path, 'live.sqlite');
    cpSync(copy.jobs, live);
    assert.throws(() => new JobSnapshot(copy.jobs, live), /start the service of this geomill once, which brings it up to date/); // biome-ignore format: one line
  });
}

/** What each part of geomill says about a database with this version; null: it can be used. */
function verdicts(path: string, name: string, version: number): (string | null)[] {
  const history = DATABASES[name];
  const file = join(path, name);
  withVersion(file, version);
  const errorOf = (act: () => unknown): string | null => {
    try {
      act();
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const start = errorOf(() => {
    const database = new Database(file, { synchronous: 'NORMAL' });
    try {
      bringUpToDate(database, file, history);
    } finally {
      database.close();
    }
  });
  const doctor = checkDatabases({ path, depth: 'quick', isRunning: false, now: Date.now() }).find(
    ({ severity, message }) => severity === 'problem' && message.startsWith(name),
  );
  const files = name === 'jobs.sqlite' ? errorOf(() => new JobFiles(file).close()) : start;
  const databases = { 'jobs.sqlite': versionOf(JOBS_SCHEMA), [name]: version };
  writeFileSync(join(path, MANIFEST), JSON.stringify({ format: 'geomill-backup', version: 1, geomill: '9.9.9', databases, files: Object.keys(databases).map((path) => ({ path, bytes: 1, sha256: '0'.repeat(64) })) })); // biome-ignore format: one line
  const restore = errorOf(() => readManifest(path));
  return [start, doctor?.message ?? null, files, restore];
}

for (const name of Object.keys(DATABASES))
  test(`${name}: versions that are not known are refused with the same words everywhere`, () => {
    const history = DATABASES[name];
    const oldest = history.firstVersion - (history.earlier?.length ?? 0);
    for (const version of [oldest - 1, versionOf(history) + 1, 99]) {
      using copy = copyOf(RELEASES[0]);
      const reason = versionFault(version, history);
      assert.ok(reason !== null);
      assert.match(reason, new RegExp(`^it has schema version ${version} and this geomill knows `));
      assert.equal(currentVersionFault(version, history), reason);
      for (const verdict of verdicts(copy.path, name, version))
        assert.ok(verdict?.includes(reason), `${verdict}`);
    }
  });

test('every version from the oldest release on leads to the same tables', () => {
  for (const [name, history] of Object.entries(DATABASES)) {
    const tablesOf = (steps: readonly string[]): unknown => {
      using workspace = makeWorkspace();
      const database = new Database(join(workspace.path, name), { synchronous: 'NORMAL' });
      for (const step of steps) database.exec(step);
      const tables = database.prepare("SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name").all(); // biome-ignore format: one line
      const columns = database.prepare("SELECT m.name AS tab, c.name, c.type, c.\"notnull\" FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) c WHERE m.type = 'table' ORDER BY 1, 2").all(); // biome-ignore format: one line
      database.close();
      return { tables, columns };
    };
    const expected = tablesOf(history.steps);
    for (const release of RELEASES) {
      using copy = copyOf(release);
      const file = join(copy.path, name);
      const database = new Database(file, { synchronous: 'NORMAL' });
      bringUpToDate(database, file, history);
      const names = database.prepare("SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name").all<{ name: string }>(); // biome-ignore format: one line
      database.close();
      const { tables } = expected as { tables: readonly { name: string }[] };
      // The library for users has tables of its own in the file of accounts.
      for (const table of tables) assert.ok(names.some((found) => found.name === table.name), `${release} ${table.name}`); // biome-ignore format: one line
      if (name === 'jobs.sqlite') assert.deepEqual(names, tables);
    }
  }
});

test('a history has a step for each version', () => {
  const history: SchemaHistory = { firstVersion: 3, earlier: ['INSERT INTO t VALUES (3)'], steps: ['CREATE TABLE t (v)', 'INSERT INTO t VALUES (4)', 'INSERT INTO t VALUES (5)'] }; // biome-ignore format: one line
  for (const [found, applied] of [
    [0, [4, 5]],
    [2, [3, 4, 5]],
    [3, [4, 5]],
    [4, [5]],
    [5, []],
  ] as const) {
    using workspace = makeWorkspace();
    const path = join(workspace.path, 'x.sqlite');
    const database = new Database(path, { synchronous: 'NORMAL' });
    if (found > 0) database.exec('CREATE TABLE t (v)');
    database.userVersion = found;
    bringUpToDate(database, path, history);
    assert.deepEqual(database.prepare('SELECT v FROM t').all<{ v: number }>().map(({ v }) => v), applied); // biome-ignore format: one line
    assert.equal(database.userVersion, 5);
    database.close();
  }
  assert.deepEqual(readdirSync(releaseDirectory('')).filter((name) => /^\d/.test(name)).sort(), [...RELEASES].sort()); // biome-ignore format: one line
});
