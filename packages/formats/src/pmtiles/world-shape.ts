/**
 * The geometry of a feature in Web Mercator, with the world from 0 to 1: x to the east, y to the south. What is beyond the latitudes
 * of the map is cut off.
 */
import {
  GEOMETRY_TYPE,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { cutLines, cutPolygons } from './clip.ts';
import type { Line, Polygon } from './rings.ts';

/** Latitude where the map is a square. */
const MAX_LATITUDE = (Math.atan(Math.sinh(Math.PI)) * 180) / Math.PI;

export interface WorldShape {
  /** Positions of points, one after another. */
  points: Line;
  lines: Line[];
  polygons: Polygon[];
  /** minX, minY, maxX, maxY in degrees; inverted infinities without a position. */
  readonly degrees: [number, number, number, number];
  /** Some of it is not on the map. */
  isCut: boolean;
}

/** The shape of a row; null without a position. Positions that are no numbers are not on the map. */
export function worldShape(geometry: GeometryColumn, row: number): WorldShape | null {
  const { types, partOffsets } = geometry;
  if (types[row] === GEOMETRY_TYPE.none || partOffsets[row] === partOffsets[row + 1]) return null;
  const shape: WorldShape = {
    points: [],
    lines: [],
    polygons: [],
    degrees: [
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ],
    isCut: false,
  };
  let isEmpty = true;
  for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++)
    if (addPart(shape, geometry, part)) isEmpty = false;
  if (isEmpty) return null;
  project(shape);
  return shape;
}

/** Whether the part has a position. */
function addPart(
  shape: WorldShape,
  { ringOffsets, coordOffsets, coordinates, dimensions, partKinds }: GeometryColumn,
  part: number,
): boolean {
  const stride = strideOf(dimensions);
  const rings: Line[] = [];
  let isWhole = true;
  for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
    const line: Line = [];
    for (let at = coordOffsets[ring] * stride; at < coordOffsets[ring + 1] * stride; at += stride) {
      const x = coordinates[at];
      const y = coordinates[at + 1];
      line.push(x, y);
      if (!(x >= -180 && x <= 180 && y >= -MAX_LATITUDE && y <= MAX_LATITUDE)) isWhole = false;
    }
    if (line.length > 0) rings.push(line);
  }
  if (rings.length === 0) return false;
  if (!isWhole) shape.isCut = true;
  const kind = partKinds[part] & PART_KIND_MASK;
  if (!isWhole && !rings.every((ring) => ring.every(Number.isFinite))) return true;
  if (kind === PART_KIND.point) addPoints(shape, rings);
  else if (kind === PART_KIND.line)
    for (const line of isWhole ? rings : withinMap(rings, cutLines)) shape.lines.push(line);
  else {
    const polygon = rings.map(opened);
    for (const piece of isWhole ? [polygon] : withinMap([polygon], cutPolygons)) shape.polygons.push(piece);
  }
  return true;
}

function addPoints(shape: WorldShape, rings: readonly Line[]): void {
  for (const line of rings)
    for (let i = 0; i < line.length; i += 2)
      if (Math.abs(line[i]) <= 180 && Math.abs(line[i + 1]) <= MAX_LATITUDE)
        shape.points.push(line[i], line[i + 1]);
}

function withinMap<Part>(
  parts: Part[],
  cut: (parts: Part[], axis: 0 | 1, at: number, keepsLow: boolean) => Part[],
): Part[] {
  const low = cut(cut(parts, 1, MAX_LATITUDE, true), 1, -MAX_LATITUDE, false);
  return cut(cut(low, 0, 180, true), 0, -180, false);
}

/** Without the last position, if it repeats the first one. */
function opened(ring: Line): Line {
  const end = ring.length;
  const isClosed = end > 2 && ring[0] === ring[end - 2] && ring[1] === ring[end - 1];
  if (isClosed) ring.length = end - 2;
  return ring;
}

function project({ points, lines, polygons, degrees }: WorldShape): void {
  projectLine(points, degrees);
  for (const line of lines) projectLine(line, degrees);
  for (const polygon of polygons) for (const ring of polygon) projectLine(ring, degrees);
}

function projectLine(line: Line, degrees: WorldShape['degrees']): void {
  for (let i = 0; i < line.length; i += 2) {
    const x = line[i];
    const y = line[i + 1];
    if (x < degrees[0]) degrees[0] = x;
    if (y < degrees[1]) degrees[1] = y;
    if (x > degrees[2]) degrees[2] = x;
    if (y > degrees[3]) degrees[3] = y;
    line[i] = (x + 180) / 360;
    const sine = Math.sin((y * Math.PI) / 180);
    const mercator = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
    line[i + 1] = Math.min(Math.max(mercator, 0), 1);
  }
}
