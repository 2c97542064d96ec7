/** Second sources of steps over HTTP: a part of a form, other parts, an upload, and what is refused. With the real runners. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { GeomillClient } from '../../../../packages/client/src/client.ts';
import { startFileHost } from '../../../../test/support/file-host.ts';
import { checkedFetch } from '../../../../test/support/response-check.ts';
import { postForm, postJson, startTestService } from '../../../../test/support/service.ts';

const dataDirectory = mkdtempSync(join(tmpdir(), 'geomill-sources-'));
const host = await startFileHost({
  '/kinds': (_request, response) =>
    void response.writeHead(200, { 'content-disposition': 'attachment; filename="kinds.csv"' }).end(KINDS),
  '/large.csv': (_request, response) => void response.end('x'.repeat(1 << 20)),
});
const service = await startTestService({
  runner: null,
  dataDirectory,
  settings: {
    RUNNERS: '1',
    MAX_UPLOAD: '1000000',
    INPUT_URL_HOSTS: `127.0.0.1:${host.port}`,
    INPUT_URL_PRIVATE_NETWORKS: '127.0.0.0/8',
  },
});
test.after(async () => {
  await host[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  rmSync(dataDirectory, { recursive: true, force: true });
});

const sample = readFileSync(join(import.meta.dirname, '../../../../samples/harbour.geojson'), 'utf8');
const KINDS = 'kind;label\nquay;Kai\nbasin;Becken\n';
type Properties = Readonly<Record<string, unknown>>;

async function propertiesOf(response: Response): Promise<readonly Properties[]> {
  const text = await response.text();
  assert.equal(response.status, 200, text.slice(0, 500));
  return (JSON.parse(text) as { features: { properties: Properties }[] }).features.map(
    ({ properties }) => properties,
  );
}

const send = (
  transformations: readonly object[],
  parts: readonly (readonly [part: string, text: string, name: string])[],
): Promise<Response> =>
  postForm(service, '/v1/transform/geojson', {
    parts: [['file', sample, 'harbour.geojson'], ...parts],
    config: { output_format: 'geojson', transformations },
    headers: { prefer: 'wait=60' },
  });

test('a table is joined and areas are counted, each from a part of the form', async () => {
  const steps = [
    { type: 'join', key: ['kind'], source_options: { delimiter: ';' } },
    { type: 'spatial_join', source: 'source_areas', fields: [], count_field: 'n' },
    {
      type: 'overlay',
      source: 'source_areas',
      source_filter: "kind = 'quay'",
      how: 'identity',
      fields: ['name'],
      prefix: 'in_',
    },
  ];
  const rows = await propertiesOf(
    await send(steps, [
      ['source', KINDS, 'kinds.csv'],
      ['source_areas', sample, 'areas.geojson'],
    ]),
  );
  assert.equal(rows.find(({ kind }) => kind === 'quay')?.label, 'Kai');
  assert.ok(rows.every(({ n }) => Number(n) >= 1));
  assert.ok(rows.some(({ in_name: name }) => name === 'Nordkai'));
});

test('a source can be an upload, in a JSON body too', async () => {
  const client = new GeomillClient({ baseUrl: service.url, fetch: checkedFetch as typeof globalThis.fetch });
  const file = await client.upload({ name: 'kinds.csv', data: KINDS });
  const body = {
    input_geojson: JSON.parse(sample),
    output_format: 'geojson',
    transformations: [
      { type: 'join', key: ['kind'], source_upload: file.id, source_options: { delimiter: ';' } },
    ],
  };
  const rows = await propertiesOf(
    await postJson(service, '/v1/transform/geojson', body, { prefer: 'wait=60' }),
  );
  assert.equal(rows.find(({ kind }) => kind === 'basin')?.label, 'Becken');
});

const fromUrl = (path: string): object => ({
  type: 'join',
  key: ['kind'],
  source_url: `${host.url}${path}`,
  source_options: { delimiter: ';' },
});

test('a source is fetched by its URL, which is not shown, and again for a rerun', async () => {
  const file = { input_geojson: JSON.parse(sample), output_format: 'geojson' };
  const twice = { ...fromUrl('/kinds?key=hidden'), prefix: 'again_' };
  const body = { ...file, transformations: [fromUrl('/kinds?key=hidden'), twice] };
  const before = host.requests.length;
  const answer = await postJson(service, '/v1/transform/geojson', body, { prefer: 'wait=60' });
  const rows = await propertiesOf(answer);
  const basin = rows.find(({ kind }) => kind === 'basin');
  assert.deepEqual([basin?.label, basin?.again_label], ['Becken', 'Becken']);
  assert.equal(host.requests.length, before + 1, 'steps with one address share its file');
  const [job] = ((await (await fetch(`${service.url}/v1/jobs?limit=1`)).json()) as { jobs: { job_id: string }[] }).jobs; // biome-ignore format: one line
  const text = await (await fetch(`${service.url}/v1/jobs/${job.job_id}`)).text();
  assert.doesNotMatch(text, /hidden/);
  const { report } = JSON.parse(text) as { report: { fetched_sources: unknown } };
  assert.deepEqual(report.fetched_sources, [{ host: `127.0.0.1:${host.port}`, byte_length: KINDS.length }]);
  const rerun = await postJson(
    service,
    `/v1/jobs/${job.job_id}/rerun`,
    { input_geojson: JSON.parse(sample) },
    { prefer: 'wait=60' },
  );
  const again = await propertiesOf(rerun);
  assert.equal(again.find(({ kind }) => kind === 'basin')?.label, 'Becken');
  assert.equal(host.requests.length, before + 2);
});

test('steps of an append and a merge take a URL, and are applied to all files', async () => {
  const files = (count: number) =>
    Array.from({ length: count }, () => ['files', sample, 'more.geojson'] as const);
  const config = { output_format: 'geojson', transformations: [fromUrl('/kinds')] };
  const { length } = (JSON.parse(sample) as { features: unknown[] }).features;
  for (const [operation, parts, more] of [
    ['append', [['file', sample, 'harbour.geojson'], ...files(1)], {}],
    ['merge', files(2), { attributes: 'union' }],
  ] as const) {
    const before = host.requests.length;
    const answer = await postForm(service, `/v1/transform/geojson/${operation}`, {
      parts,
      config: { ...config, ...more },
      headers: { prefer: 'wait=60' },
    });
    const rows = await propertiesOf(answer);
    assert.equal(rows.length, 2 * length, operation);
    const basins = rows.filter(({ kind }) => kind === 'basin');
    assert.ok(basins.length >= 2 && basins.every(({ label }) => label === 'Becken'), operation);
    assert.equal(host.requests.length, before + 1, 'the source is fetched once');
  }
});

test('a URL of a source is bound by the rules of inputs, and stated once', async () => {
  const refusals = [
    [{ ...fromUrl('/kinds'), source_url: 'http://other.example/kinds.csv' }, /other\.example/],
    [{ ...fromUrl('/kinds'), source_url: 'file:///etc/passwd' }, /'transformations\[0\]\.source_url'.*http/],
    [{ ...fromUrl('/kinds'), source_upload: 'x' }, /'transformations\[0\]\.source_upload' contradicts/],
    [{ type: 'clip', mask_url: 'ftp://a/b' }, /'transformations\[0\]\.mask_url'/],
    [fromUrl('/large.csv'), /1000000 bytes|MAX_UPLOAD/],
    [fromUrl('/none.csv'), /status 404/],
  ] as const;
  for (const [step, message] of refusals) {
    const body = { input_geojson: JSON.parse(sample), output_format: 'geojson', transformations: [step] };
    const answer = await postJson(service, '/v1/transform/geojson', body, { prefer: 'wait=60' });
    const text = await answer.text();
    assert.ok(answer.status >= 400, text.slice(0, 300));
    assert.match(text, message);
  }
  await using closed = await startTestService({});
  const body = { input_geojson: JSON.parse(sample), output_format: 'geojson', transformations: [fromUrl('/kinds')] }; // biome-ignore format: one line
  const answer = await postJson(closed, '/v1/transform/geojson', body);
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /source_url.*not enabled.*part 'source'/);
});

test('a step without its source and a source without a step are refused with what to do', async () => {
  const missing = await send([{ type: 'join', key: ['kind'] }], []);
  assert.equal(missing.status, 400);
  assert.match(JSON.stringify(await missing.json()), /'transformations\[0\]\.source'.*part 'source'/);
  const spare = await send([], [['source', KINDS, 'kinds.csv']]);
  assert.equal(spare.status, 400);
  assert.match(JSON.stringify(await spare.json()), /join, overlay, spatial_join/);
  const inJson = await postJson(service, '/v1/transform/geojson', {
    input_geojson: JSON.parse(sample),
    output_format: 'geojson',
    transformations: [{ type: 'join', key: ['kind'] }],
  });
  assert.equal(inJson.status, 400);
  assert.match(JSON.stringify(await inJson.json()), /source/);
});
