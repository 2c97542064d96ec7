/** Longitudes near a pole, where meridians are millimetres apart, are not rounded to 180 degrees between geographic systems. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';

/** A datum that nobody knows, so that positions stay as they are. */
const UNKNOWN =
  'GEOGCS["unknown",DATUM["D_unknown",SPHEROID["unknown",6378137.01,298.257223563]],PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433]]';

test('a position near the pole and near 180 degrees keeps its longitude', async () => {
  using workspace = makeWorkspace();
  const ring = [
    [-180, -84.7],
    [-180, -89.998899],
    [-60, -89.998899],
    [60, -89.998899],
    [179.9999488, -89.998899],
    [179.9999488, -84.7],
    [0, -80],
    [-180, -84.7],
  ];
  const given = join(workspace.path, 'given.geojson');
  writeFileSync(given, JSON.stringify({ type: 'Polygon', coordinates: [ring] }));
  const table = await convertFile(given, workspace.path, { from: 'geojson', to: 'csv', outputName: 'given' });
  const { outputPath } = await convertFile(table.outputPath, workspace.path, {
    from: 'csv',
    to: 'geojson',
    fromCrs: UNKNOWN,
    toCrs: 'EPSG:4326',
    outputName: 'out',
  });
  const [{ geometry }] = (
    JSON.parse(readFileSync(outputPath, 'utf8')) as {
      features: { geometry: { coordinates: number[][][] } }[];
    }
  ).features;
  const longitudes = new Set(geometry.coordinates.flat().map(([x]) => x));
  assert.ok(longitudes.has(179.9999488), [...longitudes].join(' '));
  assert.ok(!longitudes.has(180));
});
