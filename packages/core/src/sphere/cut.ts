/**
 * Cuts lines and polygons at the antimeridian (RFC 7946 3.1.9), closes polygons around a pole along it, and brings longitudes beyond
 * +-180 into range.
 *
 *          179   180  -179                          179  180|-180  -179
 *       +---*-----:-----*---+      one polygon    +--*---+  |  +---*--+    two, that meet at the cut
 *       |         :         |         ==>         |      |  |  |      |
 *       +---*-----:-----*---+                     +--*---+  |  +---*--+
 *
 * An edge crosses if its ends are more than 180 but less than 360 degrees apart: the short way is then the one over 180.
 * Longitudes beyond +-180 cross without such a check. A ring that goes around the Earth holds the pole that is nearer to it. Rings that
 * span more than the globe cannot be repaired by a cut: they are not changed, and neither are polygons whose rings cross one another at
 * the cut.
 *
 * Other ordinates (Z, M) of the positions added at the cut are interpolated. The order of features and members is kept.
 */
import {
  GEOMETRY_TYPE,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '../geometry/geometry-column.ts';
import { type FlatPolygon, splitPolygon } from '../geometry/split-polygon.ts';
import { ANTIMERIDIAN, cutsBetween, isCrossingEdge, movedBy, snapped, turnOf } from './crossing.ts';
import { cutLine } from './cut-line.ts';
import { cutRings } from './cut-rings.ts';
import { longitudesOf, windingOf, withInteriorLeft, withShortEdges } from './loose-rings.ts';
import { GLOBE, openCuts } from './open-cuts.ts';
import { RowWriter } from './row-writer.ts';

export interface AntimeridianCut {
  /** The same column when nothing had to be cut. */
  readonly geometry: GeometryColumn;
  /** Rows, from 0, whose geometry was changed: those of `cut`, `moved` and `closed`. */
  readonly rows: readonly number[];
  /** Rows with a line or polygon that was cut. */
  readonly cut: readonly number[];
  /** Rows that were only moved by whole turns. */
  readonly moved: readonly number[];
  /** Rows with an area that was closed along a pole. */
  readonly closed: readonly number[];
  /** Rows that cross the antimeridian but could not be cut. */
  readonly uncut: readonly number[];
}

/** Values beyond this are not longitudes. */
const ABSURD = 540;
/** Degrees; computed poles can exceed 90 slightly. */
const MAX_LATITUDE = 90.0000001;

export function cutAtAntimeridian(geometry: GeometryColumn): AntimeridianCut {
  const stride = strideOf(geometry.dimensions);
  const [rows, cut, moved, closed, uncut]: number[][] = [[], [], [], [], []];
  const nothing = { geometry, rows, cut, moved, closed, uncut };
  if (!mayCross(geometry.coordinates, stride)) return nothing;
  const rowCount = geometry.types.length;
  const concerned: number[] = [];
  for (let row = 0; row < rowCount; row++) {
    if (rowCrosses(geometry, row, stride) && rowIsLonLat(geometry, row, stride)) concerned.push(row);
  }
  if (concerned.length === 0) return nothing;
  const cutter = new Cutter(geometry, stride);
  let next = 0;
  for (let row = 0; row < rowCount; row++) {
    if (row !== concerned[next]) cutter.writer.copyRow(row);
    else {
      next++;
      const { isCut, isMoved, isClosed, isUncut } = cutter.cutRow(row);
      if (isClosed) closed.push(row);
      if (isCut) cut.push(row);
      if (isMoved && !isCut && !isClosed) moved.push(row);
      if (isUncut) uncut.push(row);
      if (isCut || isMoved || isClosed) rows.push(row);
    }
  }
  return { ...nothing, geometry: cutter.writer.finish() };
}

/** False if all longitudes are within half a turn of one another, and none is beyond 180. */
function mayCross(coordinates: Float64Array, stride: number): boolean {
  let west = Number.POSITIVE_INFINITY;
  let east = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < coordinates.length; at += stride) {
    const x = coordinates[at];
    if (x < west) west = x;
    if (x > east) east = x;
  }
  return east - west > 180 || west < -180 || east > 180;
}

