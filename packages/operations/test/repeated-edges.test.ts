/** Rings that run back and forth along an edge are shortened before GEOS repairs them; the repair gives the same result. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { runStep } from '../../../test/support/run-step.ts';
import { batchOfWkt, columnOfWkt } from '../../../test/support/wkt-column.ts';
import { Geos } from '../../engines/geos/src/geos.ts';
import { makeValid } from '../src/make_valid/record.ts';
import { withoutRepeatedEdges } from '../src/parts/repeated-edges.ts';

const geos = await Geos.load();

function ringWith(times: number): string {
  const run = ', 5 5, 0 0'.repeat(times);
  return `POLYGON ((10 0, 0 0${run}, 0 10, 10 0))`;
}

test('a ring keeps one of many runs along an edge', () => {
  const shorter = withoutRepeatedEdges(columnOfWkt([ringWith(20_000)], 'XY'), 0);
  assert.deepEqual(shorter, columnOfWkt([ringWith(1)], 'XY'));
});

test('lines and rings without repeated edges stay as they are', () => {
  const column = columnOfWkt(['LINESTRING (0 0, 1 1, 0 0, 1 1)', ringWith(1)], 'XY');
  assert.equal(withoutRepeatedEdges(column, 0), null);
  assert.equal(withoutRepeatedEdges(column, 1), null);
});

test('a ring that runs back and forth 20,000 times is repaired like one that does so once', async () => {
  for (const method of ['structure', 'linework']) {
    const batch = batchOfWkt([ringWith(20_000), ringWith(1)]);
    const { texts, counts } = await runStep(makeValid, { method }, batch);
    assert.equal(texts[0], texts[1]);
    assert.deepEqual(counts, { GEOMETRY_REPAIRED: 2 });
  }
});

test('the repair of any shortened polygon is that of the whole one', () => {
  const position = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 }));
  const edge = fc.tuple(position, fc.integer({ min: 0, max: 3 }));
  fc.assert(
    fc.property(fc.array(edge, { minLength: 3, maxLength: 9 }), (edges) => {
      const positions = edges.flatMap(([at, times], i) => {
        const [next] = edges[(i + 1) % edges.length];
        return [at, ...Array.from({ length: times }, () => [next, at]).flat()];
      });
      const ring = [...positions, positions[0]].map((at) => at.join(' ')).join(', ');
      const column = columnOfWkt([`POLYGON ((${ring}))`], 'XY');
      const shorter = withoutRepeatedEdges(column, 0);
      if (shorter === null) return;
      using whole = geos.read(column, 0);
      using part = geos.read(shorter, 0);
      for (const method of ['structure', 'linework'] as const) {
        using a = whole.makeValid(method);
        using b = part.makeValid(method);
        // Rings may begin elsewhere, so sums are rounded differently.
        assert.ok(Math.abs(a.area - b.area) < 1e-9);
        assert.ok(Math.abs(a.length - b.length) < 1e-9);
        using apart = a.symmetricDifference(b);
        assert.ok(apart.isEmpty);
      }
    }),
  );
});
