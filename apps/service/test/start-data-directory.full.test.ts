/** What a start makes of a data directory that is not as the service left it: foreign files, a lost or damaged database. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { GeomillError } from '../../../packages/core/src/messages/errors.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { outputOf } from '../../../test/support/fake-conversion.ts';
import { runCli } from '../../../test/support/run-cli.ts';
import { startTestService, submit } from '../../../test/support/service.ts';
import { uploadForm } from '../../../test/support/tus.ts';

const KINDS = ['inputs', 'outputs', 'uploads'] as const;

/** A stopped service's directory with the outputs of some jobs; returns their ids. */
async function makeUsed(dataDirectory: string, jobs = 1): Promise<string[]> {
  await using service = await startTestService({ dataDirectory });
  const ids: string[] = [];
  for (let i = 0; i < jobs; i++) {
    const { job_id: id } = (await (await submit(service, { file: 'kept' })).json()) as { job_id: string };
    await service.ended(id);
    ids.push(id);
  }
  return ids;
}

const logLines = (out: string): Record<string, unknown>[] =>
  out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

/** Runs `geomill serve` in a directory until it has started and stopped again, or has refused. */
async function serve(dataDirectory: string, ...flags: string[]): ReturnType<typeof runCli> {
  return runCli(
    ['serve', ...flags],
    { DATA_DIR: dataDirectory, PORT: '0', RUNNERS: '1', SHUTDOWN_GRACE: '0' },
    { stopAt: /geomill listens on/ },
  );
}

test('names that are not of the service stay where they are, and the service starts', async () => {
  using workspace = makeWorkspace();
  const { path } = workspace;
  const [id] = await makeUsed(path);
  const foreign = ['.DS_Store', 'README', '.notes.swp', 'a b', '#x#', `${id}~`, `.${id}.swp`, 'Thumbs.db'];
  const directories = ['lost+found', '.snapshot', randomUUID()];
  for (const place of ['', ...KINDS, 'slots']) {
    for (const name of foreign) writeFileSync(join(path, place, name), 'foreign');
    for (const name of directories) mkdirSync(join(path, place, name));
  }
  const before = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
  await using service = await startTestService({ dataDirectory: path });
  const after = new Set(readdirSync(path, { recursive: true, encoding: 'utf8' }));
  assert.deepEqual(before.filter((name) => !after.has(name)), []); // biome-ignore format: one line
  assert.equal(await (await fetch(`${service.url}/result/output/${id}`)).text(), outputOf('kept'));
});

test('a database without jobs beside files of jobs stops the start, which changes nothing', async () => {
  for (const lose of [
    (path: string) => rmSync(path),
    (path: string) => truncateSync(path, 0),
    // Put there by mistake: a database of a service that never had a job.
    (path: string) => copyFileSync(join(unusedDirectory, 'jobs.sqlite'), path),
  ]) {
    using workspace = makeWorkspace();
    const ids = await makeUsed(workspace.path, 2);
    const database = join(workspace.path, 'jobs.sqlite');
    lose(database);
    const before = existsSync(database) ? readFileSync(database) : null;
    const { status, err } = await serve(workspace.path);
    assert.equal(status, 3, err);
    assert.match(
      err,
      /^geomill: the database \S+jobs\.sqlite is .*, but 2 files of jobs are stored beside it/,
    );
    assert.match(err, /geomill serve --adopt-empty/);
    assert.doesNotMatch(err, /\n\s+at /);
    assert.deepEqual(readdirSync(join(workspace.path, 'outputs')).sort(), ids.sort());
    assert.deepEqual(existsSync(database) ? readFileSync(database) : null, before);
  }
});

test('an unused database beside an upload stops the start, which keeps the file', async () => {
  using workspace = makeWorkspace();
  const { path } = workspace;
  let id = '';
  {
    await using service = await startTestService({ dataDirectory: path });
    ({ id } = await uploadForm(service, 'kept'));
  }
  for (const name of readdirSync(path).filter((one) => one.startsWith('jobs.sqlite')))
    rmSync(join(path, name));
  copyFileSync(join(unusedDirectory, 'jobs.sqlite'), join(path, 'jobs.sqlite'));
  const { status, err } = await serve(path);
  assert.equal(status, 3, err);
  assert.match(err, /is without jobs, but 1 file of jobs is stored beside it/);
  assert.deepEqual(readdirSync(join(path, 'uploads')), [id]);
});

