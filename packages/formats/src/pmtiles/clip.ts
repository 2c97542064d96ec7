/** Cuts lines and polygons at lines of constant x or y, and into the pieces of tiles. */
import { splitPolygon } from '@geomill/core/geometry/split-polygon.ts';
import type { Line, Polygon } from './rings.ts';

/** 0: x, 1: y. */
type Axis = 0 | 1;

/** Tiles `[left, right]` x `[top, bottom]`. */
export interface TileRange {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The sides of tiles in units. */
export interface TileSize {
  readonly extent: number;
  readonly buffer: number;
}

/** Gets the parts of a shape in a tile and around it. */
type VisitTile<Part> = (parts: Part[], x: number, y: number) => void;
type Cut<Part> = (parts: Part[], axis: Axis, cut: number, keepsLow: boolean) => Part[];

/** Parts of shapes within the tiles of the range, with their surroundings; parts must be in the tiles around the range. */
export function visitTiles<Part>(
  parts: Part[],
  range: TileRange,
  size: TileSize,
  cut: Cut<Part>,
  visit: VisitTile<Part>,
): void {
  if (parts.length === 0) return;
  const { left, top, right, bottom } = range;
  const { extent, buffer } = size;
  const axis = left < right ? 0 : 1;
  const [first, last] = axis === 0 ? [left, right] : [top, bottom];
  if (first === last) {
    visit(parts, left, top);
    return;
  }
  const middle = Math.floor((first + last) / 2);
  const border = (middle + 1) * extent;
  const low = cut(parts, axis, border + buffer, true);
  const high = cut(parts, axis, border - buffer, false);
  visitTiles(low, axis === 0 ? { ...range, right: middle } : { ...range, bottom: middle }, size, cut, visit);
  visitTiles(
    high,
    axis === 0 ? { ...range, left: middle + 1 } : { ...range, top: middle + 1 },
    size,
    cut,
    visit,
  );
}

export function cutLines(lines: Line[], axis: Axis, cut: number, keepsLow: boolean): Line[] {
  const out: Line[] = [];
  const isKept = (value: number): boolean => (keepsLow ? value <= cut : value >= cut);
  for (const line of lines) {
    let piece: Line = [];
    for (let i = 0; i < line.length; i += 2) {
      const isIn = isKept(line[i + axis]);
      if (i > 0 && isIn !== isKept(line[i - 2 + axis])) {
        const [x, y] = crossing(line, i - 2, i, axis, cut);
        piece.push(x, y);
        if (!isIn) {
          if (piece.length >= 4) out.push(piece);
          piece = [];
        }
      }
      if (isIn) piece.push(line[i], line[i + 1]);
    }
    if (piece.length >= 4) out.push(piece);
  }
  return out;
}

function crossing(line: Line, from: number, to: number, axis: Axis, cut: number): [number, number] {
  const t = (cut - line[from + axis]) / (line[to + axis] - line[from + axis]);
  const other = line[from + 1 - axis] + (line[to + 1 - axis] - line[from + 1 - axis]) * t;
  return axis === 0 ? [cut, other] : [other, cut];
}

export function cutPolygons(polygons: Polygon[], axis: Axis, cut: number, keepsLow: boolean): Polygon[] {
  const out: Polygon[] = [];
  for (const polygon of polygons) {
    const [least, most] = reachOf(polygon[0], axis);
    if (keepsLow ? most <= cut : least >= cut) out.push(polygon);
    else if (keepsLow ? least < cut : most > cut)
      for (const piece of cutPolygon(polygon, axis, cut, keepsLow)) out.push(piece);
  }
  return out;
}

function reachOf(ring: Line, axis: Axis): [least: number, most: number] {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i: number = axis; i < ring.length; i += 2) {
    if (ring[i] < least) least = ring[i];
    if (ring[i] > most) most = ring[i];
  }
  return [least, most];
}

function cutPolygon(polygon: Polygon, axis: Axis, cut: number, keepsLow: boolean): Polygon[] {
  const turned = polygon.map((ring) => closed(axis === 0 ? ring : swapped(ring)));
  const pieces = splitPolygon(turned, 2, cut);
  if (pieces === null) return cutByHalfPlane(polygon, axis, cut, keepsLow);
  const kept: Polygon[] = [];
  for (const piece of pieces) {
    const [least, most] = reachOf(piece[0], 0);
    if (keepsLow ? most > cut : least < cut) continue;
    kept.push(piece.map((ring) => opened(axis === 0 ? ring : swapped(ring))));
  }
  return kept;
}

const closed = (ring: Line): Line => [...ring, ring[0], ring[1]];
const opened = (ring: Line): Line => ring.slice(0, -2);

function swapped(ring: Line): Line {
  const out: Line = [];
  for (let i = 0; i < ring.length; i += 2) out.push(ring[i + 1], ring[i]);
  return out;
}

/** For polygons whose rings cross one another: pieces of one side stay joined along the cut. */
function cutByHalfPlane(polygon: Polygon, axis: Axis, cut: number, keepsLow: boolean): Polygon[] {
  const isKept = (value: number): boolean => (keepsLow ? value <= cut : value >= cut);
  const rings: Polygon = [];
  for (const [number, ring] of polygon.entries()) {
    const out: Line = [];
    const end = ring.length;
    for (let i = 0, j = end - 2; i < end; j = i, i += 2) {
      const isIn = isKept(ring[i + axis]);
      if (isIn !== isKept(ring[j + axis])) {
        const [x, y] = crossing(ring, j, i, axis, cut);
        out.push(x, y);
      }
      if (isIn) out.push(ring[i], ring[i + 1]);
    }
    if (out.length >= 6) rings.push(out);
    else if (number === 0) return [];
  }
  return [rings];
}
