/**
 * Rows from a plane to longitudes and latitudes. Edges are followed in the plane, so that it is known which way round the Earth they
 * go, and whether they pass a pole; then rows are cut at the antimeridian and closed along poles.
 */
import type { Dimensions } from '../geometry/geometry-column.ts';
import type { FlatPolygon } from '../geometry/split-polygon.ts';
import type { Seam } from './crossing.ts';
import { cutLine } from './cut-line.ts';
import { cutRings, withinTurn } from './cut-rings.ts';
import { withSameSides } from './edge-sides.ts';
import { areaOf, longitudesOf, reversed, windingOf, withShortEdges } from './loose-rings.ts';
import { GLOBE, openCuts } from './open-cuts.ts';
import { flattened, ringAt, type SpecialPart, type SpecialRow } from './special-rows.ts';
import { AT_POLE, type MovePositions, type SubdividedEdges, subdivideEdges } from './subdivide-edges.ts';

/** In degrees of longitude or latitude: longer edges are followed where they bend by more than the tolerance. */
export const LONG_DEGREES = 10;
/** About 1 km. */
export const TOLERANCE_DEGREES = 0.01;
/** A ring with more is torn, or goes to infinity. */
export const MAX_ADDED_TO_RING = 20_000;
/** Share of a turn at the equator: longitudes beyond the antimeridian by no more than this are rounding. */
const ROUNDING = 1e-11;
/** As ROUNDING, close to a pole. */
const WIDEST_ROUNDING = 1e-3;

export interface ToLongitudes {
  readonly dimensions: Dimensions;
  readonly stride: number;
  /** A whole turn in the unit of the target. */
  readonly turn: number;
  readonly move: MovePositions;
  /** Parts whose rings are those of several polygons, with their interior on the left. Default: there are none. */
  readonly opened?: ReadonlySet<SpecialPart>;
  /** A whole turn in the unit of a source in longitudes, which are continuous. Default: the source is a plane. */
  readonly turnFrom?: number;
  /** Where the map that is the source may end, as a longitude of the target. Default: nowhere. */
  readonly edge?: number | null;
}

/** Sets the pieces of the parts; `keepsLoose`: also of those that need no cut, because the rows are only on their way. */
export function rowsToLongitudes(rows: readonly SpecialRow[], to: ToLongitudes, keepsLoose = false): void {
  const { stride, turn, move, dimensions } = to;
  const all = rows.flatMap(({ parts }) => parts.flatMap(({ rings }) => rings));
  const divided = subdivideEdges(flattened(all, stride), stride, move, {
    tolerance: (TOLERANCE_DEGREES * turn) / 360,
    long: { in: 'target', length: (LONG_DEGREES * turn) / 360 },
    turn,
    maxAdded: Number.POSITIVE_INFINITY,
    maxAddedToRing: MAX_ADDED_TO_RING,
  });
  const moved = divided.coordinates.slice();
  move(moved, dimensions);
  const followed = new FollowedRings(divided, moved, to);
  let first = 0;
  for (const row of rows) {
    const polygons: FollowedPolygon[] = [];
    for (const part of row.parts) {
      const numbers = part.rings.map((_, i) => first + i);
      const added = numbers.some((ring, i) => followed.lengthOf(ring) !== part.rings[i].length);
      first += part.rings.length;
      if (numbers.some((ring) => divided.failedRings.has(ring))) {
        row.isTorn = true;
        continue;
      }
      if (!part.isLine) {
        polygons.push(followed.polygon(part, added, numbers));
        continue;
      }
      finishPart(row, part, cutFollowedLine(row, part, followed, numbers[0], to), added, keepsLoose);
    }
    const loose = withMatchedSides(polygons, to).flatMap((polygon) => loosePolygon(polygon, to) ?? []);
    if (openAtEdge(row, loose, to)) continue;
    for (const polygon of loose) {
      const isChanged = cutPolygon(row, polygon, to);
      finishPart(row, polygon.part, isChanged, polygon.added, keepsLoose);
    }
  }
}

function finishPart(
  row: SpecialRow,
  part: SpecialPart,
  isChanged: boolean,
  added: boolean,
  keepsLoose: boolean,
): void {
  part.isChanged = isChanged || added;
  if (part.pieces !== null && added) row.isFollowed = true;
  if (!part.isChanged && !keepsLoose) part.pieces = null;
}