const unusedDirectory = mkdtempSync(join(tmpdir(), 'geomill-unused-'));
test.before(async () => {
  const service = await startTestService({ dataDirectory: unusedDirectory });
  await service.stop();
});
test.after(() => rmSync(unusedDirectory, { recursive: true }));

test('with --adopt-empty it starts, and logs how many files it removed', async () => {
  using workspace = makeWorkspace();
  await makeUsed(workspace.path, 2);
  writeFileSync(join(workspace.path, 'inputs', randomUUID()), 'x');
  mkdirSync(join(workspace.path, 'slots', '0123456789abcdef'));
  rmSync(join(workspace.path, 'jobs.sqlite'));
  const { status, out, err } = await serve(workspace.path, '--adopt-empty');
  assert.equal(status, 0, err);
  const line = logLines(out).find(({ orphans }) => orphans !== undefined);
  assert.deepEqual([line?.orphans, line?.outputs, line?.records, line?.slots], [3, 0, 0, 1], out);
  assert.deepEqual(readdirSync(join(workspace.path, 'outputs')), []);
  const capacity = logLines(out).find(({ msg }) => String(msg).includes('RUNNERS=1 (set), RUNNER_THREADS='));
  assert.match(String(capacity?.msg), /^\d+ cores.* of memory.*RUNNER_MEMORY=\S+ [GM]iB \(derived\)$/, out);
});

test('an upload that broke off before the first job does not stop the next start', async () => {
  using workspace = makeWorkspace();
  copyFileSync(join(unusedDirectory, 'jobs.sqlite'), join(workspace.path, 'jobs.sqlite'));
  mkdirSync(join(workspace.path, 'inputs'));
  writeFileSync(join(workspace.path, 'inputs', randomUUID()), 'x');
  await using service = await startTestService({ dataDirectory: workspace.path });
  assert.deepEqual(readdirSync(join(service.config.dataDirectory, 'inputs')), []);
});

test('a database that is not one is refused with its name and what to do, without a stack', async () => {
  for (const [file, settings] of [
    ['jobs.sqlite', {}],
    ['accounts.sqlite', { AUTH: 'required' }],
  ] as const) {
    using workspace = makeWorkspace();
    writeFileSync(join(workspace.path, file), 'this is no database. '.repeat(1000));
    const { status, err } = await runCli(['serve'], {
      ...settings,
      DATA_DIR: workspace.path,
      PORT: '0',
      RUNNERS: '1',
    });
    assert.equal(status, 3, err);
    assert.match(
      err,
      new RegExp(
        `^geomill: the (?:accounts )?database .*${join(workspace.path, file)} .*file is not a database`,
      ),
    );
    assert.match(err, /'geomill doctor'.*'geomill restore'/);
    assert.doesNotMatch(err, /\n\s+at /);
  }
});

test('whatever is damaged in jobs.sqlite, a start works or says which database it is', async () => {
  using workspace = makeWorkspace();
  const { path } = workspace;
  await makeUsed(path, 3);
  const file = join(path, 'jobs.sqlite');
  const sound = readFileSync(file);
  const kept = mkdtempSync(join(path, 'kept-'));
  for (const name of readdirSync(join(path, 'outputs')))
    copyFileSync(join(path, 'outputs', name), join(kept, name));
  const damages = fc.oneof(
    fc.record({
      at: fc.nat(sound.length - 1),
      length: fc.integer({ min: 1, max: 4096 }),
      cut: fc.constant(false),
    }),
    fc.record({ at: fc.nat(sound.length - 1), length: fc.constant(0), cut: fc.constant(true) }),
  );
  await fc.assert(
    fc.asyncProperty(damages, async ({ at, length, cut }) => {
      const damaged = cut ? sound.subarray(0, at) : Buffer.from(sound);
      if (!cut) randomBytes(length).copy(damaged, at, 0, Math.min(length, sound.length - at));
      for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
      writeFileSync(file, damaged);
      for (const name of readdirSync(kept)) copyFileSync(join(kept, name), join(path, 'outputs', name));
      try {
        const service = await startTestService({ dataDirectory: path, settings: { RUNNERS: '1' } });
        await service.stop();
      } catch (error) {
        assert.ok(error instanceof GeomillError, String(error));
        assert.match(error.code, /^SERVICE_DATABASE_/);
        assert.ok(error.message.includes(file), error.message);
      }
    }),
    { numRuns: 25 },
  );
});
