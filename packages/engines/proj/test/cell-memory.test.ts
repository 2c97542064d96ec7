/** Polynomials of cells: compiled code and JavaScript give the same bits, and both stop at the same positions. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { seeded } from '../../../../test/accuracy/compare.ts';
import { CellMemory, plainRun } from '../src/cell-memory.ts';
import { fitPoints, fitted } from '../src/polynomial.ts';

const random = seeded(5);
const between = (least: number, most: number): number => least + random() * (most - least);
const SMALLEST = 0.25;

/** Cells of the sizes 1 and 0.25 from (-60, -2) on, one beside another, and more of them than the first memory has room for. */
const SQUARES = Array.from({ length: 400 }, (_, i) => ({
  west: -60 + Math.floor(i / 4),
  south: i % 4 < 2 ? -2 + (i % 2) : 1 + (i % 2) * SMALLEST,
  size: i % 4 < 2 ? 1 : SMALLEST,
}));
const FIT_POINTS = fitPoints();
const COEFFICIENTS = SQUARES.map(() => fitted(FIT_POINTS.map(() => between(-1e7, 1e7))));

function memoryWithCells(memory: CellMemory): CellMemory {
  for (const [i, square] of SQUARES.entries()) {
    const record = memory.add(square, COEFFICIENTS[i]);
    for (let x = square.west; x < square.west + square.size; x += SMALLEST)
      for (let y = square.south; y < square.south + square.size; y += SMALLEST) memory.assign(x, y, record);
  }
  return memory;
}

const memories = [new CellMemory(SMALLEST), new CellMemory(SMALLEST, plainRun)].map(memoryWithCells);

test('compiled code and JavaScript give the same bits', () => {
  for (const stride of [2, 3]) {
    // In the columns that were assigned last. Corners of cells, too; each tenth position is in no cell, empty or beyond all columns.
    const outside = [
      [30, 1.75],
      [Number.NaN, -1],
      [1e300, -1],
      [30, Number.NaN],
    ];
    const positions = Array.from({ length: 1500 }, (_, i) => {
      const x = i % 7 === 0 ? Math.floor(between(24, 40)) : between(24, 40);
      const y = i % 5 === 0 ? Math.floor(between(-2, 2)) : between(-2, 0);
      return [...(i % 10 === 9 ? outside[(i - 9) % 4] : [x, y]), ...(stride === 3 ? [i] : [])];
    }).flat();
    const [compiled, plain] = memories.map((memory) => {
      memory.block.set(positions);
      const stops: number[] = [];
      for (let at = 0; ; at += stride) {
        at = memory.transform(at, positions.length, stride);
        if (at >= positions.length) break;
        stops.push(at);
      }
      return { stops, results: [...memory.block.subarray(0, positions.length)] };
    });
    assert.deepEqual(compiled, plain);
    assert.ok(compiled.stops.length >= 150 && compiled.stops.length < 1000, `${compiled.stops.length}`);
    for (const at of compiled.stops)
      assert.deepEqual(compiled.results.slice(at, at + stride), positions.slice(at, at + stride));
  }
});

test('a fit has the values at its nodes, and is the same in both', () => {
  const values = FIT_POINTS.map((_, i) => {
    const [u, v] = [FIT_POINTS[i & ~1], FIT_POINTS[i | 1]];
    return i % 2 === 0 ? 3 + u ** 4 * v ** 2 - 5 * v ** 6 : 1e6 - u ** 3 * v;
  });
  const [compiled, plain] = memories.map((memory) => [...memory.valuesAtFitPoints(fitted(values))]);
  assert.deepEqual(compiled, plain);
  for (const [i, value] of compiled.entries())
    assert.ok(Math.abs(value - values[i]) < 1e-8, `${i}: ${value}`);
});

test('no cell is left after clear', () => {
  for (const memory of memories) {
    memory.clear();
    memory.block.set([-59.5, -1.5]);
    assert.equal(memory.transform(0, 2, 2), 0);
  }
});
