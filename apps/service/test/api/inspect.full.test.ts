/** POST /v1/inspect with real runners: what a file holds, and what a conversion of it would lose. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { checkedFetch as fetch } from '../../../../test/support/response-check.ts';
import { startTestService } from '../../../../test/support/service.ts';

const service = await startTestService({ runner: null, settings: { RUNNERS: '1' } });
test.after(() => service[Symbol.asyncDispose]());

const sample = readFileSync(join(import.meta.dirname, '../../../../samples/harbour.geojson'));

interface Inspection {
  readonly format: string;
  readonly layers: readonly Record<string, unknown>[];
  readonly warnings: readonly { readonly code: string }[];
  readonly output: Record<string, unknown> | null;
}

async function inspect(
  config: object,
  file: string | Uint8Array<ArrayBuffer>,
  name: string,
): Promise<{ response: Response; found: Inspection }> {
  const form = new FormData();
  form.append('config', JSON.stringify(config));
  form.append('input_file', new Blob([file]), name);
  const response = await fetch(`${service.url}/v1/inspect`, { method: 'POST', body: form });
  assert.equal(response.headers.get('content-type')?.split(';')[0], 'application/json');
  return { response, found: (await response.json()) as Inspection };
}

const collection = (...features: object[]): string => JSON.stringify({ type: 'FeatureCollection', features });
const point = (coordinates: number[], properties: object): object => ({
  type: 'Feature',
  properties,
  geometry: { type: 'Point', coordinates },
});

test('an inspection tells layers, fields, counts, extent and CRS', async () => {
  const { response, found } = await inspect(
    { input: { format: 'geojson' } },
    collection(point([7, 50, 3], { Name: 'a', size: 1 }), point([8, 51], { Name: null, size: 2.5 })),
    'two.geojson',
  );
  assert.equal(response.status, 200);
  assert.deepEqual(found, {
    format: 'geojson',
    layers: [
      {
        name: 'two',
        features: 2,
        geometry_types: { Point: 2 },
        has_z: true,
        has_m: false,
        extent: [7, 50, 8, 51],
        crs: {
          name: 'WGS 84',
          authority: { name: 'EPSG', code: '4326' },
          kind: 'geographic',
          unit_name: 'degree',
          origin: 'file',
        },
        crs_suggestions: [],
        metres_per_unit: null,
        encoding: found.layers[0].encoding,
        fields: [
          { name: 'Name', type: 'string', non_null: 1, facts: null },
          { name: 'size', type: 'float64', non_null: 2, facts: null },
        ],
      },
    ],
    text: null,
    warnings: [],
    output: null,
  });
});

test('with an output it tells what that would change and lose, and leaves no file of it', async () => {
  const config = {
    input: { format: 'geojson' },
    transformations: [{ type: 'explode' }],
    output: { format: 'shp', epsg: 3857 },
  };
  const { found } = await inspect(
    config,
    collection(point([7, 50], { a_very_long_name: 'x'.repeat(300) }), point([8, 51], {})),
    'roads.geojson',
  );
  const output = found.output as {
    format: string;
    crs: string;
    bytes: number;
    features: { written: number };
    fields: { renamed: object[] };
    reprojections: object[];
    steps: { type: string; features_out: number }[];
    warnings: { code: string }[];
    severities: { lost: number };
  };
  assert.deepEqual([output.format, output.crs, output.features.written], ['shp', 'EPSG:3857', 2]);
  assert.ok(output.bytes > 100);
  assert.deepEqual(output.fields.renamed, [{ layer: 'roads', from: 'a_very_long_name', to: 'a_very_lon' }]);
  assert.equal(output.reprojections.length, 1);
  assert.deepEqual(output.steps.map((step) => [step.type, step.features_out]), [['explode', 2]]); // biome-ignore format: one line
  assert.equal(output.severities.lost, 1);
  const codes = output.warnings.map(({ code }) => code);
  assert.ok(codes.includes('FIELD_RENAMED') && codes.includes('TEXT_CUT'), codes.join());
  assert.deepEqual(found.warnings, [], 'what only the output would lose is no warning of the input');
  assert.deepEqual(readdirSync(join(service.config.dataDirectory, 'inputs')), []);
});

test('a conversion that would fail is told, and the inspection succeeds all the same', async () => {
  const { response, found } = await inspect(
    {
      input: { format: 'geojson' },
      transformations: [{ type: 'select', fields: ['nope'] }],
      output: { format: 'csv' },
    },
    collection(point([7, 50], { a: 1 })),
    'points.geojson',
  );
  assert.equal(response.status, 200);
  assert.equal(found.layers[0].features, 1);
  const { format, error } = found.output as { format: string; error: { code: string; message: string } };
  assert.deepEqual([format, error.code], ['csv', 'FIELD_UNKNOWN']);
  assert.match(error.message, /nope/);
});

test('a file whose CRS nobody states is inspected all the same', async () => {
  const { found } = await inspect(
    { input: { format: 'csv' } },
    'geom_wkt,n\n"POINT (1 2)",1\n',
    'points.csv',
  );
  assert.deepEqual([found.layers[0].crs, found.layers[0].extent], [null, [1, 2, 1, 2]]);
});

test('an input that cannot be read fails the inspection, and so does a CRS that nobody knows', async () => {
  const broken = await inspect({ input: { format: 'geojson' } }, '{"type":', 'broken.geojson').catch(
    () => null,
  );
  assert.equal(broken, null, 'a problem is not JSON of an inspection');
  const form = new FormData();
  form.append('config', '{"input":{"format":"csv","epsg":999999}}');
  form.append('input_file', new Blob(['geom_wkt\n"POINT (1 2)"\n']), 'a.csv');
  const response = await fetch(`${service.url}/v1/inspect`, { method: 'POST', body: form });
  assert.equal(response.status, 400);
  assert.match(await response.text(), /999999/);
});

test('jobs tell of inspections without a format of output and without a report', async () => {
  const { response } = await inspect({ input: { format: 'geojson' } }, sample, 'harbour.geojson');
  assert.equal(response.status, 200);
  const list = (await (await fetch(`${service.url}/v1/jobs?operation=inspect&limit=1`)).json()) as {
    jobs: { job_id: string; output: Record<string, unknown> }[];
  };
  const [{ job_id: id, output }] = list.jobs;
  assert.deepEqual(
    [output.format, output.name, output.media_type],
    [null, 'harbour.inspection.json', 'application/json'],
  );
  const job = (await (await fetch(`${service.url}/v1/jobs/${id}`)).json()) as Record<string, unknown>;
  assert.deepEqual([job.operation, job.report, job.warnings], ['inspect', null, []]);
  const again = await fetch(`${service.url}/result/output/${id}`);
  assert.equal(((await again.json()) as Inspection).format, 'geojson');
});

test('a layer without a CRS has suggestions', async () => {
  const london = 'geom_wkt,n\nPOINT (530000 180000),1\nPOINT (531190 180710),2\n';
  const { found } = await inspect({ input: { format: 'csv' } }, london, 'london.csv');
  const [{ crs, crs_suggestions: suggestions }] = found.layers;
  assert.equal(crs, null);
  const codes = (suggestions as { crs: string; name: string }[]).map((one) => one.crs);
  assert.ok(codes.includes('EPSG:27700'), String(codes));
  const degrees = 'geom_wkt\nPOINT (8.5 53.5)\n';
  const inDegrees = await inspect({ input: { format: 'csv' } }, degrees, 'a.csv');
  assert.deepEqual(inDegrees.found.layers[0].crs_suggestions, [{ crs: 'EPSG:4326', name: 'WGS 84' }]);
  // Without our APPID and GEODATA.
  const drawing = '0\nSECTION\n2\nENTITIES\n0\nPOINT\n8\n0\n10\n530000\n20\n180000\n0\nENDSEC\n0\nEOF\n';
  const inDrawing = await inspect({ input: { format: 'dxf' } }, drawing, 'a.dxf');
  assert.ok(
    (inDrawing.found.layers[0].crs_suggestions as { crs: string }[]).some((one) => one.crs === 'EPSG:27700'),
  );
});
