/** Sorted along a Hilbert curve, features near each other on the map follow each other, in degrees and in metres. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import fc from 'fast-check';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { hilbert } from '../../core/src/geometry/hilbert.ts';
import { transformations } from '../src/registry.ts';
import { parseSteps } from '../src/requested-steps.ts';

test('neighbours along the curve share a side, and every cell has one place', () => {
  const cells = Array.from({ length: 256 }, (_, i) => [i & 15, i >> 4] as const);
  const order = cells.toSorted((a, b) => hilbert(...a, 4) - hilbert(...b, 4));
  assert.deepEqual(
    order.map((cell) => hilbert(...cell, 4)),
    cells.map((_, i) => i),
  );
  for (let i = 1; i < 256; i++)
    assert.equal(Math.abs(order[i][0] - order[i - 1][0]) + Math.abs(order[i][1] - order[i - 1][1]), 1);
  assert.ok(hilbert(65_535, 0, 16) === 2 ** 32 - 1 && hilbert(0, 0, 16) === 0);
  const coordinate = fc.integer({ min: 0, max: 2 ** 24 - 1 });
  fc.assert(
    fc.property(coordinate, coordinate, (x, y) => {
      const place = hilbert(x, y, 24);
      // A cell of a curve of fewer bits is on the same section of the finer one.
      assert.equal(Math.floor(place / 2 ** 16), hilbert(x >> 8, y >> 8, 16));
      assert.ok(Number.isSafeInteger(place) && place < 2 ** 48);
    }),
  );
});

test('sort by hilbert() shortens the way from feature to feature', async () => {
  const side = 48;
  for (const [crs, step, origin] of [
    ['EPSG:4326', 0.001, 7],
    ['EPSG:32632', 100, 500_000],
  ] as const) {
    using workspace = makeWorkspace();
    const path = join(workspace.path, 'in.csv');
    // Every cell of a grid once, far from each other.
    const rows = Array.from({ length: side * side }, (_, i) => (i * 1013) % (side * side)).map(
      (i) => `POINT (${origin + (i % side) * step} ${origin + Math.floor(i / side) * step}),${i}`,
    );
    writeFileSync(path, ['wkt,n', ...rows, ',-1'].join('\n'));
    const steps = parseSteps([{ type: 'sort', by: ['hilbert()'] }], 'transformations', transformations);
    const options = { from: 'csv', to: 'csv', fromCrs: crs, toCrs: crs, transformations: steps } as const;
    const { outputPath } = await convertFile(path, workspace.path, options);
    const order = readFileSync(outputPath, 'utf8')
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => Number(line.split(',').find((cell) => /^-?\d+$/.test(cell))));
    assert.equal(order.pop(), -1, 'a feature without geometry is the last');
    assert.deepEqual(
      order.toSorted((a, b) => a - b),
      rows.map((_, i) => i),
    );
    let way = 0;
    for (let i = 1; i < order.length; i++)
      way += Math.hypot(
        (order[i] % side) - (order[i - 1] % side),
        Math.floor(order[i] / side) - Math.floor(order[i - 1] / side),
      );
    assert.ok(way < 1.5 * order.length, `${crs}: ${way / order.length} cells from one to the next`);
  }
});
