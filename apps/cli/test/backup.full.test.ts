/** `geomill backup` and `restore` as they are called: under load, and with everything that can be wrong with a backup. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Database } from '../../../packages/engines/sqlite/src/database.ts';
import { copyDatabase } from '../../../packages/engines/sqlite/src/node/copy-database.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { type Ended, runCli } from '../../../test/support/run-cli.ts';
import { startServerProcess } from '../../../test/support/server-process.ts';
import { startTestService, submit, type TestService } from '../../../test/support/service.ts';
import { uploadForm } from '../../../test/support/tus.ts';
import { ANY_OWNER, type JobSummary } from '../../service/src/jobs/job.ts';
import { JobSnapshot } from '../../service/src/jobs/job-snapshot.ts';
import { backUp } from '../../service/src/maintenance/backup.ts';
import type { Manifest } from '../../service/src/maintenance/manifest.ts';

const backup = (dataDirectory: string, ...argv: string[]): Promise<Ended> =>
  runCli(['backup', ...argv], { DATA_DIR: dataDirectory });
const restore = (dataDirectory: string, ...argv: string[]): Promise<Ended> =>
  runCli(['restore', ...argv], { DATA_DIR: dataDirectory });

const point = (value: string): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: { value }, geometry: { type: 'Point', coordinates: [1, 2] } }],
  });

/** Posts jobs, and deletes some, until `stop` is called; resolves with the value that each accepted job converts. */
function keepSubmitting(url: string): { stop(): Promise<ReadonlyMap<string, string>> } {
  const values = new Map<string, string>();
  let isOver = false;
  const work = async (): Promise<void> => {
    while (!isOver) {
      const value = randomUUID();
      const form = new FormData();
      form.append('config', JSON.stringify({ input: { format: 'geojson' }, output: { format: 'csv' } }));
      form.append('input_file', new Blob([point(value)]), 'a.geojson');
      const answer = await fetch(`${url}/transform`, { method: 'POST', body: form });
      assert.ok(answer.status < 300, await answer.clone().text());
      const { job_id: id } = (await answer.json()) as { job_id: string };
      values.set(id, value);
      if (values.size % 7 === 0) await fetch(`${url}/v1/jobs/${id}`, { method: 'DELETE' });
    }
  };
  const workers = [work(), work(), work()];
  return {
    async stop() {
      isOver = true;
      await Promise.all(workers);
      return values;
    },
  };
}

async function jobsOf(service: TestService): Promise<readonly JobSummary[]> {
  return service.service.jobsOf(ANY_OWNER).list({ state: null, operation: null }, null, 1_000_000);
}

test('a backup of a service under load is whole: every job of it ends, and every output of it is there', async () => {
  using workspace = makeWorkspace();
  const at = (name: string): string => join(workspace.path, name);
  let values: ReadonlyMap<string, string>;
  {
    await using server = await startServerProcess({ DATA_DIR: at('data') });
    const load = keepSubmitting(server.url);
    const ended: Ended[] = [];
    for (const name of ['first', 'second', 'third'])
      ended.push(await backup(at('data'), at(name), '--outputs'));
    ended.push(await backup(at('data'), at('bare')));
    values = await load.stop();
    for (const { status, err } of ended) assert.equal(status, 0, err);
  }
  for (const name of ['second', 'third', 'bare']) {
    const { status, err } = await restore(at(`${name}-data`), at(name));
    assert.equal(status, 0, err);
    await using service = await startTestService({ dataDirectory: at(`${name}-data`), runner: null });
    const jobs = await jobsOf(service);
    assert.ok(jobs.length > 0);
    for (const { id } of jobs) {
      const job = await service.ended(id);
      if (job.error?.code === 'CANCELLED') continue;
      assert.equal(job.state, 'SUCCESS', JSON.stringify(job.error));
      const wasWaiting = job.endedAt! > Date.parse(manifestOf(at(name)).created_at);
      const output = await fetch(`${service.url}/result/output/${id}`);
      if (name === 'bare' && !wasWaiting) assert.equal(output.status, 410);
      else if (output.status !== 410 || job.outputKept) {
        const text = await output.text();
        assert.equal(output.status, 200, text);
        // A job whose answer was on its way when the load ended has a value that nobody noted.
        assert.ok(text.includes(values.get(id) ?? 'value'), text);
      }
    }
    const files = new Set(readdirSync(join(service.config.dataDirectory, 'outputs')));
    const kept = (await jobsOf(service)).filter(({ outputKept }) => outputKept);
    assert.deepEqual([...files].sort(), kept.map(({ id }) => id).sort());
  }
});

