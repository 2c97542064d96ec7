/**
 * Law: a feature across the antimeridian keeps its area or length on a map that ends there, elsewhere, or nowhere, and on the way back; and
 * a box around the world fills the map.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../support/convert.ts';

type Position = readonly number[];
interface Geometry {
  readonly type: string;
  readonly coordinates: unknown;
}

const FEATURES: readonly Geometry[] = [
  { type: 'LineString', coordinates: [[170, 10], [-170, 10]] }, // biome-ignore format: one line
  { type: 'LineString', coordinates: [[170, 10], [190, 10]] }, // biome-ignore format: one line
  { type: 'MultiLineString', coordinates: [[[170, 10], [180, 10]], [[-180, 10], [-170, 10]]] }, // biome-ignore format: one line
  { type: 'Polygon', coordinates: [[[178, 60], [-178, 60], [-178, 64], [178, 64], [178, 60]]] }, // biome-ignore format: one line
  { type: 'Polygon', coordinates: [[[-182, 60], [-178, 60], [-178, 64], [-182, 64], [-182, 60]]] }, // biome-ignore format: one line
  {
    type: 'MultiPolygon',
    coordinates: [
      [[[178, 60], [180, 60], [180, 64], [178, 64], [178, 60]]], // biome-ignore format: one line
      [[[-180, 60], [-178, 60], [-178, 64], [-180, 64], [-180, 60]]], // biome-ignore format: one line
    ],
  },
];
/** The same features where no map ends. */
const ELSEWHERE = FEATURES.slice(1, 2)
  .concat(FEATURES.slice(4, 5))
  .map(({ type, coordinates }) => ({
    type,
    coordinates: moved(coordinates, type === 'LineString' ? -180 : 180),
  }));

function moved(value: unknown, by: number): unknown {
  const list = value as unknown[];
  return typeof list[0] === 'number' ? [list[0] + by, list[1]] : list.map((one) => moved(one, by));
}

async function to(crs: string, features: readonly Geometry[], from: string | null = null) {
  using workspace = makeWorkspace();
  const input = join(workspace.path, 'in.geojson');
  writeFileSync(
    input,
    JSON.stringify({
      type: 'FeatureCollection',
      features: features.map((geometry) => ({ type: 'Feature', properties: {}, geometry })),
    }),
  );
  const { outputPath, report } = await convertFile(input, workspace.path, {
    from: 'geojson',
    to: 'geojson',
    fromCrs: from,
    toCrs: crs,
    writeOptions: { geojson_crs: 'requested' },
  });
  const read = JSON.parse(readFileSync(outputPath, 'utf8')) as { features: { geometry: Geometry }[] };
  return { geometries: read.features.map(({ geometry }) => geometry), findings: report.warnings };
}

/** The lists of positions of lines and rings. */
function ringsOf({ type, coordinates }: Geometry): Position[][] {
  if (type === 'LineString') return [coordinates as Position[]];
  if (type === 'MultiPolygon') return (coordinates as Position[][][]).flat();
  return coordinates as Position[][];
}

/** The length of lines, the area of polygons without holes. */
function measure(geometry: Geometry): number {
  let sum = 0;
  for (const ring of ringsOf(geometry)) {
    let own = 0;
    for (let i = 1; i < ring.length; i++) {
      const [[x1, y1], [x2, y2]] = [ring[i - 1], ring[i]];
      own += /Line/.test(geometry.type) ? Math.hypot(x2 - x1, y2 - y1) : (x1 * y2 - x2 * y1) / 2;
    }
    sum += Math.abs(own);
  }
  return sum;
}

function near(actual: number, expected: number, what: string, share = 1e-3): void {
  assert.ok(Math.abs(actual - expected) <= share * expected, `${what}: ${actual} for ${expected}`);
}

/** Largest x where the map ends, in metres. */
const ENDS = { 'EPSG:3857': 20037508.342789, 'EPSG:6933': 17367530.445161 } as const;

for (const [crs, end] of Object.entries(ENDS))
  test(`features across the antimeridian are cut at both edges of ${crs}, and come back`, async () => {
    const { geometries, findings } = await to(crs, FEATURES);
    const [line, polygon] = (await to(crs, ELSEWHERE)).geometries.map(measure);
    for (const [i, geometry] of geometries.entries()) {
      const what = `${FEATURES[i].type} ${i}`;
      near(measure(geometry), i < 3 ? line : polygon, what);
      assert.match(geometry.type, /^Multi/);
      const xs = ringsOf(geometry).flat().map(([x]) => x); // biome-ignore format: one line
      for (const edge of [end, -end])
        assert.ok(xs.some((x) => Math.abs(x - edge) < 0.01), `${what} reaches ${edge}`); // biome-ignore format: one line
    }
    assert.deepEqual(
      findings.filter(({ code }) => code === 'ANTIMERIDIAN_CUT').map(({ count }) => count),
      [4],
    );
    const back = await to('EPSG:4326', geometries, crs);
    for (const [i, geometry] of back.geometries.entries())
      near(measure(geometry), i < 3 ? 20 : 16, `${FEATURES[i].type} ${i} back`, 1e-9);
  });

for (const crs of ['EPSG:3832', 'EPSG:3571'])
  test(`features across the antimeridian are in one piece in ${crs}, however they are written`, async () => {
    const { geometries } = await to(crs, FEATURES);
    for (const [i, geometry] of geometries.entries()) {
      // The edges of the line that is in two parts are too short to be followed.
      near(measure(geometry), measure(geometries[i < 3 ? 0 : 3]), `${FEATURES[i].type} ${i}`, 2e-3);
      if (i >= 3) assert.equal(ringsOf(geometry).length, 1);
    }
  });

/** Square metres of the ellipsoid of WGS 84, of its sphere of the same semi-major axis, and what Robinson makes of it. */
const WORLDS = {
  'EPSG:8857': 5.1006e14,
  'ESRI:54009': 5.112e14,
  'ESRI:54008': 5.1006e14,
  'ESRI:54030': 5.122e14,
};

for (const [crs, area] of Object.entries(WORLDS))
  test(`a box around the world fills the map in ${crs}`, async () => {
    const box = [[[-180, -90], [180, -90], [180, 90], [-180, 90], [-180, -90]]]; // biome-ignore format: one line
    const { geometries, findings } = await to(crs, [{ type: 'Polygon', coordinates: box }]);
    near(measure(geometries[0]), area, crs);
    assert.deepEqual(findings.map(({ code }) => code).filter((code) => code === 'EDGES_FOLLOWED'), ['EDGES_FOLLOWED']); // biome-ignore format: one line
  });

test('positions of short edges are those of the transformation alone', async () => {
  const ring = [[7, 50], [16.9, 50], [16.9, 54], [7, 54], [7, 50]]; // biome-ignore format: one line
  const { geometries, findings } = await to('EPSG:25832', [{ type: 'Polygon', coordinates: [ring] }]);
  assert.equal(ringsOf(geometries[0])[0].length, 5);
  assert.ok(!findings.some(({ code }) => code === 'EDGES_FOLLOWED'));
});
