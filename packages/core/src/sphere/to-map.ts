/**
 * Rows from longitudes and latitudes to a map. They are cut where the map ends, and opened where it goes on over the antimeridian;
 * then their edges are followed.
 */
import type { Dimensions } from '../geometry/geometry-column.ts';
import type { FlatPolygon } from '../geometry/split-polygon.ts';
import { cutLine } from './cut-line.ts';
import { cutRings, ownerOf } from './cut-rings.ts';
import { areaOf, longitudesOf, unwrapRing, windingOf, withInteriorLeft } from './loose-rings.ts';
import { LAST_LATITUDE, type MapEdge, type MapPoles } from './map-edge.ts';
import { endAtParallel, isBeyond, lastParallel, ringsAroundMissing } from './missing-poles.ts';
import { GLOBE, openCuts } from './open-cuts.ts';
import { flattened, ringAt, type SpecialPart, type SpecialRow } from './special-rows.ts';
import { type MovePositions, subdivideEdges } from './subdivide-edges.ts';
import { MAX_ADDED_TO_RING } from './to-longitudes.ts';

export interface ToMap {
  readonly dimensions: Dimensions;
  readonly stride: number;
  /** A whole turn in the unit of the source. */
  readonly turn: number;
  /** Longer edges are followed, in the unit of the source. */
  readonly longLength: number;
  /** About a kilometre in the unit of the map. */
  readonly tolerance: number;
  readonly move: MovePositions;
  /** Null: the map goes on everywhere. */
  readonly edge: MapEdge | null;
  readonly poles: MapPoles;
}

/** Sets the pieces of the parts, whose pieces, or else rings, are in longitudes. */
export function rowsToMap(rows: readonly SpecialRow[], to: ToMap): void {
  const grouped = new Set<SpecialPart>();
  for (const row of rows) {
    const opened = openRow(row, to);
    for (const part of row.parts) {
      if (opened?.parts.includes(part) !== true) part.isChanged = placePart(row, part, to) || part.isChanged;
      else if (to.edge === null) grouped.add(part);
    }
    if (opened === null) continue;
    for (const part of opened.parts) part.isChanged = true;
    if (to.edge !== null) closeRow(row, opened, to.edge, to);
  }
  for (const row of rows) endBeforePoles(row, to);
  setMoved(rows, to, grouped);
}

/** Follows the edges of rows of a plane in another one. */
export function rowsFollowed(rows: readonly SpecialRow[], to: ToMap): void {
  for (const { parts } of rows) for (const part of parts) part.pieces = [part.rings];
  setMoved(rows, to, new Set());
}

function setMoved(rows: readonly SpecialRow[], to: ToMap, grouped: ReadonlySet<SpecialPart>): void {
  const moved = moveParts(rows, to);
  for (const row of rows) {
    const results = row.parts.map((part) => [part, moved(part)] as const);
    const polygons = results.filter(([part]) => grouped.has(part));
    const joined = groupedRings(
      polygons.flatMap(([, { pieces }]) => pieces.flat()),
      to.stride,
    );
    // The polygons of an opened row are in its first part: they fail together.
    const isOpened = row.parts.some(({ pieces }) => pieces?.length === 0);
    const isFailed = joined === null || (isOpened && results.some(([, result]) => result.isFailed));
    for (const [part, result] of results) {
      const isGrouped = grouped.has(part);
      if (result.isFailed || ((isGrouped || isOpened) && isFailed)) {
        row.isUncut ||= part.isChanged;
        row.isTorn ||= !part.isChanged;
        part.pieces = null;
        continue;
      }
      row.isFollowed ||= result.isFollowed;
      if (isGrouped) part.pieces = part === polygons[0][0] ? joined : [];
      else part.pieces = part.isChanged || result.isFollowed ? result.pieces : null;
    }
  }
}

/** Lets lines and polygons that reach a pole that the map does not show end near it. */
function endBeforePoles(row: SpecialRow, { stride, turn, poles }: ToMap): void {
  if (poles.hasNorth && poles.hasSouth) return;
  for (const part of row.parts) {
    const rings = part.pieces?.flat() ?? [];
    const parallel = lastParallel(rings, stride, turn);
    for (const ring of rings)
      if (endAtParallel(ring, stride, turn, poles, parallel)) {
        part.isChanged = true;
        row.isCutOff = true;
      }
  }
}

/** The polygons of a row, whose rings are now pieces of the first one. */
interface OpenedRow {
  readonly parts: readonly SpecialPart[];
  readonly rings: number[][];
  /** Number of polygons before. */
  readonly count: number;
}

