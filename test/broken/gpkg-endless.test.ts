/**
 * Endless views: rejected if SQLite detects them, else ended by the time limit of the job; the service continues to
 * answer.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../support/convert.ts';
import { pointBlob, writeRawGeopackage } from '../support/raw-gpkg.ts';
import { startTestService, submitJob } from '../support/service.ts';

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

test('endless views fail with a code, and the service continues', async () => {
  using workspace = makeWorkspace();
  await using service = await startTestService({
    runner: null,
    settings: { JOB_TIMEOUT: '3', JOB_ATTEMPTS: '1', RUNNERS: '2' },
  });
  const config = { input: { format: 'gpkg' }, output: { format: 'csv' } };
  const submitView = (name: string, sql: string): Promise<string> => {
    const path = join(workspace.path, 'endless.gpkg');
    writeRawGeopackage(path, { sql: `${TABLE} CREATE VIEW v AS ${sql};`, layers: ['v'] });
    const file = Uint8Array.from(readFileSync(path));
    return submitJob(service, { config, file, fileName: `${name}.gpkg` });
  };
  const ids: string[] = [];
  for (const [name, sql] of Object.entries(endless)) {
    ids.push(await submitView(name, sql));
    // The name can be used again.
    rmSync(join(workspace.path, 'endless.gpkg'));
  }
  for (const [i, id] of ids.entries()) {
    const job = await service.ended(id);
    assert.match(
      `${job.error?.code}`,
      /^(JOB_TIMEOUT|JOB_OUT_OF_MEMORY|LIMIT_EXCEEDED|(GPKG|DATABASE)_\w+)$/,
      Object.keys(endless)[i],
    );
  }
  const fine = await service.ended(await submitView('fine', 'SELECT * FROM t'));
  assert.equal(fine.error, null);
});
