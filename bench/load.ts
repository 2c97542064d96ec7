/**
 * `npm run bench:load [-- --seconds N]`: many clients on one service. 16 clients submit small jobs as fast as they are
 * answered, each checks that it gets its own output; beside them a probe asks for the status of a job, and in turn a bare server,
 * which answers at once: what it waits there is the machine's and the probe's own. Then ogr2ogr processes, two at a time, on the same file for as long. Then 200 slow uploads at once, while others go on.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { datasetPath } from './data.ts';
import { hasCommand, median, quantile } from './measure.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    clients: { type: 'string', default: '16' },
    slow: { type: 'string', default: '200' },
  },
});
const SECONDS = Number(values.seconds);
const BOUNDARY = 'geomill-bench';
const work = isMainThread ? mkdtempSync(join(tmpdir(), 'geomill-bench-')) : '';

interface Answer {
  readonly status: number;
  readonly text: string;
}

// Plain requests over kept connections: on two cores a heavier client would mostly measure itself.
const agent = new Agent({ keepAlive: true, maxSockets: 1024 });

function call(url: string, method = 'GET', body?: Buffer): Promise<Answer> {
  const headers: Record<string, string | number> = {};
  if (body !== undefined) {
    headers['content-type'] = `multipart/form-data; boundary=${BOUNDARY}`;
    headers['content-length'] = body.length;
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers }, (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The form of a job whose output holds `marker`. */
function jobForm(template: string, marker: string): Buffer {
  const part = (name: string, more: string, content: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
  return Buffer.from(
    part('config', '', '{"output_format":"geojson","output_crs":"EPSG:4326"}') +
      part('file', '; filename="small.geojson"', template.replaceAll('"kind":"', `"kind":"${marker} `)) +
      `--${BOUNDARY}--\r\n`,
  );
}

interface Tally {
  done: number;
  lost: number;
  mixedUp: number;
}

/** Submits job after job until the time is over; every job answers with its output in the same request. */
async function client(
  url: string,
  template: string,
  name: number,
  until: number,
  tally: Tally,
): Promise<void> {
  for (let n = 0; performance.now() < until; n++) {
    const marker = `m${name}x${n}y`;
    const { status, text } = await call(`${url}/v1/transform/geojson`, 'POST', jobForm(template, marker));
    if (status !== 200) tally.lost++;
    else if (text.split(marker).length !== 4) tally.mixedUp++;
    else tally.done++;
  }
}

interface ProbeOrder {
  readonly urls: readonly string[];
  readonly seconds: number;
}

/** Milliseconds of calls of each URL, one after the other with a pause between. */
async function askInTurn({ urls, seconds }: ProbeOrder): Promise<number[][]> {
  const times: number[][] = urls.map(() => []);
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    for (const [index, url] of urls.entries()) {
      const begun = performance.now();
      await call(url);
      times[index].push(performance.now() - begun);
      await pause(5);
    }
  }
  return times;
}

/** As above from a thread of its own: beside the clients it would measure how busy these are. */
function probe(urls: readonly string[], seconds: number): Promise<number[][]> {
  const order: ProbeOrder = { urls, seconds };
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: order });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

const BARE_SERVER = `const { createServer } = require('node:http');
const server = createServer((_, response) => response.end('{}'));
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));`;

