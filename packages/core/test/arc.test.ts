import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ArcStroker, bulgeSweep, DEFAULT_STROKING, type Stroking, stepCount } from '../src/geometry/arc.ts';
import { type Dimensions, GeometryBuilder, strideOf } from '../src/geometry/geometry-column.ts';

type Positions = readonly (readonly number[])[];

/** The positions that replace control points. */
function stroked(controls: Positions, stroking?: Stroking, dimensions: Dimensions = 'XY'): number[][] {
  const builder = new GeometryBuilder(dimensions, 1, 1);
  for (const [x, y, third, fourth] of controls) {
    if (dimensions === 'XYM') builder.position(x, y, Number.NaN, third);
    else builder.position(x, y, third, fourth);
  }
  new ArcStroker(stroking).replaceControls(builder, 0);
  return positionsOf(builder);
}

function bulged(start: readonly number[], end: readonly number[], bulge: number): number[][] {
  const builder = new GeometryBuilder('XY', 1, 1);
  builder.position(start[0], start[1]);
  new ArcStroker().byBulge(builder, Float64Array.of(...start, ...end), 0, 2, bulge);
  return positionsOf(builder);
}

function positionsOf(builder: GeometryBuilder): number[][] {
  const stride = strideOf(builder.dimensions);
  return Array.from({ length: builder.positionCount }, (_, i) => [
    ...builder.coordinates.subarray(i * stride, (i + 1) * stride),
  ]);
}

const finite = (min: number, max: number) => fc.double({ min, max, noNaN: true });
/** Circles from a millimetre to the size of the earth, anywhere in a projected CRS. */
const arc = fc
  .record({
    x: finite(-1e7, 1e7),
    y: finite(-1e7, 1e7),
    exponent: finite(-3, 7),
    start: finite(-Math.PI, Math.PI),
    sweep: fc.oneof(finite(0.01, 6.2), finite(-6.2, -0.01)),
    share: finite(0.1, 0.9),
    toleranceExponent: fc.option(finite(-6, 0), { freq: 2 }),
  })
  .map(({ x, y, exponent, start, sweep, share, toleranceExponent }) => {
    const radius = 10 ** exponent;
    const at = (angle: number) => [x + radius * Math.cos(angle), y + radius * Math.sin(angle)] as const;
    const toleranceUnits = toleranceExponent === null ? null : radius * 10 ** toleranceExponent;
    return {
      x,
      y,
      radius,
      sweep,
      start,
      // Relative to the position: the rounding of the coordinates themselves.
      rounding: 4e-16 * (Math.abs(x) + Math.abs(y) + radius),
      controls: [at(start), at(start + sweep * share), at(start + sweep)],
      stroking: { ...DEFAULT_STROKING, toleranceUnits },
    };
  })
  // If the rounding of three positions is as large as the circle, they define no circle to compare with.
  .filter(({ radius, rounding, sweep }) => rounding < 1e-8 * radius * sweep * sweep);

test('an arc begins and ends exactly on its positions, with steps on the circle between them', () => {
  fc.assert(
    fc.property(arc, ({ x, y, radius, sweep, rounding, controls, stroking }) => {
      const positions = stroked(controls, stroking);
      assert.deepEqual(positions[0], controls[0]);
      assert.deepEqual(positions.at(-1), controls[2]);
      assert.ok(Math.abs(positions.length - 1 - stepCount(sweep, radius, stroking)) <= 1);
      // The circle through rounded positions differs from ours, the more the shorter the arc is.
      const allowed = 1e-12 * radius + (100 * rounding) / Math.min(1, sweep * sweep);
      for (const [px, py] of positions)
        assert.ok(Math.abs(Math.hypot(px - x, py - y) - radius) <= allowed, `${px} ${py}`);
    }),
    { numRuns: 500 },
  );
});

test('no chord exceeds the tolerance or the greatest step', () => {
  fc.assert(
    fc.property(arc, ({ radius, rounding, sweep, controls, stroking }) => {
      const positions = stroked(controls, stroking);
      const slack = 1e-9 * radius + (100 * rounding) / Math.min(1, sweep * sweep);
      for (let i = 1; i < positions.length; i++) {
        const chord = Math.hypot(
          positions[i][0] - positions[i - 1][0],
          positions[i][1] - positions[i - 1][1],
        );
        const step = 2 * Math.asin(Math.min(1, chord / (2 * radius)));
        assert.ok(radius * step <= radius * stroking.maxStepRadians * (1 + 1e-9) + 2 * slack);
        const sagitta = radius * (1 - Math.cos(step / 2));
        assert.ok(sagitta <= (stroking.toleranceUnits ?? 0.00061 * radius) * (1 + 1e-6) + slack);
      }
    }),
    { numRuns: 500 },
  );
});

test('an arc walked backwards has exactly the same positions', () => {
  fc.assert(
    fc.property(arc, finite(-100, 100), finite(-100, 100), ({ controls, stroking }, z, m) => {
      const lifted = controls.map((position, i) => [...position, z * i, m / (i + 1)]);
      const forwards = stroked(lifted, stroking, 'XYZM');
      const backwards = stroked(lifted.toReversed(), stroking, 'XYZM');
      assert.deepEqual(backwards.toReversed(), forwards);
    }),
    { numRuns: 300 },
  );
});

