/** Parts of a feature as arrays that can be changed: for the few features at the antimeridian. */
import { type GeometryBuilder, type GeometryColumn, strideOf } from '../geometry/geometry-column.ts';

export interface RowPart {
  /** A PART_KIND with its mark. */
  readonly kind: number;
  /** All ordinates of each ring, position by position. */
  rings: number[][];
}

export function partsOfRow(column: GeometryColumn, row: number): RowPart[] {
  const { partOffsets, partKinds, ringOffsets, coordOffsets, coordinates } = column;
  const stride = strideOf(column.dimensions);
  const parts: RowPart[] = [];
  for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
    const rings: number[][] = [];
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++)
      rings.push(
        Array.from(coordinates.subarray(coordOffsets[ring] * stride, coordOffsets[ring + 1] * stride)),
      );
    parts.push({ kind: partKinds[part], rings });
  }
  return parts;
}

export function appendParts(builder: GeometryBuilder, parts: readonly RowPart[], type: number): void {
  for (const { kind, rings } of parts) {
    for (const ring of rings) {
      builder.reserve(ring.length);
      for (const ordinate of ring) builder.coordinates[builder.coordinateLength++] = ordinate;
      builder.endRing();
    }
    builder.endPart(kind);
  }
  builder.endFeature(type);
}

/** West and east of the positions; inverted infinities if there are none. */
export function widthOf(rings: readonly ArrayLike<number>[], stride: number): [number, number] {
  let west = Number.POSITIVE_INFINITY;
  let east = Number.NEGATIVE_INFINITY;
  for (const ring of rings)
    for (let at = 0; at < ring.length; at += stride) {
      if (ring[at] < west) west = ring[at];
      if (ring[at] > east) east = ring[at];
    }
  return [west, east];
}

/** Adds to all longitudes. The sum is rounded to 1e-12 degrees, which gives the decimal that the longitude was written as. */
export function shiftRings(rings: readonly number[][], by: number, stride: number): void {
  if (by === 0) return;
  for (const ring of rings)
    for (let at = 0; at < ring.length; at += stride) ring[at] = Number((ring[at] + by).toFixed(12));
}
