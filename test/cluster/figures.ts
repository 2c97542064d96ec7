/** How fast the death of a worker is noticed, and how fast the work of a cancelled job ends. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Checks } from './checks.ts';
import type { Cluster } from './cluster.ts';
import type { Member } from './member.ts';
import type { Problems } from './problems.ts';
import { LONG_CONFIG, manySquares } from './squares.ts';

/** Of the default lease of 30 s, 45 s. */
const DETECTION_LEASES = 1.5;
const CANCEL_LIMIT_MS = 2000;
const PATIENCE_MS = 120_000;
const POLL_MS = 20;

/** Of a service without other work; all its processes run. */
export async function measure(
  cluster: Cluster,
  checks: Checks,
  problems: Problems,
  leaseSeconds: number,
): Promise<string> {
  const [owner] = cluster.keys.keys();
  const headers = { apikey: cluster.keys.get(owner) as string };
  const [first, second] = cluster.apis;
  const submit = async (): Promise<string> => {
    const body = new FormData();
    body.append('config', JSON.stringify(LONG_CONFIG));
    body.append('file', manySquares(20_000), 'squares.geojson');
    const response = await fetch(`${first.url}/v1/transform/geojson?async=true`, {
      method: 'POST',
      body,
      headers,
    });
    return ((await response.json()) as { task_id: string }).task_id;
  };
  const cancel = async (id: string): Promise<void> => {
    const response = await fetch(`${second.url}/v1/jobs/${id}`, { method: 'DELETE', headers });
    if (response.status !== 204) problems.add('unexpected', `cancellation: ${response.status}`);
  };

  const cancelled = await submit();
  const [worker] = await runningOf(cluster, checks, cancelled);
  const before = worker.runners();
  // The runner is in the midst of its work.
  await pause(500);
  let began = performance.now();
  const answered = cancel(cancelled);
  await until('the end of the runner', async () => before.some((pid) => !isAlive(pid)));
  const cancelMs = performance.now() - began;
  await answered;
  if (cancelMs > CANCEL_LIMIT_MS)
    problems.add('slow', `the runner of a cancelled job ran for ${cancelMs} ms more`);

  const taken = await submit();
  const [victim, { fence }] = await runningOf(cluster, checks, taken);
  began = performance.now();
  await victim.end('SIGKILL');
  await until('another attempt', async () =>
    (await checks.rows()).some((row) => row.id === taken && row.fence > fence),
  );
  const detectionMs = performance.now() - began;
  if (detectionMs > leaseSeconds * 1000 * DETECTION_LEASES)
    problems.add('slow', `the death of a worker was noticed after ${detectionMs} ms`);
  await cancel(taken);
  await cluster.startAgain(victim);
  return `a cancelled job's runner ended after ${Math.round(cancelMs)} ms; a dead worker was noticed after ${Math.round(detectionMs)} ms`;
}

async function runningOf(
  cluster: Cluster,
  checks: Checks,
  id: string,
): Promise<readonly [Member, { readonly fence: number }]> {
  let found: readonly [Member, { readonly fence: number }] | null = null;
  await until(`${id} runs`, async () => {
    const row = (await checks.rows()).find((one) => one.id === id);
    if (row !== undefined && row.state !== 'QUEUED' && row.state !== 'RUNNING')
      throw new Error(`${id}, of which a measurement is made, has ended: ${row.state}`);
    for (const worker of cluster.workers) {
      const attempt = (await checks.runningOn(worker.pid)).find((one) => one.id === id);
      if (attempt !== undefined) found = [worker, attempt];
    }
    return found !== null;
  });
  if (found === null) throw new Error('unreachable');
  return found;
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await pause(POLL_MS))
    if (await holds()) return;
  throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s`);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
