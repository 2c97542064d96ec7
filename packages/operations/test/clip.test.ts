/** clip: what is inside stays as it is, what is outside goes and is counted, what is on the border is cut. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { areValid, idsOf, METRIC_CRS, runStep, settingIn } from '../../../test/support/run-step.ts';
import { batchOfWkt } from '../../../test/support/wkt-column.ts';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { clip } from '../src/clip/record.ts';

const DEGREES = settingIn(WGS84_DESCRIPTION);

function rectangle(west: number, south: number, east: number, north: number): object {
  const ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]; // biome-ignore format: one line
  return { type: 'Polygon', coordinates: [ring] };
}

const MASK = { clipping_geojson: rectangle(0, 0, 10, 10) };
const run = (texts: readonly (string | null)[], mask: object = MASK) =>
  runStep(clip, { ...mask }, batchOfWkt(texts), DEGREES);

test('features inside, outside and without a geometry are decided without touching them', async () => {
  const { rows, texts, counts } = await run([
    'POLYGON ((1 1, 2 1, 2 2, 1 1))',
    'POLYGON ((11 1, 12 1, 12 2, 11 1))',
    null,
    'POLYGON EMPTY',
    'LINESTRING (1 1, 9 9)',
    'POINT (20 20)',
  ]);
  assert.deepEqual(rows.map(({ id }) => id), [1, 3, 4, 5]); // biome-ignore format: one line
  assert.deepEqual(texts, ['POLYGON ((1 1, 2 1, 2 2, 1 1))', null, 'POLYGON EMPTY', 'LINESTRING (1 1, 9 9)']);
  assert.deepEqual(counts, { FEATURES_OUTSIDE: 2 });
});

test('what is inside keeps every byte, with Z and M, also where it is invalid', async () => {
  const texts = [
    'POLYGON ZM ((1 1 1 1, 2 2 2 2, 2 1 3 3, 1 2 4 4, 1 1 1 1))',
    'POINT Z (5 5 7)',
    'POINT (50 50)',
  ];
  const batch = batchOfWkt(texts, 'XYZM');
  const { texts: left, findings } = await runStep(clip, MASK, batch, DEGREES);
  assert.deepEqual(left, texts.slice(0, 2));
  assert.deepEqual(findings.map(({ code }) => code), ['FEATURES_OUTSIDE']); // biome-ignore format: one line
  const inside = batchOfWkt(texts.slice(0, 2), 'XYZM');
  assert.equal((await runStep(clip, MASK, inside, DEGREES)).batch, inside, 'nothing is copied');
});

test('features on the border are cut there', async () => {
  const { texts, counts, batch } = await run([
    'POLYGON ((8 8, 12 8, 12 9, 8 9, 8 8))',
    'LINESTRING (5 5, 15 5, 15 2, 5 2)',
    'MULTIPOINT (1 1, 10 5, 11 5)',
    'POINT (10 10)',
  ]);
  assert.deepEqual(counts, {});
  assert.equal(texts[0], 'POLYGON ((8 8, 8 9, 10 9, 10 8, 8 8))');
  assert.equal(texts[1], 'MULTILINESTRING ((5 5, 10 5), (10 2, 5 2))');
  assert.equal(texts[2], 'MULTIPOINT ((1 1), (10 5))');
  assert.equal(texts[3], 'POINT (10 10)');
  assert.ok(await areValid(batch));
});

test('a result keeps the dimension: what only touches the border leaves nothing', async () => {
  const { rows, counts } = await run([
    'POLYGON ((10 0, 12 0, 12 9, 10 9, 10 0))',
    'POLYGON ((10 10, 12 10, 12 12, 10 10))',
    'LINESTRING (10 10, 15 15)',
    'LINESTRING (10 1, 10 2)',
  ]);
  assert.deepEqual(rows.map(({ id }) => id), [4]); // biome-ignore format: one line
  assert.deepEqual(counts, { FEATURES_OUTSIDE: 3 });
});

test('collections are clipped member by member', async () => {
  const { texts } = await run([
    'GEOMETRYCOLLECTION (POINT (11 1), MULTIPOINT (1 1, 11 1), LINESTRING (5 5, 15 5), POLYGON ((8 8, 12 8, 12 9, 8 9, 8 8)))',
    'GEOMETRYCOLLECTION (POINT (11 1), LINESTRING (11 1, 12 1))',
    'GEOMETRYCOLLECTION (POINT (1 1), MULTILINESTRING ((1 1, 2 2), (9 5, 10 5)))',
    'GEOMETRYCOLLECTION (MULTIPOLYGON (((1 1, 2 1, 2 2, 1 1)), ((9 1, 11 1, 11 2, 9 2, 9 1))), LINESTRING (20 20, 30 30))',
  ]);
  assert.deepEqual(texts, [
    'GEOMETRYCOLLECTION (MULTIPOINT ((1 1)), LINESTRING (5 5, 10 5), POLYGON ((8 8, 8 9, 10 9, 10 8, 8 8)))',
    'GEOMETRYCOLLECTION (POINT (1 1), MULTILINESTRING ((1 1, 2 2), (9 5, 10 5)))',
    'GEOMETRYCOLLECTION (MULTIPOLYGON (((2 2, 2 1, 1 1, 2 2)), ((9 1, 9 2, 10 2, 10 1, 9 1))))',
  ]);
});

test('where a feature is cut Z is interpolated and M ends, and both are told', async () => {
  const batch = batchOfWkt(['LINESTRING ZM (5 5 0 1, 15 5 10 2)', 'POINT ZM (1 1 1 1)'], 'XYZM');
  const { texts, counts } = await runStep(clip, MASK, batch, DEGREES);
  assert.deepEqual(texts, ['LINESTRING Z (5 5 0, 10 5 5)', 'POINT ZM (1 1 1 1)']);
  assert.deepEqual(counts, { Z_INTERPOLATED: 1, M_DROPPED: 1 });
});

test('an invalid feature on the border is repaired and counted', async () => {
  const { counts, batch } = await run(['POLYGON ((8 4, 12 6, 12 4, 8 6, 8 4))']);
  assert.deepEqual(counts, { GEOMETRY_REPAIRED: 1 });
  assert.ok(await areValid(batch));
});

test('a mask may be a Feature or FeatureCollection; several polygons are united, holes are outside', async () => {
  const holed = {
    type: 'Polygon',
    coordinates: [...(rectangle(10, 0, 20, 10) as { coordinates: number[][][] }).coordinates, ...(rectangle(14, 4, 16, 6) as { coordinates: number[][][] }).coordinates], // biome-ignore format: one line
  };
  const features = [rectangle(0, 0, 10, 10), holed].map((geometry) => ({
    type: 'Feature',
    properties: null,
    geometry,
  }));
  const { texts, findings } = await run(['LINESTRING (5 5, 25 5)', 'POINT (15 5)'], {
    clipping_geojson: { type: 'FeatureCollection', features },
  });
  assert.deepEqual(findings.map(({ code }) => code), ['FEATURES_OUTSIDE']); // biome-ignore format: one line
  assert.equal(texts[0], 'MULTILINESTRING ((5 5, 14 5), (16 5, 20 5))');
});

test('a mask that misses everything leaves nothing', async () => {
  const { rows, counts } = await run(['POINT (50 50)', 'LINESTRING (20 20, 30 30)']);
  assert.deepEqual(rows, []);
  assert.deepEqual(counts, { FEATURES_OUTSIDE: 2 });
});

test('an invalid mask is repaired and told once; one without area is refused', async () => {
  const bowTie = { type: 'Polygon', coordinates: [[[0, 0], [10, 10], [10, 0], [0, 10], [0, 0]]] }; // biome-ignore format: one line
  const { texts, findings } = await run(['POINT (9 5)', 'POINT (5 9)'], { clipping_geojson: bowTie });
  assert.deepEqual(texts, ['POINT (9 5)']);
  const told = findings.find(({ code }) => code === 'MASK_REPAIRED');
  assert.match(
    told!.message,
    /'transformations\[0\]\.clipping_geojson' were invalid \(Self-intersection\[5 5\]\)/,
  );
  const flat = { type: 'Polygon', coordinates: [[[0, 0], [10, 10], [0, 0], [0, 0]]] }; // biome-ignore format: one line
  await assert.rejects(run(['POINT (1 1)'], { clipping_geojson: flat }), {
    code: 'TRANSFORMATION_INVALID',
    message: /clipping_geojson' has no area/,
  });
});

test('masks that cross 180 degrees work in each way of writing them', async () => {
  const jumping = rectangle(170, -10, -170, 10);
  const running = rectangle(170, -10, 190, 10);
  const cut = { type: 'MultiPolygon', coordinates: [rectangle(170, -10, 180, 10), rectangle(-180, -10, -170, 10)].map((polygon) => (polygon as { coordinates: unknown }).coordinates) }; // biome-ignore format: one line
  for (const clipping_geojson of [jumping, running, cut]) {
    const points = ['POINT (175 0)', 'POINT (-175 0)', 'POINT (165 0)', 'POINT (-165 0)', 'POINT (0 0)'];
    assert.deepEqual((await run(points, { clipping_geojson })).texts, points.slice(0, 2));
    const over = await run(['LINESTRING (165 0, 195 0)', 'POINT (185 0)', 'POINT (195 0)'], {
      clipping_geojson,
    });
    assert.deepEqual(over.texts, ['LINESTRING (170 0, 190 0)', 'POINT (185 0)'], 'data beyond 180 degrees');
  }
});

test('the edges of the mask stay where they are between longitudes and latitudes', async () => {
  // A made-up projection in which parallels are parabolas.
  const bend = (x: number): number => x * x * 100;
  const setting = {
    ...settingIn(METRIC_CRS),
    fromWgs84: (coordinates: Float64Array) => {
      for (let at = 0; at < coordinates.length; at += 2) {
        const [longitude, latitude] = coordinates.subarray(at, at + 2);
        coordinates[at] = longitude * 1e5;
        coordinates[at + 1] = latitude * 1e5 + bend(longitude);
      }
    },
  };
  const points: string[] = [];
  const expected: number[] = [];
  for (let i = 0; i < 200; i++) {
    const longitude = 0.05 + i * 0.049;
    for (const offset of [-0.02, 0.02]) {
      points.push(`POINT (${longitude * 1e5} ${10 * 1e5 + bend(longitude) + offset})`);
      if (offset < 0) expected.push(points.length);
    }
  }
  const result = await runStep(clip, MASK, batchOfWkt(points), setting);
  assert.deepEqual(idsOf(result), expected, 'within 2 cm of the edge');
});

test('what is wrong with a mask is told before the job is queued, with its path', () => {
  const refused: readonly [unknown, RegExp][] = [
    [{ type: 'LineString', coordinates: [[0, 0], [1, 1]] }, /^'t\.clipping_geojson\.type' is "LineString"; the mask must be a GeoJSON Polygon/], // biome-ignore format: one line
    [{ type: 'Feature', geometry: { type: 'Point', coordinates: [0, 0] } }, /^'t\.clipping_geojson\.geometry\.type' is "Point"/], // biome-ignore format: one line
    [{ type: 'Feature', geometry: null }, /^'t\.clipping_geojson\.geometry' must be a GeoJSON/],
    [{ type: 'FeatureCollection', features: [] }, /^'t\.clipping_geojson\.features' has no features/],
    [
      { type: 'FeatureCollection', features: [rectangle(0, 0, 1, 1)] },
      /features\[0\]\.type' must be "Feature"/,
    ],
    [{ type: 'Polygon', coordinates: [[[0, 0], [1, 0], [1, 1]]] }, /coordinates\[0\]' is not closed/], // biome-ignore format: one line
    [{ type: 'Polygon', coordinates: [[[0, 0], [1, 0], [0, 0]]] }, /coordinates\[0\]' has 3 positions/], // biome-ignore format: one line
    [{ type: 'Polygon', coordinates: [[[0, 0], [1, '0'], [1, 1], [0, 0]]] }, /coordinates\[0\]\[1\]' must be a position/], // biome-ignore format: one line
    [{ type: 'Polygon', coordinates: [[[0, 0], [1, 91], [1, 1], [0, 0]]] }, /coordinates\[0\]\[1\]' is \(1, 91\)/], // biome-ignore format: one line
    [{ type: 'Polygon', coordinates: [[[500000, 5000000], [1, 1], [0, 0], [500000, 5000000]]] }, /must be in EPSG:4326/], // biome-ignore format: one line
    [{ type: 'MultiPolygon', coordinates: [[]] }, /coordinates\[0\]' has no rings/],
    [
      { ...rectangle(0, 0, 1, 1), crs: { type: 'name', properties: { name: 'EPSG:3857' } } },
      /crs' is another CRS/,
    ],
  ];
  for (const [mask, message] of refused) {
    assert.throws(() => clip.fileParameter!.value!.fromValue(mask, 't.clipping_geojson'), {
      code: 'TRANSFORMATION_INVALID',
      message,
    });
  }
  const named = {
    ...rectangle(0, 0, 1, 1),
    crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:OGC:1.3:CRS84' } },
  };
  clip.fileParameter!.value!.fromValue(named, 't.clipping_geojson');
});

test('a file on the command line may be followed by its layer', () => {
  const { parameters } = clip.commandLine!;
  const files = new Set(['muni.gpkg', 'a:b.gpkg']);
  const of = (value: string): unknown => parameters(value, (path) => files.has(path));
  assert.deepEqual(of('muni.gpkg'), { mask: 'muni.gpkg' });
  assert.deepEqual(of('muni.gpkg:districts'), { mask: 'muni.gpkg', mask_layer: 'districts' });
  assert.deepEqual(of('a:b.gpkg'), { mask: 'a:b.gpkg' });
  assert.deepEqual(of('a:b.gpkg:x'), { mask: 'a:b.gpkg', mask_layer: 'x' });
  assert.deepEqual(of('nosuch:x'), { mask: 'nosuch:x' });
});
