/**
 * `npm run test:fuzz -- --inputs 50000 --seed 1`: sends damaged files of every format with random steps and CRSs to a
 * service of its own, as transform, inspect, append and merge. Each job must end within 10 s with an output that can
 * be read, or an error of the user's with a code; no runner may die, and nothing may be left open or on the disk.
 *
 * An input that offends is kept with a line that makes it again: `--case NUMBER` runs it alone.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startServiceProcess } from '../../bench/service-process.ts';
import { inputFormats } from '../../packages/formats/src/registry.ts';
import { type FuzzCase, makeCase } from './cases.ts';
import { type Material, readMaterial } from './material.ts';
import { mutationNames } from './mutations.ts';

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '1500' },
    seed: { type: 'string', default: '1' },
    case: { type: 'string' },
    format: { type: 'string' },
    clients: { type: 'string', default: '3' },
    keep: { type: 'string', default: 'fuzz-findings' },
  },
});
const seed = Number(values.seed);
const clients = Number(values.clients);
const keepDirectory = resolve(values.keep);
const numbers =
  values.case === undefined
    ? Array.from({ length: Number(values.inputs) }, (_, i) => i)
    : [Number(values.case)];

const SLOW_MS = 10_000;
const ANSWER_TIMEOUT_MS = 60_000;
/** Share of outputs that are inspected: whether they can be read. */
const INSPECTED_SHARE = 1 / 4;
const MAX_HTTP_MEGABYTES = 250;
const DESCRIPTOR_SLACK = 8;
/** What the service logs when a process died or a job or request failed by its own fault. */
const OPERATOR_LINES = /process of a job died|runner process died|by our fault|could not be/;
/** Codes with which a job fails when its process died, or when it took too long. */
const FATAL_CODES = /^(internal|job-(attempts-exhausted|out-of-memory|timeout)|runner-.*)$/;

interface Offence {
  readonly index: number;
  readonly what: string;
}

const offences: Offence[] = [];
/** Ran for too long beside other inputs; each is sent once more alone, because other programs may have slowed it down. */
const slow: FuzzCase[] = [];
let isAlone = clients === 1;
/** By format: how often each mutation was applied, and how requests ended. */
const coverage = new Map<string, Map<string, number>>();
const codes = new Map<string, number>();

const work = mkdtempSync(join(tmpdir(), 'geomill-fuzz-'));
const service = await startServiceProcess(join(work, 'data'), {
  RUNNERS: '2',
  JOB_TIMEOUT: '20',
  SYNC_TIMEOUT: '60',
  LOG_LEVEL: 'warn',
});
const pid = service.process.pid as number;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    service.process.kill('SIGKILL');
    rmSync(work, { recursive: true, force: true });
    process.exit(130);
  });
const logged: string[] = [];
createInterface({ input: service.process.stdout as NodeJS.ReadableStream }).on('line', (line) => {
  if (!OPERATOR_LINES.test(line)) return;
  logged.push(line);
  console.log(line.slice(0, 2000));
});
const startedAt = performance.now();
let peakMegabytes = 0;
try {
  const material = await readMaterial(convert);
  const fields = await fieldsByFormat(material);
  const fieldsOf = (format: string): readonly string[] => fields.get(format) ?? [];
  const before = openDescriptors();
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < numbers.length) {
      const index = numbers[next++];
      await run(makeCase(seed, index, material, fieldsOf, values.format ?? null));
      peakMegabytes = Math.max(peakMegabytes, residentMegabytes());
      if (next % 1000 === 0) console.log(`${next} inputs, ${offences.length} offences, ${seconds()} s`);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  isAlone = true;
  for (const fuzzCase of slow) await send(fuzzCase);
  await checkLeftovers(before);
} finally {
  service.process.kill('SIGTERM');
  rmSync(work, { recursive: true, force: true });
}
report();
process.exitCode = offences.length === 0 ? 0 : 1;

async function run(fuzzCase: FuzzCase): Promise<void> {
  const { format, operation, mutations } = fuzzCase;
  const begun = performance.now();
  let outcome: string;
  try {
    outcome = await send(fuzzCase);
  } catch (error) {
    outcome = 'no answer';
    offend(fuzzCase, `no answer after ${Math.round(performance.now() - begun)} ms: ${String(error)}`);
  }
  count(format, operation);
  count(format, outcome);
  for (const mutation of mutations.length === 0 ? ['intact'] : mutations) count(format, mutation);
}