function rowCrosses(geometry: GeometryColumn, row: number, stride: number): boolean {
  const { partOffsets, partKinds, ringOffsets, coordOffsets, coordinates } = geometry;
  for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
    const isPoint = (partKinds[part] & PART_KIND_MASK) === PART_KIND.point;
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      const end = coordOffsets[ring + 1] * stride;
      for (let at = coordOffsets[ring] * stride, first = at; at < end; at += stride) {
        const x = coordinates[at];
        if (x > 180 || x < -180) return true;
        if (at === first || isPoint) continue;
        const before = at - stride;
        if (isCrossingEdge(coordinates[before], coordinates[before + 1], x, coordinates[at + 1])) return true;
      }
    }
  }
  return false;
}

/** True if the row's coordinates can be longitudes and latitudes. Plane coordinates are not moved. */
function rowIsLonLat(geometry: GeometryColumn, row: number, stride: number): boolean {
  const { partOffsets, ringOffsets, coordOffsets, coordinates } = geometry;
  const start = coordOffsets[ringOffsets[partOffsets[row]]] * stride;
  const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
  for (let at = start; at < end; at += stride) {
    if (Math.abs(coordinates[at]) > ABSURD || Math.abs(coordinates[at + 1]) > MAX_LATITUDE) return false;
  }
  return true;
}

/** A ring or line with continuous longitudes: every ordinate of every position, end to end. */
interface Unwrapped {
  readonly ordinates: number[];
  readonly minX: number;
  readonly maxX: number;
}

/** What happened to a row. */
interface Outcome {
  isCut: boolean;
  isMoved: boolean;
  isClosed: boolean;
  isUncut: boolean;
}

class Cutter {
  readonly writer: RowWriter;
  readonly #column: GeometryColumn;
  readonly #stride: number;
  #outcome: Outcome = { isCut: false, isMoved: false, isClosed: false, isUncut: false };

  constructor(column: GeometryColumn, stride: number) {
    this.writer = new RowWriter(column);
    this.#column = column;
    this.#stride = stride;
  }

