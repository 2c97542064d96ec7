/**
 * `npm run bench:cluster [-- --only scaling,cost,detection,upload,divided]`: a service of several processes on PostgreSQL and S3 (s3rver), on one
 * machine. Small jobs a second of one and of four workers that have a quarter of a core each; of one process against SQLite and a
 * directory; how soon a dead worker and a cancelled job are noticed; memory of a process that receives 1 GB; time of a large job that one, two
 * and four workers with a quarter of a core each share.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openAsBlob, readFileSync, rmSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { GeomillClient, type SubmitJobConfig } from '../packages/client/src/client.ts';
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { BUCKET, KEY_ID, S3TestServer, SECRET } from '../test/support/s3-server.ts';
import { datasetPath } from './data.ts';
import { median } from './measure.ts';
import { cpuQuota, type Quota } from './quota.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'scaling,cost,detection,upload' },
    /** Of each measurement of small jobs. */
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    store: { type: 'string', default: 's3' },
    /** Of the input of the divided job. */
    megabytes: { type: 'string', default: '500' },
    /** Numbers of workers that share the divided job; 0: one worker, not divided. */
    sharing: { type: 'string', default: '0,1,2,4' },
  },
});
const SECONDS = Number(values.seconds);
const CLIENTS = 16;
const BOUNDARY = 'geomill-bench';
const work = mkdtempSync(join(tmpdir(), 'geomill-cluster-'));
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });

let count = 0;

/** Processes of a service, with a schema and a part of the store of their own. */
class Cluster implements AsyncDisposable {
  readonly #settings: Readonly<Record<string, string>>;
  readonly #started: { readonly process: ServiceProcess; readonly quota: Quota | null }[] = [];

  constructor(postgres: PostgresServer, s3: S3TestServer, more: Readonly<Record<string, string>> = {}) {
    const name = `cluster${++count}`;
    const isS3 = values.store === 's3';
    this.#settings = {
      DATABASE_URL: postgres.url,
      DATABASE_SCHEMA: name,
      STORE_URL: isS3 ? `s3://${BUCKET}/${name}` : pathToFileURL(join(work, name)).href,
      S3_ENDPOINT: s3.url,
      S3_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: KEY_ID,
      AWS_SECRET_ACCESS_KEY: SECRET,
      RATE_LIMIT: '0',
      ...more,
    };
  }

  /** `cores`: quota of the process and its runners; null: none. */
  async add(role: 'api' | 'worker' | 'all', cores: number | null = null): Promise<ServiceProcess> {
    const quota = cores === null ? null : cpuQuota(`bench${process.pid}-${this.#started.length}`, cores);
    const settings = { ...this.#settings, ...(role === 'all' ? {} : { RUNNERS: '1' }) };
    const process_ = await startServiceProcess(join(work, `${count}-${this.#started.length}`), settings, {
      flags: ['--role', role],
      prefix: quota?.prefix ?? [],
    });
    this.#started.push({ process: process_, quota });
    return process_;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process: one, quota } of this.#started) {
      await ended(one);
      // Its runners end with it, a moment later.
      for (let tries = 50; quota !== null && tries > 0; tries--)
        try {
          quota.remove();
          break;
        } catch {
          await pause(100);
        }
    }
  }
}