/** Returns whether the line was cut or moved. */
function cutFollowedLine(
  row: SpecialRow,
  part: SpecialPart,
  followed: FollowedRings,
  ring: number,
  { stride, turn }: ToLongitudes,
): boolean {
  const seam: Seam = { at: turn / 2, turn };
  const lines = followed.lines(ring);
  const pieces = lines.flatMap((line) => cutLine(line, stride, seam).pieces);
  part.pieces = pieces.map((piece) => [piece]);
  row.isCut ||= pieces.length > 1;
  return pieces.length > 1 || followed.isMoved;
}

/** The rings of a polygon after the transformation. */
interface FollowedPolygon {
  readonly part: SpecialPart;
  /** Edges got positions. */
  readonly added: boolean;
  /** In the direction in which they are written. */
  readonly asWritten: readonly number[][];
  /** Longitudes differ from those that the transformation gave. */
  readonly isMoved: boolean;
}
interface LoosePolygon extends FollowedPolygon {
  /** With the interior on the left. */
  readonly rings: readonly number[][];
  readonly isClosed: boolean;
}

/** Both sides of cuts at the edge of the source are brought together. */
function withMatchedSides(
  polygons: readonly FollowedPolygon[],
  { stride, turn, edge }: ToLongitudes,
): readonly FollowedPolygon[] {
  if (edge === undefined || edge === null) return polygons;
  const all = polygons.flatMap(({ asWritten }) => asWritten);
  const matched = withSameSides(all, stride, { at: edge, turn });
  if (matched === all) return polygons;
  let first = 0;
  return polygons.map((polygon) => {
    const asWritten = matched.slice(first, first + polygon.asWritten.length);
    first += asWritten.length;
    return { ...polygon, asWritten, isMoved: true };
  });
}

/** Null: the polygon has a ring that is not closed; other steps report it. */
function loosePolygon(polygon: FollowedPolygon, { stride, turn, opened }: ToLongitudes): LoosePolygon | null {
  const { part, asWritten } = polygon;
  const isOpened = opened?.has(part) === true;
  const windings = asWritten.map((ring) => windingOf(ring, stride, turn));
  if (windings.includes(null)) return null;
  const rings = asWritten.map((ring, i) => {
    // The projection keeps the orientation: east is right of north on maps, too.
    const isLeft = windings[i] === 0 ? areaOf(ring, stride) > 0 : areaOf(part.rings[i], stride) > 0;
    return isOpened || isLeft === (i === 0) ? ring : reversed(ring, stride);
  });
  return { ...polygon, rings, isClosed: windings.some((winding) => winding !== 0) };
}

/**
 * Opens the polygons of a row that were cut where the map ended, and cuts them at the antimeridian; false: there is nothing to open. The pieces
 * are those of the first polygon.
 */
function openAtEdge(
  row: SpecialRow,
  polygons: readonly LoosePolygon[],
  { stride, turn, edge }: ToLongitudes,
): boolean {
  if (edge === undefined || edge === null || row.isCollection || polygons.length === 0) return false;
  // A map that ends at the antimeridian is cut where longitudes end.
  if (Math.abs(edge) === turn / 2) return false;
  // As on the map, from one of its sides to the other.
  const seam = { at: edge, turn };
  const all = polygons.flatMap(({ rings }) => rings.map((ring) => withinTurn(ring, stride, seam)));
  const opened = openCuts(all, stride, turn);
  if (opened === null || opened === GLOBE) return false;
  const short = opened.map((ring) => withShortEdges(ring, stride, turn));
  const pieces = cutRings(short, stride, { at: turn / 2, turn }, turn / 4);
  if (pieces === null) return false;
  for (const [i, { part, added }] of polygons.entries()) {
    part.pieces = i === 0 ? pieces : [];
    part.isChanged = true;
    row.isFollowed ||= added;
  }
  row.isClosed ||= opened.reduce((sum, ring) => sum + (windingOf(ring, stride, turn) ?? 0), 0) !== 0;
  row.isCut ||= pieces.length > polygons.length;
  return true;
}

