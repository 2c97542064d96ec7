/** Which versions of the jobs database can be opened. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { Database } from '../../../packages/engines/sqlite/src/database.ts';
import { bringUpToDate, versionOf } from '../../../packages/engines/sqlite/src/migrations.ts';
import { newJob } from '../../../test/support/queue.ts';
import { JOBS_SCHEMA } from '../src/jobs/job-schema.ts';
import { SqliteQueue } from '../src/jobs/sqlite-queue.ts';

function databasePath(t: { after(work: () => void): void }): string {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-schema-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return join(directory, 'jobs.sqlite');
}

test('a database of the current version is opened again with its jobs', async (t) => {
  const path = databasePath(t);
  const options = { path, maxLength: 10, retryAfterSeconds: 5 };
  const first = new SqliteQueue(options);
  const { id } = await first.enqueue(newJob('kept'));
  await first.close();
  const second = new SqliteQueue(options);
  assert.equal((await second.get(id))?.state, 'QUEUED');
  assert.equal(await second.length(), 1);
  await second.close();
});

test('a database of 0.2.0 keeps its jobs, and its triggers count on', async (t) => {
  const path = databasePath(t);
  const old = new Database(path, { synchronous: 'NORMAL' });
  bringUpToDate(old, path, { ...JOBS_SCHEMA, steps: JOBS_SCHEMA.steps.slice(0, 1) });
  assert.equal(old.userVersion, 5);
  const columns =
    'id, owner, state, place, operation, input_format, warning_count, created_at, record_bytes, input_bytes';
  const insert = `INSERT INTO jobs (${columns}, inputs, request_findings, request) VALUES (?, 'me', ?, 1, 'merge', 'shp', 3, 1, 7, 5, '[]', '[]', '{}')`;
  old.prepare(insert).run('ended', 'SUCCESS');
  old.prepare(insert).run('waiting', 'QUEUED');
  const tables = (database: Database): unknown =>
    database.prepare('SELECT * FROM owners, totals').all<Record<string, unknown>>();
  const counted = tables(old);
  old.close();
  const queue = new SqliteQueue({ path, maxLength: 10, retryAfterSeconds: 5 });
  const ended = await queue.summary('ended');
  assert.deepEqual([ended?.warningCount, ended?.severities], [3, null]);
  assert.equal(await queue.length(), 1);
  await queue.enqueue(newJob('later'));
  assert.deepEqual((await queue.summary('later'))?.severities, { info: 0, changed: 0, lost: 0 });
  assert.equal(await queue.length(), 2, 'the triggers are there');
  await queue.close();
  const migrated = new Database(path, { synchronous: 'NORMAL' });
  migrated.prepare("DELETE FROM jobs WHERE id = 'later'").run();
  const mine = (rows: unknown): unknown =>
    (rows as { owner: string }[]).filter(({ owner }) => owner === 'me');
  assert.deepEqual(mine(tables(migrated)), mine(counted));
  const order = migrated
    .prepare("SELECT name FROM pragma_table_info('jobs')")
    .all<{ name: string }>()
    .map(({ name }) => name);
  assert.ok(order.indexOf('lost_count') < order.indexOf('error'), 'before the long texts');
  migrated.close();
});

test('databases of unreleased and of newer versions are rejected and left unchanged', (t) => {
  const path = databasePath(t);
  const { firstVersion, earlier = [] } = JOBS_SCHEMA;
  const versions: [number, RegExp][] = [
    [firstVersion - earlier.length - 1, /version 3 .* before the first release; .* an empty data directory/],
    [versionOf(JOBS_SCHEMA) + 1, /version 11 .*; use the geomill that wrote it, or a newer one$/],
  ];
  for (const [version, message] of versions) {
    const database = new Database(path, { synchronous: 'NORMAL' });
    database.userVersion = version;
    database.close();
    const open = () => new SqliteQueue({ path, maxLength: 10, retryAfterSeconds: 5 });
    assert.throws(open, { code: 'SERVICE_DATABASE_UNUSABLE', message });
    const left = new Database(path, { synchronous: 'NORMAL' });
    assert.equal(left.userVersion, version);
    assert.equal(
      left.prepare('SELECT count(*) AS count FROM sqlite_schema').get<{ count: number }>()?.count,
      0,
    );
    left.close();
  }
});

test('a database that lacks the tables of its version is rejected and left unchanged', (t) => {
  const path = databasePath(t);
  const { firstVersion, earlier = [] } = JOBS_SCHEMA;
  const fixtures = [null, 'CREATE TABLE uploads (id TEXT)', 'CREATE TABLE owners (owner TEXT)'];
  let rejected = 0;
  for (let version = firstVersion - earlier.length; version < versionOf(JOBS_SCHEMA); version++)
    for (const [index, sql] of fixtures.entries()) {
      const own = `${path}-${version}-${index}`;
      const database = new Database(own, { synchronous: 'NORMAL' });
      if (sql !== null) database.exec(sql);
      database.userVersion = version;
      const tables = () => database.prepare('SELECT name, sql FROM sqlite_schema').all();
      const before = tables();
      assert.throws(() => bringUpToDate(database, own, JOBS_SCHEMA), {
        code: 'SERVICE_DATABASE_UNUSABLE',
        message: new RegExp(
          `states schema version ${version}, .*(?:no such|already exists).*; restore a backup`,
        ),
      });
      rejected++;
      assert.deepEqual([database.userVersion, tables()], [version, before]);
      database.close();
    }
  assert.ok(rejected >= 3);
});

test('steps after the first are applied to a database that has not had them', (t) => {
  const database = new Database(databasePath(t), { synchronous: 'NORMAL' });
  const columns = () =>
    database
      .prepare("SELECT name FROM pragma_table_info('t')")
      .all<{ name: string }>()
      .map(({ name }) => name);
  const steps = ['CREATE TABLE t (a)', 'ALTER TABLE t ADD COLUMN b', 'ALTER TABLE t ADD COLUMN c'];
  bringUpToDate(database, 'x', { firstVersion: 3, steps: steps.slice(0, 2) });
  assert.deepEqual([database.userVersion, columns()], [4, ['a', 'b']]);
  bringUpToDate(database, 'x', { firstVersion: 3, steps });
  assert.deepEqual([database.userVersion, columns()], [5, ['a', 'b', 'c']]);
  bringUpToDate(database, 'x', { firstVersion: 3, steps });
  assert.deepEqual(columns(), ['a', 'b', 'c']);
  database.close();
});