/** The outcome: done, or refused. */
async function send(fuzzCase: FuzzCase): Promise<'done' | 'refused'> {
  const form = new FormData();
  form.append('config', JSON.stringify(fuzzCase.config));
  for (const { part, name, bytes } of fuzzCase.files)
    form.append(part, new Blob([Uint8Array.from(bytes)]), name);
  const begun = performance.now();
  const response = await post(fuzzCase.path, form);
  const body = Buffer.from(await response.arrayBuffer());
  if (performance.now() - begun > SLOW_MS) {
    if (isAlone) await checkTime(fuzzCase, response);
    else slow.push(fuzzCase);
  }
  if (response.status === 200) {
    if (fuzzCase.index * INSPECTED_SHARE === Math.floor(fuzzCase.index * INSPECTED_SHARE))
      await checkOutput(fuzzCase, response, body);
    return 'done';
  }
  const problem = parseProblem(body);
  const code = /^urn:geomill:error:([\w-]+)$/.exec(problem.type)?.[1] ?? `status ${response.status}`;
  codes.set(code, (codes.get(code) ?? 0) + 1);
  if (response.status >= 500 || response.status < 400 || FATAL_CODES.test(code))
    offend(fuzzCase, `${response.status} ${code}: ${problem.detail}`);
  return 'refused';
}

function post(path: string, form: FormData): Promise<Response> {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  return fetch(service.url + path, { method: 'POST', body: form, signal });
}

function parseProblem(body: Buffer): { readonly type: string; readonly detail: string } {
  try {
    return { type: '', detail: '', ...JSON.parse(body.toString()) };
  } catch {
    return { type: '', detail: body.toString().slice(0, 200) };
  }
}

/** Whether it was the job that took so long, and not the queue. */
async function checkTime(fuzzCase: FuzzCase, response: Response): Promise<void> {
  const address = /<([^>]+)>; rel="describedby"/.exec(response.headers.get('link') ?? '')?.[1];
  if (address === undefined) return offend(fuzzCase, `was refused after more than ${SLOW_MS} ms`);
  const job = (await (await fetch(address)).json()) as { timings?: { ran_ms: number | null } };
  const ranMs = job.timings?.ran_ms ?? SLOW_MS;
  if (ranMs >= SLOW_MS) offend(fuzzCase, `ran for ${ranMs} ms`);
}

/** An output of ours is read by our own inspection if its format can be read; GDAL and others judge outputs in test/oracle. */
async function checkOutput(fuzzCase: FuzzCase, response: Response, body: Buffer): Promise<void> {
  if (fuzzCase.operation === 'inspect') {
    JSON.parse(body.toString());
    return;
  }
  if (!inputFormats.some(({ id }) => id === fuzzCase.outputFormat)) return;
  const form = new FormData();
  form.append('config', JSON.stringify({ input: { format: fuzzCase.outputFormat } }));
  form.append('input_file', new Blob([Uint8Array.from(body)]), fileNameOf(response));
  const inspection = await post('/v1/inspect', form);
  const answer = await inspection.text();
  if (inspection.status !== 200)
    offend(fuzzCase, `its output cannot be read: ${inspection.status} ${answer}`);
}

function fileNameOf(response: Response): string {
  return /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'output';
}

/** An intact input in another format; its CRS is stated where the file cannot. */
async function convert(
  { format, name, bytes }: Material,
  output: string,
): Promise<{ name: string; bytes: Buffer } | null> {
  for (const crs of [{}, { input_crs: 'EPSG:25832' }]) {
    const form = new FormData();
    form.append('config', JSON.stringify({ ...crs, output_format: output, output_crs: 'EPSG:25832' }));
    form.append('file', new Blob([Uint8Array.from(bytes)]), name);
    const response = await post(`/v1/transform/${format}`, form);
    const body = Buffer.from(await response.arrayBuffer());
    if (response.status === 200) return { name: fileNameOf(response), bytes: body };
  }
  return null;
}

