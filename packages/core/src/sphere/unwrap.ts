/**
 * Features across the antimeridian for operations in the plane, and their results back.
 *
 * An edge of more than 180 degrees of longitude is the short way over 180. `unwrapped` lets longitudes continue there, so that
 * each feature is one shape of the plane, and joins the parts of a feature that was cut at 180. `wrapped` cuts again.
 *
 *      170   180  -170            170   180   190
 *       +-----:-----+      ==>     +-----:-----+
 *
 * Features that need none of it are not changed, including those with longitudes from 0 to 360.
 */
import { copyRows } from '../columns/copy-rows.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '../geometry/geometry-column.ts';
import { isCrossing, isCrossingEdge } from './crossing.ts';
import { cutAtAntimeridian } from './cut.ts';
import { LongitudeIntervals, shiftTo } from './longitude-gap.ts';
import { appendParts, partsOfRow, type RowPart, shiftRings, widthOf } from './row-parts.ts';
import { weldLines, weldPolygons } from './weld.ts';

const HALF_TURN = 180;
const TURN = 360;
/** Values beyond these are not longitudes and latitudes. */
const MAX_LONGITUDE = 540;
const MAX_LATITUDE = 90.0000001;
/** Longitudes that differ by no more are the same. */
const ROUNDING = 1e-9;

export interface Unwrapped {
  /** The same column if no feature had to be changed. */
  readonly geometry: GeometryColumn;
  /** Rows, from 0, that were changed. */
  readonly changedRows: ReadonlySet<number>;
  /** Rows, from 0, with an edge across the antimeridian that could not be drawn in the plane, such as a ring around a pole. */
  readonly leftRows: readonly number[];
}

const NOTHING: readonly never[] = [];

/**
 * What belongs together: `edges` continue over 180, and so do the parts that a feature was cut into there; with `features`, all parts
 * of a feature are moved to the same side of their largest gap.
 */
export type Together = 'edges' | 'features';

const NO_ROWS: ReadonlySet<number> = new Set();

export function unwrapped(geometry: GeometryColumn, together: Together): Unwrapped {
  const same = { geometry, changedRows: NO_ROWS, leftRows: NOTHING };
  if (!(longitudeWidth(geometry) > HALF_TURN)) return same;
  const stride = strideOf(geometry.dimensions);
  const rowCount = geometry.types.length;
  const changed = new Map<number, GeometryColumn | readonly RowPart[]>();
  const leftRows: number[] = [];
  for (let row = 0; row < rowCount; row++) {
    if (!mayBeApart(geometry, row, stride)) continue;
    const parts = partsOfRow(geometry, row);
    const outcome = unwrapRow(parts, geometry.types[row], stride, together);
    if (outcome === 'changed') changed.set(row, parts);
    if (outcome !== 'winds') continue;
    const closed = cutAtAntimeridian(rowOf(geometry, row));
    if (closed.rows.length === 0) leftRows.push(row);
    else changed.set(row, closed.geometry);
  }
  if (changed.size === 0) return { ...same, leftRows };
  const builder = new GeometryBuilder(geometry.dimensions, rowCount, geometry.coordinates.length / stride);
  for (let row = 0; row < rowCount; row++) {
    const own = changed.get(row);
    if (own === undefined) copyRows(builder, geometry, row, row + 1);
    else if ('types' in own) copyRows(builder, own, 0, 1);
    else appendParts(builder, own, geometry.types[row]);
  }
  return { geometry: builder.finish(), changedRows: new Set(changed.keys()), leftRows };
}

/** Longitudes are within this many degrees of one another. */
export function longitudeWidth({
  coordinates,
  dimensions,
}: Pick<GeometryColumn, 'coordinates' | 'dimensions'>): number {
  const stride = strideOf(dimensions);
  let west = Number.POSITIVE_INFINITY;
  let east = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < coordinates.length; at += stride) {
    const x = coordinates[at];
    if (x < west) west = x;
    if (x > east) east = x;
  }
  return east - west;
}

