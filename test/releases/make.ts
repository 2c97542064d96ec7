/**
 * Makes the fixture of a release: the data directory of a service that was killed while jobs waited.
 *
 *     node test/releases/make.ts CHECKOUT VERSION
 *
 * CHECKOUT is a checkout of the release with its packages. To be run once for each release, before its schema changes.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type ReleaseFixture, releaseDirectory } from '../support/releases.ts';
import { until } from '../support/until.ts';

const OWNER = 'fixture';
const KEPT = ['jobs.sqlite', 'accounts.sqlite', 'inputs', 'outputs', 'uploads'];
const POINT = '{"type":"Point","coordinates":[8.5,49.25]}';
const CONFIG = { input: { format: 'geojson' }, output: { format: 'csv' } };
/** Keeps the only runner busy for much longer than it takes to kill the service. */
const SLOW = {
  ...CONFIG,
  transformations: [
    { type: 'buffer', params: { distance: 50_000, units: 'meters' } },
    { type: 'union', params: {} },
  ],
};

const [checkout, version] = process.argv.slice(2);
await make(resolve(checkout), version);

async function make(root: string, release: string): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'geomill-release-'));
  const launcher = join(root, 'bin', 'geomill.js');
  const settings = { AUTH: 'required', DATA_DIR: data, PORT: '0', RUNNERS: '1', RATE_LIMIT: '0', OUTPUT_RETENTION: '36500d', RECORD_RETENTION: '36500d' }; // biome-ignore format: one line
  const env = { PATH: process.env.PATH, HOME: data, ...settings };
  const created = spawnSync(process.execPath, [launcher, 'keys', 'create', '--owner', OWNER, '--name', 'test'], { env, encoding: 'utf8' }); // biome-ignore format: one line
  const key = created.stdout.trim();
  const child = spawn(process.execPath, [launcher, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const fixture = await useService(await listening(child), key);
    await ended(child);
    keep(data, releaseDirectory(release), fixture);
  } finally {
    await ended(child);
    rmSync(data, { recursive: true });
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function listening(child: ChildProcess): Promise<string> {
  let said = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return until('the service listens', () => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]);
}

async function useService(url: string, key: string): Promise<ReleaseFixture> {
  const idempotencyKey = 'the same again';
  const headers = { apiKey: key };
  const submit = async (config: object, text: string, more = {}): Promise<string> => {
    const body = new FormData();
    body.set('config', JSON.stringify(config));
    body.set('input_file', new Blob([text]), 'points.geojson');
    const response = await fetch(`${url}/transform`, {
      method: 'POST',
      body,
      headers: { ...headers, ...more },
    });
    const answer = (await response.json()) as { readonly job_id?: string };
    if (answer.job_id === undefined) throw new Error(`${response.status} ${JSON.stringify(answer)}`);
    return answer.job_id;
  };
  const stateOf = async (id: string): Promise<string> => {
    const response = await fetch(`${url}/result/status/${id}`, { headers });
    return ((await response.json()) as { readonly status: string }).status;
  };
  const succeeded = await submit(CONFIG, POINT, { 'Idempotency-Key': idempotencyKey });
  await until('a job succeeds', async () => (await stateOf(succeeded)) === 'SUCCESS');
  const failed = await submit(CONFIG, '{"type":"Point","coordinates":[');
  await until('a job fails', async () => (await stateOf(failed)) === 'FAILED');
  const many = JSON.stringify({
    type: 'MultiPoint',
    coordinates: Array.from({ length: 3000 }, (_, i) => [(i % 60) / 100, Math.floor(i / 60) / 100]),
  });
  const unfinished = [await submit(SLOW, many), await submit(CONFIG, POINT), await submit(CONFIG, POINT)];
  return { key, idempotencyKey, succeeded, failed, unfinished };
}

function keep(data: string, target: string, fixture: ReleaseFixture): void {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  for (const name of KEPT.filter((name) => name.endsWith('.sqlite'))) {
    const database = new DatabaseSync(join(data, name));
    // One file, and as small as it can be.
    database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE; VACUUM;');
    database.close();
  }
  for (const name of KEPT)
    if (existsSync(join(data, name))) cpSync(join(data, name), join(target, name), { recursive: true });
  writeFileSync(join(target, 'fixture.json'), `${JSON.stringify(fixture, null, 2)}\n`);
}
