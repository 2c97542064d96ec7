/**
 * Law: boxes that hold or touch a pole, or go around the Earth, keep their area in every CRS, and are valid there, however their longitudes
 * are written. A map that does not show a pole ends a degree before it.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import geographiclib from 'geographiclib-geodesic';
import { converted, planarArea, wktOf } from '../support/reprojected.ts';

type Sides = readonly [west: number, south: number, east: number, north: number];

const BOXES: Readonly<Record<string, Sides>> = {
  'the Earth': [-180, -90, 180, 90],
  'the northern half': [-180, 0, 180, 90],
  'the southern half': [-180, -90, 180, 0],
  'a cap in the north': [-180, 60, 180, 90],
  'a cap in the south': [-180, -90, 180, -70],
  'a cap from 0 to 360': [0, 60, 360, 90],
  'a belt': [-180, 60, 180, 70],
  'a belt from 0 to 360': [0, 60, 360, 70],
  'a belt over the equator from 20 to 380': [20, -10, 380, 10],
  'a quarter with a pole': [-90, 60, 90, 90],
  'a wedge with the north pole across 180': [170, 60, 190, 90],
  'a wedge with the south pole at 180': [165, -90, 180, -75],
};
const wktOfBox = ([w, s, e, n]: Sides): string =>
  `POLYGON ((${w} ${s},${e} ${s},${e} ${n},${w} ${n},${w} ${s}))`;
const wkts = Object.values(BOXES).map(wktOfBox);

/** Of a sphere with the same area as the ellipsoid; `last`: the largest latitude that the map shows. */
function areaOfBox([west, south, east, north]: Sides, last = 90): number {
  // Authalic latitudes: the geodesic area of a belt between parallels is known from many short edges.
  const belt = (latitude: number): number => {
    const judge = geographiclib.Geodesic.WGS84.Polygon(false);
    const clamped = Math.max(-last, Math.min(last, latitude));
    if (clamped === 0) return 0;
    judge.AddPoint(0, 0);
    for (let x = 0; x <= 1; x += 1 / 64) judge.AddPoint(clamped, x);
    judge.AddPoint(0, 1);
    return Math.sign(clamped) * Math.abs(judge.Compute(false, true).area as number);
  };
  return (east - west) * (belt(north) - belt(south));
}

/** The latitude at which equal-area maps end: LAEA has no other pole. */
const EQUAL_AREA = {
  'EPSG:6933': [90, 90],
  'ESRI:54009': [90, 90],
  'EPSG:8857': [90, 90],
  'EPSG:3571': [89, 90],
  'ESRI:102020': [90, 89],
} as const;

for (const [crs, [lastSouth, lastNorth]] of Object.entries(EQUAL_AREA))
  test(`boxes around the Earth and at poles keep their area in ${crs}`, async () => {
    const { geometries } = await converted(wkts, 'EPSG:4326', crs);
    for (const [i, [what, sides]] of Object.entries(BOXES).entries()) {
      const expected = areaOfBox([
        sides[0],
        Math.max(sides[1], -lastSouth),
        sides[2],
        Math.min(sides[3], lastNorth),
      ]);
      const area = planarArea(wktOf(geometries[i]));
      // Of the sphere of Mollweide the area is other by up to 0.6 %.
      assert.ok(Math.abs(area - expected) <= 0.01 * expected, `${what}: ${area} for ${expected}`);
    }
  });

for (const [crs, missing] of Object.entries({
  'EPSG:3413': -90,
  'EPSG:3031': 90,
  'EPSG:3995': -90,
  'EPSG:3395': null,
  'EPSG:3857': null,
  'EPSG:3832': null,
}))
  test(`boxes around the Earth and at poles are valid in ${crs}, which ends before the pole`, async () => {
    const { geometries, findings } = await converted(wkts, 'EPSG:4326', crs);
    for (const [i, what] of Object.keys(BOXES).entries()) {
      const area = planarArea(wktOf(geometries[i]));
      assert.ok(area > 1e11 && area < 1e19, `${what}: ${area}`);
    }
    const reach = Object.values(BOXES).filter(([, south, , north]) =>
      missing === null ? Math.abs(south) === 90 || north === 90 : south === missing || north === missing,
    );
    assert.equal(findings.find(({ code }) => code === 'POLE_CUT_OFF')?.count, reach.length);
    assert.ok(!findings.some(({ code }) => ['EDGES_TORN', 'ANTIMERIDIAN_UNCUT'].includes(code)));
  });

/** Degrees and grads from Greenwich and elsewhere, with and without a shift of the datum. */
const GEOGRAPHIC = {
  'EPSG:4275': 360,
  'EPSG:4807': 400,
  'EPSG:4901': 400,
  'EPSG:4284': 360,
  'EPSG:4267': 360,
  'EPSG:4818': 360,
  'EPSG:4258': 360,
};

for (const [crs, turn] of Object.entries(GEOGRAPHIC))
  test(`boxes at poles and across 180 degrees go to ${crs} and back`, async () => {
    // A datum shift moves a pole out of the corner of a wedge that only touches it.
    const isShifted = !['EPSG:4901', 'EPSG:4818', 'EPSG:4258'].includes(crs);
    const boxes: Readonly<Record<string, Sides>> = {
      ...Object.fromEntries(
        Object.entries(BOXES).filter(([what]) => !(isShifted && /wedge|quarter/.test(what))),
      ),
      'a box across 180': [170, 10, 190, 20],
      'a box that ends at 180': [170, 10, 180, 20],
      'a box that begins at -180': [-180, -20, -178, -19],
    };
    const all = Object.values(boxes).map(wktOfBox);
    const halves =
      'MULTIPOLYGON (((170 10,180 10,180 20,170 20,170 10)),((-180 10,-170 10,-170 20,-180 20,-180 10)))';
    const there = await converted([...all, halves], 'EPSG:4326', crs);
    const back = await converted(there.geometries.map(wktOf), crs, 'EPSG:4326');
    const expected = [...Object.values(boxes).map(([w, s, e, n]) => (e - w) * (n - s)), 200];
    for (const [i, what] of [...Object.keys(boxes), 'two halves'].entries()) {
      const area = planarArea(wktOf(there.geometries[i])) * (360 / turn) ** 2;
      assert.ok(
        Math.abs(area - expected[i]) <= 2e-3 * expected[i],
        `${what} in ${crs}: ${area} for ${expected[i]}`,
      );
      const returned = planarArea(wktOf(back.geometries[i]));
      assert.ok(
        Math.abs(returned - expected[i]) <= 2e-3 * expected[i],
        `${what} back: ${returned} for ${expected[i]}`,
      );
    }
  });

test('rings around a pole are closed wherever they begin', async () => {
  const count = 200;
  const rings = Array.from({ length: count }, (_, i) => {
    const turned = (k: number): string => {
      const angle = (2 * Math.PI * (k % 30)) / 30 + i * 0.7;
      return `${1e6 * Math.cos(angle) + i} ${1e6 * Math.sin(angle)}`;
    };
    return `POLYGON ((${Array.from({ length: 31 }, (_, k) => turned(k)).join(',')}))`;
  });
  const { geometries } = await converted(rings, 'EPSG:3571', 'EPSG:4258');
  for (const geometry of geometries) assert.ok(planarArea(wktOf(geometry)) > 360 * 8);
});