/** Longitudes of the row are more than half a turn apart, and all of its positions can be longitudes and latitudes. */
function mayBeApart(geometry: GeometryColumn, row: number, stride: number): boolean {
  const { partOffsets, ringOffsets, coordOffsets, coordinates } = geometry;
  const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
  let west = Number.POSITIVE_INFINITY;
  let east = Number.NEGATIVE_INFINITY;
  let isPlace = true;
  for (let at = coordOffsets[ringOffsets[partOffsets[row]]] * stride; at < end; at += stride) {
    const x = coordinates[at];
    if (x < west) west = x;
    if (x > east) east = x;
    if (Math.abs(coordinates[at + 1]) > MAX_LATITUDE) isPlace = false;
  }
  return isPlace && east - west > HALF_TURN && west >= -MAX_LONGITUDE && east <= MAX_LONGITUDE;
}

function rowOf(geometry: GeometryColumn, row: number): GeometryColumn {
  const builder = new GeometryBuilder(geometry.dimensions, 1, 64);
  copyRows(builder, geometry, row, row + 1);
  return builder.finish();
}

/** Changes the parts in place. */
function unwrapRow(
  parts: RowPart[],
  type: number,
  stride: number,
  together: Together,
): 'changed' | 'same' | 'winds' {
  let isChanged = false;
  for (const { kind, rings } of parts) {
    if ((kind & PART_KIND_MASK) === PART_KIND.point) continue;
    const isPolygon = (kind & PART_KIND_MASK) === PART_KIND.polygon;
    for (const ring of rings) {
      const outcome = unwrapRing(ring, stride, isPolygon);
      if (outcome === 'winds') return outcome;
      if (outcome === 'changed') isChanged = true;
    }
    if (isPolygon) placeHoles(rings, stride);
  }
  if (parts.length < 2) return isChanged ? 'changed' : 'same';
  if (together === 'edges' && !isChanged && !meetAtCut(parts, stride)) return 'same';
  const shifts = shiftsOf(parts, stride);
  if (shifts.every((shift) => shift === shifts[0])) return isChanged ? 'changed' : 'same';
  parts.forEach(({ rings }, i) => {
    shiftRings(rings, shifts[i], stride);
  });
  weld(parts, shifts, type, stride);
  return 'changed';
}

/** Lets longitudes continue over 180. A ring that does not end where it began winds around a pole. */
function unwrapRing(ring: number[], stride: number, isPolygon: boolean): 'changed' | 'same' | 'winds' {
  const isClosed = isPolygon && ring[0] === ring[ring.length - stride];
  const isWide = (x1: number, _y1: number, x2: number): boolean => Math.abs(x1 - x2) > HALF_TURN;
  for (const crosses of [isCrossingEdge, isWide]) {
    const turns: number[] = [];
    let turn = 0;
    for (let at = 0; at < ring.length; at += stride) {
      const before = at - stride;
      if (at > 0 && crosses(ring[before], ring[before + 1], ring[at], ring[at + 1]))
        turn += ring[before] > ring[at] ? TURN : -TURN;
      turns.push(turn);
    }
    if (isClosed && turn !== 0) continue;
    if (turns.every((one) => one === 0)) return 'same';
    turns.forEach((by, i) => {
      if (by !== 0) ring[i * stride] = Number((ring[i * stride] + by).toFixed(12));
    });
    return 'changed';
  }
  return 'winds';
}

/** A hole may be written with longitudes one turn away from those of its shell: it is where it covers most of them. */
function placeHoles(rings: readonly number[][], stride: number): void {
  const [west, east] = widthOf(rings.slice(0, 1), stride);
  for (const hole of rings.slice(1)) {
    const [from, to] = widthOf([hole], stride);
    const common = (by: number): number => Math.min(east, to + by) - Math.max(west, from + by);
    let best = 0;
    for (const by of [TURN, -TURN]) if (common(by) > common(best)) best = by;
    shiftRings([hole], best, stride);
  }
}

/** Whether one part ends at 180 degrees and another begins at -180, or at 360 and 0. */
function meetAtCut(parts: readonly RowPart[], stride: number): boolean {
  const widths = parts.map(({ rings }) => widthOf(rings, stride));
  return [HALF_TURN, TURN].some(
    (cut) =>
      widths.some(([, east]) => Math.abs(east - cut) <= ROUNDING) &&
      widths.some(([west]) => Math.abs(west - (cut - TURN)) <= ROUNDING),
  );
}

