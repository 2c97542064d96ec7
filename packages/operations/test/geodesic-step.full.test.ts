/** Geodesic buffers as a step: what becomes of rows, kinds of geometries, forms of buffers, units and wrong input. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { LineJudge, metersBetween, type Position } from '../../../test/support/geodesic-judge.ts';
import { batchOfWkt } from '../../../test/support/wkt-column.ts';
import type { FeatureBatch } from '../../core/src/columns/feature-batch.ts';
import type { CrsDescription } from '../../core/src/crs/crs.ts';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { code } from '../src/buffer/code.ts';
import { GeodesicBuffer } from '../src/buffer/geodesic.ts';
import type { BufferParameters } from '../src/buffer/parameters.ts';

const geos = await Geos.load();
const round = { quadrantSegments: 16, endCap: 'round', join: 'round', mitreLimit: 5 } as const;
const setting = { path: 'transformations[0]', layerName: 'places', checkPositions: () => {} };

function buffered(
  wkt: readonly string[],
  meters: number,
  more: Partial<BufferParameters> = {},
  crs: CrsDescription = WGS84_DESCRIPTION,
): { batch: FeatureBatch; notes: Record<string, number> } {
  const parameters = {
    distanceMeters: meters,
    style: round,
    simplifyToleranceMeters: 0,
    geodesic: false,
    ...more,
  };
  const findings = new Findings();
  const batch = new GeodesicBuffer(parameters, crs, geos, setting).apply(batchOfWkt(wkt), findings);
  for (let row = 0; row < batch.rowCount; row++) {
    using geometry = geos.read(batch.geometry, row);
    assert.ok(geometry.isValid, geometry.validityReason);
  }
  return { batch, notes: Object.fromEntries(findings.list().map(({ code, count }) => [code, count])) };
}

/** Of all positions of the only feature. */
function extent({ geometry }: FeatureBatch): [number, number, number, number] {
  const xs = geometry.coordinates.filter((_, i) => i % 2 === 0);
  const ys = geometry.coordinates.filter((_, i) => i % 2 === 1);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** Square degrees. */
function areaOf(batch: FeatureBatch, row = 0): number {
  using geometry = geos.read(batch.geometry, row);
  return geometry.area;
}

test('rows keep their order; what leaves nothing is left out and counted, what is empty stays', () => {
  const square = 'POLYGON ((10 50, 10.01 50, 10.01 50.01, 10 50.01, 10 50))';
  const { batch, notes } = buffered(['POINT (1 1)', square, 'LINESTRING (0 0, 1 0)', 'POLYGON EMPTY'], -100);
  assert.deepEqual([...batch.geometry.types], [3, 3]);
  assert.equal(notes.GEOMETRY_DROPPED, 2);
  const grown = buffered(['POINT (1 1)', 'POINT EMPTY', square, 'LINESTRING (0 0, 1 0)'], 100);
  assert.deepEqual([...grown.batch.geometry.types], [3, 3, 3, 3]);
  assert.deepEqual(grown.notes, {});
  const { coordinates, coordOffsets } = grown.batch.geometry;
  assert.ok(metersBetween([coordinates[0], coordinates[1]], [1, 1]) < 101);
  assert.ok(Math.abs(coordinates[2 * coordOffsets[1]] - 10) < 0.1);
});

test('multi points become circles, united where they overlap', () => {
  const far = buffered(['MULTIPOINT ((1 1), (2 1))'], 1000).batch.geometry;
  assert.deepEqual([...far.types, far.partKinds.length], [6, 2]);
  const near = buffered(['MULTIPOINT ((1 1), (1.001 1))'], 1000).batch.geometry;
  assert.deepEqual([...near.types, near.partKinds.length], [3, 1]);
});

test('collections are buffered as a whole', () => {
  const { batch } = buffered(
    ['GEOMETRYCOLLECTION (POINT (1 1), LINESTRING (1 1, 1.01 1), POINT (3 3))'],
    500,
  );
  assert.deepEqual([...batch.geometry.types, batch.geometry.partKinds.length], [6, 2]);
});

test('ends and corners are as in the plane, for short lines and for long ones', () => {
  for (const line of ['LINESTRING (10 0, 10.1 0)', 'LINESTRING (10 0, 40 0)']) {
    const areas = (['flat', 'round', 'square'] as const).map((endCap) =>
      areaOf(buffered([line], 1000, { style: { ...round, endCap } }).batch),
    );
    const degree = 111_195;
    const [flat, roundEnds, square] = areas.map((area) => area * degree * degree);
    // A band is off by as much as 0.016 %, which over 3,300 km is more than the ends' last percents.
    assert.ok(Math.abs((roundEnds - flat) / (Math.PI * 1e6) - 1) < 0.04, `${line}: ${roundEnds - flat}`);
    assert.ok(Math.abs((square - flat) / 4e6 - 1) < 0.04, `${line}: ${square - flat}`);
  }
  const corner = 'LINESTRING (10 0, 10.1 0, 10.1 0.1)';
  const [rounded, mitred, bevelled] = (['round', 'mitre', 'bevel'] as const).map((join) =>
    areaOf(buffered([corner], 1000, { style: { ...round, join } }).batch),
  );
  assert.ok(mitred > rounded && rounded > bevelled);
});

test('a polygon that was cut at 180 degrees is one again, and does not shrink from the cut', () => {
  const cut =
    'MULTIPOLYGON (((179 0, 180 0, 180 1, 179 1, 179 0)), ((-180 0, -179 0, -179 1, -180 1, -180 0)))';
  for (const meters of [5000, -5000]) {
    const { batch, notes } = buffered([cut], meters);
    assert.equal(batch.geometry.partKinds.length, 2);
    assert.deepEqual(notes, {});
    const [west, , east] = extent(batch);
    assert.deepEqual([west, east], [-180, 180]);
  }
});

test('whatever the size of the parts, a cut polygon shrinks like a whole one', () => {
  const box = (west: number, east: number, north: number): string =>
    `((${west} 60, ${east} 60, ${east} ${north}, ${west} ${north}, ${west} 60))`;
  for (const [western, eastern, north] of [
    [1, 1, 61],
    [0.02, 0.5, 61],
    [8, 0.2, 61],
    // Programs that cut polygons round each side.
    [0.01, 7, 61.00000001],
  ]) {
    const cut = `MULTIPOLYGON (${box(180 - western, 180, 61)}, ${box(-180, eastern - 180, north)})`;
    const whole = `POLYGON ${box(0, western + eastern, 61)}`;
    const area = areaOf(buffered([whole], -5000).batch);
    const error = areaOf(buffered([cut], -5000).batch) / area - 1;
    assert.ok(Math.abs(error) < 1e-4, `${western} and ${eastern} degrees: ${error}`);
  }
});

test('an edge leads around a pole on its own side', () => {
  for (const south of [80, 85.5, 88.75]) {
    const [edge, steps] = ['-90 89.9, 80 89.9', '-90 89.9, -20 89.9, 40 89.9, 80 89.9'].map((end) =>
      areaOf(buffered([`LINESTRING (-90 ${south}, ${end})`], 1000).batch),
    );
    assert.ok(Math.abs(edge / steps - 1) < 1e-5, `${south}: ${edge} and ${steps}`);
  }
});

test('distances in an ellipsoid of grads from Paris are as long as any', () => {
  const grads: CrsDescription = {
    ...WGS84_DESCRIPTION,
    name: 'NTF (Paris)',
    unitName: 'grad',
    unitFactor: Math.PI / 200,
    ellipsoid: { semiMajorMeters: 6378249.2, inverseFlattening: 293.4660212936269 },
  };
  const { batch } = buffered(['POINT (1 54)'], 1000, {}, grads);
  const { coordinates } = batch.geometry;
  for (let i = 0; i < coordinates.length; i += 2) {
    const meters = metersBetween([0.9, 48.6], [coordinates[i] * 0.9, coordinates[i + 1] * 0.9]);
    assert.ok(Math.abs(meters / 1000 - 1) < 1e-3, `${meters}`);
  }
});

test('longitudes from 0 to 360 are taken, others are refused with their place', () => {
  const [west, , east] = extent(buffered(['LINESTRING (270 10, 271 10)'], 1000).batch);
  assert.ok(west > -90.1 && east < -88.9);
  for (const wkt of [
    'POINT (500000 6000000)',
    'LINESTRING (0 0, 0 91)',
    'POINT (0 -91)',
    'LINESTRING (0 0, 900 0)',
  ]) {
    assert.throws(() => buffered(['POINT (0 0)', wkt], 1000), {
      code: 'COORDINATE_OUT_OF_RANGE',
      // Whatever the format of the input.
      message: /^(?!.*GeoJSON).*feature 2 of layer 'places'.*probably not in the stated CRS/,
    });
  }
});

test('a distance longer than a quarter of the globe is refused', () => {
  assert.throws(() => buffered(['POINT (0 0)'], 1e7), {
    code: 'TRANSFORMATION_INVALID',
    message: /transformations\[0\]\.distance' is longer than 9885 km/,
  });
  assert.equal(buffered(['POINT (0 80)', 'LINESTRING (0 0, 20 0)'], 9e6).batch.rowCount, 2);
});

test('invalid polygons are repaired and counted, small ones and large ones', () => {
  const bow = (size: number): string => `POLYGON ((0 0, ${size} ${size}, ${size} 0, 0 ${size}, 0 0))`;
  const { batch, notes } = buffered([bow(0.01), bow(10)], 100);
  assert.equal(batch.rowCount, 2);
  assert.equal(notes.GEOMETRY_REPAIRED, 2);
  const western = Array.from({ length: 20 }, (_, i): string => {
    const [x, y] = [-10.1 - 7.37 * i, 40.1];
    return `POLYGON ((${x} ${y}, ${x + 0.01} ${y + 0.01}, ${x + 0.01} ${y}, ${x} ${y + 0.01}, ${x} ${y}))`;
  });
  assert.equal(buffered(western, 100).notes.GEOMETRY_REPAIRED, 20);
});

test('heights end and are counted; memory of GEOS returns', () => {
  const before = geos.liveCount;
  const { notes, batch } = buffered(
    ['LINESTRING Z (0 0 1, 1 0 1)', 'POLYGON ((0 0, 30 0, 30 30, 0 0))'],
    100,
  );
  assert.equal(notes.Z_DROPPED, 1);
  assert.equal(batch.geometry.dimensions, 'XY');
  assert.equal(geos.liveCount, before);
});

test('positions are counted while they are made', () => {
  for (const wkt of ['POINT (1 1)', 'LINESTRING (0 0, 0.1 0)', 'LINESTRING (0 0, 50 20)']) {
    const counts: number[] = [];
    const checkPositions = (count: number): void => {
      counts.push(count);
      if (count > 300) throw new Error('too many');
    };
    const form = { distanceMeters: 100, style: round, simplifyToleranceMeters: 0, geodesic: false };
    const buffer = new GeodesicBuffer(form, WGS84_DESCRIPTION, geos, { ...setting, checkPositions });
    const batch = batchOfWkt(new Array(100).fill(wkt));
    assert.throws(() => buffer.apply(batch, new Findings()), /too many/);
    assert.ok(counts.length < 10, `${wkt}: ${counts}`);
  }
});

test('outlines are simplified as far as asked for', () => {
  const plain = buffered(['POINT (5 5)'], 1000).batch.geometry.coordinates.length;
  const simple = buffered(['POINT (5 5)'], 1000, { simplifyToleranceMeters: 50 }).batch.geometry;
  assert.ok(simple.coordinates.length < plain / 2);
});

const radius = 6378137;
const mercator = (inverse: boolean) => (coordinates: Float64Array) => {
  for (let i = 0; i < coordinates.length; i += 2) {
    const [x, y] = [coordinates[i], coordinates[i + 1]];
    coordinates[i] = inverse ? (x / radius) * (180 / Math.PI) : (x * Math.PI * radius) / 180;
    coordinates[i + 1] = inverse
      ? Math.atan(Math.sinh(y / radius)) * (180 / Math.PI)
      : Math.asinh(Math.tan((y * Math.PI) / 180)) * radius;
  }
};
const [toWgs84, fromWgs84] = [mercator(true), mercator(false)];
const webMercator: CrsDescription = { ...WGS84_DESCRIPTION, name: 'web', kind: 'projected', unitFactor: 1 };

test('in a projection, a buffer on the ellipsoid is as wide everywhere along a long edge', async () => {
  const parameters = { distance: 5, units: 'kilometers', geodesic: true };
  const step = await code.prepare(parameters, { ...setting, crs: webMercator, toWgs84, fromWgs84 });
  const input = batchOfWkt(['LINESTRING (0 0, 1000000 7000000)']);
  const { geometry } = step(input, new Findings());
  assert.deepEqual([...input.geometry.coordinates], [0, 0, 1e6, 7e6]);
  const outline = geometry.coordinates.slice();
  toWgs84(outline);
  // Straight in the projection, the edge is many positions in degrees.
  const edge = Float64Array.from({ length: 2002 }, (_, i) => (i % 2 === 0 ? 1e6 : 7e6) * ((i >> 1) / 1000));
  toWgs84(edge);
  const judge = new LineJudge(
    [Array.from({ length: 1001 }, (_, i): Position => [edge[2 * i], edge[2 * i + 1]])],
    4,
  );
  for (let i = 0; i < outline.length; i += 2 * Math.ceil(outline.length / 80)) {
    const share = judge.distance([outline[i], outline[i + 1]]) / 5000;
    assert.ok(Math.abs(share - 1) < 0.0013, `${share}`);
  }
});

test('in a projection, an edge has a bounded number of vertices however long it is', async () => {
  const parameters = { distance: 1, units: 'meters', geodesic: true };
  const step = await code.prepare(parameters, { ...setting, crs: webMercator, toWgs84, fromWgs84 });
  const countOf = (length: number): number => {
    const input = batchOfWkt([`LINESTRING (0 0, ${length} ${length / 2})`]);
    return step(input, new Findings()).geometry.coordinates.length / 2;
  };
  const [short, long, longest] = [1e4, 1e6, 8e6].map(countOf);
  assert.ok(short > 200 && short < 1500, `${short}`);
  assert.ok(long < 5000 && longest < 5000, `${long} ${longest}`);
});

test('no hole is left near a line that turns within less than the distance', () => {
  // GEOS leaves a sliver of a hole here, 69 km from the line.
  const { batch } = buffered(['LINESTRING (10 89.5, 100 89.9)'], 100_000);
  assert.equal(batch.geometry.ringOffsets.at(-1), 1);
  // True holes stay.
  const ring = buffered(['LINESTRING (10 50, 11 50, 11 51, 10 51, 10 50)'], 10_000);
  assert.equal(ring.batch.geometry.ringOffsets.at(-1), 2);
});

test('refuses distances below 1 mm other than 0', async () => {
  const crs = WGS84_DESCRIPTION;
  const stay = (): void => {};
  const prepare = (distance: number, units = 'meters') =>
    code.prepare({ distance, units }, { ...setting, crs, toWgs84: stay, fromWgs84: stay });
  for (const distance of [1e-9, -1e-9, 0.000999, Number.MIN_VALUE])
    await assert.rejects(prepare(distance), {
      code: 'TRANSFORMATION_INVALID',
      message: /^'transformations\[0\]\.distance' is shorter than 1 mm/,
    });
  await assert.rejects(prepare(0.003, 'feet'), { code: 'TRANSFORMATION_INVALID' });
  for (const distance of [0.001, -0.001, 0, -0]) await prepare(distance);
});
