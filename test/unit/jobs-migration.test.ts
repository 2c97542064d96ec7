/** A database that an earlier geomill wrote is brought up to date with every job in it. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { LOCAL_OWNER } from '../../src/accounts/principal.ts';
import { Database } from '../../src/engines/sqlite/database.ts';
import { ANY_OWNER, type Job, type JobState } from '../../src/jobs/job.ts';
import { MIGRATIONS } from '../../src/jobs/job-schema.ts';
import { SqliteQueue } from '../../src/jobs/sqlite-queue.ts';
import { outputOf } from '../support/fake-conversion.ts';
import { newJob, recordBytes } from '../support/queue.ts';
import { checkedFetch as fetch } from '../support/response-check.ts';
import { startTestService } from '../support/service.ts';

/** As version 1 wrote them. */
const REQUEST = JSON.stringify({
  input: { format: 'geojson', crs: 'EPSG:25832', layers: null, options: {} },
  transformations: [],
  output: { format: 'csv', crs: null, toFile: true, options: {} },
});
const FINDING = { code: 'UNKNOWN_KEY', message: 'm', count: 1, places: [], params: { path: 'x' } };
const REPORT = JSON.stringify({
  input: { format: 'geojson', name: 'old.geojson', files: [], layers: [] },
  output: { format: 'csv', crs: 'EPSG:4326', mediaType: 'text/csv', byteLength: 3 },
  features: { read: 1, written: 1, dropped: 0, repaired: 0, split: 0 },
  fields: { renamed: [], retyped: [], dropped: [] },
  reprojections: [],
  warnings: [FINDING, FINDING],
  timings: { totalMs: 1 },
});

const STATES: readonly JobState[] = ['SUCCESS', 'FAILED', 'RUNNING', 'QUEUED'];

/** One job of every state, the oldest first. */
function writeVersion1(path: string, createdAt: number): void {
  const database = new Database(path, { synchronous: 'NORMAL' });
  database.exec(MIGRATIONS[0]);
  database.userVersion = 1;
  const insert = database.prepare(
    `INSERT INTO jobs (id, state, place, attempts, input_name, input_bytes, request, request_findings, created_at,
     started_at, ended_at, expires_at, output_bytes, output_media_type, output_name, output_kept, report, error,
     idempotency_key, request_hash) VALUES (?, ?, ?, ?, 'old.geojson', 3, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'h')`,
  );
  for (const [i, state] of STATES.entries()) {
    const hasEnded = state === 'SUCCESS' || state === 'FAILED';
    const output =
      state === 'SUCCESS'
        ? [3, 'text/csv; charset=utf-8; header=present', 'old.csv', 1, REPORT]
        : [null, null, null, 0, null];
    const error =
      state === 'FAILED'
        ? '{"code":"CSV_SYNTAX","params":{"line":3,"reason":"it is a test"},"place":{"line":3}}'
        : null;
    insert.run(
      ...[state.toLowerCase(), state, i + 1, state === 'QUEUED' ? 0 : 1, REQUEST, JSON.stringify([FINDING])],
      ...[createdAt + i, state === 'QUEUED' ? null : createdAt + 10],
      ...(hasEnded ? [createdAt + 20, createdAt + 1e9] : [null, null]),
      ...[...output, error, `key ${i}`],
    );
  }
  database.close();
}

/** The same as a later version has it. */
function writeVersion(version: number, path: string, createdAt: number): void {
  writeVersion1(path, createdAt);
  const database = new Database(path, { synchronous: 'NORMAL' });
  for (const migration of MIGRATIONS.slice(1, version)) database.exec(migration);
  database.userVersion = version;
  database.close();
}

