/** What geomill writes as CSV it reads again without options: every delimiter, WKT and columns of coordinates. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';

type Geometry = { readonly type: string; readonly coordinates: unknown } | null;
interface Feature {
  readonly type: 'Feature';
  readonly properties: Readonly<Record<string, unknown>>;
  readonly geometry: Geometry;
}

const feature = (geometry: Geometry, properties: Feature['properties']): Feature => ({
  type: 'Feature',
  properties,
  geometry,
});

const DELIMITERS = [',', ';', '\t', '|'];
const point = (...coordinates: number[]): Geometry => ({ type: 'Point', coordinates });
const TEXTS = [
  'a,b',
  'a;b',
  'a\tb',
  'a|b',
  'say "x"',
  'two\nlines',
  ' blanks ',
  '',
  '47,5',
  '1.234,5',
  'NULL',
  'N',
  'S',
  '# no',
  'sep=;',
  'é ü 北',
];

/** Points, one row without geometry, and fields whose values and names are easily misread. */
const POINTS: readonly Feature[] = [
  ...TEXTS.map((text, i) =>
    feature(point(8.1 + i * 1.000000001, -47.12345678901234 + i), {
      'a,b;c|d\te': text,
      'na"me': `${text}.`,
      count: i,
      share: i / 7,
      lat_min: i,
      zone: `${30 + i}N`,
    }),
  ),
  feature(null, { 'a,b;c|d\te': 'none', 'na"me': '-', count: 99, share: 0.5, lat_min: 0, zone: '1N' }),
];

const SHAPES: readonly Feature[] = [
  feature({ type: 'LineString', coordinates: [[0, 1], [2, 3.5]] }, { n: 'line' }),
  feature({ type: 'Polygon', coordinates: [[[0, 0], [1, 0], [1, 1], [0, 0]]] }, { n: 'x, y; z' }),
  feature({ type: 'MultiPoint', coordinates: [[1, 2], [3, 4]] }, { n: 'N' }),
  feature(null, { n: 'none' }),
]; // biome-ignore format: geometries

async function again(
  features: readonly Feature[],
  writeOptions: Record<string, unknown>,
): Promise<{ text: string; features: Feature[] }> {
  using workspace = makeWorkspace();
  const source = join(workspace.path, 'source.geojson');
  writeFileSync(source, JSON.stringify({ type: 'FeatureCollection', features }));
  const csv = await convertFile(source, workspace.path, { from: 'geojson', to: 'csv', writeOptions });
  const text = readFileSync(csv.outputPath, 'utf8');
  const back = await convertFile(csv.outputPath, workspace.path, {
    from: 'csv',
    to: 'geojson',
    fromCrs: writeOptions.geometry === 'xy' ? null : 'EPSG:4326',
  });
  return { text, features: JSON.parse(readFileSync(back.outputPath, 'utf8')).features };
}

for (const delimiter of DELIMITERS) {
  const name = JSON.stringify(delimiter);
  test(`points are the same after WKT and after columns of coordinates with ${name}`, async () => {
    for (const geometry of ['wkt', 'xy']) {
      const back = await again(POINTS, { delimiter, geometry });
      assert.deepEqual(back.features, POINTS, `${geometry} ${back.text.slice(0, 200)}`);
    }
  });

  test(`heights, rows without fields and shapes are the same with ${name}`, async () => {
    const heights = [feature(point(1, 2, 3), { n: 'a' }), feature(point(4, 5, 6.5), { n: 'b' })];
    const bare = [feature(point(1, 2), {}), feature(null, {}), feature(point(3, 4), {})];
    for (const geometry of ['wkt', 'xy']) {
      assert.deepEqual((await again(heights, { delimiter, geometry })).features, heights, geometry);
      assert.deepEqual((await again(bare, { delimiter, geometry })).features, bare, geometry);
    }
    assert.deepEqual((await again(SHAPES, { delimiter })).features, SHAPES);
  });
}

test('fields with names of coordinates do not hide the columns that are written', async () => {
  const named = [
    feature(point(8.5, 47.5), { lon: 1.5, lat: 2.5, easting: 3, northing: 4, X: 5, y: 6 }),
    feature(point(8.25, 47.25), { lon: 1, lat: 2, easting: 30, northing: 40, X: 50, y: 60 }),
  ];
  const wkt = await again(named, {});
  assert.deepEqual(wkt.features, named);
});