  cutRow(row: number): Readonly<Outcome> {
    const { types, partOffsets, partKinds } = this.#column;
    this.#outcome = { isCut: false, isMoved: false, isClosed: false, isUncut: false };
    this.writer.beginRow(types[row] === GEOMETRY_TYPE.geometryCollection);
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      const kind = partKinds[part] & PART_KIND_MASK;
      if (kind === PART_KIND.point) this.#movePoint(part);
      else {
        const pieces = kind === PART_KIND.line ? this.#cutLine(part) : this.#cutPolygon(part);
        if (pieces === null) {
          this.#outcome.isUncut = true;
          this.writer.copyPart(part);
        } else this.writer.appendPieces(pieces, partKinds[part]);
      }
    }
    this.writer.endRow(types[row]);
    return this.#outcome;
  }

  #movePoint(part: number): void {
    const { ringOffsets, coordOffsets } = this.#column;
    const { builder } = this.writer;
    const first = builder.coordinateLength;
    this.writer.copyPart(part);
    if (ringOffsets[part] === ringOffsets[part + 1]) return;
    const count = coordOffsets[ringOffsets[part] + 1] - coordOffsets[ringOffsets[part]];
    for (let i = 0; i < count; i++) {
      const at = first + i * this.#stride;
      const x = snapped(builder.coordinates[at]);
      builder.coordinates[at] = x;
      if (x >= -180 && x <= 180) continue;
      builder.coordinates[at] = movedBy(x, -Math.round(x / 360));
      this.#outcome.isMoved = true;
    }
  }

  /** Positions of a ring with longitudes that continue over 180 instead of jumping to -180. */
  #unwrap(ring: number): Unwrapped {
    const { coordOffsets, coordinates } = this.#column;
    const stride = this.#stride;
    const ordinates: number[] = [];
    let turn = 0;
    let previous = Number.NaN;
    let minX = Number.POSITIVE_INFINITY;
    let maxX = Number.NEGATIVE_INFINITY;
    for (let at = coordOffsets[ring] * stride; at < coordOffsets[ring + 1] * stride; at += stride) {
      const x = snapped(coordinates[at]);
      if (isCrossingEdge(previous, coordinates[at - stride + 1], x, coordinates[at + 1]))
        turn += previous > 0 ? 360 : -360;
      previous = x;
      ordinates.push(x + turn);
      for (let i = 1; i < stride; i++) ordinates.push(coordinates[at + i]);
      minX = Math.min(minX, x + turn);
      maxX = Math.max(maxX, x + turn);
    }
    return { ordinates, minX, maxX };
  }

  /** Null: the coordinates are not longitudes. A part without positions is one piece without rings. */
  #cutLine(part: number): FlatPolygon[] | null {
    const { ringOffsets } = this.#column;
    if (ringOffsets[part] === ringOffsets[part + 1]) return [[]];
    const { ordinates, minX, maxX } = this.#unwrap(ringOffsets[part]);
    if (ordinates.length === 0) return [[ordinates]];
    if (!(minX > -ABSURD && maxX < ABSURD)) return null;
    const { pieces, isMoved } = cutLine(ordinates, this.#stride, ANTIMERIDIAN);
    this.#outcome.isMoved ||= isMoved;
    this.#outcome.isCut ||= pieces.length > 1;
    return pieces.map((line) => [line]);
  }

  #cutPolygon(part: number): FlatPolygon[] | null {
    const { ringOffsets } = this.#column;
    const stride = this.#stride;
    const rings: number[][] = [];
    let isAroundPole = false;
    let minX = 0;
    let maxX = 0;
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      const unwrapped = this.#unwrap(ring);
      const { ordinates } = unwrapped;
      if (ordinates.length < 4 * stride) return null;
      const winding = windingOf(ordinates, stride, 360);
      if (winding === null) return null;
      isAroundPole ||= winding !== 0;
      if (rings.length === 0) {
        ({ minX, maxX } = unwrapped);
        if (!(minX > -ABSURD && maxX < ABSURD)) return null;
      } else if (winding === 0) moveInto(ordinates, stride, unwrapped, minX, maxX);
      rings.push(ordinates);
    }
    if (rings.length === 0) return [[]];
    if (isAroundPole) return this.#closePolygon(rings);
    if (maxX - minX > 360) return null;
    return (maxX - minX === 360 ? this.#openPolygon(rings) : null) ?? this.#splitPolygon(rings, minX, maxX);
  }

  #splitPolygon(rings: number[][], minX: number, maxX: number): FlatPolygon[] | null {
    const stride = this.#stride;
    let pieces: FlatPolygon[] = [rings];
    for (const cut of cutsBetween(minX, maxX)) {
      const halves: FlatPolygon[] = [];
      for (const polygon of pieces) {
        const split = splitPolygon(polygon, stride, cut);
        if (split === null) return null;
        for (const half of split) halves.push(half);
      }
      pieces = halves;
    }
    this.#outcome.isCut ||= pieces.length > 1;
    for (const piece of pieces) {
      const turns = turnOf(middleOf(piece[0], stride));
      if (turns === 0) continue;
      this.#outcome.isMoved = true;
      for (const ring of piece)
        for (let at = 0; at < ring.length; at += stride) ring[at] = movedBy(ring[at], -turns);
    }
    return pieces;
  }

  /** A polygon whose borders in the west and in the east are the same. Null: they are not, or it is the whole Earth. */
  #openPolygon(rings: readonly number[][]): FlatPolygon[] | null {
    const stride = this.#stride;
    const oriented = rings.map((ring, i) => withInteriorLeft([...ring], stride, i === 0, 360));
    const opened = openCuts(oriented, stride, 360);
    if (opened === null || opened === GLOBE) return null;
    const short = opened.map((ring) => withShortEdges(ring, stride, 360));
    const pieces = cutRings(short, stride, ANTIMERIDIAN, 90);
    this.#outcome.isMoved ||= pieces !== null;
    return pieces;
  }

  #closePolygon(rings: readonly number[][]): FlatPolygon[] | null {
    const stride = this.#stride;
    const oriented = rings.map((ring, i) => withInteriorLeft(ring, stride, i === 0, 360));
    const pieces = cutRings(oriented, stride, ANTIMERIDIAN, 90);
    this.#outcome.isClosed ||= pieces !== null;
    return pieces;
  }
}

/** A hole may be written with longitudes one turn away from those of its shell. */
function moveInto(ordinates: number[], stride: number, own: Unwrapped, minX: number, maxX: number): void {
  const turns = [0, 360, -360, 720, -720].find((by) => own.minX + by >= minX && own.maxX + by <= maxX);
  if (turns !== undefined && turns !== 0)
    for (let at = 0; at < ordinates.length; at += stride) ordinates[at] += turns;
}

function middleOf(ring: readonly number[], stride: number): number {
  const [low, high] = longitudesOf(ring, stride);
  return (low + high) / 2;
}
