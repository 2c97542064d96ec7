/** Hatches: paths of polylines and edges, and which loop is a hole of which. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { type Drawn, drawn, entity, LINES } from '../../../test/support/dxf-entity.ts';
import { GEOMETRY_NOTE } from '../../core/src/geometry/geometry-notes.ts';
import { RingBands } from '../../core/src/geometry/ring-tree.ts';
import { locateInRing, signedArea } from '../../core/src/geometry/rings.ts';
import { rotation, translation } from '../src/dxf/shapes/affine-map.ts';
import { LoopNester } from '../src/dxf/shapes/loops.ts';
import { pen } from '../src/dxf/shapes/pen.ts';

type Box = readonly [minX: number, minY: number, maxX: number, maxY: number];

const corners = ([a, b, c, d]: Box): number[][] => [
  [a, b],
  [c, b],
  [c, d],
  [a, d],
];
const polylinePath = (box: Box): string =>
  `92 2, 72 0, 73 1, 93 4, ${corners(box)
    .map(([x, y]) => `10 ${x}, 20 ${y}`)
    .join(', ')}, 97 0`;
const hatchOf = (paths: readonly string[], head = '10 0, 20 0, 30 0, 210 0, 220 0, 230 1'): Drawn =>
  drawn(
    entity(
      'HATCH',
      `100 AcDbHatch, ${head}, 2 SOLID, 70 1, 71 0, 91 ${paths.length}, ${paths.join(', ')}, 75 0, 76 1, 98 1, 10 99, 20 99`,
    ),
  );
const area = (ring: readonly number[][]): number =>
  Math.abs(
    signedArea(Float64Array.from(ring.flatMap((position) => position.slice(0, 2))), 2, 0, ring.length),
  );
const areas = ({ parts }: Drawn): number[][] => parts.map((rings) => rings.map(area));

test('reads one polyline path as a polygon through every code path', () => {
  const plain = hatchOf([polylinePath([0, 0, 4, 3])]);
  assert.deepEqual(plain, {
    type: 'Polygon',
    dimensions: 'XY',
    parts: [
      [
        [
          [0, 0],
          [4, 0],
          [4, 3],
          [0, 3],
          [0, 0],
        ],
      ],
    ],
  });
  const raised = hatchOf([polylinePath([0, 0, 4, 3])], '10 0, 20 0, 30 5');
  assert.equal(raised.dimensions, 'XYZ');
  assert.deepEqual(
    raised.parts[0][0].map(([x, y]) => [x, y]),
    plain.parts[0][0],
  );
});

test('nests loops by parity, in any order, regardless of flags', () => {
  const outer: Box = [0, 0, 10, 10];
  const hole: Box = [1, 1, 9, 9];
  const island: Box = [2, 2, 5, 5];
  const islandHole: Box = [3, 3, 4, 4];
  const apart: Box = [20, 0, 22, 2];
  for (const boxes of [
    [outer, hole, island, islandHole, apart],
    [apart, islandHole, island, hole, outer],
    [island, apart, outer, islandHole, hole],
  ]) {
    const result = hatchOf(boxes.map(polylinePath));
    assert.equal(result.type, 'MultiPolygon');
    assert.deepEqual(
      areas(result).sort((a, b) => b[0] - a[0]),
      [[100, 64], [9, 1], [4]],
    );
  }
});

test('treats a hole that touches its shell, at a corner or with all its vertices, as a hole', () => {
  assert.deepEqual(areas(hatchOf([polylinePath([0, 0, 4, 4]), polylinePath([0, 0, 2, 2])])), [[16, 4]]);
  const diamond = '92 2, 72 0, 73 1, 93 4, 10 2, 20 0, 10 4, 20 2, 10 2, 20 4, 10 0, 20 2, 97 0';
  assert.deepEqual(areas(hatchOf([diamond, polylinePath([0, 0, 4, 4])])), [[16, 8]]);
  // Adjacent with a common side, not nested.
  assert.deepEqual(areas(hatchOf([polylinePath([0, 0, 4, 4]), polylinePath([4, 0, 6, 4])])), [[16], [8]]);
});

test('the parity at any point matches the number of loops around it', () => {
  const box = fc
    .tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 6 }))
    .map(([x, y, depth]) => ({ x: x * 20, y: y * 20, depth }));
  fc.assert(
    fc.property(
      fc.uniqueArray(box, { minLength: 1, maxLength: 12, selector: ({ x, y }) => `${x} ${y}` }),
      fc.integer(),
      (nests, seed) => {
        const boxes = nests.flatMap(({ x, y, depth }) =>
          Array.from({ length: depth }, (_, i): Box => [x + i, y + i, x + 18 - i, y + 18 - i]),
        );
        boxes.sort((a, b) => ((a[0] * 31 + a[1] * 17 + seed) % 13) - ((b[0] * 31 + b[1] * 17 + seed) % 13));
        const result = hatchOf(boxes.map(polylinePath));
        const expected = nests.flatMap(({ depth }) =>
          Array.from({ length: Math.ceil(depth / 2) }, (_, i) => {
            const side = (level: number): number => (18 - 2 * level) ** 2;
            return 2 * i + 1 < depth ? [side(2 * i), side(2 * i + 1)] : [side(2 * i)];
          }),
        );
        assert.deepEqual(areas(result).map(String).sort(), expected.map(String).sort());
      },
    ),
    { numRuns: 60 },
  );
});

test('nests a hundred thousand loops with little work for each', () => {
  const count = 50_000;
  const coordinates = new Float64Array(count * 2 * 10);
  const starts = new Uint32Array(count * 2 + 1);
  for (let loop = 0; loop < count * 2; loop++) {
    const x = ((loop >> 1) % 250) * 10;
    const y = Math.floor((loop >> 1) / 250) * 10;
    const inset = loop & 1;
    corners([x + inset, y + inset, x + 8 - inset, y + 8 - inset]).forEach(([px, py], i) => {
      coordinates.set([px, py], loop * 10 + i * 2);
    });
    coordinates.copyWithin(loop * 10 + 8, loop * 10, loop * 10 + 2);
    starts[loop + 1] = (loop + 1) * 5;
  }
  const nester = new LoopNester();
  nester.nest(coordinates, 2, starts, count * 2);
  assert.ok(nester.work < 400 * count, `${nester.work}`);
  assert.equal(nester.shellCount, count);
});

const edge = {
  line: (x1: number, y1: number, x2: number, y2: number): string =>
    `72 1, 10 ${x1}, 20 ${y1}, 11 ${x2}, 21 ${y2}`,
  arc: (x: number, y: number, r: number, from: number, to: number, ccw: number): string =>
    `72 2, 10 ${x}, 20 ${y}, 40 ${r}, 50 ${from}, 51 ${to}, 73 ${ccw}`,
};
const edgePath = (...edges: string[]): string => `92 1, 93 ${edges.length}, ${edges.join(', ')}, 97 0`;

test('joins edges to a loop even if some are reversed or in another order', () => {
  const sides = [edge.line(0, 0, 4, 0), edge.line(4, 0, 4, 3), edge.line(0, 3, 4, 3), edge.line(0, 0, 0, 3)];
  for (const order of [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [0, 2, 1, 3],
    [2, 0, 3, 1],
  ]) {
    const result = hatchOf([edgePath(...order.map((i) => sides[i]))]);
    assert.deepEqual(areas(result), [[12]]);
    assert.equal(result.parts[0][0].length, 5);
  }
});

test('measures angles of clockwise arcs clockwise', () => {
  // A slot: half circles at both ends, clockwise as stored by AutoCAD.
  const slot = hatchOf([
    edgePath(
      edge.line(0, 1, 4, 1),
      edge.arc(4, 0, 1, 270, 450, 0),
      edge.line(4, -1, 0, -1),
      edge.arc(0, 0, 1, 90, 270, 0),
    ),
  ]);
  const [ring] = slot.parts[0];
  assert.deepEqual(ring[0], ring.at(-1));
  assert.ok(Math.abs(area(ring) - (8 + Math.PI)) < 0.01);
});

test('separates several loops of one edge path', () => {
  const result = hatchOf([edgePath(edge.arc(0, 0, 5, 0, 360, 1), edge.arc(0, 0, 2, 0, 360, 0))]);
  assert.equal(result.type, 'Polygon');
  assert.equal(result.parts[0].length, 2);
});

test('reads elliptical edges by angles or by parameters, whichever makes them meet', () => {
  // A quarter from parameter 0 to 60 degrees; seen from the centre it ends at 40.9 degrees.
  const parameter = Math.PI / 3;
  const [x, y] = [2 * Math.cos(parameter), Math.sin(parameter)];
  const angle = (Math.atan2(y, x) * 180) / Math.PI;
  for (const end of [60, angle]) {
    const result = hatchOf([
      edgePath(
        `72 3, 10 0, 20 0, 11 2, 21 0, 40 0.5, 50 0, 51 ${end}, 73 1`,
        edge.line(x, y, 0, 0),
        edge.line(0, 0, 2, 0),
      ),
    ]);
    assert.ok(Math.abs(areas(result)[0][0] - Math.PI / 3) < 0.001);
  }
});

test('ends spline edges at their last control point', () => {
  const result = hatchOf([
    edgePath(
      '72 4, 94 2, 73 0, 74 0, 95 6, 96 3, 40 0, 40 0, 40 0, 40 1, 40 1, 40 1, 10 0, 20 0, 10 2, 20 4, 10 4, 20 0, 97 0',
      edge.line(4, 0, 0, 0),
    ),
  ]);
  // A parabola over a chord of 4 with its top at 2.
  assert.ok(Math.abs(areas(result)[0][0] - 16 / 3) < 0.01);
});

test('nests a vertical hatch in its own plane', () => {
  const upright = hatchOf(
    [polylinePath([0, 0, 4, 4]), polylinePath([1, 1, 2, 2])],
    '10 0, 20 0, 30 0, 210 1, 220 0, 230 0',
  );
  assert.equal(upright.type, 'Polygon');
  assert.equal(upright.parts[0].length, 2);
  assert.ok(upright.parts[0][0].every(([x]) => x === 0));
});

test('skips the source references of associative hatches and reads MPOLYGONs the same way', () => {
  const withSources = hatchOf([
    `${polylinePath([0, 0, 4, 4]).replace('97 0', '97 2')}, 330 A1, 330 A2`,
    `${edgePath(edge.line(1, 1, 2, 1), edge.line(2, 1, 1, 2), edge.line(1, 2, 1, 1)).replace('97 0', '97 1')}, 330 A3`,
  ]);
  assert.deepEqual(areas(withSources), [[16, 0.5]]);
  const mpolygon = drawn(
    entity(
      'MPOLYGON',
      `100 AcDbMPolygon, 70 1, 10 0, 20 0, 30 0, 2 SOLID, 71 0, 91 1, ${polylinePath([0, 0, 2, 2])}, 76 1, 63 1, 11 7, 21 7, 99 0`,
    ),
  );
  assert.deepEqual(areas(mpolygon), [[4]]);
});

test('draws a bulge in a path as an arc, even after the last vertex', () => {
  const circle = hatchOf(['92 3, 72 1, 73 1, 93 2, 10 -1, 20 0, 42 1, 10 1, 20 0, 42 1, 97 0']);
  assert.equal(circle.parts[0][0].length, 91);
  assert.ok(Math.abs(areas(circle)[0][0] - Math.PI) < 0.01);
});

test('omits loops without area if there are others', () => {
  const flat = '92 2, 72 0, 73 1, 93 2, 10 0, 20 0, 10 4, 20 0, 97 0';
  assert.deepEqual(areas(hatchOf([flat, polylinePath([0, 0, 4, 4])])), [[16]]);
  assert.throws(() => hatchOf([flat]), /encloses an area/);
});

test('applies maps to hatches as to all entities', () => {
  const box = entity('HATCH', `10 0, 20 0, 30 0, 91 1, ${polylinePath([0, 0, 2, 1])}`);
  assert.deepEqual(drawn(box, LINES, rotation(90)).parts[0][0][2], [-1, 2]);
  assert.deepEqual(drawn(box, LINES, translation(5, 5, 0)).parts[0][0][2], [7, 6]);
});

test('draws a polyline with a wrong vertex count with its actual vertices and notes it', () => {
  for (const bulge of ['', ', 42 1'])
    for (const stated of [1, 3, 2_000_000_000]) {
      const { parts } = drawn(entity('LWPOLYLINE', `90 ${stated}, 70 0, 10 0, 20 0${bulge}, 10 1, 20 1`));
      assert.deepEqual(parts[0][0].at(-1), [1, 1]);
      assert.equal((pen.notes & GEOMETRY_NOTE.vertexCount) !== 0, true);
    }
});

test('notes what was done to an entity: curves, surfaces, gaps between edges', () => {
  hatchOf([polylinePath([0, 0, 4, 4])]);
  assert.equal(pen.notes, 0);
  hatchOf([edgePath(edge.line(0, 0, 4, 0), edge.line(4, 0, 4, 3), edge.line(4, 3, 0, 0))]);
  assert.equal(pen.notes, 0);
  hatchOf([edgePath(edge.line(0, 0, 4, 0), edge.line(4, 1, 4, 3), edge.line(4, 3, 0, 0))]);
  assert.equal(pen.notes, GEOMETRY_NOTE.curveGap);
  hatchOf([edgePath(edge.arc(0, 0, 2, 0, 360, 1))]);
  assert.equal(pen.notes, GEOMETRY_NOTE.curve);
  drawn(entity('LWPOLYLINE', '90 2, 70 0, 10 0, 20 0, 10 1, 20 1'));
  assert.equal(pen.notes, 0);
  drawn(entity('LWPOLYLINE', '90 2, 70 1, 10 0, 20 0, 10 1, 20 1'));
  assert.equal(pen.notes, 0);
});

/** Rings in the form that `nest` takes. */
function nested(rings: readonly (readonly number[][])[]): LoopNester {
  const starts = [0];
  for (const ring of rings) starts.push(starts[starts.length - 1] + ring.length);
  const nester = new LoopNester();
  nester.nest(Float64Array.from(rings.flat(2)), 2, Uint32Array.from(starts), rings.length);
  return nester;
}

