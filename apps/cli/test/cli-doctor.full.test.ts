/** `geomill doctor` as it is called: what it finds, what it says to do, and that it changes nothing. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { Database } from '../../../packages/engines/sqlite/src/database.ts';
import { newJob } from '../../../test/support/queue.ts';
import { type Ended, runCli } from '../../../test/support/run-cli.ts';
import { startServerProcess } from '../../../test/support/server-process.ts';
import { startTestService, submit } from '../../../test/support/service.ts';
import { uploadForm } from '../../../test/support/tus.ts';
import { SqliteQueue } from '../../service/src/jobs/sqlite-queue.ts';
import { checkFileSystem } from '../../service/src/maintenance/doctor/disk.ts';
import type { CheckedFinding } from '../../service/src/maintenance/doctor/doctor.ts';
import type { DoctorFinding } from '../../service/src/maintenance/doctor/finding.ts';
import { checkIsolation } from '../../service/src/maintenance/doctor/isolation.ts';
import { checkRuntime } from '../../service/src/maintenance/doctor/runtime.ts';
import { planCapacity } from '../../service/src/settings/capacity.ts';

interface Report {
  readonly service: { readonly is_running: boolean; readonly pid: number | null };
  readonly severity: string;
  readonly findings: readonly CheckedFinding[];
}

const SETTINGS = { RUNNERS: '1', RUNNER_MEMORY: '128 MiB', RUNNER_SANDBOX: 'none' };

async function examine(directory: string): Promise<Ended & { report: Report }> {
  const ended = await runCli(['doctor', directory, '--json'], SETTINGS);
  assert.equal(ended.err, '');
  return { ...ended, report: JSON.parse(ended.out) as Report };
}

/** Everything that a check may not change. */
function stateOf(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  return names.map((name) => {
    const { size, mode, mtimeMs, uid } = lstatSync(join(directory, name));
    return [name, size, mode, mtimeMs, uid].join(' ');
  });
}

const template = mkdtempSync(join(tmpdir(), 'geomill-doctor-'));
let ended = '';
let waiting = '';
let uploaded = '';

/** A stopped service's directory as `geomill serve` leaves it, with an account, a job that ended and one that waits. */
test.before(async () => {
  const former = process.umask(0o077);
  try {
    const service = await startTestService({ dataDirectory: template });
    const answer = await submit(service, { file: 'kept' });
    ended = ((await answer.json()) as { job_id: string }).job_id;
    await service.ended(ended);
    uploaded = (await uploadForm(service, 'uploaded')).id;
    await service.stop();
    waiting = randomUUID();
    const queue = new SqliteQueue({
      path: join(template, 'jobs.sqlite'),
      maxLength: 9,
      retryAfterSeconds: 5,
    });
    await queue.enqueue(newJob(waiting, { inputs: [{ name: 'a.csv', byteLength: 5, fileIndex: 0 }] }));
    await queue.close();
    writeFileSync(join(template, 'inputs', waiting), 'waits');
  } finally {
    process.umask(former);
  }
  const { status, err } = await runCli(['keys', 'create', '--owner', 'ci', '--name', 'robot'], {
    DATA_DIR: template,
  });
  assert.equal(status, 0, err);
});
test.after(() => rmSync(template, { recursive: true }));

type Case = [
  what: string,
  damage: (at: (name: string) => string) => void,
  exit: number,
  check: string,
  says: RegExp,
];

const later = new Date(Date.now() + 86_400_000);
const sql = (file: string, statement: string): void => {
  const database = new Database(file, { synchronous: 'NORMAL' });
  database.exec(statement);
  database.close();
};

function openToAll(at: (name: string) => string, name: string): void {
  chmodSync(at('.'), 0o755);
  chmodSync(at('outputs'), 0o755);
  chmodSync(at(name), 0o644);
}

