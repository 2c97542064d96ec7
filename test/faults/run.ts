/**
 * `npm run test:faults -- --kills 1000 --seed 1`: kill -9 of runners and of the whole service at random moments, under a load
 * of mixed jobs of all formats and of uploads that break off. Every accepted job must end once, with the output that it
 * has without kills, and no file may be left without a job. The moments are seeded; what they hit depends on the machine.
 */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../bench/data.ts';
import {
  baseInput,
  type CampaignJob,
  campaignInputs,
  campaignJobs,
  fingerprint,
  formOf,
  INPUT_CONFIG,
  type InputFile,
  VARIANTS,
} from './jobs.ts';
import { insist, KilledService } from './killed-service.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    clients: { type: 'string', default: '10' },
  },
});
const kills = Number(values.kills);
const random = seededRandom(Number(values.seed));
/** Share of the kills that hit the whole service. */
const SERVICE_SHARE = 0.3;
/** Share of the requests whose upload breaks off. */
const BROKEN_SHARE = 0.1;
const SETTLE_TRIES = 300;
const LONGEST_PAUSE_MS = 300;
/** Of the kills of the service: those that come before it listens again. */
const DURING_START_SHARE = 1 / 3;

const problems = {
  lost: [] as string[],
  doubled: [] as string[],
  wrong: [] as string[],
  orphaned: [] as string[],
};
/** By idempotency key: the id that was answered. */
const accepted = new Map<string, string>();
let brokenUploads = 0;
let killsOfService = 0;
/** Jobs that have ended. */
let ended = 0;

const service = new KilledService();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void service.end('SIGKILL').then(() => {
      service.remove();
      process.exit(130);
    });
  });
const startedAt = performance.now();
try {
  await service.start();
  const jobs = campaignJobs(await makeInputs());
  const references = await makeReferences(jobs);
  let killing = true;
  const client = async (): Promise<void> => {
    while (killing) {
      const job = jobs[Math.floor(random() * jobs.length)];
      if (random() < BROKEN_SHARE) await breakOff(job);
      else await carryThrough(job, references.get(job.name) as string);
    }
  };
  const clients = Promise.all(Array.from({ length: Number(values.clients) }, client));
  await Promise.race([killAll(), clients]);
  killing = false;
  await clients;
  await checkRecords();
} finally {
  await service.end('SIGKILL');
  service.remove();
}
report();

/** Most kills come some time after a job has ended, so that work is under way; the others hit the start of the service. */
async function killAll(): Promise<void> {
  for (let done = 0; done < kills; done++) {
    const hitsService = random() < SERVICE_SHARE;
    if (!hitsService || random() >= DURING_START_SHARE) {
      const endedBefore = ended;
      await insist(async () => ended > endedBefore || null);
    }
    await pause(random() * LONGEST_PAUSE_MS);
    if (hitsService) {
      await service.end('SIGKILL');
      await service.start();
      killsOfService++;
    } else await insist(async () => service.killRunner(random) || null);
    if ((done + 1) % 100 === 0) console.log(`${done + 1} kills, ${accepted.size} jobs, ${seconds()} s`);
  }
}

/** The base inputs in every format, converted by the service before anything is killed. */
async function makeInputs(): Promise<ReadonlyMap<string, readonly InputFile[]>> {
  const bases = Array.from({ length: VARIANTS }, (_, variant) => baseInput(variant));
  const inputs = new Map<string, InputFile[]>();
  for (const { id, outputExtension } of campaignInputs) {
    const files: InputFile[] = [];
    for (const base of bases) {
      const job = {
        name: id,
        path: '/v1/transform/geojson',
        config: INPUT_CONFIG(id),
        files: [['file', base]],
      } as const;
      files.push({ name: `base${outputExtension}`, bytes: await direct(job) });
    }
    inputs.set(id, files);
  }
  return inputs;
}

async function makeReferences(jobs: readonly CampaignJob[]): Promise<ReadonlyMap<string, string>> {
  const references = new Map<string, string>();
  for (const job of jobs) references.set(job.name, await fingerprint(await direct(job)));
  return references;
}

