/**
 * Scales degrees of longitude to about the length of those of latitude, for planar operations with a length. The
 * factor is a power of two, so that scaling and unscaling keep all bits of an ordinate: a degree of longitude then
 * counts as one to two times its length, never as less.
 */
import { type GeometryColumn, strideOf } from '@geomill/core/geometry/geometry-column.ts';

/** 2^5: beyond 88 degrees, meridians are so close that this does not matter. */
const MAX_HALVINGS = 5;

export interface LevelledColumn {
  /** The column with x divided by the factor of its row. */
  readonly column: GeometryColumn;
  readonly factors: Float64Array;
}

/** `unitFactor`: radians per unit. */
export function levelDegrees(column: GeometryColumn, unitFactor: number): LevelledColumn {
  const { partOffsets, ringOffsets, coordOffsets, dimensions, types } = column;
  const stride = strideOf(dimensions);
  const coordinates = column.coordinates.slice();
  const factors = new Float64Array(types.length);
  for (let row = 0; row < types.length; row++) {
    const start = coordOffsets[ringOffsets[partOffsets[row]]] * stride;
    const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
    const factor = levelFactor(coordinates, stride, start, end, unitFactor);
    factors[row] = factor;
    if (factor !== 1) for (let at = start; at < end; at += stride) coordinates[at] /= factor;
  }
  return { column: { ...column, coordinates }, factors };
}

/** The factor for ordinates `[start, end)`: by the position nearest to the equator, so that none is made too short. */
export function levelFactor(
  coordinates: Float64Array,
  stride: number,
  start: number,
  end: number,
  unitFactor: number,
): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (let at = start + 1; at < end; at += stride) {
    const distance = Math.abs(coordinates[at]);
    if (distance < nearest) nearest = distance;
  }
  if (nearest === Number.POSITIVE_INFINITY) return 1;
  const cosine = Math.cos(Math.min(nearest * unitFactor, Math.PI / 2));
  const halvings = Math.floor(-Math.log2(Math.max(cosine, 2 ** -MAX_HALVINGS)));
  return 2 ** halvings;
}

/** Reverts the factor in ordinates `[start, end)`. */
export function unlevel(
  coordinates: Float64Array,
  stride: number,
  start: number,
  end: number,
  factor: number,
): void {
  if (factor !== 1) for (let at = start; at < end; at += stride) coordinates[at] *= factor;
}
