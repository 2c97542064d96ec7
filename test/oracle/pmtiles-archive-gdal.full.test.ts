/** The PMTiles driver of GDAL, from 3.8 on, reads layers, fields and all features of an archive. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { datasetPath } from '../../bench/data.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';

const python = join(process.env.GDAL312_DIR ?? '', 'bin', 'python');
const skip =
  process.env.GDAL312_DIR !== undefined && existsSync(python)
    ? false
    : 'no GDAL with a PMTiles driver: GDAL312_DIR names a virtual environment with pyogrio (bench/README.md)';

interface ArchiveLayer {
  readonly name: string;
  readonly type: string;
  readonly crs: string;
  readonly zoom: string;
  /** In EPSG:3857. */
  readonly bounds: readonly [number, number, number, number];
  readonly hasGeometries: boolean;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

function layersOf(path: string): ArchiveLayer[] {
  const script = join(import.meta.dirname, 'pmtiles_archive.py');
  return JSON.parse(execFileSync(python, [script, path], { encoding: 'utf8' })) as ArchiveLayer[];
}

test('finds every feature with its values in an archive', { skip }, async () => {
  using workspace = makeWorkspace();
  const path = datasetPath('buildings', 300);
  const options = { from: 'geojson', to: 'pmtiles', writeOptions: { max_zoom: 12 } } as const;
  const { outputPath } = await convertFile(path, workspace.path, options);
  const [layer, ...others] = layersOf(outputPath);
  assert.equal(others.length, 0);
  const { rows, bounds, ...facts } = layer;
  assert.deepEqual(facts, {
    name: 'buildings-300',
    type: 'Polygon',
    crs: 'EPSG:3857',
    zoom: '12',
    hasGeometries: true,
  });
  const source = JSON.parse(readFileSync(path, 'utf8')) as {
    features: { properties: Record<string, unknown> }[];
  };
  // A feature at the border of tiles is in each of them.
  const byId = new Map(rows.map(({ mvt_id: _, ...values }) => [values.id, values]));
  assert.equal(byId.size, source.features.length);
  for (const { properties } of source.features) assert.deepEqual(byId.get(properties.id), properties);
  // Of the data: 6.2 to 11.8 degrees east, 44 to 56 degrees north.
  const [west, south, east, north] = bounds;
  assert.ok(west > 689_000 && east < 1_315_000 && south > 5_464_000 && north < 7_561_000, String(bounds));
});

test('finds the layers of an archive with their names', { skip }, async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'in.kml');
  const folder = (name: string, ...places: readonly string[]): string =>
    `<Folder><name>${name}</name>${places.map((place) => `<Placemark><name>${place}</name><Point><coordinates>${place}</coordinates></Point></Placemark>`).join('')}</Folder>`;
  writeFileSync(
    path,
    `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${folder('Häfen', '8,50', '9,51')}${folder('lights', '7,52')}</Document></kml>`,
  );
  const options = { from: 'kml', to: 'pmtiles', writeOptions: { max_zoom: 6 } } as const;
  const { outputPath } = await convertFile(path, workspace.path, options);
  const found = layersOf(outputPath).map(({ name, type, rows }) => [name, type, rows.map((row) => row.name)]);
  assert.deepEqual(found.toSorted(), [
    ['Häfen', 'Point', ['8,50', '9,51']],
    ['lights', 'Point', ['7,52']],
  ]);
});
