/** Boxes of map views around the Earth, and how many features a preview takes of each layer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LonLatBox } from '../map/extent.ts';
import { alignedTo, contains, intersects, shareInView, widened, wrapped } from '../model/boxes.ts';
import { countPerLayer } from '../model/preview-limits.ts';

const box = fc
  .tuple(fc.integer({ min: -900, max: 900 }), fc.integer({ min: -80, max: 70 }), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 10 }))
  .map(([west, south, width, height]): LonLatBox => [west, south, west + width, south + height]); // biome-ignore format: one line

test('a box that went around the Earth is the same box', () => {
  fc.assert(
    fc.property(box, fc.integer({ min: -3, max: 3 }), (one, turns) => {
      const moved: LonLatBox = [one[0] + 360 * turns, one[1], one[2] + 360 * turns, one[3]];
      assert.deepEqual(alignedTo(one, moved), one);
      assert.ok(contains(one, moved) && intersects(one, moved));
      assert.equal(shareInView(one, moved), 1);
      assert.deepEqual(wrapped(moved), wrapped(one));
    }),
  );
});

test('a box for the filter is within 180 degrees and crosses the antimeridian where the view does', () => {
  assert.deepEqual(wrapped([5, 46, 15, 54]), [5, 46, 15, 54]);
  assert.deepEqual(wrapped([170, -20, 190, -10]), [170, -20, -170, -10]);
  assert.deepEqual(wrapped([-190, -20, -170, -10]), [170, -20, -170, -10]);
  assert.deepEqual(wrapped([-300, -80, 300, 80]), [-180, -80, 180, 80]);
  fc.assert(
    fc.property(box, (one) => {
      const [west, , east] = wrapped(one);
      assert.ok(west >= -180 && west < 180 && east >= -180 && east <= 180);
    }),
  );
});

test('boxes across the antimeridian meet those on its other side', () => {
  assert.ok(intersects([170, -20, 190, -10], [-175, -15, -172, -12]));
  assert.ok(!intersects([170, -20, 190, -10], [-165, -15, -160, -12]));
  assert.ok(contains([170, -20, 190, -10], [-179, -15, -172, -12]));
  assert.ok(!contains([5, 46, 15, 54], [4, 47, 14, 53]));
});

test('a view shows the share of the narrower side', () => {
  assert.equal(shareInView([0, 0, 10, 10], [-5, -5, 20, 20]), 1);
  assert.equal(shareInView([0, 0, 10, 10], [0, 0, 2, 8]), 0.2);
  assert.equal(shareInView([0, 0, 10, 10], [50, 50, 60, 60]), 0);
  assert.equal(shareInView([3, 3, 3, 3], [0, 0, 10, 10]), 1);
  assert.deepEqual(widened([0, 80, 10, 88], 0.5), [-5, 76, 15, 90]);
});

test('the layers of a file share the features of a preview, and small layers are whole', () => {
  assert.equal(countPerLayer([5_000_000], 20_000), 20_000);
  assert.equal(countPerLayer([], 20_000), 20_000);
  assert.equal(countPerLayer([100, 300], 20_000), 20_000);
  assert.equal(countPerLayer([1000, 50_000, 60_000], 20_000), 9500);
  fc.assert(
    fc.property(
      fc.array(fc.nat(100_000), { maxLength: 50 }),
      fc.integer({ min: 50, max: 30_000 }),
      (counts, limit) => {
        const each = countPerLayer(counts, limit);
        const drawn = counts.reduce((sum, count) => sum + Math.min(count, each), 0);
        const total = counts.reduce((sum, count) => sum + count, 0);
        assert.ok(drawn <= limit);
        assert.ok(drawn === total || drawn > limit - counts.length, `${drawn} of ${limit}`);
      },
    ),
  );
});