function manifestOf(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')) as Manifest;
}

/** A stopped service's directory, with an account, a job that has ended and one that waits. */
async function makeUsed(dataDirectory: string): Promise<{ ended: string; waiting: string }> {
  const ids: string[] = [];
  // As `geomill serve` sets it.
  const former = process.umask(0o077);
  test.after(() => process.umask(former));
  {
    await using service = await startTestService({ dataDirectory, settings: { RUNNERS: '1' } });
    for (const file of ['kept', 'waits']) {
      const answer = await submit(service, { file });
      ids.push(((await answer.json()) as { job_id: string }).job_id);
      await service.ended(ids[ids.length - 1]);
    }
    // Not part of a backup.
    await uploadForm(service, 'uploaded');
  }
  const [ended, waiting] = ids;
  const database = new Database(join(dataDirectory, 'jobs.sqlite'), { synchronous: 'NORMAL' });
  database.exec(
    `UPDATE jobs SET state = 'QUEUED', output_kept = 0, ended_at = NULL, expires_at = NULL, output_bytes = NULL,
     output_media_type = NULL, output_name = NULL, report = NULL WHERE id = '${waiting}'`,
  );
  database.close();
  rmSync(join(dataDirectory, 'outputs', waiting));
  writeFileSync(join(dataDirectory, 'inputs', waiting), 'waits', { mode: 0o600 });
  const { status, err } = await runCli(['keys', 'create', '--owner', 'ci', '--name', 'robot'], {
    DATA_DIR: dataDirectory,
  });
  assert.equal(status, 0, err);
  return { ended, waiting };
}

test('a backup is for its user alone, and leaves nothing half behind', async () => {
  using workspace = makeWorkspace();
  const at = (name: string): string => join(workspace.path, name);
  const { ended, waiting } = await makeUsed(at('data'));
  const made = await backup(at('data'), at('copy'), '--outputs');
  assert.deepEqual([made.status, made.out], [0, ''], made.err);
  assert.match(made.err, /^backed up 2 jobs, 1 inputs and 1 outputs \(\d+ bytes\) to /);
  const names = readdirSync(at('copy'), { recursive: true, encoding: 'utf8' }).sort();
  const files = [`inputs/${waiting}`, `outputs/${ended}`, 'accounts.sqlite', 'jobs.sqlite'];
  assert.deepEqual(names, [...files, 'inputs', 'outputs', 'manifest.json'].sort());
  for (const name of ['.', ...names]) {
    const facts = statSync(join(at('copy'), name));
    assert.equal(facts.mode & 0o777, facts.isDirectory() ? 0o700 : 0o600, name);
  }
  assert.deepEqual(
    manifestOf(at('copy'))
      .files.map(({ path }) => path)
      .sort(),
    files.sort(),
  );
  const aborted = AbortSignal.abort();
  const options = { dataDirectory: at('data'), withOutputs: true, version: '1.0.0', signal: aborted };
  await assert.rejects(backUp({ ...options, target: at('stopped') }), { name: 'AbortError' });
  assert.deepEqual(readdirSync(workspace.path).sort(), ['copy', 'data']);
});

