/** Which versions of the jobs database can be opened. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { Database } from '../../src/engines/sqlite/database.ts';
import { bringUpToDate, versionOf } from '../../src/engines/sqlite/migrations.ts';
import { JOBS_SCHEMA } from '../../src/jobs/job-schema.ts';
import { SqliteQueue } from '../../src/jobs/sqlite-queue.ts';
import { newJob } from '../support/queue.ts';

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
  assert.equal(second.length(), 1);
  await second.close();
});

test('databases of unreleased and of newer versions are rejected and left unchanged', (t) => {
  const path = databasePath(t);
  const { firstVersion } = JOBS_SCHEMA;
  const versions: [number, RegExp][] = [
    [firstVersion - 1, /version 4 .* before the first release; .* an empty data directory/],
    [versionOf(JOBS_SCHEMA) + 1, /version 6 .*; use the geomill that wrote it$/],
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
