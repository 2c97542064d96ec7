/** Everyday work over HTTP: what users send with curl by heart, programs, QGIS, and the client. GDAL reads the outputs. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { promisify } from 'node:util';
import { GeomillClient } from '../../packages/client/src/client.ts';
import { fileFrom, saveTo } from '../../packages/client/src/node/files.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { assertClose, type Layer, type Oracle, skip, startOracle } from './job.ts';

const oracle = skip === false ? await startOracle() : (null as unknown as Oracle);
const service = skip === false ? await startTestService({ runner: null }) : (null as unknown as TestService);
test.after(async () => {
  await service?.stop();
  oracle?.close();
});

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly detail: string;
}

/** Runs `curl ARGUMENTS URL`, with `{}` for a blank in an argument. */
async function curl(args: string, path: string): Promise<Answer> {
  const words = args === '' ? [] : args.split(' ').map((word) => word.replaceAll('{}', ' '));
  const { stdout } = await promisify(execFile)(
    'curl',
    ['-sS', '-w', '\n%{http_code}', ...words, service.url + path],
    { encoding: 'utf8', maxBuffer: 1 << 26 },
  );
  const end = stdout.lastIndexOf('\n');
  const body = stdout.slice(0, end);
  const { detail = '' } = body.startsWith('{') ? (JSON.parse(body) as { detail?: string }) : {};
  return { status: Number(stdout.slice(end + 1)), body, detail };
}

const WAIT = '-H Prefer:{}wait=60';

test('36: the files of a shapefile sent one by one are answered with what to send', { skip }, async () => {
  const folder = 'parcels-25832.zip.files/parcels';
  const parts = ['shp', 'shx', 'dbf', 'prj'].map((ending) => `-F file=@${folder}.${ending}`).join(' ');
  const form = '-F input_format=shp -F output_format=gpkg';
  const several = await curl(`${parts} ${form}`, '/transform');
  assert.deepEqual(
    [several.status, /zip all files of the shapefile together/.test(several.detail)],
    [400, true],
  );
  const { status } = await curl(`${WAIT} -o parcels.gpkg -F file=@parcels-25832.zip ${form} -F output_crs=source`, '/transform'); // biome-ignore format: one line
  assert.equal(status, 200);
  const [layer] = await oracle.read('parcels.gpkg');
  const [expected] = await oracle.read('/vsizip/parcels-25832.zip');
  assert.equal(layer.epsg, '25832');
  assert.equal(layer.features.length, expected.features.length);
  for (const [i, { area = 0, values }] of layer.features.entries()) {
    assertClose(area, expected.features[i].area ?? 0, 1e-6);
    assert.deepEqual(values, expected.features[i].values);
  }
});

test('37: web Mercator in a GeoJSON is named, with the field that states it', { skip }, async () => {
  const point = { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [950_000, 7_000_000] } }; // biome-ignore format: one line
  const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::3857' } };
  writeFileSync('mercator.geojson', JSON.stringify({ type: 'FeatureCollection', crs, features: [point] }));
  const form = '-F file=@mercator.geojson -F input_format=geojson -F output_format=gpkg';
  const refused = await curl(`${WAIT} ${form}`, '/transform');
  assert.equal(refused.status, 400);
  assert.match(refused.detail, /crs member 'urn:ogc:def:crs:EPSG::3857'.*'input_epsg'/);
  const { status } = await curl(`${WAIT} -o mercator.gpkg ${form} -F input_epsg=3857`, '/transform');
  assert.equal(status, 200);
  const [expected] = await oracle.ogr2ogr(
    'mercator-gdal.gpkg', 'mercator.geojson', '-s_srs', 'EPSG:3857', '-t_srs', 'EPSG:4326',
  ); // biome-ignore format: options
  const [layer] = await oracle.read('mercator.gpkg');
  const numbers = (one: Layer): number[] => (one.features[0].wkt ?? '').match(/[\d.]+/g)!.map(Number);
  for (const [i, value] of numbers(layer).entries()) assertClose(value, numbers(expected)[i], 1e-9);
});