test('the row of a job that ended during the backup is taken over; files that were lost before are reported', async () => {
  using workspace = makeWorkspace();
  const at = (name: string): string => join(workspace.path, name);
  const { ended, waiting } = await makeUsed(at('data'));
  const live = join(at('data'), 'jobs.sqlite');
  await copyDatabase(live, at('copy.sqlite'));
  const change = new Database(live, { synchronous: 'NORMAL' });
  change.exec(`UPDATE jobs SET state = 'FAILED', error = '{}', ended_at = 5, expires_at = 6 WHERE id = '${waiting}';
    DELETE FROM jobs WHERE id = '${ended}'`);
  const snapshot = new JobSnapshot(at('copy.sqlite'), live);
  assert.deepEqual(snapshot.waiting(), [{ id: waiting, inputKeys: [waiting] }]);
  assert.deepEqual(snapshot.withOutput(), [ended]);
  for (const id of [waiting, ended]) snapshot.update(id);
  assert.deepEqual([snapshot.waiting(), snapshot.withOutput(), snapshot.count()], [[], [], 1]);
  snapshot.close();
  change.exec(`UPDATE jobs SET state = 'QUEUED', error = NULL, ended_at = NULL, expires_at = NULL`);
  change.close();
  const copy = new Database(at('copy.sqlite'), 'read-only');
  const [row] = copy
    .prepare(
      `SELECT waiting, running, owners.stored_bytes - (SELECT sum(stored_bytes) FROM jobs) AS excess FROM owners`,
    )
    .all<Record<string, number>>();
  copy.close();
  assert.deepEqual({ ...row }, { waiting: 0, running: 0, excess: 0 });

  rmSync(join(at('data'), 'inputs', waiting));
  const { status, err } = await backup(at('data'), at('kept'));
  assert.equal(status, 0, err);
  assert.ok(err.includes(`files of job ${waiting} are missing in the data directory`), err);
});

test('a backup is refused where it would replace something or there is nothing to back up', async () => {
  using workspace = makeWorkspace();
  const at = (name: string): string => join(workspace.path, name);
  mkdirSync(at('empty'));
  const cases: [argv: string[], says: RegExp][] = [
    [[], /backup takes one directory/],
    [[at('new')], /invalid setting DATA_DIR='.*empty': there is no jobs\.sqlite/],
    [[at('new'), '--overwrite'], /--help lists the options/],
  ];
  for (const [argv, says] of cases) {
    const { status, err } = await backup(at('empty'), ...argv);
    assert.equal(status, 2);
    assert.match(err, says);
  }
  writeFileSync(join(at('empty'), 'jobs.sqlite'), '');
  for (const [target, says] of [
    [at('empty'), /exists already; give the backup a new name/],
    [join(at('missing'), 'new'), /there is no directory '.*missing'/],
  ] as const) {
    const { status, err } = await backup(at('empty'), target);
    assert.equal(status, 2);
    assert.match(err, says);
  }
});

test('a restore replaces only what it is told to, and leaves names of others alone', async () => {
  using workspace = makeWorkspace();
  const at = (name: string): string => join(workspace.path, name);
  const { ended, waiting } = await makeUsed(at('data'));
  assert.equal((await backup(at('data'), at('copy'), '--outputs')).status, 0);
  const later = randomUUID();
  writeFileSync(join(at('data'), 'outputs', later), 'later');
  mkdirSync(join(at('data'), 'outputs', 'lost+found'));
  writeFileSync(join(at('data'), 'notes.txt'), 'mine');

  const refused = await restore(at('data'), at('copy'));
  assert.equal(refused.status, 2);
  assert.match(refused.err, /holds jobs or accounts; .*--overwrite/);
  {
    await using service = await startTestService({ dataDirectory: at('data') });
    const running = await restore(service.config.dataDirectory, at('copy'), '--overwrite');
    assert.equal(running.status, 3);
    assert.match(running.err, /is in use by another geomill service/);
  }
  // A restore that was killed: no service starts until it is done again.
  mkdirSync(join(at('data'), 'restore.swapping'));
  const start = await runCli(['serve', '--adopt-empty'], { DATA_DIR: at('data'), PORT: '0', RUNNERS: '1' });
  assert.equal(start.status, 3);
  assert.match(start.err, /a restore ended before it was complete; run 'geomill restore' again/);

  const { status, err } = await restore(at('data'), at('copy'), '--overwrite');
  assert.equal(status, 0, err);
  assert.deepEqual(readdirSync(join(at('data'), 'outputs')).sort(), [ended, 'lost+found'].sort());
  assert.equal(readFileSync(join(at('data'), 'notes.txt'), 'utf8'), 'mine');
  assert.deepEqual(readdirSync(at('data')).filter((name) => name.startsWith('restore')), []); // biome-ignore format: one line
  await using service = await startTestService({ dataDirectory: at('data') });
  assert.equal((await service.ended(waiting)).state, 'SUCCESS');
  assert.equal((await fetch(`${service.url}/result/output/${ended}`)).status, 200);
  const { out } = await runCli(['keys', 'list', '--json'], { DATA_DIR: at('data') });
  assert.equal((JSON.parse(out) as unknown[]).length, 1);
});

