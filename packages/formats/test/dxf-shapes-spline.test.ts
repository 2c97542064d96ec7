import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { drawn, entity, LINES, POLYGONS } from '../../../test/support/dxf-entity.ts';
import { DEFAULT_STROKING } from '../../core/src/geometry/arc.ts';
import { GeometryBuilder } from '../../core/src/geometry/geometry-column.ts';
import { clampedKnots, knotFault, type Spline, SplineStroker } from '../src/dxf/shapes/spline-curve.ts';
import { splineThrough } from '../src/dxf/shapes/spline-fit.ts';

function stroked(spline: Spline, toleranceUnits: number | null = null): number[][] {
  const builder = new GeometryBuilder('XYZ');
  new SplineStroker().append(builder, spline, { ...DEFAULT_STROKING, toleranceUnits });
  const positions: number[][] = [];
  for (let at = 0; at < builder.coordinateLength; at += 3)
    positions.push([...builder.coordinates.subarray(at, at + 3)]);
  return positions;
}

const weighted = (points: readonly (readonly number[])[]): Float64Array =>
  Float64Array.from(points.flatMap(([x, y, z = 0, w = 1]) => [x * w, y * w, z * w, w]));

test('a rational quadratic with the right weight is a circular arc', () => {
  const arc = stroked({
    degree: 2,
    knots: Float64Array.of(0, 0, 0, 1, 1, 1),
    controls: weighted([
      [1, 0, 0, 1],
      [1, 1, 0, Math.SQRT1_2],
      [0, 1, 0, 1],
    ]),
  });
  for (const [x, y] of arc) assert.ok(Math.abs(Math.hypot(x, y) - 1) < 1e-12);
  for (let i = 1; i < arc.length; i++) {
    const turn = Math.atan2(arc[i][1], arc[i][0]) - Math.atan2(arc[i - 1][1], arc[i - 1][0]);
    assert.ok(turn > 0 && turn <= DEFAULT_STROKING.maxStepRadians + 1e-9);
  }
});

test('draws a spline of degree 1 as exactly its control points', () => {
  const line = stroked({
    degree: 1,
    knots: clampedKnots(1, 3),
    controls: weighted([
      [0, 0],
      [5, 0],
      [5, 5],
    ]),
  });
  assert.deepEqual(line, [
    [0, 0, 0],
    [5, 0, 0],
    [5, 5, 0],
  ]);
});

test('a clamped spline begins and ends at its end points and stays within its control points', () => {
  const coordinate = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.tuple(coordinate, coordinate, coordinate), { minLength: 6, maxLength: 15 }),
      (degree, points) => {
        const knots = clampedKnots(degree, points.length);
        assert.equal(knotFault(degree, knots, points.length), null);
        const curve = stroked({ degree, knots, controls: weighted(points) });
        assert.deepEqual(
          curve[0].map((value) => value + 0),
          points[0].map((value) => value + 0),
        );
        assert.deepEqual(
          curve.at(-1)?.map((value) => value + 0),
          points.at(-1)?.map((value) => value + 0),
        );
        for (let k = 0; k < 3; k++) {
          const low = Math.min(...points.map((point) => point[k]));
          const high = Math.max(...points.map((point) => point[k]));
          const slack = 1e-9 * (1 + Math.abs(low) + Math.abs(high));
          assert.ok(curve.every((point) => point[k] >= low - slack && point[k] <= high + slack));
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('a tolerance bounds the distance from the curve', () => {
  const controls = weighted([
    [0, 0],
    [100, 300],
    [200, -300],
    [300, 0],
  ]);
  const spline: Spline = { degree: 3, knots: clampedKnots(3, 4), controls };
  const fine = stroked(spline, 1e-5);
  for (const tolerance of [1, 0.1, 0.01]) {
    const coarse = stroked(spline, tolerance);
    for (const [x, y] of fine) {
      const distance = Math.min(
        ...coarse.slice(1).map(([bx, by], i) => {
          const [ax, ay] = coarse[i];
          const share = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2);
          const t = Math.max(0, Math.min(1, share));
          return Math.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay));
        }),
      );
      assert.ok(distance <= tolerance * 1.2);
    }
  }
});