/** Opens the cuts of all polygons of a row at the antimeridian, if the map goes on there or does not have a pole that they reach. */
function openRow(row: SpecialRow, { stride, turn, edge, poles }: ToMap): OpenedRow | null {
  const parts = row.parts.filter(({ isLine }) => !isLine);
  if (parts.length === 0 || row.isCollection) return null;
  const polygons = parts.flatMap(({ pieces, rings }) => pieces ?? [rings]);
  const rings = polygons.flatMap((polygon) =>
    polygon.map((ring, i) => withInteriorLeft(unwrapRing(ring, stride, turn), stride, i === 0, turn)),
  );
  const lacksPole = !(poles.hasNorth && poles.hasSouth);
  const isOpen =
    edge === null ||
    edge.at !== turn / 2 ||
    (lacksPole && reachesPole(rings, stride, turn)) ||
    rings.some((ring) => isBeyond(ring, stride, turn / 2));
  if (!isOpen) return null;
  let opened = openCuts(rings, stride, turn);
  if (opened === GLOBE && edge !== null && lacksPole) row.isCutOff = true;
  if (opened === GLOBE)
    opened = edge !== null ? [globeRing(edge, poles, turn, stride)] : lacksPole ? [] : null;
  // Rings around a pole that were never closed need no opening, but the same treatment.
  if (opened === null && edge === null && rings.some((ring) => windingOf(ring, stride, turn) !== 0))
    opened = rings;
  if (opened === null) return null;
  if (edge === null) {
    const closing = ringsAroundMissing(opened, stride, turn, poles);
    if (closing.length > 0) {
      row.isCutOff = true;
      opened = [...opened, ...closing];
    }
  }
  for (const [i, part] of parts.entries()) part.pieces = i === 0 ? [opened] : [];
  return { parts, rings: opened, count: polygons.length };
}

function reachesPole(rings: readonly (readonly number[])[], stride: number, turn: number): boolean {
  return rings.some((ring) => {
    for (let at = 1; at < ring.length; at += stride) if (Math.abs(ring[at]) >= turn / 4) return true;
    return false;
  });
}

/** Cuts opened polygons where the map ends. */
function closeRow(row: SpecialRow, { parts, rings, count }: OpenedRow, edge: MapEdge, to: ToMap): void {
  const { stride, turn } = to;
  const seam = { at: edge.at, turn };
  const pieces = cutRings(rings, stride, seam, closingLatitude(row, rings, to));
  if (pieces === null) {
    row.isUncut = true;
    for (const part of parts) part.pieces = null;
    for (const part of parts) part.isChanged = false;
    return;
  }
  parts[0].pieces = pieces;
  row.isCut ||= pieces.length > count;
}

/** Sets the pieces of a part, within the map; returns whether they are others than its rings. */
function placePart(row: SpecialRow, part: SpecialPart, to: ToMap): boolean {
  const { stride, turn, edge } = to;
  const from = (part.pieces ?? [part.rings]).map((piece) =>
    piece.map((ring) => unwrapRing(ring, stride, turn)),
  );
  if (edge === null || part.isLine) {
    const seam = edge === null ? null : { at: edge.at, turn };
    const lines = part.isLine && seam !== null ? from.map(([line]) => cutLine(line, stride, seam)) : null;
    if (lines === null) {
      part.pieces = from;
      return false;
    }
    part.pieces = lines.flatMap(({ pieces }) => pieces.map((piece) => [piece]));
    row.isCut ||= lines.some(({ pieces }) => pieces.length > 1);
    return lines.some(({ pieces, isMoved }) => pieces.length > 1 || isMoved);
  }
  return placePolygons(row, part, from, edge, to);
}

function placePolygons(
  row: SpecialRow,
  part: SpecialPart,
  from: readonly FlatPolygon[],
  edge: MapEdge,
  to: ToMap,
): boolean {
  const { stride, turn } = to;
  const seam = { at: edge.at, turn };
  const rings = from.flatMap((piece) =>
    piece.map((ring, i) => withInteriorLeft(ring, stride, i === 0, turn)),
  );
  const windings = rings.map((ring) => windingOf(ring, stride, turn));
  const isAcross = rings.some((ring, i) => {
    const [low, high] = longitudesOf(ring, stride);
    return windings[i] !== 0 || low < seam.at - turn || high > seam.at;
  });
  if (windings.includes(null) || !isAcross) {
    part.pieces = [...from];
    return false;
  }
  const pieces = cutRings(rings, stride, seam, closingLatitude(row, rings, to));
  if (pieces === null) row.isUncut = true;
  part.pieces = pieces ?? [...from];
  row.isCut ||= pieces !== null && pieces.length > from.length;
  return pieces !== null;
}