test('a backup that is damaged, newer or not one is refused, and the data directory stays as it is', async () => {
  using workspace = makeWorkspace();
  const at = (name: string): string => join(workspace.path, name);
  const { ended } = await makeUsed(at('data'));
  assert.equal((await backup(at('data'), at('copy'), '--outputs')).status, 0);
  type Draft = { -readonly [Key in keyof Manifest]: Manifest[Key] };
  const change = (edit: (manifest: Draft) => void) => (directory: string) => {
    const manifest = manifestOf(directory) as Draft;
    edit(manifest);
    writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest));
  };
  const entry = { bytes: 1, sha256: '0'.repeat(64) };
  const cases: [damage: (directory: string) => void, says: RegExp][] = [
    [(directory) => rmSync(join(directory, 'manifest.json')), /it has no manifest\.json/],
    [(directory) => writeFileSync(join(directory, 'manifest.json'), '{'), /manifest\.json is not JSON/],
    [
      (directory) => writeFileSync(join(directory, 'manifest.json'), 'null'),
      /is not one of a geomill backup/,
    ],
    [(directory) => rmSync(join(directory, 'outputs', ended)), /outputs\/\S+ is missing/],
    [
      (directory) => {
        chmodSync(join(directory, 'outputs', ended), 0o600);
        rmSync(join(directory, 'outputs', ended));
        writeFileSync(join(directory, 'outputs', ended), 'other');
      },
      /outputs\/\S+ does not have its checksum/,
    ],
    [
      change((manifest) => (manifest.version = 2)),
      /layout has version 2 and this geomill knows 1; .*or a newer one/,
    ],
    [
      change((manifest) => (manifest.databases = { ...manifest.databases, 'jobs.sqlite': 99 })),
      /jobs\.sqlite: it has schema version 99 and this geomill knows \d+/,
    ],
    [
      change((manifest) => (manifest.databases = {})),
      /does not name jobs\.sqlite, or not its schema version/,
    ],
    ...[
      '../evil',
      '/etc/evil',
      'inputs/../../evil',
      'slots/x',
      'outputs/.DS_Store',
      'lock.sqlite',
      'inputs/',
    ].map((path): [(directory: string) => void, RegExp] => [
      change((manifest) => (manifest.files = [...manifest.files, { path, ...entry }])),
      /has an entry that is not of a backup/,
    ]),
    [change((manifest) => (manifest.files = manifest.files.slice(1))), /does not name jobs\.sqlite/],
    [
      change((manifest) => (manifest.files = [...manifest.files, manifest.files[0]])),
      /names jobs\.sqlite twice/,
    ],
  ];
  const before = readdirSync(at('data'), { recursive: true, encoding: 'utf8' }).sort();
  for (const [i, [damage, says]] of cases.entries()) {
    cpSync(at('copy'), at(`copy${i}`), { recursive: true });
    damage(at(`copy${i}`));
    const { status, err } = await restore(at('data'), at(`copy${i}`), '--overwrite');
    assert.match(err, says);
    assert.equal(status, 1, err);
    assert.doesNotMatch(err, /\n\s+at /);
    assert.deepEqual(readdirSync(at('data'), { recursive: true, encoding: 'utf8' }).sort(), before);
  }
  assert.ok(!existsSync(at('evil')));
});
