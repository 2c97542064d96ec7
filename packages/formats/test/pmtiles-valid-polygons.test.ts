/** Polygons that the grid made invalid, beyond what is mended: the work for them is bounded. test/oracle/pmtiles-gdal.full.test.ts judges the others. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { validPolygons } from '../src/pmtiles/valid-polygons.ts';

/** A ring through pseudo-random positions, whose edges cross each other about n * n / 6 times. */
function tangle(positions: number): number[] {
  let state = 1;
  const next = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % 4096;
  };
  return Array.from({ length: positions * 2 }, next);
}

test('a ring like an 8 becomes two shells', () => {
  const polygons = validPolygons([[[0, 0, 10, 10, 10, 0, 0, 10]]]);
  assert.deepEqual(
    polygons.map((rings) => rings.length),
    [1, 1],
  );
});

test('a ring that crosses itself too often stays as it is', () => {
  for (const positions of [400, 20_000]) {
    const polygons = [[tangle(positions)]];
    assert.equal(validPolygons(polygons), polygons);
  }
});