/** The whole globe, as far as the map shows it; Z and M are not known. */
function globeRing(
  { at: east }: MapEdge,
  { hasNorth, hasSouth }: MapPoles,
  turn: number,
  stride: number,
): number[] {
  const last = (LAST_LATITUDE * turn) / 360;
  const south = hasSouth ? -turn / 4 : -last;
  const north = hasNorth ? turn / 4 : last;
  const corners = [
    [east - turn, south],
    [east, south],
    [east, north],
    [east - turn, north],
    [east - turn, south],
  ];
  return corners.flatMap((corner) => [...corner, ...new Array<number>(stride - 2).fill(Number.NaN)]);
}

/** Of the pole, or of the last parallel of a map that does not have the pole. */
function closingLatitude(
  row: SpecialRow,
  rings: readonly (readonly number[])[],
  { stride, turn, poles: { hasNorth, hasSouth } }: ToMap,
): number {
  const pole = turn / 4;
  // The direction of each ring that goes around the Earth says which side of it is inside: all together, which poles are.
  const windings = rings.reduce((sum, ring) => sum + (windingOf(ring, stride, turn) ?? 0), 0);
  const holdsMissing = (windings > 0 && !hasNorth) || (windings < 0 && !hasSouth);
  if (windings !== 0) row.isClosed = true;
  if (!holdsMissing) return pole;
  row.isCutOff = true;
  return lastParallel(rings, stride, turn);
}

interface MovedPart {
  readonly pieces: FlatPolygon[];
  readonly isFollowed: boolean;
  /** An edge could not be followed. */
  readonly isFailed: boolean;
}

/** Follows the edges of all pieces, and transforms them. */
function moveParts(rows: readonly SpecialRow[], to: ToMap): (part: SpecialPart) => MovedPart {
  const { stride, turn, move, dimensions, edge } = to;
  const parts = rows.flatMap((row) => row.parts);
  const all = parts.flatMap(({ pieces }) => (pieces ?? []).flat());
  const source = flattened(all, stride);
  const divided = subdivideEdges(source, stride, nudged(move, edge, turn), {
    tolerance: to.tolerance,
    long: {
      in: 'source',
      length: to.longLength,
      // The border of a map may be bent more than anything within it.
      meridians: edge === null ? [] : [edge.at, edge.at - turn],
    },
    maxAdded: Number.POSITIVE_INFINITY,
    maxAddedToRing: MAX_ADDED_TO_RING,
  });
  const moved = divided.coordinates.slice();
  nudged(move, edge, turn)(moved, dimensions);
  const firsts = new Map<SpecialPart, number>();
  let first = 0;
  for (const part of parts) {
    firsts.set(part, first);
    first += (part.pieces ?? []).reduce((sum, piece) => sum + piece.length, 0);
  }
  return (part) => {
    let ring = firsts.get(part) ?? 0;
    let isFollowed = false;
    let isFailed = false;
    const pieces = (part.pieces ?? []).map((piece) =>
      piece.map((own) => {
        const positions = ringAt(moved, divided.coordOffsets, ring, stride);
        if (positions.length > own.length) isFollowed = true;
        if (
          divided.failedRings.has(ring) ||
          !positions.every((ordinate, i) => i % stride > 1 || Number.isFinite(ordinate))
        )
          isFailed = true;
        ring++;
        return part.isLine ? positions : closedExactly(positions, own, stride, turn);
      }),
    );
    return { pieces, isFollowed, isFailed };
  };
}

/** Moves positions on the edge of the map a little into it, so that they stay on their side. */
function nudged(move: MovePositions, edge: MapEdge | null, turn: number): MovePositions {
  if (edge === null || edge.nudge === 0) return move;
  const { at: east, nudge } = edge;
  return (coordinates, dimensions) => {
    const stride = dimensions === 'XY' ? 2 : dimensions === 'XYZM' ? 4 : 3;
    for (let at = 0; at < coordinates.length; at += stride) {
      if (coordinates[at] === east) coordinates[at] -= nudge;
      else if (coordinates[at] === east - turn) coordinates[at] += nudge;
    }
    move(coordinates, dimensions);
  };
}

/** Two transformations of the same position, or of it a turn away, may differ in the last bit. */
function closedExactly(ring: number[], source: readonly number[], stride: number, turn: number): number[] {
  if (windingOf(source, stride, turn) === null) return ring;
  for (let i = 0; i < stride; i++) ring[ring.length - stride + i] = ring[i];
  return ring;
}

/** Rings of a map without an edge as polygons: their direction says which are shells. Null: a hole is in none. */
function groupedRings(rings: readonly number[][], stride: number): FlatPolygon[] | null {
  const polygons: FlatPolygon[] = rings.filter((ring) => areaOf(ring, stride) > 0).map((ring) => [ring]);
  for (const hole of rings.filter((ring) => areaOf(ring, stride) <= 0)) {
    const owner = ownerOf(polygons, hole, stride);
    if (owner === undefined) return null;
    owner.push(hole);
  }
  return polygons;
}