/** Returns whether the polygon was cut, closed or moved. */
function cutPolygon(
  row: SpecialRow,
  { part, rings, asWritten, isClosed, isMoved }: LoosePolygon,
  { stride, turn, opened }: ToLongitudes,
): boolean {
  const isBeyond = rings.some((ring) => {
    const [low, high] = longitudesOf(ring, stride);
    return low < -turn / 2 || high > turn / 2;
  });
  row.isClosed ||= isClosed;
  if (!isClosed && !isBeyond && opened?.has(part) !== true) {
    part.pieces = [[...asWritten]];
    return isMoved;
  }
  const pieces: FlatPolygon[] | null =
    rings.length === 0 ? [] : cutRings(rings, stride, { at: turn / 2, turn }, turn / 4);
  if (pieces === null) {
    row.isUncut = true;
    part.pieces = null;
    return false;
  }
  part.pieces = pieces;
  row.isCut ||= pieces.length > 1;
  return true;
}

/** Rings after the transformation, with continuous longitudes. */
class FollowedRings {
  readonly #divided: SubdividedEdges;
  readonly #moved: Float64Array;
  readonly #stride: number;
  readonly #turn: number;
  readonly #turnFrom: number | null;
  /** Of the last ring: longitudes differ from those that the transformation gave. */
  isMoved = false;

  constructor(divided: SubdividedEdges, moved: Float64Array, { stride, turn, turnFrom }: ToLongitudes) {
    this.#turnFrom = turnFrom ?? null;
    this.#divided = divided;
    this.#moved = moved;
    this.#stride = stride;
    this.#turn = turn;
  }

  lengthOf(ring: number): number {
    const { coordOffsets } = this.#divided;
    return (coordOffsets[ring + 1] - coordOffsets[ring]) * this.#stride;
  }

  /** The pieces of a line: it ends at a pole, and goes on from there. */
  lines(ring: number): number[][] {
    const stride = this.#stride;
    const { ordinates, poles } = this.#follow(ring, false);
    const lines: number[][] = [];
    let line: number[] = [];
    for (let at = 0; at < ordinates.length; at += stride) {
      const isPole = poles.has(at);
      if (isPole && line.length > 0) {
        const end = ordinates.slice(at, at + stride);
        end[0] = line[line.length - stride];
        for (const ordinate of end) line.push(ordinate);
        lines.push(line);
        line = [];
      }
      if (isPole && at + stride >= ordinates.length) break;
      const own = ordinates.slice(at, at + stride);
      if (isPole) own[0] = ordinates[at + stride];
      for (const ordinate of own) line.push(ordinate);
    }
    if (line.length > 0) lines.push(line);
    return lines;
  }

  polygon(part: SpecialPart, added: boolean, numbers: readonly number[]): FollowedPolygon {
    let isMoved = false;
    const asWritten = numbers.map((number) => {
      const ring = this.ring(number);
      isMoved ||= this.isMoved;
      return ring;
    });
    return { part, added, asWritten, isMoved };
  }

  /**
   * A ring; at a pole it goes from one meridian to another, so that it does not go around the Earth. The last position is the first,
   * or the first moved by whole turns.
   */
  ring(ring: number): number[] {
    const stride = this.#stride;
    const { ordinates, poles } = this.#follow(ring, true);
    if (poles.size === 0) return ordinates;
    const result: number[] = [];
    const lastPole = [...poles].at(-1);
    for (let at = 0; at < ordinates.length; at += stride) {
      const position = ordinates.slice(at, at + stride);
      if (!poles.has(at)) {
        for (const ordinate of position) result.push(ordinate);
        continue;
      }
      const before = ordinates[at - stride];
      while (poles.has(at + stride)) at += stride;
      for (const x of [before, ordinates[at + stride]]) {
        position[0] = x;
        for (const ordinate of position) result.push(ordinate);
      }
      if (at !== lastPole) continue;
      // What follows is moved so that the ring ends where it began.
      const surplus = ordinates[ordinates.length - stride] - ordinates[0];
      const turns = this.#turn * Math.round(surplus / this.#turn);
      if (turns === 0) continue;
      for (let later = at + stride; later < ordinates.length; later += stride) ordinates[later] -= turns;
      result[result.length - stride] -= turns;
    }
    return result;
  }