const CASES: readonly Case[] = [
  ['nothing', () => {}, 0, 'files', /^1 input, 1 output and 1 upload are as their rows say$/],
  ['an output is gone', (at) => rmSync(at(`outputs/${ended}`)), 4, 'files', /files of 1 output are missing/],
  [
    'an input is gone',
    (at) => rmSync(at(`inputs/${waiting}`)),
    4,
    'files',
    /files of 1 input of waiting .* are missing/,
  ],
  [
    'an output has grown',
    (at) => appendFileSync(at(`outputs/${ended}`), 'x'),
    4,
    'files',
    /1 output of another size/,
  ],
  [
    'an input is cut',
    (at) => truncateSync(at(`inputs/${waiting}`), 2),
    4,
    'files',
    /1 input of another size/,
  ],
  [
    'an upload is cut',
    (at) => truncateSync(at(`uploads/${uploaded}`), 2),
    4,
    'files',
    /1 upload of another size/,
  ],
  [
    'an upload is gone',
    (at) => rmSync(at(`uploads/${uploaded}`)),
    4,
    'files',
    /files of 1 upload are missing/,
  ],
  [
    'an upload has bytes that are not recorded yet',
    (at) => appendFileSync(at(`uploads/${uploaded}`), 'x'),
    0,
    'files',
    /1 upload are as their rows say/,
  ],
  [
    'an upload without a row',
    (at) => writeFileSync(at(`uploads/${randomUUID()}`), 'x', { mode: 0o600 }),
    0,
    'files',
    /^1 file \(1 bytes\) without a job or upload/,
  ],
  [
    'a file without a job',
    (at) => writeFileSync(at(`outputs/${randomUUID()}`), 'x', { mode: 0o600 }),
    0,
    'files',
    /^1 file \(1 bytes\) without a job/,
  ],
  [
    'names of others',
    (at) => {
      for (const name of ['notes', 'inputs/.DS_Store', 'outputs/lost+found', 'slots/x', 'a b'])
        mkdirSync(at(name), 0o700);
    },
    0,
    'files',
    /^5 names not of the service \(.*, \.\.\.\); they are left alone$/,
  ],
  [
    'no database',
    (at) => rmSync(at('jobs.sqlite')),
    4,
    'databases',
    /a start is refused: .* is missing, but 3 files/,
  ],
  [
    'an empty database',
    (at) => truncateSync(at('jobs.sqlite'), 0),
    4,
    'databases',
    /is new, but 3 files of jobs/,
  ],
  [
    'no database at all',
    (at) => writeFileSync(at('jobs.sqlite'), 'text'),
    4,
    'databases',
    /jobs\.sqlite cannot be read/,
  ],
  [
    'accounts that are cut',
    (at) => truncateSync(at('accounts.sqlite'), 8192),
    4,
    'databases',
    /accounts\.sqlite (?:is damaged|cannot be read)/,
  ],
  [
    'an index that is overwritten',
    (at) => {
      const database = new Database(at('jobs.sqlite'), 'read-only');
      const { rootpage } = database
        .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'jobs_by_age'")
        .get<{ rootpage: number }>()!;
      database.close();
      const bytes = readFileSync(at('jobs.sqlite'));
      const pageSize = bytes.readUInt16BE(16);
      bytes.fill(0, (rootpage - 1) * pageSize, rootpage * pageSize);
      writeFileSync(at('jobs.sqlite'), bytes);
    },
    4,
    'databases',
    /jobs\.sqlite (?:is damaged|cannot be read): /,
  ],
  [
    'a newer schema',
    (at) => sql(at('accounts.sqlite'), 'PRAGMA user_version = 99'),
    4,
    'databases',
    /accounts\.sqlite cannot be used: it has schema version 99 and this geomill knows/,
  ],
  [
    'a file in place of a lock',
    (at) => writeFileSync(at('lock.sqlite'), 'x'.repeat(999)),
    4,
    'databases',
    /no service can start/,
  ],
  [
    'a restore half way',
    (at) => mkdirSync(at('restore.swapping'), 0o700),
    4,
    'databases',
    /a restore ended before it was complete/,
  ],
  [
    'secrets for all',
    (at) => openToAll(at, 'accounts.sqlite'),
    4,
    'permissions',
    /private keys \(accounts\.sqlite, mode 644\)/,
  ],
  [
    'files for all',
    (at) => openToAll(at, `outputs/${ended}`),
    1,
    'permissions',
    /other users can read 2 files of jobs/,
  ],
  [
    'modes that nobody can reach',
    (at) => chmodSync(at('accounts.sqlite'), 0o644),
    0,
    'permissions',
    /no other user can read it/,
  ],
  [
    'a directory for all to write',
    (at) => chmodSync(at('.'), 0o777),
    4,
    'permissions',
    /can be written by other users \(mode 777\)/,
  ],
  [
    'a file of tomorrow',
    (at) => utimesSync(at(`outputs/${ended}`), later, later),
    1,
    'clock',
    /^1 file \(outputs\/.*\) from after/,
  ],
  [
    'a job of tomorrow',
    (at) => sql(at('jobs.sqlite'), `UPDATE jobs SET created_at = ${later.getTime()} WHERE id = '${waiting}'`),
    1,
    'clock',
    /^1 job from after .*: the clock was set back/,
  ],
];