/** Whole turns that bring each part to the same side of the largest gap, in degrees. */
function shiftsOf(parts: readonly RowPart[], stride: number): number[] {
  const widths = parts.map(({ rings }) => widthOf(rings, stride));
  const intervals = new LongitudeIntervals();
  for (const [west, east] of widths) intervals.add(west, east);
  const seam = intervals.seam();
  return widths.map(([west]) => (Number.isFinite(west) ? shiftTo(seam, west) : 0));
}

/** Joins the parts of a multi geometry where parts that were moved meet others. */
function weld(parts: RowPart[], shifts: readonly number[], type: number, stride: number): void {
  if (type !== GEOMETRY_TYPE.multiPolygon && type !== GEOMETRY_TYPE.multiLineString) return;
  const widths = parts.map(({ rings }) => widthOf(rings, stride));
  const meridians = new Set<number>();
  widths.forEach(([west], i) => {
    // Data is cut at 180 degrees, or at 0 where longitudes are from 0 to 360.
    const meridian = HALF_TURN * Math.round(west / HALF_TURN);
    const meets = (other: number): boolean => Math.abs(other - meridian) <= ROUNDING;
    if (meets(west) && widths.some(([, east], j) => shifts[i] !== shifts[j] && meets(east)))
      meridians.add(meridian);
  });
  for (const meridian of meridians) {
    const { kind } = parts[0];
    const rings = parts.map((part) => part.rings);
    const welded =
      type === GEOMETRY_TYPE.multiLineString
        ? weldLines(rings.flat(), meridian, stride).map((line) => [line])
        : weldPolygons(rings, meridian, stride);
    if (welded === null) continue;
    parts.length = 0;
    for (const own of welded) parts.push({ kind, rings: own });
  }
}

/**
 * Brings the result of an operation on unwrapped features back to longitudes up to 180, cut there. `isChanged`: there was something to
 * unwrap. Edges of more than 180 degrees, which others would take for the short way, get positions in between, unless a feature
 * could not be unwrapped (`hasLeft`). `cutRows`: of the result, from 0.
 */
export function wrapped(
  geometry: GeometryColumn,
  isChanged: boolean,
  hasLeft = false,
): { readonly geometry: GeometryColumn; readonly cutRows: readonly number[] } {
  const isWide = !hasLeft && longitudeWidth(geometry) > HALF_TURN;
  const divided = isWide ? withoutLongEdges(geometry) : geometry;
  if (!isChanged) return { geometry: divided, cutRows: NOTHING };
  const { geometry: cut, cut: cutRows } = cutAtAntimeridian(divided);
  return { geometry: cut, cutRows };
}

/** Edges of the plane that are longer than 180 degrees of longitude, in equal parts. */
export function withoutLongEdges(geometry: GeometryColumn): GeometryColumn {
  const stride = strideOf(geometry.dimensions);
  const rowCount = geometry.types.length;
  const changed = new Map<number, RowPart[]>();
  for (let row = 0; row < rowCount; row++) {
    if (!mayBeApart(geometry, row, stride)) continue;
    const parts = partsOfRow(geometry, row);
    let isChanged = false;
    for (const part of parts) {
      if ((part.kind & PART_KIND_MASK) === PART_KIND.point) continue;
      part.rings = part.rings.map((ring) => {
        const divided = dividedRing(ring, stride);
        if (divided.length !== ring.length) isChanged = true;
        return divided;
      });
    }
    if (isChanged) changed.set(row, parts);
  }
  if (changed.size === 0) return geometry;
  const builder = new GeometryBuilder(geometry.dimensions, rowCount, geometry.coordinates.length / stride);
  for (let row = 0; row < rowCount; row++) {
    const own = changed.get(row);
    if (own === undefined) copyRows(builder, geometry, row, row + 1);
    else appendParts(builder, own, geometry.types[row]);
  }
  return builder.finish();
}

function dividedRing(ring: readonly number[], stride: number): number[] {
  const divided = ring.slice(0, stride);
  for (let at = stride; at < ring.length; at += stride) {
    const before = at - stride;
    if (isCrossing(ring[before], ring[at]))
      for (let i = 0; i < stride; i++) divided.push((ring[before + i] + ring[at + i]) / 2);
    for (let i = 0; i < stride; i++) divided.push(ring[at + i]);
  }
  return divided;
}
