/** `geomill submit` against a real service: whatever it takes, OUT is the output of the job or not written. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { type FileHost, startFileHost } from '../../../test/support/file-host.ts';
import { ENTRANCE } from '../../../test/support/program.ts';
import { type Ended, runCli } from '../../../test/support/run-cli.ts';
import { type ServerProcess, startServerProcess } from '../../../test/support/server-process.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');
const HARBOUR = join(SAMPLES, 'harbour.geojson');

function directoryFor(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'geomill-submit-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

interface HeldService extends AsyncDisposable {
  readonly server: ServerProcess;
  readonly host: FileHost;
  /** Answers the request that holds the first job. */
  release(): void;
}

/** A service with one runner, whose input at `/held` arrives only after `release`. */
async function startHeld(settings: Readonly<Record<string, string>> = {}): Promise<HeldService> {
  let held: ServerResponse | null = null;
  const host = await startFileHost({
    '/held': (_request, response) => {
      held = response;
    },
    '/harbour.geojson': (_request, response) => void response.end(readFileSync(HARBOUR)),
  });
  const server = await startServerProcess({
    INPUT_URL_HOSTS: `127.0.0.1:${host.port}`,
    INPUT_URL_PRIVATE_NETWORKS: '127.0.0.0/8',
    SYNC_TIMEOUT: '1',
    ...settings,
  });
  return {
    server,
    host,
    release: () => void held?.end(readFileSync(HARBOUR)),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
    },
  };
}

const submit = (argv: readonly string[]): Promise<Ended> => runCli(['submit', ...argv], {});

interface ShortJob {
  readonly job_id: string;
  readonly status: string;
}

async function jobs(url: string): Promise<readonly ShortJob[]> {
  const answer = await fetch(`${url}/v1/jobs`);
  return ((await answer.json()) as { jobs: readonly ShortJob[] }).jobs;
}

test('a job that takes longer than the service waits is saved as the output', async (t) => {
  const directory = directoryFor(t);
  await using held = await startHeld();
  const { server, host } = held;
  const out = join(directory, 'harbour.zip');
  const ended = submit([server.url, `${host.url}/held`, out, '--from', 'geojson', '--to', 'shp']);
  await host.requested('/held');
  // The request of the README of earlier versions has its answer now: the job, and not the output.
  const [job] = await jobs(server.url);
  const waited = await fetch(`${server.url}/result/status/${job.job_id}`);
  assert.equal(((await waited.json()) as ShortJob).status, 'RUNNING');
  assert.equal(existsSync(out), false, 'nothing has the name of the output before the end');
  held.release();
  const { status, err } = await ended;
  assert.equal(status, 0, err);
  assert.equal(readFileSync(out).subarray(0, 2).toString(), 'PK');
  assert.match(err, /10 features read .* 10 written as shp in EPSG:4326/);
  assert.deepEqual(readdirSync(directory), ['harbour.zip']);
});

test('submit gives the output of convert: options, steps and files of steps', async (t) => {
  const directory = directoryFor(t);
  await using held = await startHeld();
  const { url } = held.server;
  const mask = join(directory, 'mask.csv');
  writeFileSync(mask, 'id,geom_wkt\n1,"POLYGON ((9 53, 11 53, 11 54, 9 54, 9 53))"\n');
  const cases: readonly (readonly string[])[] = [
    [HARBOUR, 'a.geojson'],
    [join(SAMPLES, 'harbour.gpkg'), 'a.csv'],
    [join(SAMPLES, 'harbour.gpkg'), 'b.csv', '--filter', 'built >= 1900', '--buffer', '50m', '--union'],
    [
      join(SAMPLES, 'harbour.dxf'),
      'c.csv',
      '--from-crs',
      'EPSG:25832',
      '--to-crs',
      'EPSG:3857',
      '--decimals',
      '2',
    ],
    [HARBOUR, 'd.csv', '--clip', mask, '--mask-crs', 'EPSG:4326', '--select', 'name'],
    [HARBOUR, 'e.zip', '--split-by', 'kind', '--to', 'csv'],
  ];
  for (const [input, name, ...more] of cases) {
    const [here, there] = [join(directory, name), join(directory, `there-${name}`)];
    const local = await runCli(['convert', input, here, ...more], {});
    assert.equal(local.status, 0, local.err);
    const remote = await submit([url, input, there, ...more]);
    assert.equal(remote.status, 0, remote.err);
    assert.doesNotMatch(remote.err, /changed:|output\.epsg/);
    if (name.endsWith('.zip')) continue;
    assert.equal(readFileSync(there, 'utf8'), readFileSync(here, 'utf8'), name);
  }
});

