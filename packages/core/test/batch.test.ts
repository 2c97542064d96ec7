import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ColumnBuilder, nullColumn, valueAt } from '../src/columns/attribute-column.ts';
import { castColumn, castKeepsText } from '../src/columns/cast.ts';
import { type FieldType, type OpenType, widenType } from '../src/columns/schema.ts';
import {
  batchStatistics,
  emptyStatistics,
  MORE_DECIMALS,
  mergeStatistics,
} from '../src/columns/statistics.ts';
import { GEOMETRY_TYPE, GeometryBuilder, PART_KIND, restride } from '../src/geometry/geometry-column.ts';
import { locateInRing, signedArea } from '../src/geometry/rings.ts';

const TYPES: readonly OpenType[] = [
  'null',
  'boolean',
  'int32',
  'int64',
  'float64',
  'string',
  'date',
  'datetime',
  'json',
];

test('widening is commutative and idempotent and leads to a type that both can be cast to', () => {
  for (const mixed of ['json', 'string'] as const) {
    for (const a of TYPES) {
      assert.equal(widenType(a, a, mixed), a);
      for (const b of TYPES) {
        const wide = widenType(a, b, mixed);
        assert.equal(wide, widenType(b, a, mixed));
        assert.equal(widenType(wide, a, mixed), wide, `${a} + ${b} = ${wide}`);
      }
    }
  }
});

test('large integers never become floats', () => {
  assert.equal(widenType('int64', 'float64', 'json', false), 'json');
  assert.equal(widenType('int64', 'float64', 'json', true), 'float64');
});

function int32Column(values: readonly (number | null)[]) {
  const builder = new ColumnBuilder('int32');
  for (const value of values) value === null ? builder.appendNull() : builder.appendNumber(value);
  return builder.finish();
}

test('a column keeps its values and nulls when it grows and is cast', () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })), { maxLength: 3000 }),
      (values) => {
        const column = int32Column(values);
        const read = (type: FieldType) => {
          const cast = castColumn(column, type, values.length);
          return values.map((_, row) => valueAt(cast, row));
        };
        assert.deepEqual(read('int32'), values);
        assert.deepEqual(read('float64'), values);
        assert.deepEqual(
          read('int64'),
          values.map((value) => (value === null ? null : BigInt(value))),
        );
        assert.deepEqual(
          read('string'),
          values.map((value) => (value === null ? null : String(value))),
        );
      },
    ),
    { numRuns: 30 },
  );
});

test('text survives conversion to JSON and back', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.string({ unit: 'grapheme' })), { maxLength: 50 }), (values) => {
      const builder = new ColumnBuilder('string');
      for (const value of values) value === null ? builder.appendNull() : builder.appendText(value);
      const json = castColumn(builder.finish(), 'json', values.length);
      assert.deepEqual(
        values.map((_, row) => valueAt(json, row)),
        values.map((value) =>
          value === null ? null : JSON.stringify(value).replace(/\\b/g, '\\u0008').replace(/\\f/g, '\\u000c'),
        ),
      );
      const text = castColumn(json, 'string', values.length);
      assert.deepEqual(
        values.map((_, row) => valueAt(text, row)),
        values,
      );
    }),
  );
});

test('castKeepsText is true only for casts that keep the text', () => {
  assert.equal(castKeepsText('int32', 'string'), true);
  assert.equal(castKeepsText('float64', 'string'), false);
  assert.equal(castKeepsText('boolean', 'string'), false);
  assert.equal(castKeepsText('date', 'string'), true);
  assert.equal(castKeepsText('null', 'float64'), true);
});

test('casts a column of nulls to anything', () => {
  for (const type of TYPES)
    if (type !== 'null') assert.equal(castColumn(nullColumn('string', 9), type, 9).type, type);
});

test('a geometry builder that is widened to Z gives the earlier positions NaN', () => {
  const builder = new GeometryBuilder();
  builder.position(1, 2);
  builder.endRing();
  builder.endPart(PART_KIND.point);
  builder.endFeature(GEOMETRY_TYPE.point);
  builder.widen('XYZ');
  builder.position(3, 4, 5);
  builder.endRing();
  builder.endPart(PART_KIND.point);
  builder.endFeature(GEOMETRY_TYPE.point);
  const column = builder.finish();
  assert.equal(column.dimensions, 'XYZ');
  assert.deepEqual([...column.coordinates], [1, 2, Number.NaN, 3, 4, 5]);
});