const ringOf = (x: number, y: number, side: number): number[][] => [
  ...corners([x, y, x + side, y + side]),
  [x, y],
];

test('nests many loops with the same result as few', () => {
  const square = fc.tuple(fc.nat(60), fc.nat(60), fc.integer({ min: 1, max: 40 }));
  const apart = Array.from({ length: 40 }, (_, i) => ringOf(1000 + 2 * i, 0, 1));
  const rolesOf = (nester: LoopNester, count: number): unknown => [
    [...nester.isShell.subarray(0, count)],
    [...nester.order]
      .filter((loop, i) => i < count || loop < count)
      .filter((loop) => loop < count)
      .slice(0, count),
  ];
  fc.assert(
    fc.property(
      fc.uniqueArray(square, { minLength: 2, maxLength: 20, selector: ([, , side]) => side }),
      (squares) => {
        const rings = squares.map(([x, y, side]) => ringOf(x, y, side));
        const few = nested(rings);
        const many = nested([...rings, ...apart]);
        assert.deepEqual(rolesOf(many, rings.length), rolesOf(few, rings.length));
      },
    ),
    { numRuns: 300 },
  );
});

test('the work of nesting grows almost linearly with the number of loops', () => {
  const side = (count: number): number => Math.ceil(Math.sqrt(count));
  const circle = (count: number, radius: number): number[][] => {
    const ring = Array.from({ length: count }, (_, i) => [
      radius * Math.cos((2 * Math.PI * i) / count),
      radius * Math.sin((2 * Math.PI * i) / count),
    ]);
    return [...ring, ring[0]];
  };
  const layouts: Readonly<Record<string, (count: number) => number[][][]>> = {
    stacked: (count) => Array.from({ length: count }, (_, i) => ringOf(0, 2 * i, 1)),
    'one in the other': (count) => Array.from({ length: count }, (_, i) => ringOf(i, i, 2 * (count - i))),
    'in a ring of many positions': (count) => [
      circle(count, 2 * side(count)),
      ...Array.from({ length: count }, (_, i) => ringOf(i % side(count), Math.floor(i / side(count)), 0.5)),
    ],
    stripes: (count) => Array.from({ length: count }, (_, i) => ringOf(i / count, i * 2, 1)),
  };
  for (const [name, layout] of Object.entries(layouts)) {
    const work = nested(layout(2000)).work;
    const ofTwice = nested(layout(4000)).work;
    // n log n doubles by 2.2, n times the square root of n by 2.8, n squared by 4.
    assert.ok(ofTwice < 3.2 * work, `${name}: ${work}, ${ofTwice}`);
  }
});

test('locates a position the same way in runs and in the whole ring', () => {
  const coordinate = fc.integer({ min: 0, max: 12 });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 60 }),
      fc.array(fc.tuple(coordinate, coordinate, fc.boolean()), { minLength: 20, maxLength: 20 }),
      (positions, points) => {
        const ring = Float64Array.from([...positions, positions[0]].flat());
        const bands = new RingBands(ring, 2, 0, ring.length / 2);
        for (const [x, y, isBetween] of points) {
          const at = isBetween ? x + 0.5 : x;
          assert.equal(bands.locate(at, y), locateInRing(at, y, ring, 2, 0, ring.length / 2));
        }
      },
    ),
    { numRuns: 300 },
  );
});
