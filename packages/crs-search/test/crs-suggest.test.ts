/** Systems for coordinates of which only the extent is known. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { parseEpsg } from '../../core/src/crs/crs.ts';
import { ProjContext } from '../../engines/proj/src/context.ts';
import { createCrs } from '../../engines/proj/src/definition.ts';
import { DegreesView } from '../../engines/proj/src/degrees.ts';
import { projDatabasePath } from '../../platform/src/node/proj-files.ts';
import { CrsSearch } from '../src/crs-search.ts';
import { boxOf, hasBox, hasPoint, haveCommon, unitPattern } from '../src/filter.ts';
import { type Extent, forward, inverse } from '../src/placement.ts';
import { readCrsRecords } from '../src/read-database.ts';
import { placedCodes, placementOfCode } from '../src/suggest.ts';
import { widelyUsed } from '../src/widely-used.ts';

const search = new CrsSearch();

const codesFor = (extent: Extent, limit: number, where: Parameters<CrsSearch['suggest']>[2] = {}): string[] =>
  search
    .suggest(extent, limit, where)
    .crs.map(({ code, isSwapped }) => (isSwapped ? `${code} swapped` : code));

/** Small extents in a capital or large town, the point beside them, and the country. */
const GRIDS: readonly (readonly [
  code: string,
  x: number,
  y: number,
  longitude: number,
  latitude: number,
  country: string,
])[] = [
  ['EPSG:27700', 530_000, 180_000, -0.1, 51.5, 'united kingdom'],
  ['EPSG:28992', 121_000, 487_000, 4.9, 52.4, 'netherlands'],
  ['EPSG:2154', 652_000, 6_862_000, 2.35, 48.85, 'france'],
  ['EPSG:2056', 2_600_000, 1_199_500, 7.44, 46.95, 'switzerland'],
  ['EPSG:31467', 3_512_000, 5_404_000, 9.2, 48.8, 'germany'],
  ['EPSG:3765', 459_000, 5_074_000, 15.98, 45.8, 'croatia'],
  ['EPSG:2180', 637_000, 486_000, 21, 52.2, 'poland'],
  ['EPSG:5514', -743_000, -1_043_000, 14.4, 50.1, 'czechia'],
  ['EPSG:3006', 674_000, 6_580_000, 18.07, 59.33, 'sweden'],
  ['EPSG:25832', 565_000, 5_933_000, 10, 53.5, 'germany'],
  ['EPSG:7855', 320_000, 5_812_000, 145, -37.8, 'australia'],
  ['EPSG:31370', 149_000, 170_000, 4.35, 50.85, 'belgium'],
  ['EPSG:2193', 1_748_000, 5_427_000, 174.8, -41.3, 'new zealand'],
  ['EPSG:3067', 385_000, 6_672_000, 24.9, 60.2, 'finland'],
  ['EPSG:31256', 2_900, 340_800, 16.37, 48.2, 'austria'],
  ['EPSG:2263', 985_000, 205_000, -74, 40.7, 'new york'],
];

test('the system of a national grid is among the first five, and the first with a hint of the place', () => {
  for (const [code, x, y, longitude, latitude, country] of GRIDS) {
    const extent: Extent = [x, y, x + 2000, y + 1500];
    const first = codesFor(extent, 5);
    assert.ok(first.includes(code), `${code}: ${first}`);
    assert.equal(codesFor(extent, 5, { near: { longitude, latitude } })[0], code);
    assert.equal(codesFor(extent, 5, { query: country })[0], code, country);
    const bbox = boxOf([longitude - 0.5, latitude - 0.5, longitude + 0.5, latitude + 0.5]);
    assert.equal(codesFor(extent, 5, { bbox })[0], code);
  }
});

test('a suggestion has the extent in degrees', () => {
  const [swiss] = search.suggest([2_600_000, 1_199_000, 2_602_000, 1_201_000], 1).crs;
  assert.deepEqual([swiss.code, swiss.unit, swiss.isSwapped], ['EPSG:2056', 'metre', false]);
  // The origin of the grid, the old observatory of Bern, is 7.43958 east, 46.95241 north.
  const { west, south, east, north } = swiss.extent;
  assert.ok(west < 7.4396 && east > 7.4396 && south < 46.9524 && north > 46.9524);
  assert.ok(east - west < 0.04 && north - south < 0.03, JSON.stringify(swiss.extent));
});