test('a job that fails leaves no file and says what to do in words of the command line', async (t) => {
  const directory = directoryFor(t);
  await using held = await startHeld();
  const { url } = held.server;
  const out = join(directory, 'x.csv');
  const cases: readonly (readonly [argv: readonly string[], message: RegExp])[] = [
    [[join(SAMPLES, 'harbour.dxf'), out], /--from-crs.*DXF/],
    [[HARBOUR, out, '--to-crs', 'EPSG:999999'], /--to-crs.*999999/],
    [[HARBOUR, out, '--layer', 'nothing'], /no layer 'nothing'/],
    [[join(directory, 'missing.csv'), out], /missing\.csv.*no such file/],
  ];
  for (const [argv, message] of cases) {
    const { status, err } = await submit([url, ...argv]);
    assert.equal(status, 1, err);
    assert.match(err, message);
    assert.deepEqual(readdirSync(directory), []);
  }
});

test('wrong usage is said before anything is sent', async (t) => {
  const directory = directoryFor(t);
  const taken = join(directory, 'taken.csv');
  writeFileSync(taken, 'mine');
  const url = 'http://127.0.0.1:9';
  const cases: readonly (readonly [argv: readonly string[], message: RegExp])[] = [
    [[url, HARBOUR], /takes the URL of a service, IN and OUT/],
    [[HARBOUR, url, taken], /takes the URL of a service, IN and OUT/],
    [[url, '-', join(directory, 'x.csv')], /reads no standard input/],
    [[url, HARBOUR, join(directory, 'x.csv.gz')], /\.gz/],
    [[url, HARBOUR, taken], /--overwrite/],
    [[url, join(directory, 'roads.shp'), join(directory, 'x.csv')], /\.zip/],
    [[url, HARBOUR, join(directory, 'x.csv'), '--threads', '2'], /--threads/],
  ];
  for (const [argv, message] of cases) {
    const { status, err } = await submit(argv);
    assert.equal(status, 2, err);
    assert.match(err, message);
  }
  assert.equal(readFileSync(taken, 'utf8'), 'mine');
  const unreachable = await submit([url, HARBOUR, join(directory, 'x.csv')]);
  assert.equal(unreachable.status, 1);
  assert.match(unreachable.err, /http:\/\/127\.0\.0\.1:9/);
});

test('a key is read from a file', async (t) => {
  const directory = directoryFor(t);
  const dataDirectory = join(directory, 'data');
  mkdirSync(dataDirectory);
  await using held = await startHeld({ AUTH: 'required', DATA_DIR: dataDirectory });
  const argv = ['keys', 'create', '--owner', 'me', '--name', 'first'];
  const { out: key } = await runCli(argv, { DATA_DIR: dataDirectory });
  const out = join(directory, 'x.csv');
  const without = await submit([held.server.url, HARBOUR, out]);
  assert.equal(without.status, 1);
  assert.match(without.err, /--api-key-file/);
  writeFileSync(join(directory, 'key.txt'), key);
  const ended = await submit([held.server.url, HARBOUR, out, '--api-key-file', join(directory, 'key.txt')]);
  assert.equal(ended.status, 0, ended.err);
});

test('an interrupted command cancels its job', async (t) => {
  const directory = directoryFor(t);
  await using held = await startHeld();
  const { server, host } = held;
  const argv = ['submit', server.url, `${host.url}/held`, join(directory, 'x.csv'), '--from', 'geojson'];
  const child = spawn(process.execPath, [ENTRANCE, ...argv], { stdio: 'ignore' });
  await host.requested('/held');
  child.kill('SIGINT');
  const [status] = (await once(child, 'close')) as [number];
  assert.equal(status, 130);
  assert.equal((await jobs(server.url))[0].status, 'FAILED');
  assert.deepEqual(readdirSync(directory), []);
});
