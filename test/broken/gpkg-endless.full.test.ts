/**
 * Endless views and triggers: rejected if SQLite detects them, else ended by the time limit of the job; the service continues
 * to answer.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../support/convert.ts';
import { ManualTimers } from '../support/manual-timers.ts';
import { RUNNER } from '../support/program.ts';
import { pointBlob, writeRawGeopackage } from '../support/raw-gpkg.ts';
import { untilAtWork } from '../support/runner-work.ts';
import { postForm, startTestService, submitJob, type TestService } from '../support/service.ts';

const POINT = pointBlob(1, 2);
const TABLE = `CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB);
  WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 1000) INSERT INTO t SELECT i, ${POINT} FROM c;`;

const endless: Readonly<Record<string, string>> = {
  'recursion without an end that gives no row': `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c)
    SELECT i AS fid, ${POINT} AS geom FROM c WHERE i < 0`,
  'recursion without an end': `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c)
    SELECT i AS fid, ${POINT} AS geom FROM c`,
  'a cross join of itself': 'SELECT a.fid, a.geom FROM t a, t b, t c, t d, t e',
  'a cross join that gives no row': `SELECT a.fid, a.geom FROM t a, t b, t c, t d, t e
    WHERE a.fid + b.fid + c.fid + d.fid + e.fid < 0`,
};

/** Far more than it takes to load the code and to open the file. */
const WORK_MS = 2000;

/** Lets the time limit of a job pass once its runner is at work, unless it has ended by itself. */
async function outOfTime(service: TestService, timers: ManualTimers, ended: Promise<unknown>): Promise<void> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  ended.then(end, end);
  await untilAtWork(service, WORK_MS, () => isOver);
  if (!isOver) timers.pass(3000);
}

test('endless views fail with a code, and the service continues', async () => {
  using workspace = makeWorkspace();
  const timers = new ManualTimers();
  await using service = await startTestService({
    runner: null,
    settings: { JOB_TIMEOUT: '3', JOB_ATTEMPTS: '1', RUNNERS: '1' },
    start: { runner: RUNNER, timers },
  });
  const config = { input: { format: 'gpkg' }, output: { format: 'csv' } };
  const submitView = (name: string, sql: string): Promise<string> => {
    const path = join(workspace.path, 'endless.gpkg');
    writeRawGeopackage(path, { sql: `${TABLE} CREATE VIEW v AS ${sql};`, layers: ['v'] });
    const file = Uint8Array.from(readFileSync(path));
    return submitJob(service, { config, file, fileName: `${name}.gpkg` });
  };
  for (const [name, sql] of Object.entries(endless)) {
    const ended = service.ended(await submitView(name, sql));
    // The name can be used again.
    rmSync(join(workspace.path, 'endless.gpkg'));
    await outOfTime(service, timers, ended);
    assert.match(
      `${(await ended).error?.code}`,
      /^(JOB_TIMEOUT|JOB_OUT_OF_MEMORY|LIMIT_EXCEEDED|(GPKG|DATABASE)_\w+)$/,
      name,
    );
  }
  const fine = await service.ended(await submitView('fine', 'SELECT * FROM t'));
  assert.equal(fine.error, null);
});

test('endless triggers of the target of an append fail with a code, and the service continues', async () => {
  using workspace = makeWorkspace();
  const timers = new ManualTimers();
  await using service = await startTestService({
    runner: null,
    settings: { JOB_TIMEOUT: '3', JOB_ATTEMPTS: '1', RUNNERS: '1', SYNC_TIMEOUT: '1h' },
    start: { runner: RUNNER, timers },
  });
  const more = writeRawGeopackage(join(workspace.path, 'more.gpkg'), {
    sql: `CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB); INSERT INTO t VALUES (1, ${POINT})`,
    layers: ['t'],
  });
  const append = async (name: string, trigger: string): Promise<string | null> => {
    const path = writeRawGeopackage(join(workspace.path, `${name}.gpkg`), {
      sql: `${TABLE} CREATE TABLE log (n); CREATE TRIGGER endless AFTER INSERT ON t BEGIN ${trigger}; END;`,
      layers: ['t'],
    });
    const response = await postForm(service, '/v1/transform/gpkg/append', {
      parts: [
        ['file', readFileSync(path), `${name}.gpkg`],
        ['files', readFileSync(more), 'more.gpkg'],
      ],
      config: { output_format: 'gpkg' },
    });
    return response.ok ? null : await response.text();
  };
  const join5 = 'FROM t a, t b, t c, t d, t e WHERE a.fid + b.fid + c.fid + d.fid + e.fid < 0';
  for (const [i, trigger] of [
    `SELECT count(*) ${join5}`,
    `INSERT INTO log SELECT 1 ${join5}`,
    `DELETE FROM t WHERE fid IN (SELECT a.fid ${join5})`,
  ].entries()) {
    const answered = append(`endless-${i}`, trigger);
    await outOfTime(service, timers, answered);
    assert.match(String(await answered), /JOB_TIMEOUT|time limit/, trigger);
  }
  assert.match(
    String(await append('large', 'INSERT INTO log SELECT a.fid FROM t a, t b, t c, t d')),
    /its triggers write far more than was added/,
  );
  assert.equal(await append('fine', 'INSERT INTO log VALUES (1)'), null);
});