test('degrees, Web Mercator, exchanged axes and plans are recognized', () => {
  assert.deepEqual(codesFor([8, 47, 9, 48], 2), ['EPSG:4326', 'EPSG:4258']);
  assert.equal(codesFor([8, 47, 9, 48], 1, { unit: 'degree' })[0], 'EPSG:4326');
  for (const { unit } of search.suggest([8, 47, 9, 48], 10, { unit: 'metre' }).crs)
    assert.equal(unit, 'metre');
  const berlin = { longitude: 13.4, latitude: 52.5 };
  assert.equal(codesFor([52, 13, 53, 14], 1, { near: berlin })[0], 'EPSG:4326 swapped');
  assert.equal(codesFor([1_480_000, 6_880_000, 1_500_000, 6_900_000], 1, { near: berlin })[0], 'EPSG:3857');
  assert.equal(codesFor([5_404_000, 3_512_000, 5_406_000, 3_513_000], 1)[0], 'EPSG:31467 swapped');
  const isPlan = (...extent: Extent): boolean => search.suggest(extent, 1).mayBeLocal;
  assert.deepEqual(
    [
      isPlan(0, 0, 50, 30),
      isPlan(1000, 5000, 1200, 5400),
      isPlan(8, 47, 9, 48),
      isPlan(530_000, 0, 531_000, 1),
    ],
    [true, true, false, false],
  );
});

test('an extent across the antimeridian or around a pole has one box', () => {
  const where = { longitude: 179, latitude: -18 };
  const fiji = search.suggest([1_900_000, 3_900_000, 2_100_000, 4_100_000], 20, {
    near: where,
    query: 'fiji',
  });
  const [grid] = fiji.crs;
  assert.equal(grid.code, 'EPSG:3460');
  const pacific = search.suggest([3_000_000, -2_000_000, 3_500_000, -1_000_000], 1, { query: '3832' }).crs[0];
  assert.ok(pacific.extent.west > 170 && pacific.extent.east < -170, JSON.stringify(pacific.extent));
  const pole = search.suggest([-1e5, -1e5, 1e5, 1e5], 1, { query: '3413' }).crs[0];
  assert.equal(pole.code, 'EPSG:3413');
  assert.deepEqual([pole.extent.west, pole.extent.east, pole.extent.north], [-180, 180, 90]);
  assert.ok(pole.extent.south > 88 && pole.extent.south < 89);
  // Beside the pole, across the meridian where the area of use begins and ends.
  const beside = search.suggest([-7e5, 7e5, -6e5, 8e5], 1, { query: '3413' }).crs[0];
  assert.ok(beside.extent.north < 90, JSON.stringify(beside.extent));
  const { west, east } = beside.extent;
  assert.ok((east - west + 360) % 360 < 15, JSON.stringify(beside.extent));
});

test('suggestions keep what is asked, and the same question has the same answer', () => {
  const coordinate = fc.double({ min: -2e6, max: 7e6, noNaN: true });
  const side = fc.double({ min: 0, max: 1e5, noNaN: true });
  const point = fc.option(
    fc.record({
      longitude: fc.double({ min: -180, max: 180, noNaN: true }),
      latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    }),
  );
  fc.assert(
    fc.property(coordinate, coordinate, side, side, point, fc.nat(12), (x, y, width, height, near, limit) => {
      const extent: Extent = [x, y, x + width, y + height];
      const { crs } = search.suggest(extent, limit, { near });
      assert.ok(crs.length <= limit);
      assert.equal(new Set(crs.map(({ code }) => code)).size, crs.length);
      assert.deepEqual(search.suggest(extent, limit, { near }).crs, crs);
      for (const { extent: box, area, isSwapped: _, ...hit } of crs) {
        assert.deepEqual({ ...hit, area }, search.get(hit.code));
        assert.ok(area !== null);
        const { west, south, east, north } = area;
        const turn = (east - west + 360) % 360 || 360;
        const [dx, dy] = [0.011 * turn + 0.01, 0.011 * (north - south) + 0.01];
        // One that is nearly around the Earth grows to all of it.
        const sides = turn + 2 * dx < 360 ? { west: west - dx, east: east + dx } : { west: -180, east: 180 };
        const grown = { ...sides, south: south - dy, north: north + dy };
        assert.ok(hasBox(grown, box), `${hit.code}: ${JSON.stringify(box)} in ${JSON.stringify(area)}`);
        if (near !== null) assert.ok(hasPoint(area, near.longitude, near.latitude), hit.code);
      }
    }),
    { numRuns: 40, examples: [[-160_811.37864956688, 6_664_534.683850362, 0, 0, null, 12]] },
  );
});