async function startBareServer(): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const child = spawn(process.execPath, ['-e', BARE_SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [chunk] = await once(child.stdout, 'data');
  return { url: String(chunk).trim(), process: child };
}

function residentMegabytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** Runs ogr2ogr on the file, two processes at a time; how many ended. */
async function peerJobs(input: string, seconds: number): Promise<number> {
  const run = promisify(execFile);
  const until = performance.now() + seconds * 1000;
  let done = 0;
  const lane = async (name: string): Promise<void> => {
    while (performance.now() < until) {
      const output = join(work, `peer-${name}.geojson`);
      await run('ogr2ogr', ['-f', 'GeoJSON', output, input]);
      rmSync(output);
      done++;
    }
  };
  await Promise.all([lane('a'), lane('b')]);
  return done;
}

/** Uploads that send 1 KB a second until they are told to end; resolves with a function that ends them. */
function slowUploads(url: string, count: number): () => void {
  const calls = Array.from({ length: count }, () => {
    const sent = request(`${url}/transform`, {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    });
    sent.on('error', () => {});
    sent.write(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="config"\r\n\r\n{"input":{"format":"geojson"},"output":{"format":"geojson"}}\r\n` +
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="input_file"; filename="slow.geojson"\r\n\r\n`,
    );
    return sent;
  });
  const timer = setInterval(() => {
    for (const sent of calls) sent.write(' '.repeat(1024));
  }, 1000);
  return () => {
    clearInterval(timer);
    for (const sent of calls) sent.destroy();
  };
}

async function load(
  { url, process: child }: ServiceProcess,
  template: string,
  probed: readonly string[],
  seconds: number,
): Promise<{ tally: Tally; times: number[][]; peak: number }> {
  const tally: Tally = { done: 0, lost: 0, mixedUp: 0 };
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMegabytes(child.pid));
  }, 100);
  const until = performance.now() + seconds * 1000;
  const clients = Array.from({ length: Number(values.clients) }, (_, name) =>
    client(url, template, name, until, tally),
  );
  const [times] = await Promise.all([probe(probed, seconds), ...clients]);
  clearInterval(watch);
  return { tally, times, peak };
}

const PROBED = ['status', 'bare server'];

function printTimes(name: string, times: readonly number[], idleMs?: number): void {
  const p99 = quantile(times, 0.99);
  const ratio = idleMs === undefined ? '' : `: ${(p99 / idleMs).toFixed(1)} x the status when idle`;
  console.log(
    `${name.padEnd(24)} median ${median(times).toFixed(2)} ms, 99th percentile ${p99.toFixed(2)} ms${ratio}`,
  );
}

async function main(): Promise<void> {
  const bare = await startBareServer();
  const service = await startServiceProcess(join(work, 'data'));
  try {
    const input = datasetPath('buildings', 3);
    const template = readFileSync(input, 'utf8');
    const first = await call(
      `${service.url}/v1/transform/geojson?async=true`,
      'POST',
      jobForm(template, 'first'),
    );
    const { task_id: id } = JSON.parse(first.text) as { task_id: string };
    const probed = [`${service.url}/result/status/${id}`, bare.url];
    await load(service, template, probed, 3);

    const idle = await probe(probed, 5);
    const idleMs = median(idle[0]);
    for (const [index, name] of PROBED.entries()) printTimes(`${name} when idle`, idle[index]);

    const { tally, times, peak } = await load(service, template, probed, SECONDS);
    console.log(
      `${values.clients} clients         ${tally.done} jobs in ${SECONDS} s (${(tally.done / SECONDS).toFixed(0)}/s), ${tally.lost} lost, ${tally.mixedUp} mixed up; HTTP process ${peak.toFixed(0)} MB`,
    );
    for (const [index, name] of PROBED.entries()) printTimes(`${name} under load`, times[index], idleMs);
    if (hasCommand('ogr2ogr')) {
      const peers = await peerJobs(input, SECONDS);
      console.log(
        `ogr2ogr, two at a time: ${peers} in ${SECONDS} s; ratio ${(tally.done / peers).toFixed(1)}x`,
      );
    }

    const end = slowUploads(service.url, Number(values.slow));
    await pause(2000);
    const beside = await load(service, template, probed, SECONDS / 3);
    end();
    console.log(
      `beside ${values.slow} slow uploads: ${((beside.tally.done * 3) / SECONDS).toFixed(0)} jobs/s, ${beside.tally.lost} lost; status 99th percentile ${quantile(beside.times[0], 0.99).toFixed(2)} ms; HTTP process ${beside.peak.toFixed(0)} MB`,
    );
  } finally {
    agent.destroy();
    service.process.kill('SIGTERM');
    bare.process.kill();
    rmSync(work, { recursive: true, force: true });
  }
}

if (isMainThread) await main();
else {
  parentPort?.postMessage(await askInTurn(workerData as ProbeOrder));
  agent.destroy();
}
