/**
 * `npm run bench:event-loop [-- --only TEXT] [--runs N]`: sends the worst requests that are known
 * (test/support/worst-requests.ts) to a service, one after the other, and prints for each how long it held the event loop
 * of the HTTP process and how late /healthz came beside it, of three runs the best: other processes of the machine can
 * only make it worse. Ends with 1 where the loop was held for more than 50 ms or /healthz came later than 100 ms.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { send, WORST_REQUESTS, type WorstRequest } from '../test/support/worst-requests.ts';
import type { LoopDelay } from './event-loop-delay.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const MAX_LOOP_MS = 50;
const MAX_HEALTH_MS = 100;
const PROBE_INTERVAL_MS = 2;

interface Measured {
  readonly status: number;
  readonly loopMs: number;
  readonly healthMs: number;
  readonly cpuMs: number;
  readonly rssBytes: number;
}

async function measure(service: ServiceProcess, probe: Worker, request: WorstRequest): Promise<Measured> {
  await loopDelay(service);
  await latency(probe);
  const { status } = await send(service.url, request);
  // The rest of the body may still be read and discarded.
  await pause(20);
  const healthMs = await latency(probe);
  const { maxMs, cpuMs, rssBytes } = await loopDelay(service);
  return { status, loopMs: maxMs, healthMs, cpuMs, rssBytes };
}

async function loopDelay({ process: child }: ServiceProcess): Promise<LoopDelay> {
  child.send('measure');
  return ((await once(child, 'message')) as [LoopDelay])[0];
}

/** The longest answer of /healthz since the last call. */
async function latency(probe: Worker): Promise<number> {
  probe.postMessage('measure');
  return ((await once(probe, 'message')) as [number])[0];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { only: { type: 'string', default: '' }, runs: { type: 'string', default: '3' } },
  });
  const work = mkdtempSync(join(tmpdir(), 'geomill-bench-'));
  // One runner: jobs that are taken are not what is measured.
  const settings = { RUNNERS: '1', RUNNER_THREADS: '1', MAX_UPLOAD: '100MiB', RATE_LIMIT: '0' };
  const hook = join(import.meta.dirname, 'event-loop-delay.ts');
  const service = await startServiceProcess(work, settings, { nodeArguments: ['--import', hook] });
  const probe = new Worker(new URL(import.meta.url), { workerData: `${service.url}/healthz` });
  try {
    // Loads and compiles what the others use.
    await measure(service, probe, WORST_REQUESTS[0]);
    console.log(['loop ms', '/healthz ms', 'cpu ms', 'rss MiB', 'status', 'request'].join('\t'));
    for (const request of WORST_REQUESTS.filter(({ name }) => name.includes(values.only))) {
      const runs: Measured[] = [];
      for (let run = 0; run < Number(values.runs); run++) runs.push(await measure(service, probe, request));
      const loopMs = Math.min(...runs.map((run) => run.loopMs));
      const healthMs = Math.min(...runs.map((run) => run.healthMs));
      const cpuMs = Math.min(...runs.map((run) => run.cpuMs));
      const rssBytes = Math.max(...runs.map((run) => run.rssBytes));
      if (loopMs > MAX_LOOP_MS || healthMs > MAX_HEALTH_MS) process.exitCode = 1;
      const figures = [
        loopMs.toFixed(1),
        healthMs.toFixed(1),
        cpuMs.toFixed(1),
        (rssBytes / 1024 ** 2).toFixed(0),
      ];
      console.log([...figures, runs[0].status, request.name].join('\t'));
    }
  } finally {
    await probe.terminate();
    const ended = once(service.process, 'exit');
    service.process.kill();
    await ended;
    rmSync(work, { recursive: true, force: true });
  }
}

/** In a thread of its own: making large bodies holds the main one. */
async function probeHealth(url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  let longest = 0;
  let begun: number | null = null;
  parentPort?.on('message', () => {
    // A request under way counts with the time that it has taken so far.
    parentPort?.postMessage(Math.max(longest, begun === null ? 0 : performance.now() - begun));
    longest = 0;
  });
  for (;;) {
    begun = performance.now();
    await new Promise<void>((resolve, reject) => {
      get(url, { agent }, (response) => response.resume().on('end', resolve)).on('error', reject);
    });
    longest = Math.max(longest, performance.now() - begun);
    begun = null;
    await pause(PROBE_INTERVAL_MS);
  }
}

if (isMainThread) await main();
else await probeHealth(workerData as string);
