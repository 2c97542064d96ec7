import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { RingSorter } from '../src/geometry/ring-sorter.ts';

type Ring = readonly (readonly [x: number, y: number])[];

/** A clockwise square. */
function square(x: number, y: number, size: number): Ring {
  return [
    [x, y],
    [x, y + size],
    [x + size, y + size],
    [x + size, y],
    [x, y],
  ];
}
const reversed = (ring: Ring): Ring => [...ring].reverse();

/** Polygons as lists of ring numbers, shell first. */
function sort(rings: readonly Ring[]): { polygons: number[][]; repaired: boolean } {
  const xy = Float64Array.from(rings.flat(2));
  const starts = Int32Array.from([0, ...rings.map((_, i) => rings.slice(0, i + 1).flat().length)]);
  const sorter = new RingSorter(assert.fail);
  const repaired = sorter.sort(xy, starts, rings.length);
  const polygons: number[][] = [];
  for (let i = 0; i < rings.length; i++) {
    const ring = sorter.order[i];
    if (sorter.isShell[ring] === 1) polygons.push([ring]);
    else polygons[polygons.length - 1].push(ring);
  }
  return { polygons, repaired };
}

test('assigns a hole that touches its shell at a corner or along an edge', () => {
  const shell = square(0, 0, 10);
  assert.deepEqual(sort([shell, reversed(square(0, 0, 5))]).polygons, [[0, 1]]);
  assert.deepEqual(sort([reversed(square(0, 2, 5)), shell]).polygons, [[1, 0]]);
});

test('keeps two overlapping shells as two shells', () => {
  assert.deepEqual(sort([square(0, 0, 10), square(5, 5, 10)]), { polygons: [[0], [1]], repaired: false });
});

test('turns a hole outside of every shell into a shell', () => {
  assert.deepEqual(sort([square(0, 0, 10), reversed(square(20, 20, 5))]).polygons, [[0], [1]]);
});

test('keeps degenerate rings, which do not affect the others', () => {
  const spike: Ring = [
    [1, 1],
    [2, 2],
    [1, 1],
  ];
  assert.deepEqual(sort([square(0, 0, 10), spike]).polygons, [[0, 1]]);
  assert.deepEqual(
    sort([spike, [[5, 5]], square(20, 20, 1)])
      .polygons.flat()
      .sort(),
    [0, 1, 2],
  );
});

test('alternates shells and holes for nested squares in any order and orientation', () => {
  const depthAndOrder = fc
    .oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 129, max: 150 }))
    .chain((depth) =>
      fc.tuple(
        fc.shuffledSubarray(
          Array.from({ length: depth }, (_, i) => i),
          { minLength: depth, maxLength: depth },
        ),
        fc.boolean(),
      ),
    );
  fc.assert(
    fc.property(depthAndOrder, ([order, isReversed]) => {
      const rings = order.map((depth) => {
        const ring = square(depth, depth, 1000 - 2 * depth);
        const isHole = depth % 2 === 1;
        return isHole !== isReversed ? reversed(ring) : ring;
      });
      const { polygons, repaired } = sort(rings);
      assert.equal(repaired, isReversed);
      const nested = polygons
        .map((polygon) => polygon.map((ring) => order[ring]))
        .sort((a, b) => a[0] - b[0]);
      const expected = Array.from({ length: Math.ceil(order.length / 2) }, (_, i) =>
        [2 * i, 2 * i + 1].filter((depth) => depth < order.length),
      );
      assert.deepEqual(nested, expected);
    }),
  );
});