for (let version = 1; version <= MIGRATIONS.length; version++) {
  test(`jobs of a version ${version} belong to the local owner, who is known to hold what it holds`, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'geomill-migration-'));
    try {
      const path = join(directory, 'jobs.sqlite');
      writeVersion(version, path, 1000);
      const ownerLimits = { jobs: 2, storedBytes: null };
      const queue = new SqliteQueue({ path, maxLength: 10, retryAfterSeconds: 5, ownerLimits });
      assert.equal((await queue.list(LOCAL_OWNER, { state: null, operation: null }, null, 10)).length, 4);
      assert.deepEqual(await queue.list('ann', { state: null, operation: null }, null, 10), []);
      let storedBytes = 9;
      for (const state of STATES) storedBytes += recordBytes((await queue.get(state.toLowerCase())) as Job);
      assert.deepEqual(queue.holding(LOCAL_OWNER), { waiting: 1, running: 1, storedBytes });
      assert.equal(queue.length(), 1);
      const jobs = { SUCCESS: 1, FAILED: 1, RUNNING: 1, QUEUED: 1 };
      assert.deepEqual(await queue.usage(LOCAL_OWNER, 0), { jobs, inputBytes: 12, outputBytes: 3 });
      await assert.rejects(queue.enqueue(newJob('more')), { code: 'OWNER_JOBS_EXCEEDED' });
      const idempotency = { key: 'key 0', requestHash: 'h' };
      assert.equal((await queue.enqueue(newJob('again', { idempotency }))).id, 'success');
      assert.equal((await queue.enqueue(newJob('own', { owner: 'ann', idempotency }))).id, 'own');
      assert.equal((await queue.claim())?.job.owner, 'ann', 'the local owner has one running');
      assert.equal((await queue.claim())?.job.id, 'queued');
      await queue.close();
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
}

test('jobs of a version 1 are all there, with what lists show of them', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-migration-'));
  try {
    const path = join(directory, 'jobs.sqlite');
    writeVersion1(path, 1000);
    const queue = new SqliteQueue({ path, maxLength: 10, retryAfterSeconds: 5 });
    const list = await queue.list(ANY_OWNER, { state: null, operation: 'transform' }, null, 10);
    assert.deepEqual(
      list.map((job) => [job.id, job.state, job.inputFormat, job.outputFormat, job.warningCount]),
      [
        ['queued', 'QUEUED', 'geojson', 'csv', 1],
        ['running', 'RUNNING', 'geojson', 'csv', 1],
        ['failed', 'FAILED', 'geojson', 'csv', 1],
        ['success', 'SUCCESS', 'geojson', 'csv', 2],
      ],
    );
    for (const { inputs } of list)
      assert.deepEqual(inputs, [{ name: 'old.geojson', byteLength: 3, fileIndex: 0 }]);
    const success = await queue.get('success');
    assert.deepEqual(success?.request.input.files, [{ crs: 'EPSG:25832', crsPath: 'input.epsg' }]);
    assert.deepEqual(success?.report, JSON.parse(REPORT));
    assert.equal((await queue.get('failed'))?.error?.code, 'CSV_SYNTAX');
    assert.equal(queue.length(), 1);
    await queue.close();
    // And a second time there is nothing to do.
    const again = new SqliteQueue({ path, maxLength: 10, retryAfterSeconds: 5 });
    assert.equal((await again.list(ANY_OWNER, { state: null, operation: null }, null, 10)).length, 4);
    await again.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('what waited or ran in a version 1 runs now, and what had ended can still be fetched', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'geomill-migration-'));
  try {
    writeVersion1(join(dataDirectory, 'jobs.sqlite'), Date.now());
    for (const kind of ['inputs', 'outputs']) mkdirSync(join(dataDirectory, kind));
    for (const id of ['queued', 'running']) writeFileSync(join(dataDirectory, 'inputs', id), id);
    writeFileSync(join(dataDirectory, 'outputs', 'success'), 'old');
    await using service = await startTestService({ dataDirectory });
    for (const id of ['queued', 'running']) {
      assert.equal((await service.ended(id)).state, 'SUCCESS');
      const output = await fetch(`${service.url}/result/output/${id}`);
      assert.equal(await output.text(), outputOf(id));
    }
    assert.equal(await (await fetch(`${service.url}/result/output/success`)).text(), 'old');
    assert.equal((await fetch(`${service.url}/v1/jobs/success`)).status, 200);
    assert.equal((await fetch(`${service.url}/v1/jobs`)).status, 200);
    assert.deepEqual(readdirSync(join(dataDirectory, 'inputs')), []);
  } finally {
    rmSync(dataDirectory, { recursive: true });
  }
});
