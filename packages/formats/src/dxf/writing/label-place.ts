/** Where the label of a feature is: inside its largest polygon, halfway along its longest line, or at its first point. */
import {
  type GeometryColumn,
  hasZ,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { signedArea } from '@geomill/core/geometry/rings.ts';

export interface LabelPlace {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly kind: number;
}

/** Heights in a polygon, as shares of its own, at which the widest place is searched. */
const SHARES = [0.5, 0.37, 0.63];

/** Null: the row has no position. */
export function labelPlace(column: GeometryColumn, row: number): LabelPlace | null {
  const { partOffsets, partKinds, ringOffsets } = column;
  let best = -1;
  let bestKind = 0;
  let bestSize = -1;
  for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
    if (ringOffsets[part] === ringOffsets[part + 1]) continue;
    const kind = partKinds[part] & PART_KIND_MASK;
    const size = sizeOf(column, part, kind);
    if (Number.isNaN(size) || kind < bestKind || (kind === bestKind && size <= bestSize)) continue;
    best = part;
    bestKind = kind;
    bestSize = size;
  }
  if (best < 0) return null;
  if (bestKind === PART_KIND.polygon) return inPolygon(column, best);
  return bestKind === PART_KIND.line ? alongLine(column, best, bestSize) : at(column, best);
}

/** Area of a polygon, length of a line, 0 for a point; NaN without positions. */
function sizeOf(column: GeometryColumn, part: number, kind: number): number {
  const { ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  const start = coordOffsets[ringOffsets[part]];
  const end = coordOffsets[ringOffsets[part] + 1];
  if (start === end) return Number.NaN;
  if (kind === PART_KIND.polygon) return Math.abs(signedArea(coordinates, stride, start, end));
  let length = 0;
  for (let i = start + 1; i < end; i++) length += stepLength(coordinates, i * stride, stride);
  return length;
}

/** From the position before. */
function stepLength(coordinates: Float64Array, position: number, stride: number): number {
  return Math.hypot(
    coordinates[position] - coordinates[position - stride],
    coordinates[position + 1] - coordinates[position - stride + 1],
  );
}

function at(column: GeometryColumn, part: number, kind: number = PART_KIND.point): LabelPlace {
  const { ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const start = coordOffsets[ringOffsets[part]] * strideOf(dimensions);
  const z = hasZ(dimensions) ? coordinates[start + 2] : 0;
  return { x: coordinates[start], y: coordinates[start + 1], z: Number.isFinite(z) ? z : 0, kind };
}

function alongLine(column: GeometryColumn, part: number, length: number): LabelPlace {
  const { ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  const first = at(column, part, PART_KIND.line);
  let rest = length / 2;
  for (let i = coordOffsets[ringOffsets[part]] + 1; i < coordOffsets[ringOffsets[part] + 1]; i++) {
    const position = i * stride;
    const step = stepLength(coordinates, position, stride);
    if (step > 0 && step >= rest) {
      const share = rest / step;
      const between = (ordinate: number): number =>
        coordinates[position - stride + ordinate] +
        share * (coordinates[position + ordinate] - coordinates[position - stride + ordinate]);
      return { ...first, x: between(0), y: between(1), z: hasZ(dimensions) ? between(2) : 0 };
    }
    rest -= step;
  }
  return first;
}

/** The middle of the widest stretch inside the polygon, on a few levels. */
function inPolygon(column: GeometryColumn, part: number): LabelPlace {
  const { ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  let south = Number.POSITIVE_INFINITY;
  let north = Number.NEGATIVE_INFINITY;
  for (let i = coordOffsets[ringOffsets[part]]; i < coordOffsets[ringOffsets[part] + 1]; i++) {
    south = Math.min(south, coordinates[i * stride + 1]);
    north = Math.max(north, coordinates[i * stride + 1]);
  }
  const first = at(column, part, PART_KIND.polygon);
  let widest = 0;
  let place = first;
  for (const share of SHARES) {
    const y = south + share * (north - south);
    const crossings: number[] = [];
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      for (let i = coordOffsets[ring] + 1; i < coordOffsets[ring + 1]; i++) {
        const position = i * stride;
        const before = position - stride;
        const [y1, y2] = [coordinates[before + 1], coordinates[position + 1]];
        if (y1 <= y === y2 <= y) continue;
        crossings.push(
          coordinates[before] + ((y - y1) / (y2 - y1)) * (coordinates[position] - coordinates[before]),
        );
      }
    }
    crossings.sort((a, b) => a - b);
    for (let i = 0; i + 1 < crossings.length; i += 2) {
      const width = crossings[i + 1] - crossings[i];
      if (width <= widest) continue;
      widest = width;
      place = { ...first, x: (crossings[i] + crossings[i + 1]) / 2, y };
    }
  }
  return place;
}