test('38: a form without a config leads to its fields', { skip }, async () => {
  for (const form of ['-F file=@roads.gpkg', '-F file=@roads.gpkg -F format=csv']) {
    const { status, detail } = await curl(form, '/transform');
    assert.deepEqual([status, /as parts: input_format, output_format/.test(detail)], [400, true], detail);
  }
  const { detail } = await curl('-F file=@roads.gpkg -F output_format=csv', '/transform');
  assert.match(detail, /'input\.format' is required; known formats are/);
  const right = '-F file=@roads.gpkg -F input_format=gpkg -F output_format=csv -F output_crs=source';
  const { status } = await curl(`${WAIT} -o roads.csv ${right}`, '/transform');
  assert.equal(status, 200);
  const [csv] = await oracle.read('roads.csv');
  assert.equal(csv.features.length, (await oracle.read('roads.gpkg'))[0].features.length);
});

test('39: a program sends a file with a config, or GeoJSON as JSON', { skip }, async () => {
  const form = new FormData();
  form.append('config', '{"input": {"format": "gpkg"}, "output": {"format": "geojson"}}');
  form.append('input_file', new Blob([readFileSync('roads.gpkg')]), 'roads.gpkg');
  const submitted = await fetch(`${service.url}/transform`, { method: 'POST', body: form });
  const { job_id: id } = (await submitted.json()) as { job_id: string };
  await service.ended(id);
  const output = await fetch(`${service.url}/result/output/${id}`);
  writeFileSync('roads.geojson', await output.text());
  const [roads] = await oracle.read('roads.geojson');
  const [expected] = await oracle.ogr2ogr('roads-gdal.gpkg', 'roads.gpkg', '-t_srs', 'EPSG:4326');
  assert.deepEqual(
    roads.features.map(({ values }) => values.name),
    expected.features.map(({ values }) => values.name),
  );

  const body = { input_geojson: JSON.parse(readFileSync('roads.geojson', 'utf8')), output_format: 'csv' };
  const direct = await fetch(`${service.url}/v1/transform/geojson`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(direct.status, 200);
  writeFileSync('direct.csv', await direct.text());
  const [csv] = await oracle.read('direct.csv');
  assert.deepEqual(
    csv.features.map(({ values }) => values.geom_wkt),
    roads.features.map(({ wkt }) => wkt),
  );
});

test('40: GDAL, and so QGIS, opens the address of an output', { skip }, async () => {
  const [expected] = await oracle.ogr2ogr('remote-gdal.gpkg', 'roads.gpkg', '-t_srs', 'EPSG:4326');
  // GDAL recognises a GeoPackage by its extension.
  for (const [format, extension] of [
    ['geojson', ''],
    ['gpkg', '?.gpkg'],
  ]) {
    const { body } = await curl(
      `-F file=@roads.gpkg -F input_format=gpkg -F output_format=${format}`,
      '/transform',
    );
    const { job_id: id } = JSON.parse(body) as { job_id: string };
    await service.ended(id);
    const [remote] = await oracle.read(`/vsicurl/${service.url}/result/output/${id}${extension}`);
    assert.deepEqual(
      remote.features.map(({ values }) => [values.rid, values.name]),
      expected.features.map(({ values }) => [values.rid, values.name]),
    );
  }
});

test('41: the client converts, reports progress and problems, and saves', { skip }, async () => {
  const client = new GeomillClient({ baseUrl: service.url });
  const stages: string[] = [];
  const job = await client.submit({
    input: await fileFrom('roads.gpkg'),
    mask: await fileFrom('municipalities.gpkg'),
    config: {
      input: { format: 'gpkg' },
      transformations: [{ type: 'clip', mask_filter: "name = 'Muni A'" }],
      output: { format: 'gpkg', epsg: 25832 },
    },
  });
  await job.wait({ onProgress: ({ stage }) => stages.push(stage) });
  assert.ok(stages.length > 0);
  await saveTo(await job.download(), 'clipped.gpkg');
  const [clipped] = await oracle.read('clipped.gpkg');
  const [expected] = await oracle.ogr2ogr(
    'clipped-gdal.gpkg', 'roads.gpkg',
    '-clipsrc', 'municipalities.gpkg', '-clipsrcwhere', "name = 'Muni A'", '-nlt', 'PROMOTE_TO_MULTI',
  ); // biome-ignore format: options
  assert.equal(clipped.features.length, expected.features.length);

  const wrong = client.submit({
    input: await fileFrom('roads.gpkg'),
    config: { input: { format: 'gpkg' }, output: { format: 'csv' }, transformations: [{ type: 'filter', where: 'lanes >' }] },
  }); // biome-ignore format: one config
  await assert.rejects(wrong, /is not understood at character 8/);
});

test('a job is run again with another input', { skip }, async () => {
  const config = '{"input":{"format":"shp"},"output":{"format":"csv"}}';
  const { body } = await curl(`-F config=${config} -F input_file=@obs_01.zip`, '/transform');
  const { job_id: id } = JSON.parse(body) as { job_id: string };
  await service.ended(id);
  const { status } = await curl(`${WAIT} -o again.csv -F input_file=@obs_02.zip`, `/v1/jobs/${id}/rerun`);
  assert.equal(status, 200);
  const [again] = await oracle.read('again.csv');
  const [expected] = await oracle.read('/vsizip/obs_02.zip');
  assert.deepEqual(
    again.features.map(({ values }) => [Number(values.ID), values.STATION]),
    expected.features.map(({ values }) => [values.ID, values.STATION]),
  );
});

test('a job that would lose values fails if that is asked for', { skip }, async () => {
  const config =
    '{"input":{"format":"gpkg"},"output":{"format":"csv"},"fail_on":"lost","accept_impossible_coordinates":true}';
  const { status, detail } = await curl(
    `${WAIT} -F config=${config} -F input_file=@swapped.gpkg`,
    '/transform',
  );
  assert.equal(status, 400);
  assert.match(detail, /'fail_on'/);
});

test('46: a large job reports events and is cancelled by deleting it', { skip }, async () => {
  const feature =
    '{"type":"Feature","properties":{"a":1},"geometry":{"type":"Point","coordinates":[8.5,53.5]}}\n';
  writeFileSync('large.geojsonl', feature.repeat(300_000));
  const form = '-F file=@large.geojsonl -F input_format=geojson -F output_format=gpkg';
  const submit = async (): Promise<string> =>
    (JSON.parse((await curl(form, '/transform')).body) as { job_id: string }).job_id;
  const whole = await submit();
  const events = await curl('-N', `/v1/jobs/${whole}/events`);
  assert.match(events.body, /event: progress/);
  assert.equal((await service.ended(whole)).state, 'SUCCESS');
  const [[count]] = await oracle.rows(
    `/vsicurl/${service.url}/result/output/${whole}?.gpkg`,
    'SELECT count(*) FROM large',
  );
  assert.equal(count, 300_000);

  const stopped = await submit();
  assert.equal((await curl('-X DELETE', `/v1/jobs/${stopped}`)).status, 204);
  const ended = await service.ended(stopped);
  assert.deepEqual([ended.state, ended.error?.code], ['FAILED', 'CANCELLED']);
  assert.match((await curl('', `/result/status/${stopped}`)).body, /"FAILED".*cancelled/);
});

test('47: systems are found by name over HTTP', { skip }, async () => {
  const { body } = await curl('', '/v1/crs?q=utm+32&near=8.5,53.5&limit=2');
  const { crs } = JSON.parse(body) as { crs: { code: string }[] };
  assert.deepEqual(
    crs.map(({ code }) => code),
    ['EPSG:32632', 'EPSG:25832'],
  );
});
