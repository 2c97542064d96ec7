/** Second sources of steps over HTTP: a part of a form, other parts, an upload, and what is refused. With the real runners. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { GeomillClient } from '../../src/client/client.ts';
import { checkedFetch } from '../support/response-check.ts';
import { postForm, postJson, startTestService } from '../support/service.ts';

const dataDirectory = mkdtempSync(join(tmpdir(), 'geomill-sources-'));
const service = await startTestService({ runner: null, dataDirectory, settings: { RUNNERS: '1' } });
test.after(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(dataDirectory, { recursive: true, force: true });
});

const sample = readFileSync(join(import.meta.dirname, '..', '..', 'samples', 'harbour.geojson'), 'utf8');
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
