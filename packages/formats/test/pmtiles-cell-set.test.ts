/** The set of cells with a point, by which points of small zooms are thinned. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { CellSet } from '../src/pmtiles/cell-set.ts';

test('each cell is new once, also beyond the edges of the world', () => {
  const number = fc.integer({ min: -1000, max: 2 ** 31 });
  const cell = fc.tuple(fc.integer({ min: 0, max: 24 }), number, number);
  fc.assert(
    fc.property(fc.array(cell, { maxLength: 200 }), (cells) => {
      const set = new CellSet();
      const known = new Set<string>();
      for (const [zoom, column, row] of [...cells, ...cells]) {
        const key = `${zoom} ${column} ${row}`;
        assert.equal(set.add(zoom, column, row), !known.has(key));
        known.add(key);
      }
    }),
    { numRuns: 50 },
  );
});