test('the cubic spline passes through its points with the given tangents', () => {
  const points = [
    [0, 0, 0],
    [3, 1, 2],
    [4, 5, 1],
    [9, 4, 0],
  ];
  const flat = Float64Array.from(points.flat());
  for (const curve of [
    stroked(splineThrough(flat, null, null, false)),
    stroked(splineThrough(flat, Float64Array.of(0, 5, 0), null, false)),
  ])
    for (const [x, y, z] of points)
      assert.ok(curve.some(([a, b, c]) => Math.hypot(a - x, b - y, c - z) < 1e-9));
  const up = stroked(splineThrough(flat, Float64Array.of(0, 5, 0), Float64Array.of(0, -1, 0), false));
  assert.ok(up[1][1] > 20 * Math.abs(up[1][0]));
  const [last, before] = [up[up.length - 1], up[up.length - 2]];
  assert.ok(last[1] - before[1] < -20 * Math.abs(last[0] - before[0]));
});

test('a periodic cubic through points on a circle approximates it and is smooth where it closes', () => {
  const points = Array.from({ length: 13 }, (_, i) => [
    Math.cos((i % 12) * (Math.PI / 6)),
    Math.sin((i % 12) * (Math.PI / 6)),
    0,
  ]);
  const curve = stroked(splineThrough(Float64Array.from(points.flat()), null, null, true));
  for (const [x, y] of curve) assert.ok(Math.abs(Math.hypot(x, y) - 1) < 1e-3);
  // Symmetric, so the tangent at the seam is vertical.
  assert.ok(Math.abs(curve[1][0] - curve[curve.length - 2][0]) < 1e-9);
});

test('SPLINE: closes closed splines exactly, and makes them polygons on request', () => {
  const wrapped =
    '70 3, 71 2, 40 0, 40 1, 40 2, 40 3, 40 4, 40 5, 40 6, 40 7, 40 8, 10 0, 20 0, 10 4, 20 0, 10 4, 20 4, 10 0, 20 4, 10 0, 20 0, 10 4, 20 0';
  const line = drawn(entity('SPLINE', wrapped));
  assert.equal(line.type, 'LineString');
  assert.deepEqual(line.parts[0][0][0], [2, 0]);
  assert.deepEqual(line.parts[0][0].at(-1), [2, 0]);
  assert.equal(drawn(entity('SPLINE', wrapped), POLYGONS).type, 'Polygon');
  const fitted = drawn(
    entity('SPLINE', '70 1, 71 3, 74 3, 11 0, 21 0, 31 0, 11 4, 21 0, 31 0, 11 2, 21 3, 31 0'),
    POLYGONS,
  );
  assert.equal(fitted.type, 'Polygon');
  assert.deepEqual(fitted.parts[0][0][0], fitted.parts[0][0].at(-1));
});

test('SPLINE: accepts fit points alone; two of them are a straight line', () => {
  const line = drawn(entity('SPLINE', '70 8, 71 3, 74 2, 11 0, 21 0, 31 0, 11 4, 21 2, 31 0'), LINES);
  for (const [x, y] of line.parts[0][0]) assert.ok(Math.abs(y - x / 2) < 1e-12);
});

test('names invalid knots', () => {
  assert.match(knotFault(3, clampedKnots(3, 5), 6) ?? '', /need 10 knots, and have 9/);
  assert.match(knotFault(3, clampedKnots(3, 3), 3) ?? '', /needs 4 control points/);
  assert.match(knotFault(1, Float64Array.of(0, 1, 0, 2), 2) ?? '', /knot 3 is 0, after 1/);
  assert.match(knotFault(1, Float64Array.of(0, 0, 0, 0), 2) ?? '', /all the same/);
});
