/** The door to GEOS: geometries come back as they went in, each has one owner, and what GEOS says becomes an error. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { geometryText } from '../../../../test/support/rows.ts';
import { columnOfWkt } from '../../../../test/support/wkt-column.ts';
import { GEOMETRY_TYPE, GeometryBuilder, PART_KIND } from '../../../core/src/geometry/geometry-column.ts';
import { GeomillError } from '../../../core/src/messages/errors.ts';
import { Geos } from '../src/geos.ts';
import { loadGeosModule } from '../src/module.ts';

const geos = await Geos.load();
const ROUND = { quadrantSegments: 16, endCap: 'round', join: 'round', mitreLimit: 5 } as const;

const FORMS = [
  'POINT Z (1 2 3)',
  'LINESTRING Z (0 0 1,1 1 NaN,2 0 3)',
  'POLYGON ((0 0,10 0,10 10,0 10,0 0),(1 1,2 1,2 2,1 1))',
  'MULTIPOINT ((1 1),(2 2))',
  'MULTILINESTRING ((0 0,1 1),(2 2,3 3))',
  'MULTIPOLYGON Z (((0 0 5,1 0 5,1 1 5,0 0 5)),((5 5 1,6 5 1,6 6 1,5 5 1)))',
  'GEOMETRYCOLLECTION (POINT (1 2),MULTIPOINT ((1 1),(2 2)),MULTIPOINT ((3 3)),LINESTRING (0 0,1 1))',
];

test('geometries come back from GEOS as they went in', () => {
  const column = columnOfWkt(FORMS, 'XYZ');
  const builder = new GeometryBuilder('XYZ');
  for (let row = 0; row < FORMS.length; row++) {
    using geometry = geos.read(column, row);
    assert.equal(geometry.appendTo(builder), column.types[row]);
  }
  assert.deepEqual(builder.finish(), column);
  assert.equal(geos.liveCount, 0);
});

test('any polygon and line comes back to the bit', () => {
  const ordinate = fc.double({ noNaN: true, noDefaultInfinity: true });
  const positions = fc.array(fc.tuple(ordinate, ordinate), { minLength: 3, maxLength: 20 });
  fc.assert(
    fc.property(positions, fc.boolean(), (list, isPolygon) => {
      const builder = new GeometryBuilder();
      for (const [x, y] of isPolygon ? [...list, list[0]] : list) builder.position(x, y);
      builder.endRing();
      builder.endPart(isPolygon ? PART_KIND.polygon : PART_KIND.line);
      builder.endFeature(isPolygon ? GEOMETRY_TYPE.polygon : GEOMETRY_TYPE.lineString);
      const column = builder.finish();
      const back = new GeometryBuilder();
      using geometry = geos.read(column, 0);
      geometry.appendTo(back);
      assert.deepEqual(back.finish(), column);
    }),
  );
});

test('an empty geometry, or one without a part of the dimension asked for, appends nothing', () => {
  const column = columnOfWkt(['POLYGON EMPTY', 'POINT (1 1)', 'GEOMETRYCOLLECTION (POINT (1 2),LINESTRING (0 0,1 1),LINESTRING (5 5,6 6))', null]); // biome-ignore format: one line
  const builder = new GeometryBuilder();
  const append = (row: number, only: 0 | 1 | 2 | null): number => {
    using geometry = geos.read(column, row);
    return geometry.appendTo(builder, only);
  };
  assert.equal(append(0, null), GEOMETRY_TYPE.none);
  assert.equal(append(1, 2), GEOMETRY_TYPE.none);
  assert.equal(append(3, null), GEOMETRY_TYPE.none);
  assert.equal(append(2, 2), GEOMETRY_TYPE.none);
  assert.equal(append(2, 1), GEOMETRY_TYPE.multiLineString);
  assert.equal(append(2, 0), GEOMETRY_TYPE.point);
  const written = builder.finish();
  assert.deepEqual([geometryText(written, 0), geometryText(written, 1)], ['MULTILINESTRING ((0 0,1 1),(5 5,6 6))', 'POINT (1 2)']); // biome-ignore format: one line
});

test('M is left out and missing ordinates come back as NaN', () => {
  const column = columnOfWkt(['LINESTRING ZM (0 0 1 7,1 1 2 8)', 'LINESTRING M (0 0 7,1 1 8)'], 'XYZM');
  const builder = new GeometryBuilder('XYZM');
  for (let row = 0; row < 2; row++) {
    using geometry = geos.read(column, row);
    geometry.appendTo(builder);
  }
  const { coordinates } = builder.finish();
  assert.deepEqual([...coordinates.subarray(0, 4)], [0, 0, 1, Number.NaN]);
  assert.deepEqual([...coordinates.subarray(8, 12)], [0, 0, Number.NaN, Number.NaN]);
});

test('rings that are open or too short are invalid geometries, not errors', () => {
  const builder = new GeometryBuilder();
  for (const [x, y] of [[0, 0], [1, 0], [1, 1]]) builder.position(x, y); // biome-ignore format: one line
  builder.endRing();
  builder.endPart(PART_KIND.polygon);
  builder.endFeature(GEOMETRY_TYPE.polygon);
  builder.position(3, 3);
  builder.endRing();
  builder.endPart(PART_KIND.polygon);
  builder.endFeature(GEOMETRY_TYPE.polygon);
  builder.position(3, 3);
  builder.endRing();
  builder.endPart(PART_KIND.line);
  builder.endFeature(GEOMETRY_TYPE.lineString);
  const column = builder.finish();
  using open = geos.read(column, 0);
  assert.ok(open.isValid);
  assert.equal(open.area, 0.5);
  for (const row of [1, 2]) {
    using degenerate = geos.read(column, row);
    assert.equal(degenerate.isValid, false);
    using repaired = degenerate.makeValid();
    assert.ok(repaired.isEmpty);
  }
});

test('what GEOS complains about is an error with its words, and nothing leaks', () => {
  const column = columnOfWkt(['POLYGON ((0 0,10 10,10 0,0 10,0 0))', 'POLYGON ((1 1,9 1,9 3,1 3,1 1))']);
  {
    using bowTie = geos.read(column, 0);
    using other = geos.read(column, 1);
    assert.equal(bowTie.isValid, false);
    assert.equal(bowTie.validityReason, 'Self-intersection[5 5]');
    assert.throws(() => bowTie.intersection(other), {
      code: 'GEOS_FAILED',
      message: /^intersection failed on a geometry: TopologyException: side location conflict at 5 5/,
    });
    assert.equal(geos.liveCount, 2);
    using repaired = bowTie.makeValid();
    assert.ok(repaired.isValid);
    assert.equal(repaired.area, 50);
    using both = repaired.intersection(other);
    assert.ok(both.area > 0);
  }
  assert.equal(geos.liveCount, 0);
  assert.equal(geos.isBroken, false);
});

test('operations give what their names say', () => {
  using a = geos.rectangle(0, 0, 2, 2);
  using b = geos.rectangle(1, 0, 3, 2);
  const area = (make: () => ReturnType<typeof a.union>): number => {
    using made = make();
    assert.ok(made.isValid);
    return made.area;
  };
  assert.equal(area(() => a.union(b)), 6); // biome-ignore format: one line
  assert.equal(area(() => a.intersection(b)), 2); // biome-ignore format: one line
  assert.equal(area(() => a.difference(b)), 2); // biome-ignore format: one line
  assert.equal(area(() => a.symmetricDifference(b)), 4); // biome-ignore format: one line
  assert.equal(area(() => a.buffer(1, { ...ROUND, join: 'mitre' })), 16); // biome-ignore format: one line
  assert.equal(area(() => a.convexHull()), 4); // biome-ignore format: one line
  assert.equal(a.length, 8);
  assert.equal(a.distance(b), 0);
  assert.equal(a.relate(b), '212111212');
  assert.deepEqual([a.intersects(b), a.touches(b), a.contains(b), a.equals(a), a.covers(b)], [true, false, false, true, false]); // biome-ignore format: one line
  using collection = geos.collection([geos.rectangle(0, 0, 1, 1), geos.rectangle(1, 0, 2, 1)]);
  assert.equal(collection.partCount, 2);
  assert.equal(area(() => collection.unaryUnion()), 2); // biome-ignore format: one line
  assert.equal(area(() => collection.part(1)), 1); // biome-ignore format: one line
  using prepared = a.prepare();
  assert.deepEqual([prepared.intersects(b), prepared.covers(b), prepared.contains(a), prepared.touches(b)], [true, false, true, false]); // biome-ignore format: one line
  assert.deepEqual([prepared.intersectsXY(0, 0), prepared.intersectsXY(1, 1), prepared.intersectsXY(5, 5)], [true, true, false]); // biome-ignore format: one line
});

test('polygons, lines and collections are made of coordinates and of many rows', () => {
  using holed = geos.polygonFromRings(
    Float64Array.of(0, 0, 4, 0, 4, 4, 0, 4, 0, 0, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1),
    [5, 10],
  );
  assert.ok(holed.isValid);
  assert.equal(holed.area, 15);
  using line = geos.lineFrom(Float64Array.of(0, 0, 3, 4));
  assert.equal(line.length, 5);
  using parts = geos.readParts(columnOfWkt(FORMS, 'XYZ'), [5, 2, 0]);
  assert.equal(parts.partCount, 4);
  using none = geos.readParts(columnOfWkt(FORMS, 'XYZ'), []);
  assert.ok(none.isEmpty);
});

test('a geometry that was freed or given away cannot be used', () => {
  const geometry = geos.rectangle(0, 0, 1, 1);
  geometry[Symbol.dispose]();
  geometry[Symbol.dispose]();
  assert.throws(() => geometry.area, /after it was freed/);
  const given = geos.rectangle(0, 0, 1, 1);
  using collection = geos.collection([given]);
  assert.throws(() => given.area, /after it was freed/);
  assert.equal(collection.area, 1);
  assert.equal(geos.isBroken, false);
});

test('the memory grows with the largest geometry, and from batch to batch no further', () => {
  const count = 300_000;
  const coordinates = new Float64Array(2 * count);
  for (let i = 0; i < count; i++) {
    coordinates[2 * i] = Math.cos((2 * Math.PI * i) / (count - 1));
    coordinates[2 * i + 1] = Math.sin((2 * Math.PI * i) / (count - 1));
  }
  const before = geos.memoryBytes;
  const batch = (): void => {
    using circle = geos.polygonFromRings(coordinates, [count]);
    assert.ok(Math.abs(circle.area - Math.PI) < 1e-9);
    const builder = new GeometryBuilder();
    using copy = circle.clone();
    copy.appendTo(builder);
    assert.deepEqual(builder.coordinates.subarray(0, 2 * count), coordinates);
  };
  batch();
  batch();
  const grown = geos.memoryBytes;
  assert.ok(grown > before, 'the memory has grown under the views');
  for (let i = 0; i < 20; i++) batch();
  const column = columnOfWkt(FORMS, 'XYZ');
  for (let i = 0; i < 3000; i++) {
    using geometry = geos.read(column, i % FORMS.length);
    using buffered = geometry.buffer(1, i % 2 === 0 ? ROUND : { ...ROUND, join: 'mitre' });
    using prepared = buffered.prepare();
    assert.ok(prepared.intersects(geometry));
    assert.notEqual(geometry.validityReason, '');
  }
  assert.equal(geos.memoryBytes, grown);
  assert.equal(geos.liveCount, 0);
});

test('long geometries do not overflow the stack of the module', () => {
  const count = 200_000;
  const coordinates = new Float64Array(2 * count);
  for (let i = 0; i < count; i++) {
    coordinates[2 * i] = i;
    coordinates[2 * i + 1] = (i / count) ** 8 * count * 1000;
  }
  using line = geos.lineFrom(coordinates);
  using simplified = line.simplify(1e-12);
  assert.ok(simplified.positionCount > count / 2);
  using smaller = line.topologyPreserveSimplify(1);
  assert.ok(smaller.positionCount > 2);
});

// Last, for it ends the instance that the other tests use.
test('after a trap of WebAssembly nothing more is freed, and the next load gives a new instance', async () => {
  const module = await loadGeosModule();
  const square = geos.rectangle(0, 0, 1, 1);
  const error = module.trapped('buffer', new RangeError('Maximum call stack size exceeded'));
  assert.ok(error instanceof GeomillError);
  assert.equal(error.code, 'GEOS_OUT_OF_MEMORY');
  assert.ok(geos.isBroken);
  square[Symbol.dispose]();
  const next = await Geos.load();
  assert.notEqual(next, geos);
  using other = next.rectangle(0, 0, 1, 1);
  assert.equal(other.area, 1);
  assert.equal(next.isBroken, false);
  assert.equal(await Geos.load(), next);
});