for (const [what, damage, exit, check, says] of CASES) {
  test(`finds: ${what}`, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'geomill-doctor-'));
    try {
      cpSync(template, directory, { recursive: true, preserveTimestamps: true });
      chmodSync(directory, 0o700);
      damage((name) => join(directory, name));
      const before = stateOf(directory);
      const { status, report, out } = await examine(directory);
      const found = report.findings.filter((one) => one.check === check && says.test(one.message));
      assert.equal(found.length, 1, out);
      assert.equal(status, exit, out);
      const [{ severity, remedy }] = found;
      const expected = { 0: ['ok', 'note'], 1: ['warning'], 4: ['problem'] }[exit];
      assert.ok(expected?.includes(severity), severity);
      assert.equal(remedy === null, exit === 0, 'what is wrong comes with what to do');
      assert.deepEqual(stateOf(directory), before);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
}

test('finds files that belong to somebody else', { skip: process.getuid?.() !== 0 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-doctor-'));
  try {
    cpSync(template, directory, { recursive: true });
    chownSync(join(directory, 'outputs', ended), 12345, 12345);
    const { status, report } = await examine(directory);
    assert.equal(status, 4);
    const [found] = report.findings.filter(({ message }) => message.includes('of another owner'));
    assert.match(found.remedy ?? '', /^chown -R 0:0 /);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('beside a service under load it finds nothing wrong, and leaves the service alone', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-doctor-'));
  try {
    await using server = await startServerProcess({ DATA_DIR: directory });
    let isOver = false;
    const load = async (): Promise<void> => {
      while (!isOver) {
        const form = new FormData();
        form.append('config', JSON.stringify({ input: { format: 'geojson' }, output: { format: 'csv' } }));
        const text =
          '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":null}]}';
        form.append('input_file', new Blob([text]), 'a.geojson');
        const answer = await fetch(`${server.url}/transform`, { method: 'POST', body: form });
        const { job_id: id } = (await answer.json()) as { job_id: string };
        if (Math.random() < 0.2) await fetch(`${server.url}/v1/jobs/${id}`, { method: 'DELETE' });
      }
    };
    const loads = [load(), load(), load()];
    for (let i = 0; i < 4; i++) {
      const { status, report, out } = await examine(directory);
      assert.equal(status, 0, out);
      assert.equal(report.service.is_running, true);
      assert.equal(report.service.pid, Number(readFileSync(join(directory, 'service.pid'), 'utf8')));
    }
    isOver = true;
    await Promise.all(loads);
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test('says it in text, with what to do and a sum at the end', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'geomill-doctor-'));
  try {
    cpSync(template, directory, { recursive: true });
    rmSync(join(directory, 'outputs', ended));
    const { status, out } = await runCli(['doctor', '--quick'], { ...SETTINGS, DATA_DIR: directory });
    assert.equal(status, 4);
    assert.match(
      out,
      /^\S+: no service is running in it; nothing is changed\nok +databases +jobs\.sqlite is sound \(quick check\)/,
    );
    assert.match(out, /\nproblem +files +the files of 1 output .*\n +To do: restore a backup/);
    assert.match(out, /\nProblems: 1, warnings: 0\.\n$/);
    const missing = await runCli(['doctor', join(directory, 'missing')], SETTINGS);
    assert.equal(missing.status, 2);
    assert.match(missing.err, /there is no such directory/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

const severitiesOf = (findings: readonly DoctorFinding[]): string[] =>
  findings.map(({ severity }) => severity);

test('disks with little left are told by how little it is', () => {
  const GiB = 1024 ** 3;
  const facts = { bsize: 4096, blocks: (100 * GiB) / 4096, files: 1_000_000, ffree: 500_000 };
  const free = (bytes: number, more = {}) =>
    severitiesOf(checkFileSystem('/data', { ...facts, bavail: bytes / 4096, ...more }));
  assert.deepEqual(free(50 * GiB), ['ok']);
  assert.deepEqual(free(4 * GiB), ['warning']);
  assert.deepEqual(free(0.5 * GiB), ['warning']);
  assert.deepEqual(free(50 * 1024 ** 2), ['problem']);
  assert.deepEqual(free(50 * GiB, { ffree: 5000 }), ['ok', 'warning']);
  assert.deepEqual(free(50 * GiB, { ffree: 10 }), ['ok', 'problem']);
  assert.deepEqual(free(50 * GiB, { files: 0, ffree: 0 }), ['ok']);
});

test('isolation is held against what is wanted and what works', async () => {
  const works = async () => ({ text: 'namespaces' });
  const fails = () => Promise.reject(new Error('bubblewrap is not installed'));
  const check = async (...args: Parameters<typeof checkIsolation>) =>
    severitiesOf(await checkIsolation(...args));
  assert.deepEqual(await check('none', false, fails), ['note']);
  assert.deepEqual(await check('auto', false, works), ['ok']);
  assert.deepEqual(await check('auto', false, fails), ['warning']);
  assert.deepEqual(await check('auto', true, fails), ['note', 'ok']);
  assert.deepEqual(await check('bwrap', true, fails), ['problem']);
  assert.deepEqual(await check('bwrap', false, works), ['ok']);
  assert.deepEqual(await check('user', false, works), ['problem']);
  assert.deepEqual(await check('user', true, works), ['ok']);
});

test('Node, memory and limits of the process are held against what the service needs', () => {
  const GiB = 1024 ** 3;
  const unset = { runners: null, runnerThreads: null, runnerMemoryBytes: null };
  const machine = { cores: 4, coresAreLimited: false, memoryBytes: 8 * GiB, memoryIsLimited: true };
  const sound = {
    nodeVersion: '26.10.0',
    capacity: planCapacity(unset, machine),
    availableMemoryBytes: 6 * GiB,
    gridDirectory: null,
    limits: 'Max open files            1048576              1048576              files',
  };
  const check = (more: Partial<typeof sound> | { gridDirectory: string }) =>
    severitiesOf(checkRuntime({ ...sound, ...more })).filter((severity) => severity !== 'ok');
  assert.deepEqual(check({}), []);
  assert.deepEqual(check({ nodeVersion: '24.1.0' }), ['warning']);
  assert.deepEqual(check({ nodeVersion: '22.0.0' }), ['problem']);
  assert.deepEqual(check({ availableMemoryBytes: GiB }), ['warning']);
  assert.deepEqual(
    check({ limits: 'Max open files            256                  4096                 files' }),
    ['warning'],
  );
  assert.deepEqual(check({ limits: '' }), []);
  assert.deepEqual(check({ gridDirectory: '/nonexistent/grids' }), ['problem']);
  assert.deepEqual(check({ capacity: planCapacity({ ...unset, runners: 8 }, machine) }), ['warning']);
});