test('a builder gives its column away, however much memory it reserved', () => {
  for (const positions of [1, 4, 5]) {
    const builder = new GeometryBuilder('XY', 1, positions);
    builder.position(1, 2);
    builder.position(3, 4);
    builder.position(5, 6);
    builder.endRing();
    builder.endPart(PART_KIND.line);
    builder.endFeature(GEOMETRY_TYPE.lineString);
    assert.deepEqual([...builder.take().coordinates], [1, 2, 3, 4, 5, 6]);
  }
});

test('rollback discards an unfinished feature', () => {
  const builder = new GeometryBuilder();
  builder.position(1, 2);
  builder.endRing();
  builder.endPart(PART_KIND.point);
  builder.endFeature(GEOMETRY_TYPE.point);
  builder.position(9, 9);
  builder.endRing();
  builder.position(8, 8);
  builder.rollback();
  builder.endFeature(GEOMETRY_TYPE.none);
  const column = builder.finish();
  assert.deepEqual([...column.coordinates], [1, 2]);
  assert.deepEqual([...column.partOffsets], [0, 1, 1]);
});

test('restriding keeps the ordinates that both dimensions have', () => {
  assert.deepEqual([...restride(Float64Array.of(1, 2, 3, 4), 'XYZM', 'XYM')], [1, 2, 4]);
  assert.deepEqual([...restride(Float64Array.of(1, 2, 4), 'XYM', 'XYZM')], [1, 2, Number.NaN, 4]);
});

test('a reversed ring has the opposite area and the same interior', () => {
  const ring = fc.array(fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -50, max: 50 })), {
    minLength: 3,
    maxLength: 12,
  });
  fc.assert(
    fc.property(
      ring,
      fc.integer({ min: -60, max: 60 }),
      fc.integer({ min: -60, max: 60 }),
      (positions, x, y) => {
        const closed = [...positions, positions[0]].flat();
        const forward = Float64Array.from(closed);
        const backward = Float64Array.from([...positions, positions[0]].reverse().flat());
        const count = closed.length / 2;
        assert.equal(signedArea(forward, 2, 0, count) + signedArea(backward, 2, 0, count), 0);
        assert.equal(locateInRing(x, y, forward, 2, 0, count), locateInRing(x, y, backward, 2, 0, count));
      },
    ),
  );
});

test('locates a point inside, outside and on the edge of a square', () => {
  const square = Float64Array.of(0, 0, 4, 0, 4, 4, 0, 4, 0, 0);
  const locate = (x: number, y: number) => locateInRing(x, y, square, 2, 0, 5);
  assert.deepEqual(
    [locate(2, 2), locate(5, 2), locate(4, 2), locate(2, 0), locate(0, 0), locate(-1, 0), locate(2, 4)],
    [1, -1, 0, 0, 0, -1, 0],
  );
});

test('merged statistics of batches equal those of the whole', () => {
  const columnOf = (values: readonly number[]) => {
    const builder = new ColumnBuilder('float64');
    for (const value of values) builder.appendNumber(value);
    return builder.finish();
  };
  const batchOf = (values: readonly number[]) => {
    const geometry = new GeometryBuilder();
    for (const value of values) {
      geometry.position(value, -value);
      geometry.endRing();
      geometry.endPart(PART_KIND.point);
      geometry.endFeature(GEOMETRY_TYPE.point);
    }
    return {
      rowCount: values.length,
      geometry: geometry.finish(),
      fields: [{ name: 'v', type: 'float64' as const }],
      columns: [columnOf(values)],
      ids: null,
    };
  };
  const merged = emptyStatistics();
  for (const part of [[1.5, 22.25], [-300.125]])
    mergeStatistics(merged, batchStatistics(batchOf(part), 'all'), 'string');
  assert.deepEqual(merged, batchStatistics(batchOf([1.5, 22.25, -300.125]), 'all'));
  assert.equal(merged.fields[0].maxDecimals, 3);
  assert.equal(merged.fields[0].maxLength, 4);
  assert.equal(batchStatistics(batchOf([1e-20]), 'all').fields[0].maxDecimals, MORE_DECIMALS);
});
