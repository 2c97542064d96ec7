/** Copies unchanged geometries to a builder, including Z and M. */
import {
  type GeometryBuilder,
  type GeometryColumn,
  hasM,
  hasZ,
  strideOf,
} from '../geometry/geometry-column.ts';

/** Appends rows `[rowStart, rowEnd)` as features. Ordinates without a counterpart in the builder are left out; missing ones are NaN. */
export function copyRows(
  builder: GeometryBuilder,
  column: GeometryColumn,
  rowStart: number,
  rowEnd: number,
): void {
  const { types, partOffsets } = column;
  for (let row = rowStart; row < rowEnd; row++) {
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      copyPart(builder, column, part, column.partKinds[part]);
    }
    builder.endFeature(types[row]);
  }
}

/** Appends one part, marked as `kind`. */
export function copyPart(builder: GeometryBuilder, column: GeometryColumn, part: number, kind: number): void {
  const { ringOffsets, coordOffsets } = column;
  for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
    copyPositions(builder, column, coordOffsets[ring], coordOffsets[ring + 1]);
    builder.endRing();
  }
  builder.endPart(kind);
}

function copyPositions(builder: GeometryBuilder, column: GeometryColumn, start: number, end: number): void {
  const { coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  if (dimensions !== builder.dimensions) {
    const zAt = hasZ(dimensions) ? 2 : -1;
    const mAt = hasM(dimensions) ? stride - 1 : -1;
    for (let at = start * stride; at < end * stride; at += stride) {
      const z = zAt > 0 ? coordinates[at + zAt] : Number.NaN;
      builder.position(coordinates[at], coordinates[at + 1], z, mAt > 0 ? coordinates[at + mAt] : Number.NaN);
    }
    return;
  }
  const length = (end - start) * stride;
  builder.reserve(length);
  const target = builder.coordinates;
  let to = builder.coordinateLength;
  // Most rings are short: a loop is faster than a view of each.
  for (let at = start * stride, last = end * stride; at < last; at++) target[to++] = coordinates[at];
  builder.coordinateLength = to;
}