/** Names of the fields that intact inputs have, so that steps name some that exist. */
async function fieldsByFormat(
  material: ReadonlyMap<string, readonly Material[]>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const result = new Map<string, string[]>();
  for (const [format, stock] of material) {
    const names = new Set<string>();
    for (const { name, bytes } of stock) {
      const form = new FormData();
      form.append('config', JSON.stringify({ input: { format } }));
      form.append('input_file', new Blob([Uint8Array.from(bytes)]), name);
      const response = await post('/v1/inspect', form);
      if (!response.ok) continue;
      const { layers } = (await response.json()) as { layers: { fields: { name: string }[] }[] };
      for (const layer of layers) for (const field of layer.fields) names.add(field.name);
    }
    result.set(format, [...names]);
  }
  return result;
}

function offend({ index, files, config, path }: FuzzCase, what: string): void {
  offences.push({ index, what });
  console.log(`case ${index}: ${what.slice(0, 500)}`);
  const directory = join(keepDirectory, `${seed}-${index}`);
  mkdirSync(directory, { recursive: true });
  const parts = files.map(({ part, name, bytes }, i) => {
    const stored = `${i}-${name}`;
    writeFileSync(join(directory, stored), bytes);
    return `-F '${part}=@${stored};filename=${name}'`;
  });
  const only = values.format === undefined ? '' : ` --format ${values.format}`;
  writeFileSync(join(directory, 'config.json'), JSON.stringify(config));
  writeFileSync(
    join(directory, 'reproduce.txt'),
    `${what}\n\nnpm run test:fuzz -- --seed ${seed}${only} --case ${index}\n` +
      `curl -F 'config=<config.json' ${parts.join(' ')} http://127.0.0.1:8080${path}\n`,
  );
}

/** What must hold of the service itself after all requests. */
async function checkLeftovers(descriptorsBefore: number): Promise<void> {
  const complain = (what: string): void => {
    offences.push({ index: -1, what });
    console.log(`service: ${what}`);
  };
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  for (const [line, cause, deaths] of metrics.matchAll(
    /^geomill_runner_restarts_total\{[^}]*cause="(\w+)"[^}]*\} (\d+)/gm,
  ))
    if (cause !== 'retired' && Number(deaths) > 0) complain(`runners died: ${line}`);
  for (const line of logged)
    if (/process of a job died|by our fault/.test(line)) complain(line.slice(0, 2000));
  const data = join(work, 'data');
  // Slots are emptied and closed connections noticed a moment after the answer.
  const settled = await until(
    () =>
      readdirSync(join(data, 'inputs')).length === 0 &&
      openDescriptors() <= descriptorsBefore + DESCRIPTOR_SLACK,
  );
  if (!settled) {
    const inputs = readdirSync(join(data, 'inputs')).length;
    complain(
      `${inputs} inputs left behind, ${openDescriptors()} descriptors open (${descriptorsBefore} before)`,
    );
  }
  if (peakMegabytes > MAX_HTTP_MEGABYTES) complain(`the HTTP process took ${peakMegabytes} MB`);
}

async function until(holds: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if (holds()) return true;
    await pause(100);
  }
  return holds();
}

function openDescriptors(): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function residentMegabytes(): number {
  return Math.round(
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
  );
}

function count(format: string, what: string): void {
  const counts = coverage.get(format) ?? new Map<string, number>();
  coverage.set(format, counts);
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function seconds(): number {
  return Math.round((performance.now() - startedAt) / 1000);
}

function report(): void {
  const columns = [
    ...mutationNames,
    'intact',
    'transform',
    'inspect',
    'append',
    'merge',
    'done',
    'refused',
    'no answer',
  ];
  console.log(
    `\n${numbers.length} inputs, seed ${seed}, ${seconds()} s, HTTP process at most ${peakMegabytes} MB`,
  );
  console.log(['format'.padEnd(9), ...columns.map((name) => name.padStart(10))].join(''));
  for (const [format, counts] of [...coverage].sort())
    console.log(
      [format.padEnd(9), ...columns.map((name) => String(counts.get(name) ?? 0).padStart(10))].join(''),
    );
  const refusals = [...codes].sort((a, b) => b[1] - a[1]).map(([code, times]) => `${code} ${times}`);
  console.log(`refused with: ${refusals.join(', ')}`);
  if (slow.length > 0)
    console.log(`took more than 10 s at first: ${slow.map(({ index }) => index).join(', ')}`);
  console.log(`${offences.length} offences${offences.length === 0 ? '' : `, kept in ${keepDirectory}`}`);
}