test('extreme numbers have an answer', () => {
  for (const extent of [
    [-1e308, -1e308, 1e308, 1e308],
    [1e308, 1e308, 1e308, 1e308],
    [0, 0, 0, 0],
    [-180, -90, 180, 90],
    [-20_037_508, -20_048_966, 20_037_508, 20_048_966],
  ] as Extent[])
    for (const { extent: box } of search.suggest(extent, 100).crs)
      assert.ok(Object.values(box).every(Number.isFinite), JSON.stringify(box));
  assert.deepEqual(search.suggest([0, 0, 1, 1], 0).crs, []);
  assert.equal(codesFor([-180, -90, 180, 90], 1)[0], 'EPSG:4326');
});

test('a unit is found by its words, a box by what it contains', () => {
  for (const [text, unit, matches] of [
    ['metre', 'metre', true], ['Meters', 'metre', true], ['metre', 'kilometre', false], ['foot', 'US survey foot', true],
    ['us-ft', 'US survey foot', true], ['us-ft', 'foot', false], ['degree', 'degree minute second hemisphere', true],
  ] as const) // biome-ignore format: a table
    assert.equal(unitPattern(text)?.test(unit), matches, `${text}: ${unit}`);
  for (const text of ['', '(', 'metre)', '.*', 'x'.repeat(50)]) assert.equal(unitPattern(text), null, text);
  const across = { west: 170, south: -20, east: -170, north: 0 };
  assert.ok(hasBox(across, { west: 175, south: -10, east: -175, north: -5 }));
  assert.ok(!hasBox(across, { west: 160, south: -10, east: 175, north: -5 }));
  assert.ok(!hasBox(across, { west: -180, south: -10, east: 180, north: -5 }));
  assert.ok(hasBox({ west: -180, south: -90, east: 180, north: 90 }, across));
  assert.ok(haveCommon(across, { west: -175, south: -10, east: 0, north: 50 }));
  assert.ok(!haveCommon(across, { west: -160, south: -10, east: 160, north: 50 }));
});

test('the table is what PROJ computes, for all systems it is for', async () => {
  const context = await ProjContext.load(null);
  const codes = placedCodes();
  const known = new Set(codes);
  const records = readCrsRecords(projDatabasePath());
  const absent = records.filter(
    ({ code, kind, area }) =>
      (kind === 'projected' || kind === 'geographic') && area !== null && !known.has(code),
  );
  // PROJ cannot compute them: Lambert West Orientated, Bonne South Orientated and the like.
  assert.ok(
    absent.length < 40,
    `run scripts/crs-placements.ts: ${absent.length} systems are not in the table`,
  );
  for (const code of widelyUsed()) assert.equal(known.has(code), search.get(code) !== null, String(code));
  for (let i = 0; i < codes.length; i += 23) {
    const placement = placementOfCode(codes[i])!;
    const { area, bounds } = placement;
    using crs = createCrs(context, parseEpsg(codes[i], 'code'), 'code');
    using view = new DegreesView(context, crs);
    const size = Math.max(bounds[2] - bounds[0], bounds[3] - bounds[1]);
    for (const [u, v] of [
      [0.03, 0.95],
      [0.31, 0.2],
      [0.5, 0.5],
      [0.77, 0.61],
      [0.98, 0.05],
    ]) {
      // biome-ignore format: a table
      const [longitude, latitude] = [
        area.west + u * (area.east - area.west),
        area.south + v * (area.north - area.south),
      ];
      const expected = Float64Array.of(longitude, latitude);
      view.fromDegrees(expected);
      const [x, y] = forward(placement, longitude, latitude);
      const error = Math.hypot(x - expected[0], y - expected[1]);
      assert.ok(
        error < 2e-4 * size,
        `EPSG:${codes[i]}: ${error} at ${longitude}, ${latitude}; run scripts/crs-placements.ts`,
      );
      const back = inverse(placement, expected[0], expected[1]);
      assert.ok(back !== null, `EPSG:${codes[i]}: ${longitude}, ${latitude} is not found`);
    }
  }
});