test('the same arc by bulge, by centre and through three positions has the same vertices', () => {
  fc.assert(
    fc.property(arc, ({ x, y, radius, start, sweep, rounding, controls }) => {
      const three = stroked(controls);
      const bulge = bulged(controls[0], controls[2], Math.tan(sweep / 4));
      const builder = new GeometryBuilder('XY', 1, 1);
      new ArcStroker().aroundCentre(builder, x, y, radius, start, sweep);
      const centre = positionsOf(builder);
      assert.equal(bulge.length, centre.length);
      const allowed = 1e-9 * radius + (100 * rounding) / Math.min(1, sweep * sweep);
      for (const [i, [px, py]] of centre.entries()) {
        assert.ok(Math.hypot(bulge[i][0] - px, bulge[i][1] - py) <= allowed * 10);
        // A sweep close to a multiple of the step may take one step more or less.
        if (three.length === centre.length)
          assert.ok(Math.hypot(three[i][0] - px, three[i][1] - py) <= allowed * 10);
      }
    }),
    { numRuns: 300 },
  );
});

test('two equal ends give a full circle, counter-clockwise, exactly closed', () => {
  for (const [start, middle] of [
    [
      [0, 0],
      [2, 0],
    ],
    [
      [500_000.1, 5_700_000.3],
      [500_012.7, 5_700_001.9],
    ],
  ]) {
    const positions = stroked([start, middle, start]);
    assert.equal(positions.length, 91);
    assert.deepEqual(positions[0], positions[90]);
    const area = positions.reduce((sum, [x, y], i) => {
      const [nextX, nextY] = positions[(i + 1) % positions.length];
      return sum + (x - start[0]) * (nextY - start[1]) - (nextX - start[0]) * (y - start[1]);
    }, 0);
    const diameter = Math.hypot(middle[0] - start[0], middle[1] - start[1]);
    assert.ok(Math.abs(area / 2 / ((Math.PI * diameter * diameter) / 4) - 1) < 0.001);
    const [x, y] = positions[45];
    assert.ok(Math.hypot(x - middle[0], y - middle[1]) < 1e-8);
  }
});

test('ends that differ only by rounding give a full circle, not a line', () => {
  for (const sign of [1, -1]) {
    const positions = stroked([
      [500_000, 0],
      [500_010, 0],
      [500_000, sign * -1e-10],
    ]);
    assert.equal(positions.length, 91);
    assert.deepEqual(positions[90], [500_000, sign * -1e-10]);
    assert.ok(Math.abs(positions[22][1] + sign * 5) < 0.01 || Math.abs(positions[22][1] - sign * 5) < 0.01);
  }
});

test('keeps positions on a straight line and coincident ones', () => {
  const cases: Positions[] = [
    [
      [0, 0],
      [1, 0],
      [2, 0],
    ],
    [
      [0, 0],
      [3, 0],
      [1, 0],
    ],
    [
      [0.1, 0.1],
      [0.3, 0.3],
      [0.2, 0.2],
    ],
    [
      [0, 0],
      [0, 0],
      [2, 0],
    ],
    [
      [0, 0],
      [2, 0],
      [2, 0],
    ],
    [
      [1, 1],
      [1, 1],
      [1, 1],
    ],
    [
      [0, 0],
      [1e200, 1e200],
      [1e300, 0],
    ],
  ];
  for (const controls of cases) assert.deepEqual(stroked(controls), controls);
});

test('a nearly straight arc keeps the digits of its positions', () => {
  // Radius 5e9 over a chord of 2 km: the sagitta is a tenth of a millimetre.
  const controls = [
    [600_000, 5_000_000],
    [601_000, 5_000_000.0001],
    [602_000, 5_000_000],
  ];
  const positions = stroked(controls, { maxStepRadians: 4e-8, toleranceUnits: null });
  assert.ok(positions.length > 5);
  for (const [, y] of positions) assert.ok(y >= 5_000_000 - 1e-9 && y <= 5_000_000.0001 + 2e-9);
  assert.deepEqual(stroked(controls), [controls[0], controls[2]]);
});

test('consecutive arcs share their ends', () => {
  const positions = stroked([
    [0, 0],
    [1, 1],
    [2, 0],
    [3, -1],
    [4, 0],
  ]);
  assert.equal(positions.length, 91);
  assert.deepEqual(positions[45], [2, 0]);
});

test('interpolates Z and M along the arc from the start over the middle to the end', () => {
  const controls = [
    [0, 0, 0, 10],
    [1, 1, 45, 20],
    [2, 0, 45 + 90, Number.NaN],
  ];
  const positions = stroked(controls, undefined, 'XYZM');
  assert.equal(positions.length, 46);
  positions.forEach(([, , z], i) => {
    assert.ok(Math.abs(z - (i <= 22.5 ? i * 2 : 45 + (i - 22.5) * 4)) < 1e-9, `${i}: ${z}`);
  });
  const withoutMiddle = stroked(
    [
      [0, 0, 0],
      [1, 1, Number.NaN],
      [2, 0, 45],
    ],
    undefined,
    'XYM',
  );
  withoutMiddle.forEach(([, , m], i) => {
    assert.ok(Math.abs(m - i) < 1e-9);
  });
});

test('a bulge of 0 is straight, a bulge of 1 is half a circle to the right', () => {
  assert.deepEqual(bulged([0, 0], [2, 0], 0), [
    [0, 0],
    [2, 0],
  ]);
  assert.deepEqual(bulged([1, 1], [1, 1], 1), [
    [1, 1],
    [1, 1],
  ]);
  const half = bulged([0, 0], [2, 0], 1);
  assert.equal(half.length, 46);
  assert.ok(half.every(([, y]) => y <= 0));
  assert.equal(bulgeSweep(1), Math.PI);
});

test('limits the steps for a tolerance of 0', () => {
  assert.equal(stepCount(2 * Math.PI, 1, { ...DEFAULT_STROKING, toleranceUnits: 0 }), 1 << 16);
  assert.equal(stepCount(1e-12, 1, DEFAULT_STROKING), 1);
});