/** Rings by number, for layouts of any size. */
const LAYOUTS: Readonly<Record<string, (count: number) => Ring[]>> = {
  'one in the other': (count) =>
    Array.from({ length: count }, (_, i) => oriented(i, square(i, i, 4 * count - 2 * i))),
  'one in the other, all touching one corner': (count) =>
    Array.from({ length: count }, (_, i) => oriented(i, square(0, 0, count - i))),
  'one in the other, all with an edge on one line': (count) =>
    Array.from({ length: count }, (_, i) => oriented(i, square(i, 0, 4 * count - 2 * i))),
  'side by side in rows': (count) =>
    Array.from({ length: count }, (_, i) => square((i % 100) * 2, Math.floor(i / 100) * 2, 1)),
  'above one another': (count) => Array.from({ length: count }, (_, i) => square(0, i * 2, 1)),
  'a board of squares that share edges': (count) =>
    Array.from({ length: count }, (_, i) => square(i % 100, Math.floor(i / 100), 1)),
  'a staircase of squares that share corners': (count) =>
    Array.from({ length: count }, (_, i) => square(i, i, 1)),
  'all the same': (count) => Array.from({ length: count }, (_, i) => oriented(i, square(0, 0, 1))),
  'islands, each with a lake': (count) =>
    Array.from({ length: count }, (_, i) =>
      oriented(i, square((i % 200) * 5 + (i % 2), Math.floor(i / 200) * 20 + (i % 2), i % 2 ? 1 : 6)),
    ),
};
const oriented = (i: number, ring: Ring): Ring => (i % 2 === 1 ? reversed(ring) : ring);

for (const [name, layout] of Object.entries(LAYOUTS))
  test(`the work of sorting rings ${name} grows almost linearly with their number`, () => {
    const work = (count: number): number => {
      const rings = layout(count);
      const starts = Int32Array.from({ length: count + 1 }, (_, i) => i * 5);
      const sorter = new RingSorter(assert.fail);
      sorter.sort(Float64Array.from(rings.flat(2)), starts, count);
      return sorter.work;
    };
    const ofThousands = work(5_000);
    const ofTwice = work(10_000);
    assert.ok(ofTwice < 10_000 * 400, `${ofTwice}`);
    assert.ok(ofTwice < 2.8 * ofThousands, `${ofThousands}, ${ofTwice}`);
  });

test('rejects rings that take too much work', () => {
  const refuse = (reason: string): never => {
    throw new Error(reason);
  };
  const rings = LAYOUTS['one in the other'](200);
  const xy = Float64Array.from(rings.flat(2));
  const starts = Int32Array.from({ length: 201 }, (_, i) => i * 5);
  assert.throws(
    () => new RingSorter(refuse, 500).sort(xy, starts, 200),
    /its rings overlap in too many ways/,
  );
  new RingSorter(refuse).sort(xy, starts, 200);
});

test('does not compare holes with all positions of a large shell', () => {
  const shell = (count: number): Ring =>
    Array.from({ length: count + 1 }, (_, i) => {
      const angle = (-2 * Math.PI * (i % count)) / count;
      return [100 * Math.cos(angle), 100 * Math.sin(angle)] as const;
    });
  const rings = [shell(20_000)];
  for (let i = 0; i < 2000; i++)
    rings.push(reversed(square((i % 50) * 2 - 50, Math.floor(i / 50) * 2 - 40, 1)));
  const starts = [0];
  for (const ring of rings) starts.push(starts[starts.length - 1] + ring.length);
  const sorter = new RingSorter(assert.fail);
  assert.equal(sorter.sort(Float64Array.from(rings.flat(2)), Int32Array.from(starts), rings.length), false);
  assert.ok(sorter.work < 2000 * 1000, `${sorter.work}`);
  assert.deepEqual([...sorter.isShell.subarray(0, 3)], [1, 0, 0]);
});

test('sorts an archipelago of 20,000 islands with lakes with little work for each', () => {
  const rings: Ring[] = [];
  for (let i = 0; i < 20_000; i++)
    rings.push(reversed(square((i % 200) * 10 + 1, Math.floor(i / 200) * 10 + 1, 2)));
  for (let i = 0; i < 20_000; i++) rings.push(square((i % 200) * 10, Math.floor(i / 200) * 10, 5));
  const xy = Float64Array.from(rings.flat(2));
  const starts = Int32Array.from({ length: rings.length + 1 }, (_, i) => i * 5);
  const sorter = new RingSorter(assert.fail);
  assert.equal(sorter.sort(xy, starts, rings.length), false);
  assert.ok(sorter.work < 200 * rings.length, `${sorter.work}`);
  for (let i = 0; i < 40_000; i += 2) {
    assert.equal(sorter.order[i + 1], sorter.order[i] - 20_000);
  }
});