/** Runs a job in one request. */
async function direct(job: CampaignJob): Promise<Buffer> {
  const response = await fetch(service.url + job.path, { method: 'POST', body: formOf(job) });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${job.name}: ${response.status} ${body.toString()}`);
  return body;
}

/** Submits until there is an answer, always with the same key, and waits for the output. */
async function carryThrough(job: CampaignJob, reference: string): Promise<void> {
  const key = randomUUID();
  const id = await insist(async () => {
    const headers = { 'idempotency-key': key };
    const url = `${service.url}${job.path}?async=true`;
    const response = await fetch(url, { method: 'POST', body: formOf(job), headers });
    const body = (await response.json()) as { task_id?: string };
    if (response.status === 503) return null;
    if (body.task_id === undefined)
      throw new Error(`${job.name}: ${response.status} ${JSON.stringify(body)}`);
    return body.task_id;
  });
  accepted.set(key, id);
  const state = await insist(async () => {
    const response = await fetch(`${service.url}/v1/jobs/${id}`);
    const body = (await response.json()) as { status: string; error?: { message: string } };
    if (response.status === 404) return 'unknown';
    if (response.status !== 200) return null;
    return body.status === 'SUCCESS' || body.status === 'FAILED'
      ? `${body.status} ${body.error?.message ?? ''}`
      : null;
  });
  ended++;
  if (!state.startsWith('SUCCESS')) {
    problems.lost.push(`${job.name} (${id}): ${state}`);
    return;
  }
  const output = await insist(async () => {
    const response = await fetch(`${service.url}/result/output/${id}`);
    return response.status === 200 ? Buffer.from(await response.arrayBuffer()) : null;
  });
  if ((await fingerprint(output)) !== reference)
    problems.wrong.push(`${job.name} (${id}): ${output.length} bytes`);
}

/** Sends a part of a request and closes the connection. */
async function breakOff(job: CampaignJob): Promise<void> {
  const body = Buffer.from(await new Response(formOf(job)).arrayBuffer());
  const boundary = /^--(\S+)/.exec(body.toString('latin1'))?.[1] ?? '';
  const headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': body.length,
  };
  brokenUploads++;
  await new Promise<void>((resolve) => {
    const sent = request(service.url + job.path, { method: 'POST', headers });
    sent.on('error', () => resolve());
    sent.on('response', (response) => response.resume().on('close', resolve));
    sent.write(body.subarray(0, Math.floor(random() * body.length)), () => sent.destroy());
  });
}

/** After all jobs have ended: rows against what was answered, and files against rows, once the service has started anew. */
async function checkRecords(): Promise<void> {
  await service.end('SIGTERM');
  await service.start();
  await service.ready();
  // Jobs of which no answer came are there under their keys; they end as all others.
  for (let tries = 0; tries < SETTLE_TRIES && service.rows().some(({ state }) => isOpen(state)); tries++)
    await pause(100);
  await service.end('SIGTERM');
  await service.start();
  await service.ready();
  const rows = service.rows();
  await service.end('SIGTERM');
  for (const { id, state, key } of rows) {
    if (isOpen(state)) problems.lost.push(`${id} never ended: ${state}`);
    if (key !== null && accepted.has(key) && accepted.get(key) !== id)
      problems.doubled.push(`${key}: ${id} and ${accepted.get(key)}`);
  }
  const keys = rows.flatMap(({ key }) => key ?? []);
  if (new Set(keys).size !== keys.length) problems.doubled.push('a key has several rows');
  for (const [key, id] of accepted) if (!keys.includes(key)) problems.lost.push(`${id}: its row is gone`);
  const successful = new Set(rows.filter(({ state }) => state === 'SUCCESS').map(({ id }) => id));
  const outputs = service.files('outputs');
  for (const name of outputs) if (!successful.has(name)) problems.orphaned.push(`output ${name}`);
  if (outputs.length !== successful.size)
    problems.lost.push(`${successful.size} jobs succeeded, but there are ${outputs.length} outputs`);
  for (const name of service.files('inputs')) problems.orphaned.push(`input ${name}`);
  for (const name of service.files('slots')) problems.orphaned.push(`slot ${name}`);
  const triedAgain = rows.filter(({ attempts }) => attempts > 1).length;
  console.log(`${rows.length} jobs in the records, ${triedAgain} of them were hit while they ran`);
}

function isOpen(state: string): boolean {
  return state === 'QUEUED' || state === 'RUNNING';
}

function seconds(): number {
  return Math.round((performance.now() - startedAt) / 1000);
}

function report(): void {
  for (const [kind, found] of Object.entries(problems))
    for (const what of found.slice(0, 20)) console.log(`${kind}: ${what}`);
  const counts = Object.entries(problems).map(([kind, found]) => `${found.length} ${kind}`);
  console.log(
    `${kills} kills (${killsOfService} of the service), seed ${values.seed}, ${accepted.size} jobs accepted, ` +
      `${brokenUploads} uploads broken off, ${seconds()} s: ${counts.join(', ')}`,
  );
  if (Object.values(problems).some(({ length }) => length > 0)) process.exitCode = 1;
}
