/**
 * Law: whatever the CRS of the output, a feature that holds a pole or crosses the antimeridian keeps its area or length, is valid, and is
 * within the range of the CRS. The areas are those of the input, which is in an equal-area projection.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import geographiclib from 'geographiclib-geodesic';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { AREAS } from '../support/polar-areas.ts';
import { converted, planarArea, type Read, wktOf } from '../support/reprojected.ts';

/** Edges of up to 10 degrees are not followed, so a square of 600 km differs by so much. */
const SHARE = 0.01;

function polygonsOf({ type, coordinates }: Read): [number, number][][][] {
  return (type === 'Polygon' ? [coordinates] : coordinates) as [number, number][][][];
}

/** Square metres on the ellipsoid. */
function geodesicArea(geometry: Read, degreesPerUnit = 1): number {
  let sum = 0;
  for (const rings of polygonsOf(geometry))
    for (const [i, ring] of rings.entries()) {
      const judge = geographiclib.Geodesic.WGS84.Polygon(false);
      for (const [x, y] of ring.slice(0, -1)) judge.AddPoint(y * degreesPerUnit, x * degreesPerUnit);
      const area = Math.abs(judge.Compute(false, true).area as number);
      sum += i === 0 ? area : -area;
    }
  return sum;
}

function assertNear(actual: number, expected: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= SHARE * expected, `${what}: ${actual} for ${expected}`);
}

function assertInRange(geometry: Read, halfTurn: number, what: string): void {
  for (const [x, y] of polygonsOf(geometry).flat(2))
    assert.ok(Math.abs(x) <= halfTurn && Math.abs(y) <= halfTurn / 2, `${what}: ${x} ${y}`);
}

const POLES = { north: 'EPSG:3571', south: 'ESRI:102020' } as const;
const TARGETS: readonly (readonly [crs: string, halfTurn: number | null])[] = [
  ['EPSG:4326', 180],
  // Grads from Paris, and degrees of another datum.
  ['EPSG:4807', 200],
  ['EPSG:4269', 180],
  // Equal-area maps that end at 180 degrees, and elsewhere.
  ['EPSG:8857', null],
  ['EPSG:6933', null],
  ['+proj=eqearth +lon_0=-100 +ellps=WGS84', null],
];

for (const [pole, from] of Object.entries(POLES))
  for (const [crs, halfTurn] of TARGETS)
    test(`areas around the ${pole} pole keep their area and are valid in ${crs}`, async () => {
      const { geometries } = await converted(Object.values(AREAS), from, crs);
      for (const [i, [what, wkt]] of Object.entries(AREAS).entries()) {
        const geometry = geometries[i];
        const planar = planarArea(wktOf(geometry));
        if (halfTurn === null) assertNear(planar, planarArea(wkt), what);
        else {
          assertInRange(geometry, halfTurn, what);
          assertNear(geodesicArea(geometry, 180 / halfTurn), planarArea(wkt), what);
        }
      }
    });

test('areas around a pole come back from longitudes and latitudes', async () => {
  const { geometries } = await converted(Object.values(AREAS), 'EPSG:3571', 'EPSG:3571', [
    { type: 'reproject', params: { crs: 'EPSG:4326' } },
    { type: 'make_valid', params: {} },
  ]);
  for (const [i, [what, wkt]] of Object.entries(AREAS).entries())
    assertNear(planarArea(wktOf(geometries[i])), planarArea(wkt), what);
});

test('reports areas that were closed along a pole, those that a map cannot show, and edges that were followed', async () => {
  const codes = (findings: readonly { readonly code: string; readonly count: number }[]) =>
    Object.fromEntries(findings.map(({ code, count }) => [code, count]));
  const wkts = [AREAS['a circle around the pole'], AREAS['a square around the pole'], AREAS['no pole']];
  const degrees = await converted(wkts, 'EPSG:3571', 'EPSG:4326');
  assert.deepEqual(codes(degrees.findings), { POLE_CLOSED: 2, EDGES_FOLLOWED: 1 });
  const mercator = await converted(wkts, 'EPSG:3571', 'EPSG:3395');
  assert.deepEqual(
    { ...codes(mercator.findings), EDGES_FOLLOWED: 0, OUTSIDE_AREA_OF_USE: 0 },
    { POLE_CLOSED: 2, POLE_CUT_OFF: 2, EDGES_FOLLOWED: 0, OUTSIDE_AREA_OF_USE: 0 },
  );
  for (const geometry of mercator.geometries) planarArea(wktOf(geometry));
});

test('lines over a pole are cut there, and others only where they cross 180 degrees', async () => {
  const lines = [
    'LINESTRING (-1000000 0,1000000 0)',
    'LINESTRING (-1000000 1,1000000 1)',
    'LINESTRING (5 0,10 0)',
  ];
  const { geometries } = await converted(lines, 'EPSG:3995', 'EPSG:4326');
  const [over, beside, near] = geometries;
  const parts = over.coordinates as number[][][];
  assert.equal(over.type, 'MultiLineString');
  assert.deepEqual(
    [parts[0].at(-1), parts[1][0]],
    [
      [-90, 90],
      [90, 90],
    ],
  );
  // Past the pole by a metre, through Greenwich and not through 180.
  assert.equal(beside.type, 'MultiLineString');
  assert.equal(near.type, 'LineString');
});

for (const [what, coordinates, expected] of [
  [
    'a line across the antimeridian',
    [
      [170, 10],
      [-170, 12],
    ],
    [170, 10, -170, 12],
  ],
  [
    'a line across Greenwich',
    [
      [-10, 10],
      [10, 12],
    ],
    [-10, 10, 10, 12],
  ],
  [
    'a line around half of the Earth',
    [
      [-100, 10],
      [0, 5],
      [100, 12],
    ],
    [-100, 5, 100, 12],
  ],
] as const)
  test(`the bounding box of ${what} contains it, and nothing else`, async () => {
    using workspace = makeWorkspace();
    const input = join(workspace.path, 'in.geojson');
    writeFileSync(input, JSON.stringify({ type: 'LineString', coordinates }));
    const options = { from: 'geojson', to: 'geojson', writeOptions: { bbox: true } };
    const { outputPath } = await convertFile(input, workspace.path, options);
    const { bbox } = JSON.parse(readFileSync(outputPath, 'utf8')) as { bbox: number[] };
    assert.deepEqual(bbox, expected);
  });