async function ended({ process: child }: ServiceProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

const template = readFileSync(datasetPath('buildings', 3), 'utf8');

function form(): Buffer {
  const part = (name: string, more: string, content: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
  return Buffer.from(
    part('config', '', '{"output_format":"geojson","output_crs":"EPSG:4326"}') +
      part('file', '; filename="small.geojson"', template) +
      `--${BOUNDARY}--\r\n`,
  );
}

/** Submits a small job and waits for its output. */
function smallJob(url: string, body: Buffer): Promise<void> {
  const headers = {
    'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    'content-length': body.length,
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/transform/geojson`, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`answered ${response.statusCode}`)),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Small jobs a second that are done for clients that submit one after the other. */
async function jobsPerSecond(url: string, seconds: number): Promise<number> {
  const body = form();
  let done = 0;
  const begun = performance.now();
  const client = async (): Promise<void> => {
    while (performance.now() - begun < seconds * 1000) {
      await smallJob(url, body);
      done++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (done / (performance.now() - begun)) * 1000;
}

async function measured(url: string): Promise<number> {
  await jobsPerSecond(url, 3);
  return jobsPerSecond(url, SECONDS);
}

const list = (numbers: readonly number[], digits: number): string =>
  numbers.map((number) => number.toFixed(digits)).join(', ');

async function scaling(postgres: PostgresServer, s3: S3TestServer): Promise<void> {
  const rates: [number[], number[]] = [[], []];
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [i, workers] of [1, 4].entries()) {
      await using cluster = new Cluster(postgres, s3);
      const { url } = await cluster.add('api');
      for (let worker = 0; worker < workers; worker++) await cluster.add('worker', 0.25);
      rates[i].push(await measured(url));
    }
  const [one, four] = rates;
  console.log(
    `workers of 1/4 core   one: ${list(one, 1)} jobs/s; four: ${list(four, 1)} jobs/s; ratio of the medians ${(median(four) / median(one)).toFixed(2)}`,
  );
}

async function cost(postgres: PostgresServer, s3: S3TestServer): Promise<void> {
  const rates: [number[], number[]] = [[], []];
  for (let round = 0; round < Number(values.rounds); round++) {
    const alone = await startServiceProcess(join(work, `alone${round}`), { RATE_LIMIT: '0' });
    rates[0].push(await measured(alone.url));
    await ended(alone);
    await using cluster = new Cluster(postgres, s3);
    rates[1].push(await measured((await cluster.add('all')).url));
  }
  const [embedded, shared] = rates;
  console.log(
    `one machine           SQLite and directory: ${list(embedded, 0)} jobs/s; PostgreSQL and ${values.store}: ${list(shared, 0)} jobs/s; ` +
      `ratio of the medians ${(median(shared) / median(embedded)).toFixed(2)}`,
  );
}

const LONG: SubmitJobConfig = {
  input: { format: 'geojson' },
  transformations: [{ type: 'buffer', params: { distance: 600, units: 'meters' } }, { type: 'union' }],
  output: { format: 'geojson' },
};

async function detection(postgres: PostgresServer, s3: S3TestServer): Promise<void> {
  await using cluster = new Cluster(postgres, s3);
  const api = new GeomillClient({ baseUrl: (await cluster.add('api')).url });
  const first = await cluster.add('worker');
  const input = { name: 'a.geojson', data: new Blob([readFileSync(datasetPath('buildings', 50_000))]) };
  const dead = await api.submit({ input, config: LONG });
  while ((await api.job(dead.id).status()).status !== 'RUNNING') await pause(20);
  await ended(first, 'SIGKILL');
  const killed = performance.now();
  await cluster.add('worker');
  while ((await api.job(dead.id).status()).attempts < 2) await pause(20);
  console.log(
    `dead worker           its job runs again after ${((performance.now() - killed) / 1000).toFixed(1)} s`,
  );
  const times: number[] = [];
  await api.job(dead.id).cancel();
  for (let round = 0; round < 5; round++) {
    const { id } = await api.submit({ input, config: LONG });
    while ((await api.job(id).status()).status !== 'RUNNING') await pause(20);
    await pause(300);
    const begun = performance.now();
    await api.job(id).cancel();
    times.push(performance.now() - begun);
  }
  console.log(`cancelled job         its work has ended after ${list(times, 0)} ms`);
}

/** Time from the first claim to the end of a job, in seconds, with so many workers; null: not divided. */
async function divided(postgres: PostgresServer, s3: S3TestServer): Promise<void> {
  const count = Math.ceil(
    (Number(values.megabytes) * 1e6) / (statSync(datasetPath('buildings', 20_000)).size / 20_000),
  );
  const data = await openAsBlob(datasetPath('buildings', count));
  const seconds: number[] = [];
  const outputs = new Set<string>();
  const runs = values.sharing.split(',').map(Number);
  for (const sharing of runs) {
    const workers = Math.max(1, sharing);
    const more: Record<string, string> =
      sharing === 0 ? { SPLIT_BYTES: '0' } : { SPLIT_BYTES: '64MiB', SPLIT_PART: '16MiB' };
    await using cluster = new Cluster(postgres, s3, more);
    const api = new GeomillClient({ baseUrl: (await cluster.add('api')).url });
    for (let worker = 0; worker < workers; worker++) await cluster.add('worker', 0.25);
    const config = { input: { format: 'geojson' }, output: { format: 'csv' } } as const;
    const { id } = await api.submit({ input: { name: 'a.geojson', data }, config });
    let status = await api.job(id).status();
    while (status.status === 'QUEUED' || status.status === 'RUNNING') {
      await pause(100);
      status = await api.job(id).status();
    }
    if (status.status !== 'SUCCESS') throw new Error(`the job failed: ${JSON.stringify(status)}`);
    seconds.push((Date.parse(String(status.ended_at)) - Date.parse(String(status.started_at))) / 1000);
    const bytes = await (await api.job(id).download()).bytes();
    outputs.add(createHash('sha256').update(bytes).digest('hex'));
  }
  const times = runs.map((sharing, i) => {
    const name = sharing === 0 ? 'not divided' : `${sharing} workers`;
    return `${name}: ${seconds[i].toFixed(1)} s (${(seconds[0] / seconds[i]).toFixed(2)}x)`;
  });
  console.log(
    `${(data.size / 1e6).toFixed(0)} MB GeoJSON > CSV     ${times.join('; ')}; ${outputs.size === 1 ? 'same bytes' : 'OTHER BYTES'}`,
  );
}

const GIGABYTE = 1e9;

async function upload(postgres: PostgresServer, s3: S3TestServer): Promise<void> {
  await using cluster = new Cluster(postgres, s3);
  const { url, process: api } = await cluster.add('api');
  const status = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${api.pid}/status`, 'utf8'))?.[1]) /
    1024;
  const before = status('VmRSS');
  const chunk = readFileSync(datasetPath('buildings', 50_000));
  const begun = performance.now();
  const answered = new Promise<number>((resolve, reject) => {
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    const sent = request(`${url}/transform`, { method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    const part = (name: string, more: string) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
    sent.write(`${part('config', '')}{"input":{"format":"geojson"},"output":{"format":"csv"}}\r\n`);
    sent.write(part('input_file', '; filename="big.geojson"'));
    const send = (bytes: number): void => {
      if (bytes >= GIGABYTE) return void sent.end(`\r\n--${BOUNDARY}--\r\n`);
      sent.write(chunk, () => send(bytes + chunk.length));
    };
    send(0);
  });
  const code = await answered;
  console.log(
    `upload of 1 GB        answered ${code} after ${((performance.now() - begun) / 1000).toFixed(1)} s; API process ${before.toFixed(0)} MB before, at most ${status('VmHWM').toFixed(0)} MB`,
  );
}

const measurements = { scaling, cost, detection, upload, divided };

async function main(): Promise<void> {
  // Durable, as a service has it.
  await using postgres = await startPostgres([]);
  const s3 = await S3TestServer.start(join(work, 's3'));
  if (s3 === null) throw new Error('s3rver is not installed');
  await using _ = s3;
  for (const name of values.only.split(',')) {
    const measurement = measurements[name as keyof typeof measurements];
    if (measurement === undefined) throw new Error(`no measurement '${name}'`);
    await measurement(postgres, s3);
  }
}

try {
  await main();
} finally {
  agent.destroy();
  rmSync(work, { recursive: true, force: true });
}
