/** Elliptical arcs in space as straight steps. */
import { type Stroking, stepCount } from './arc.ts';
import type { GeometryBuilder } from './geometry-column.ts';

/** P(t) = centre + cos t * major + sin t * minor; any two conjugate half axes will do. Each is x, y, z. */
export interface Ellipse {
  readonly centre: Float64Array;
  readonly major: Float64Array;
  readonly minor: Float64Array;
}

/**
 * Appends the arc from parameter `start` on, over `sweep` (radians, counter-clockwise positive; both parameters, not
 * angles), both ends included, to a builder with XYZ. A full turn ends on its start to the bit. Steps are of equal
 * parameter: an ellipse is a flattened circle, and a chord of it is no farther off than that of the circle was.
 */
export function appendEllipse(
  builder: GeometryBuilder,
  { centre, major, minor }: Ellipse,
  start: number,
  sweep: number,
  stroking: Stroking,
): void {
  const full = 2 * Math.PI;
  const turn = Math.max(-full, Math.min(full, sweep));
  const isFull = Math.abs(turn) === full;
  const steps = stepCount(turn, greatestSemiAxis(major, minor), stroking);
  builder.reserve((steps + 1) * builder.stride);
  for (let i = 0; i <= steps; i++) {
    const t = start + (isFull && i === steps ? 0 : (turn * i) / steps);
    const cosine = Math.cos(t);
    const sine = Math.sin(t);
    builder.position(
      centre[0] + cosine * major[0] + sine * minor[0],
      centre[1] + cosine * major[1] + sine * minor[1],
      centre[2] + cosine * major[2] + sine * minor[2],
    );
  }
}

/** The length of the longer axis also where the two given are conjugate only, as the image of a circle has them. */
function greatestSemiAxis(u: Float64Array, v: Float64Array): number {
  const a = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  const b = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  const c = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  return Math.sqrt((a + b) / 2 + Math.hypot((a - b) / 2, c));
}
