/** Specification, "Reprojection". */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sharedServer } from '../../../../../test/support/server-process.ts';
import { convert, convertVersioned, type File, get } from '../../../../../test/support/spec/client.ts';
import {
  dxfFile,
  dxfPoint,
  feature,
  geojsonFile,
  point,
  square,
} from '../../../../../test/support/spec/inputs.ts';
import { csvRows, featuresOf, wktNumbers } from '../../../../../test/support/spec/outputs.ts';

const server = await sharedServer();
const inUtm = dxfFile(dxfPoint(500000, 0));

test('Reprojection | every request | all geometries are reprojected before writing', async () => {
  const file = geojsonFile(
    point(9, 0),
    feature('LineString', [
      [9, 0],
      [9, 1],
    ]),
    square(9, 0, 0.5),
  );
  const config = { input: { format: 'geojson' }, output: { format: 'csv', epsg: 25832 } };
  for (const { geom_wkt } of csvRows((await convert(server, config, file)).text)) {
    const [x, y] = wktNumbers(geom_wkt);
    assert.ok(Math.abs(x - 500000) < 1e-3 && Math.abs(y) < 1e-3, geom_wkt);
  }
});

test('Reprojection | output CRS | output.epsg in the job API', async () => {
  const config = { input: { format: 'dxf', epsg: 25832 }, output: { format: 'csv', epsg: 3857 } };
  const [{ geom_wkt }] = csvRows((await convert(server, config, inUtm)).text);
  assert.ok(Math.abs(wktNumbers(geom_wkt)[0] - 1001875.4171) < 1e-3, geom_wkt);
});

test('Reprojection | output CRS | output_crs in the versioned API', async () => {
  const config = { input_crs: 'EPSG:25832', output_format: 'csv', output_crs: 'EPSG:3857' };
  const [{ geom_wkt }] = csvRows((await versioned(config, inUtm)).text);
  assert.ok(Math.abs(wktNumbers(geom_wkt)[0] - 1001875.4171) < 1e-3, geom_wkt);
});

test('Reprojection | default | EPSG:4326 in the job API', async () => {
  const config = { input: { format: 'dxf', epsg: 25832 }, output: { format: 'csv' } };
  assert.equal(csvRows((await convert(server, config, inUtm)).text)[0].geom_wkt, 'POINT (9 0)');
});

test('Reprojection | default | EPSG:4326 in the versioned API', async () => {
  const { text } = await versioned({ input_crs: 'EPSG:25832', output_format: 'geojson' }, inUtm);
  assert.deepEqual(featuresOf(text)[0].geometry?.coordinates, [9, 0]);
});

test('Reprojection | report | names the operation and its accuracy', async () => {
  const config = { input: { format: 'geojson' }, output: { format: 'csv', epsg: 25832 } };
  const { jobId } = await convert(server, config, geojsonFile(point(9, 0)));
  const { report } = (await get(server, `/v1/jobs/${jobId}`)).json();
  const [{ from, to, operation }] = report.reprojections as unknown as Record<string, string>[];
  assert.deepEqual([from, to], ['EPSG:4326', 'EPSG:25832']);
  assert.match(operation, /UTM zone 32N/);
});

function versioned(config: object, { name, content }: File) {
  return convertVersioned(server, '/v1/transform/dxf', [
    ['file', content, name],
    ['config', JSON.stringify(config)],
  ]);
}
