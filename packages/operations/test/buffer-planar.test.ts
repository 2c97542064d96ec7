/** Planar buffers: points without an engine, everything else by GEOS; what is dropped or repaired is told. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { seededRandom } from '../../../bench/data.ts';
import { batchRows } from '../../../test/support/rows.ts';
import { batchOfWkt } from '../../../test/support/wkt-column.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
} from '../../core/src/geometry/geometry-column.ts';
import { signedArea } from '../../core/src/geometry/rings.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { PlanarBuffer, type PlanarForm } from '../src/buffer/planar.ts';
import { ShrunkRing } from '../src/buffer/shrunk-ring.ts';

const geos = await Geos.load();
const ROUND = { quadrantSegments: 16, endCap: 'round', join: 'round', mitreLimit: 5 } as const;

function buffered(texts: readonly (string | null)[], distance: number, form: Partial<PlanarForm> = {}) {
  const findings = new Findings();
  const before = geos.liveCount;
  const buffer = new PlanarBuffer({ distance, style: ROUND, simplifyTolerance: 0, ...form }, geos);
  const batch = buffer.apply(batchOfWkt(texts, 'XYZ'), findings);
  assert.equal(geos.liveCount, before, 'everything of GEOS was freed');
  assert.equal(batch.geometry.dimensions, 'XY');
  return { batch, rows: batchRows(batch), findings: findings.list(), areas: areasOf(batch.geometry) };
}

function areasOf(column: GeometryColumn): number[] {
  return Array.from(column.types, (_, row) => {
    using geometry = geos.read(column, row);
    assert.ok(geometry.isValid);
    return geometry.area;
  });
}

const near = (actual: number, expected: number, relative = 1e-9): void =>
  assert.ok(Math.abs(actual / expected - 1) < relative, `${actual} instead of ${expected}`);

/** Area of the polygon with 64 corners on the unit circle. */
const CIRCLE = 32 * Math.sin((2 * Math.PI) / 64);

test('the buffer of a point is a regular polygon that begins in the east', () => {
  const { batch, areas } = buffered(['POINT (100 200)'], 10);
  near(areas[0], CIRCLE * 100);
  const { coordinates, types } = batch.geometry;
  assert.equal(types[0], GEOMETRY_TYPE.polygon);
  assert.equal(coordinates.length, 2 * 65);
  assert.deepEqual([...coordinates.subarray(0, 2)], [110, 200]);
  assert.deepEqual([...coordinates.subarray(32, 34)], [100, 210]);
  assert.deepEqual([...coordinates.subarray(128)], [110, 200]);
  assert.ok(signedArea(coordinates, 2, 0, 65) > 0, 'counter-clockwise');
});

test('the polygon of a point is the one that GEOS makes', () => {
  const batch = batchOfWkt(['POINT (500000.25 5400000.75)']);
  using point = geos.read(batch.geometry, 0);
  using expected = point.buffer(123.456, ROUND);
  const result = new PlanarBuffer({ distance: 123.456, style: ROUND, simplifyTolerance: 0 }, geos);
  using actual = geos.read(result.apply(batch, new Findings()).geometry, 0);
  using difference = actual.symmetricDifference(expected);
  assert.ok(difference.area / expected.area < 1e-11);
  assert.equal(actual.positionCount, expected.positionCount);
});

test('multi points give one polygon per part while these stay apart, else their union', () => {
  const { batch, areas } = buffered(
    ['MULTIPOINT (0 0, 30 0)', 'MULTIPOINT (0 0, 5 0)', 'MULTIPOINT (0 0)'],
    10,
  );
  assert.deepEqual([...batch.geometry.types], [GEOMETRY_TYPE.multiPolygon, GEOMETRY_TYPE.polygon, GEOMETRY_TYPE.polygon]); // biome-ignore format: one line
  near(areas[0], 2 * CIRCLE * 100);
  assert.ok(areas[1] < 1.5 * CIRCLE * 100);
});

test('lines and polygons get the area that the formulas say', () => {
  const { areas } = buffered(['LINESTRING (0 0, 100 0)', 'POLYGON ((0 0, 100 0, 100 50, 0 50, 0 0))'], 10);
  near(areas[0], 100 * 20 + CIRCLE * 100);
  near(areas[1], 100 * 50 + 10 * 300 + CIRCLE * 100);
});

test('caps, joins and segments have their forms', () => {
  const line = 'LINESTRING (0 0, 100 0)';
  near(buffered([line], 10, { style: { ...ROUND, endCap: 'flat' } }).areas[0], 2000);
  near(buffered([line], 10, { style: { ...ROUND, endCap: 'square' } }).areas[0], 2400);
  const square = 'POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0))';
  near(buffered([square], 10, { style: { ...ROUND, join: 'mitre' } }).areas[0], 120 * 120);
  near(buffered([square], 10, { style: { ...ROUND, join: 'bevel' } }).areas[0], 120 * 120 - 4 * 50);
  near(buffered(['POINT (0 0)'], 10, { style: { ...ROUND, quadrantSegments: 1 } }).areas[0], 200);
  // A point has no direction: it grows to a square, and to nothing with flat caps, as GEOS has it.
  near(buffered(['POINT (0 0)'], 10, { style: { ...ROUND, endCap: 'square' } }).areas[0], 400);
});

