/** What the specification says nothing about: inputs and outputs with several layers. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { fixturesOf } from '../../../../../test/support/fixtures.ts';
import { sharedServer } from '../../../../../test/support/server-process.ts';
import { type Converted, convert, type File, failedError } from '../../../../../test/support/spec/client.ts';
import { askGeopackage, csvRows, featuresOf, zipMembers } from '../../../../../test/support/spec/outputs.ts';

const server = await sharedServer();
/** Three layers of points, each in a CRS of its own. */
const { path } = fixturesOf('gpkg').find(({ name }) => name === 'crs-three.gpkg')!;
const threeLayers: File = { name: 'three.gpkg', content: readFileSync(path) };
const LAYERS = ['geographic', 'utm', 'web'];

function read(input: object, format: string): Promise<Converted> {
  return convert(server, { input: { format: 'gpkg', ...input }, output: { format } }, threeLayers);
}

test('Layers | input | all layers are read', async () => {
  const layers = featuresOf((await read({}, 'geojson')).text).map(({ properties }) => properties.layer);
  assert.deepEqual([...new Set(layers)], LAYERS);
});

test('Layers | input | input.layer names the one to read, or several', async () => {
  const one = featuresOf((await read({ layer: 'utm' }, 'geojson')).text);
  const two = featuresOf((await read({ layer: ['web', 'utm'] }, 'geojson')).text);
  assert.ok(one.length > 0 && two.length > one.length);
  const config = { input: { format: 'gpkg', layer: 'roads' }, output: { format: 'csv' } };
  assert.match(await failedError(server, config, threeLayers), /'roads'.*geographic.*utm.*web/);
});

test('Layers | gpkg output | keeps layers separate', async () => {
  const [tables] = askGeopackage(
    (await read({}, 'gpkg')).bytes,
    'SELECT table_name AS name FROM gpkg_contents ORDER BY 1',
  );
  assert.deepEqual(
    tables.map(({ name }) => name),
    LAYERS,
  );
});

test('Layers | shp output | one shapefile for each layer', async () => {
  const members = [...(await zipMembers((await read({}, 'shp')).bytes)).keys()];
  assert.deepEqual(
    members.filter((name) => name.endsWith('.shp')).sort(),
    LAYERS.map((name) => `${name}.shp`),
  );
});

test('Layers | geojson, csv and dxf output | join layers, with a field layer', async () => {
  const rows = csvRows((await read({}, 'csv')).text);
  assert.deepEqual([...new Set(rows.map(({ layer }) => layer))], LAYERS);
  assert.match((await read({}, 'dxf')).text, /\n1000\ns:layer\n1000\nutm\n/);
});
