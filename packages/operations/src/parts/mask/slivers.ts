/** Pieces of an overlay that are too thin to be more than rounding. */
import { type Bounds, positionBounds } from '@geomill/core/geometry/bounds.ts';
import {
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';

/**
 * The parts of a column of lines or polygons without the slivers: lines shorter than `tolerance`, and polygons whose mean
 * width (twice the area by the perimeter) is below it. `isAtBorder`: whether a part with these bounds may be at the border
 * of the mask; others are no remains of a cut.
 */
export function thickParts(
  column: GeometryColumn,
  tolerance: number,
  isAtBorder: (bounds: Bounds) => boolean,
): readonly number[] {
  const parts: number[] = [];
  for (let part = 0; part < column.partKinds.length; part++) {
    const measure = measureOfPart(column, part);
    const isPolygon = (column.partKinds[part] & PART_KIND_MASK) === PART_KIND.polygon;
    const width = isPolygon ? (2 * measure) / lengthOfPart(column, part) : measure;
    if (width >= tolerance || !isAtBorder(boundsOfPart(column, part))) parts.push(part);
  }
  return parts;
}

/** Area of polygons, length of lines, of all parts together. */
export function measureOf(column: GeometryColumn): number {
  let sum = 0;
  for (let part = 0; part < column.partKinds.length; part++) sum += measureOfPart(column, part);
  return sum;
}

function measureOfPart(column: GeometryColumn, part: number): number {
  const { partKinds, ringOffsets } = column;
  if ((partKinds[part] & PART_KIND_MASK) !== PART_KIND.polygon) return lengthOfPart(column, part);
  let area = 0;
  for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
    const own = areaOfRing(column, ring);
    area += ring === ringOffsets[part] ? own : -own;
  }
  return Math.max(0, area);
}

function areaOfRing({ coordOffsets, coordinates, dimensions }: GeometryColumn, ring: number): number {
  const stride = strideOf(dimensions);
  const first = coordOffsets[ring] * stride;
  const end = coordOffsets[ring + 1] * stride;
  // Relative to the first position: products of large coordinates have no digits left for small areas.
  const x = coordinates[first];
  const y = coordinates[first + 1];
  let twice = 0;
  for (let at = first + stride; at + stride < end; at += stride)
    twice +=
      (coordinates[at] - x) * (coordinates[at + stride + 1] - y) -
      (coordinates[at + stride] - x) * (coordinates[at + 1] - y);
  return Math.abs(twice) / 2;
}

function lengthOfPart(
  { ringOffsets, coordOffsets, coordinates, dimensions }: GeometryColumn,
  part: number,
): number {
  const stride = strideOf(dimensions);
  let length = 0;
  for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++)
    for (let at = coordOffsets[ring] * stride; at < (coordOffsets[ring + 1] - 1) * stride; at += stride)
      length += Math.hypot(
        coordinates[at + stride] - coordinates[at],
        coordinates[at + stride + 1] - coordinates[at + 1],
      );
  return length;
}

function boundsOfPart(column: GeometryColumn, part: number): Bounds {
  const { ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  const start = coordOffsets[ringOffsets[part]] * stride;
  const end = coordOffsets[ringOffsets[part + 1]] * stride;
  return positionBounds({ ...column, coordinates: coordinates.subarray(start, end) });
}
