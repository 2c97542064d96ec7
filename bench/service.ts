/**
 * `npm run bench:service [-- --jobs N]`: what a small job costs on the warm service, against one ogr2ogr process on the
 * same file; cold start; memory during a 1 GB upload. Many clients at a time are the matter of load.ts.
 */
import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { datasetPath } from './data.ts';
import { hasCommand, median } from './measure.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const { values } = parseArgs({ options: { jobs: { type: 'string', default: '200' } } });
const work = mkdtempSync(join(tmpdir(), 'geomill-bench-'));

const CONFIG = JSON.stringify({
  input: { format: 'geojson' },
  transformations: [],
  output: { format: 'shp', epsg: 4326 },
});

/** Submit to SUCCESS, in milliseconds; the status is asked for again as soon as it is answered. */
async function smallJob(url: string, file: Blob): Promise<number> {
  const begun = performance.now();
  const form = new FormData();
  form.set('config', CONFIG);
  form.set('input_file', file, 'small.geojson');
  const submitted = await fetch(`${url}/transform`, { method: 'POST', body: form });
  const { job_id: id } = (await submitted.json()) as { job_id: string };
  for (;;) {
    const { status, error } = (await (await fetch(`${url}/result/status/${id}`)).json()) as {
      status: string;
      error?: string;
    };
    if (status === 'SUCCESS') return performance.now() - begun;
    if (status === 'FAILED') throw new Error(error);
  }
}

function ogr2ogrMs(input: string): number {
  const output = join(work, 'peer.shp');
  const begun = performance.now();
  const done = spawnSync('ogr2ogr', ['-f', 'ESRI Shapefile', '-overwrite', output, input]);
  if (done.status !== 0) throw new Error(String(done.stderr));
  return performance.now() - begun;
}

async function latency(url: string, input: string, jobs: number): Promise<void> {
  const file = new Blob([new Uint8Array(readFileSync(input))]);
  for (let i = 0; i < 20; i++) await smallJob(url, file);
  const ours: number[] = [];
  const peer: number[] = [];
  for (let i = 0; i < jobs; i++) {
    ours.push(await smallJob(url, file));
    if (hasOgr2ogr && i % 10 === 0) peer.push(ogr2ogrMs(input));
  }
  const p99 = [...ours].sort((a, b) => a - b)[Math.floor(jobs * 0.99)];
  console.log(
    `small job          median ${median(ours).toFixed(1)} ms, 99th percentile ${p99.toFixed(1)} ms`,
  );
  if (peer.length > 0) {
    const other = median(peer);
    console.log(
      `ogr2ogr process    median ${other.toFixed(1)} ms; ratio ${(median(ours) / other).toFixed(2)} (99th: ${(p99 / other).toFixed(2)})`,
    );
  }
}

/** Sends a job of about 1 GB and watches the resident memory of the HTTP process. */
async function bigUpload(service: ServiceProcess): Promise<void> {
  const input = datasetPath('buildings', 500_000);
  const bytes = readFileSync(input);
  const times = Math.ceil(1e9 / bytes.length);
  const boundary = 'geomill-bench';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="config"\r\n\r\n${CONFIG}\r\n--${boundary}\r\nContent-Disposition: form-data; name="input_file"; filename="big.geojson"\r\n\r\n`;
  const begun = performance.now();
  let peak = 0;
  const watch = setInterval(() => {
    const status = readFileSync(`/proc/${service.process.pid}/status`, 'utf8');
    peak = Math.max(peak, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }, 50);
  const answer = await new Promise<number>((resolve, reject) => {
    const call = request(
      `${service.url}/transform`,
      { method: 'POST', headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    call.on('error', reject);
    call.write(head);
    const send = (i: number): void => {
      if (i === times) return void call.end(`\r\n--${boundary}--\r\n`);
      call.write(bytes, () => send(i + 1));
    };
    send(0);
  });
  clearInterval(watch);
  const seconds = (performance.now() - begun) / 1000;
  const disk = await writeSpeed(bytes, times);
  console.log(
    `upload of ${((bytes.length * times) / 1e9).toFixed(1)} GB   answered ${answer} after ${seconds.toFixed(1)} s (plain write and fsync: ${disk.toFixed(1)} s), HTTP process ${peak.toFixed(0)} MB`,
  );
}

async function writeSpeed(bytes: Uint8Array, times: number): Promise<number> {
  const begun = performance.now();
  const path = join(work, 'plain');
  const stream = createWriteStream(path, { flush: true });
  for (let i = 0; i < times; i++) await new Promise((resolve) => stream.write(bytes, resolve));
  await new Promise<void>((resolve) => stream.end(() => resolve()));
  rmSync(path);
  return (performance.now() - begun) / 1000;
}

const hasOgr2ogr = hasCommand('ogr2ogr');
const service = await startServiceProcess(join(work, 'data'));
try {
  console.log(`cold start         ${service.startMs.toFixed(0)} ms to ready`);
  const input = datasetPath('buildings', 3);
  await latency(service.url, input, Number(values.jobs));
  await bigUpload(service);
} finally {
  service.process.kill('SIGTERM');
  rmSync(work, { recursive: true, force: true });
}