  /** `poles`: where in the ordinates positions at a pole begin; their longitudes mean nothing. */
  #follow(ring: number, isClosed: boolean): { readonly ordinates: number[]; readonly poles: Set<number> } {
    const stride = this.#stride;
    const turn = this.#turn;
    const { coordOffsets } = this.#divided;
    const ordinates = ringAt(this.#moved, coordOffsets, ring, stride);
    const own = this.#advances(ring);
    const isPole = (at: number): boolean => Math.abs(ordinates[at + 1]) >= turn / 4 - turn * AT_POLE;
    if (isClosed && isPole(0)) rotateFromPole(ordinates, own, stride, isPole);
    this.isMoved = false;
    const poles = new Set<number>();
    // The advance from the last position that is not at a pole.
    let advance = 0;
    let last = -1;
    for (let at = 0; at < ordinates.length; at += stride) {
      if (at > 0) advance += own[at / stride - 1];
      if (isPole(at)) {
        poles.add(at);
        ordinates[at + 1] = Math.sign(ordinates[at + 1]) * (turn / 4);
        continue;
      }
      const before = last;
      last = at;
      const step = advance;
      advance = 0;
      if (before < 0) {
        const first = this.#withoutRounding(ordinates[at], ordinates[at + 1]);
        if (first !== ordinates[at]) this.isMoved = true;
        ordinates[at] = first;
        continue;
      }
      // From a plane, over a pole, the short way along it.
      const isOverPole = before < at - stride;
      const wanted = ordinates[before] + (isOverPole && this.#turnFrom === null ? 0 : step);
      const turns = turn * Math.round((wanted - ordinates[at]) / turn);
      const near = this.#withoutRounding(ordinates[at] + turns, ordinates[at + 1]);
      if (near !== ordinates[at]) this.isMoved = true;
      ordinates[at] = near;
    }
    if (isClosed) closeExactly(ordinates, stride, turn);
    return { ordinates, poles };
  }

  /** From each position to the next. */
  #advances(ring: number): number[] {
    const { coordOffsets, coordinates, advances } = this.#divided;
    const [start, end] = [coordOffsets[ring], coordOffsets[ring + 1]];
    const own = Array.from(advances.subarray(start, end));
    const scale = this.#turnFrom === null ? 0 : this.#turn / this.#turnFrom;
    if (scale !== 0)
      for (let i = start; i + 1 < end; i++)
        own[i - start] = (coordinates[(i + 1) * this.#stride] - coordinates[i * this.#stride]) * scale;
    return own;
  }

  #withoutRounding(x: number, y: number): number {
    const half = this.#turn / 2;
    const beyond = Math.abs(Math.abs(x) - half);
    if (beyond > WIDEST_ROUNDING * this.#turn) return x;
    // Meridians are close together near a pole, so rounding on a map is many degrees there; longitudes are what they are.
    const narrowness = this.#turnFrom === null ? Math.cos((y / this.#turn) * 2 * Math.PI) : 1;
    return beyond * narrowness > ROUNDING * this.#turn ? x : Math.sign(x) * half;
  }
}

/** Lets a ring begin at its first position that is not at a pole. */
function rotateFromPole(
  ordinates: number[],
  advances: number[],
  stride: number,
  isPole: (at: number) => boolean,
): void {
  let first = 0;
  while (first < ordinates.length && isPole(first)) first += stride;
  if (first === ordinates.length) return;
  const open = ordinates.slice(0, ordinates.length - stride);
  const rotated = [...open.slice(first), ...open.slice(0, first + stride)];
  const steps = advances.slice(0, advances.length - 1);
  const turned = [...steps.slice(first / stride), ...steps.slice(0, first / stride), 0];
  for (let i = 0; i < rotated.length; i++) ordinates[i] = rotated[i];
  for (let i = 0; i < turned.length; i++) advances[i] = turned[i];
}

/** Two transformations of the same position may differ in the last bit. */
function closeExactly(ordinates: number[], stride: number, turn: number): void {
  const last = ordinates.length - stride;
  const turns = Math.round((ordinates[last] - ordinates[0]) / turn);
  if (Math.abs(ordinates[last] - ordinates[0] - turns * turn) > ROUNDING * turn * 1e3) return;
  for (let i = 0; i < stride; i++) ordinates[last + i] = ordinates[i];
  ordinates[last] += turns * turn;
}