test('what nothing is left of is dropped with its attributes and counted', () => {
  const { rows, findings, areas } = buffered(
    ['POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0))', 'POLYGON ((0 0, 5 0, 5 5, 0 5, 0 0))', 'LINESTRING (0 0, 1 1)', 'POINT (1 1)', null, 'POLYGON EMPTY'],
    -10,
  ); // biome-ignore format: one line
  near(areas[0], 80 * 80);
  assert.deepEqual(rows.map(({ id }) => id), [1, 5, 6]); // biome-ignore format: one line
  assert.deepEqual(rows.map(({ properties }) => properties.n), [1, 5, 6]); // biome-ignore format: one line
  assert.deepEqual(rows.map(({ geometry }) => geometry?.slice(0, 13)), ['POLYGON ((10 ', undefined, 'POLYGON EMPTY']); // biome-ignore format: one line
  assert.deepEqual(findings.map(({ code, count }) => [code, count]), [['GEOMETRY_DROPPED', 3]]); // biome-ignore format: one line
  assert.deepEqual(findings[0].places, [{ record: 2 }, { record: 3 }, { record: 4 }]);
});

test('an invalid polygon is repaired first and counted', () => {
  const { areas, findings } = buffered(['POLYGON ((0 0, 100 100, 100 0, 0 100, 0 0))'], 1);
  assert.ok(areas[0] > 5000 + 450, 'both triangles of the bow tie are there');
  assert.deepEqual(findings.map(({ code, count }) => [code, count]), [['GEOMETRY_REPAIRED', 1]]); // biome-ignore format: one line
});

test('heights end, and that is told', () => {
  const { findings } = buffered(['POINT Z (1 2 3)', 'POINT (1 2)', 'LINESTRING Z (0 0 1, 1 1 NaN)'], 1);
  assert.deepEqual(findings.map(({ code, count }) => [code, count]), [['Z_DROPPED', 2]]); // biome-ignore format: one line
});

test('positions that are not finite never reach a result', () => {
  const batch = batchOfWkt([
    'POINT (0 0)',
    'LINESTRING (0 0, 1 1, 2 2)',
    'POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0))',
  ]);
  const { coordinates } = batch.geometry;
  coordinates[0] = Number.NaN;
  coordinates[4] = Number.POSITIVE_INFINITY;
  coordinates[12] = Number.NaN;
  const findings = new Findings();
  const result = new PlanarBuffer({ distance: 1, style: ROUND, simplifyTolerance: 0 }, geos).apply(
    batch,
    findings,
  );
  areasOf(result.geometry);
  assert.ok(result.geometry.coordinates.every(Number.isFinite));
  assert.equal(findings.list()[0].code, 'GEOMETRY_DROPPED');
});

test('the outline of a result is simplified on request', () => {
  const line = 'LINESTRING (0 0, 100 0, 100 100)';
  const plain = buffered([line], 10);
  const simple = buffered([line], 10, { simplifyTolerance: 1 });
  assert.ok(simple.batch.geometry.coordinates.length < plain.batch.geometry.coordinates.length / 2);
  near(simple.areas[0], plain.areas[0], 0.05);
});

test('polygons are shrunk to what GEOS makes of them', () => {
  const random = seededRandom(3);
  const corners = (count: number, least: number, grid: number): string => {
    const texts = Array.from({ length: count }, (_, i) => {
      const angle = (i / count) * 2 * Math.PI;
      const reach = least + random() * (10 - least);
      const snap = (value: number): number => (grid === 0 ? value : Math.round(value / grid) * grid);
      return `${500_000 + snap(reach * Math.cos(angle))} ${5_400_000 + snap(reach * Math.sin(angle))}`;
    });
    if (random() < 0.5) texts.reverse();
    return `POLYGON ((${[...texts, texts[0]].join(', ')}))`;
  };
  const texts = Array.from({ length: 400 }, (_, i) =>
    corners(4 + Math.floor(random() * 11), [2, 6, 8][i % 3], i % 5 === 0 ? 1 : 0),
  );
  const { geometry } = batchOfWkt(texts);
  const column = new GeometryBuilder('XY');
  for (const distance of [0.1, 1, 3]) {
    const shrunk = new ShrunkRing(distance, 16);
    let done = 0;
    for (let row = 0; row < texts.length; row++) {
      if (!shrunk.append(geometry, row, column)) {
        assert.equal(column.partCount, 0, 'nothing is appended');
        continue;
      }
      done++;
      using polygon = geos.read(geometry, row);
      using expected = polygon.buffer(-distance, ROUND);
      using actual = geos.read(column.finish(), 0);
      assert.ok(actual.isValid, texts[row]);
      near(actual.area, expected.area, 1e-7);
      // GEOS's own overlay of two outlines that differ by rounding can fail: the distance of their vertices is surer.
      using grown = expected.buffer(1e-6 * distance, ROUND);
      assert.ok(grown.covers(actual), texts[row]);
      column.rewind(0);
      column.featureCount = 0;
    }
    assert.ok(done > (distance === 3 ? 60 : 250), `${done} of ${texts.length} without GEOS for ${distance}`);
  }
});
