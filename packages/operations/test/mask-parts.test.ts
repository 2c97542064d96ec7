/** Masks of many parts: an index finds those that a feature can meet, and the result is that of the whole mask. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { METRIC_CRS } from '../../../test/support/run-step.ts';
import { batchOfWkt, columnOfWkt } from '../../../test/support/wkt-column.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { indexParts, Mask } from '../src/parts/mask/mask.ts';
import { MaskCollector } from '../src/parts/mask/mask-collector.ts';

const geos = await Geos.load();

const box = ([x, y, width, height]: readonly number[]): string =>
  `POLYGON ((${x} ${y}, ${x + width} ${y}, ${x + width} ${y + height}, ${x} ${y + height}, ${x} ${y}))`;

test('the index finds exactly the parts whose bounds meet, however many there are', () => {
  const size = fc.integer({ min: 1, max: 9 });
  const place = fc.integer({ min: 0, max: 60 });
  const boxes = fc.tuple(place, place, size, size);
  fc.assert(
    fc.property(fc.array(boxes, { minLength: 1, maxLength: 400 }), boxes, (parts, [x, y, width, height]) => {
      const index = indexParts(columnOfWkt(parts.map(box)));
      const found = index.meeting([x, y, x + width, y + height]).sort((a, b) => a - b);
      const expected = parts.flatMap(([west, south, w, h], i) =>
        west <= x + width && west + w >= x && south <= y + height && south + h >= y ? [i] : [],
      );
      assert.deepEqual(found, expected);
    }),
    { numRuns: 60 },
  );
});

test('the parts around a feature cut it as the whole mask does', () => {
  const tiles = Array.from({ length: 100 }, (_, i) => [(i % 10) * 10, Math.floor(i / 10) * 10, 7, 7]);
  using all = geos.collection(tiles.map((tile) => geos.read(columnOfWkt([box(tile)]), 0)));
  const before = geos.liveCount;
  {
    using mask = new Mask(geos, all.unaryUnion(), METRIC_CRS);
    const rectangle = fc.tuple(
      fc.integer({ min: -5, max: 99 }),
      fc.integer({ min: -5, max: 99 }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 40 }),
    );
    fc.assert(
      fc.property(rectangle, ([x, y, width, height]) => {
        using feature = geos.rectangle(x, y, x + width, y + height);
        using owned = new DisposableStack();
        const near = mask.around([x, y, x + width, y + height], owned);
        using whole = feature.intersection(mask.geometry);
        if (near === null) return assert.ok(whole.isEmpty);
        using part = feature.intersection(near.geometry);
        assert.ok(Math.abs(whole.area - part.area) < 1e-9);
        assert.equal(near.predicates.intersects(feature), mask.prepared.intersects(feature));
        assert.equal(near.predicates.covers(feature), mask.prepared.covers(feature));
      }),
      { numRuns: 100 },
    );
  }
  assert.equal(geos.liveCount, before, 'what was made of GEOS was freed');
});

test('a file without polygons, or with anything else, is no mask; too large a one is refused', () => {
  const collect = (...texts: readonly (string | null)[]): MaskCollector => {
    const collector = new MaskCollector('t.mask');
    collector.add(batchOfWkt(texts));
    return collector;
  };
  const mask = "'t.mask' ";
  assert.throws(() => collect(null, 'POLYGON EMPTY').finish(), {
    message: new RegExp(`^${mask}has no polygon; use a file or layer with areas\\.`),
  });
  assert.throws(() => collect('POLYGON ((0 0, 1 0, 1 1, 0 0))', 'POINT (1 1)'), {
    message: `${mask}has a Point; a mask has polygons alone`,
    location: { record: 2 },
  });
  assert.throws(() => collect('GEOMETRYCOLLECTION (LINESTRING (0 0, 1 1))'), {
    code: 'TRANSFORMATION_INVALID',
  });
  const collector = collect(box([0, 0, 1, 1]), 'MULTIPOLYGON Z (((0 0 1, 1 0 2, 1 1 3, 0 0 1)))');
  assert.equal(collector.finish().types.length, 2);
  collector.restart();
  assert.throws(() => collector.finish(), {
    message: new RegExp(`^${mask}has no polygon; use a file or layer with areas\\.`),
  });
  const batch = batchOfWkt(Array.from({ length: 1000 }, () => box([0, 0, 1, 1])));
  assert.throws(
    () => {
      for (let i = 0; i <= 400; i++) collector.add(batch);
    },
    { message: `${mask}has more than 2000000 positions; simplify it, or use fewer of its features` },
  );
});
