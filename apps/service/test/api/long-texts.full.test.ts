/** Requests with texts of many megabytes, at a real service: it stays small, it answers, and its answers are short. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { type ServerProcess, serverForTests } from '../../../../test/support/server-process.ts';
import { until } from '../../../../test/support/until.ts';

const server = await serverForTests({ RUNNERS: '1' });

const MEGABYTES = Number(process.env.TEST_TEXT_MEGABYTES ?? 20);
const TEXT = 'n'.repeat(MEGABYTES * 1_000_000);
const MAX_ERROR_BODY_BYTES = 16 * 1024;
const MAX_ANSWER_BYTES = 2_500_000;
const MAX_RESIDENT_MB = 250;

function feature(properties: string, more = ''): string {
  return `{"type":"Feature","properties":${properties},"geometry":{"type":"Point","coordinates":[1,2]}${more}}`;
}

/** Most that the process has held so far. */
function peakMegabytes({ pid }: ServerProcess): number {
  if (!existsSync(`/proc/${pid}/status`)) return 0;
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;
}

async function submit(config: object, file: string, path = '/transform'): Promise<Response> {
  const form = new FormData();
  form.append('config', JSON.stringify(config));
  form.append(path === '/transform' ? 'input_file' : 'file', new Blob([file]), 'long.geojson');
  return fetch(server.url + path, { method: 'POST', body: form });
}

/** The document of the job once it has ended; meanwhile the service answers. */
async function ended(id: string): Promise<{ bytes: number; job: JobDocument }> {
  return until(`job ${id} has ended`, async () => {
    const health = await fetch(`${server.url}/healthz`);
    assert.equal(health.status, 200);
    await health.arrayBuffer();
    const response = await fetch(`${server.url}/v1/jobs/${id}`);
    assert.equal(response.status, 200);
    const text = await response.text();
    const job = JSON.parse(text) as JobDocument;
    return (job.status === 'SUCCESS' || job.status === 'FAILED') && { bytes: Buffer.byteLength(text), job };
  });
}

interface JobDocument {
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string } | null;
}

const FILES: readonly [what: string, file: () => string, code: string | null][] = [
  ['field name', () => feature(`{"${TEXT}":1}`), 'FIELD_NAME_TOO_LONG'],
  ['text value', () => feature(`{"a":"${TEXT}"}`), null],
  ['id', () => feature('{}', `,"id":"${TEXT}"`), null],
  ['foreign member', () => feature('{}', `,"${TEXT}":1`), null],
];

for (const [what, file, code] of FILES)
  test(`a ${what} of ${MEGABYTES} MB leaves the service small and its answers short`, async () => {
    const config = { input: { format: 'geojson' }, output: { format: 'shp' } };
    const accepted = await submit(config, file());
    assert.equal(accepted.status, 202);
    const { job_id: id } = (await accepted.json()) as { job_id: string };
    const { bytes, job } = await ended(id);
    assert.equal(job.error?.code ?? null, code);
    assert.ok(bytes <= MAX_ANSWER_BYTES, `${bytes} bytes`);
    const list = await (await fetch(`${server.url}/v1/jobs`)).arrayBuffer();
    assert.ok(list.byteLength <= 1_000_000);
    const peak = peakMegabytes(server);
    assert.ok(peak <= MAX_RESIDENT_MB, `the service has held ${peak} MB`);
  });

test('a name of the request that is not known comes back shortened', async () => {
  const long = 'unknown'.repeat(1_114_286);
  for (const text of [long, long.slice(0, 60_000), long.slice(0, 3000)]) {
    const step = (where: string) => ({ type: 'filter', params: { where } });
    for (const transformations of [
      [step(`${text} = 1`)],
      [{ type: text }],
      [{ type: 'filter', params: { [text]: 1 } }],
    ]) {
      const config = { input: { format: 'geojson' }, output: { format: 'csv' }, transformations };
      const refused = await submit(config, feature('{"a":1}'));
      const body = await refused.text();
      if (refused.status === 202) {
        const { job } = await ended((JSON.parse(body) as { job_id: string }).job_id);
        assert.equal(job.error?.code, 'FIELD_UNKNOWN');
        assert.ok(Buffer.byteLength(JSON.stringify(job.error)) <= MAX_ERROR_BODY_BYTES);
        assert.match(job.error?.message ?? '', /characters\)/);
      } else {
        assert.ok([400, 413].includes(refused.status), String(refused.status));
        assert.ok(Buffer.byteLength(body) <= MAX_ERROR_BODY_BYTES, `${Buffer.byteLength(body)} bytes`);
      }
    }
  }
  assert.ok(peakMegabytes(server) <= MAX_RESIDENT_MB);
});
