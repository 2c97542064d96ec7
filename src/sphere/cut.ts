/**
 * Cuts lines and polygons at the antimeridian (RFC 7946 3.1.9) and brings longitudes beyond +-180 into range.
 *
 *          179   180  -179                          179  180|-180  -179
 *       +---*-----:-----*---+      one polygon    +--*---+  |  +---*--+    two, that meet at the cut
 *       |         :         |         ==>         |      |  |  |      |
 *       +---*-----:-----*---+                     +--*---+  |  +---*--+
 *
 * An edge crosses if both its ends are at |170| or beyond, on opposite sides, more than 180 but less than 360
 * degrees apart: the short way is then the one over 180. Longitudes beyond +-180 cross without such a
 * check. Rings that wind around a pole or span more than the globe cannot be repaired by a cut: they are not changed,
 * and neither are polygons whose rings cross one another at the cut.
 *
 * Other ordinates (Z, M) of the positions added at the cut are interpolated. The order of features and members is kept.
 */
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
  strideOf,
} from '../batch/geometry-column.ts';
import { type FlatPolygon, splitPolygon } from '../batch/split-polygon.ts';
import { isCrossing, NEAR, snapped, turnOf } from './crossing.ts';

interface AntimeridianCut {
  /** The same column when nothing had to be cut. */
  readonly geometry: GeometryColumn;
  /** Rows, from 0, whose geometry was cut or moved by whole turns. */
  readonly rows: readonly number[];
}

/** Values beyond this are not longitudes. */
const ABSURD = 540;
/** Degrees; computed poles can exceed 90 slightly. */
const MAX_LATITUDE = 90.0000001;

export function cutAtAntimeridian(geometry: GeometryColumn): AntimeridianCut {
  const stride = strideOf(geometry.dimensions);
  const rows: number[] = [];
  if (!anyNear(geometry.coordinates, stride)) return { geometry, rows };
  const rowCount = geometry.types.length;
  const concerned: number[] = [];
  for (let row = 0; row < rowCount; row++) {
    if (rowCrosses(geometry, row, stride) && rowIsLonLat(geometry, row, stride)) concerned.push(row);
  }
  if (concerned.length === 0) return { geometry, rows };
  const cutter = new Cutter(geometry, stride);
  let next = 0;
  for (let row = 0; row < rowCount; row++) {
    if (row !== concerned[next]) cutter.copyRow(row);
    else {
      next++;
      if (cutter.cutRow(row)) rows.push(row);
    }
  }
  return { geometry: cutter.builder.finish(), rows };
}

function anyNear(coordinates: Float64Array, stride: number): boolean {
  for (let at = 0; at < coordinates.length; at += stride)
    if (coordinates[at] >= NEAR || coordinates[at] <= -NEAR) return true;
  return false;
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
        if (at > first && !isPoint && isCrossing(coordinates[at - stride], x)) return true;
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

class Cutter {
  readonly builder: GeometryBuilder;
  readonly #column: GeometryColumn;
  readonly #stride: number;
  /** The current row was cut or moved. */
  #changed = false;

  constructor(column: GeometryColumn, stride: number) {
    this.builder = new GeometryBuilder(column.dimensions);
    this.builder.reserve(column.coordinates.length);
    this.#column = column;
    this.#stride = stride;
  }

  copyRow(row: number): void {
    const { types, partOffsets, partKinds } = this.#column;
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++)
      this.#copyPart(part, partKinds[part]);
    this.builder.endFeature(types[row]);
  }

  /** Returns whether anything changed. */
  cutRow(row: number): boolean {
    const { types, partOffsets, partKinds } = this.#column;
    const { builder } = this;
    const isCollection = types[row] === GEOMETRY_TYPE.geometryCollection;
    const firstPart = builder.partCount;
    this.#changed = false;
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      const kind = partKinds[part] & PART_KIND_MASK;
      if (kind === PART_KIND.point) this.#movePoint(part);
      else {
        const pieces = kind === PART_KIND.line ? this.#cutLine(part) : this.#cutPolygon(part);
        if (pieces === null) this.#copyPart(part, partKinds[part]);
        else this.#appendPieces(pieces, partKinds[part], isCollection);
      }
    }
    const count = builder.partCount - firstPart;
    const type = types[row];
    builder.endFeature(count > 1 && type >= 1 && type <= 3 ? type + 3 : type);
    return this.#changed;
  }

  #copyPart(part: number, partKind: number): void {
    const { ringOffsets, coordOffsets, coordinates } = this.#column;
    const { builder } = this;
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      const start = coordOffsets[ring] * this.#stride;
      const end = coordOffsets[ring + 1] * this.#stride;
      builder.reserve(end - start);
      for (let at = start; at < end; at++) builder.coordinates[builder.coordinateLength++] = coordinates[at];
      builder.endRing();
    }
    builder.endPart(partKind);
  }

  #movePoint(part: number): void {
    const { ringOffsets, coordOffsets } = this.#column;
    const { builder } = this;
    const first = builder.coordinateLength;
    this.#copyPart(part, this.#column.partKinds[part]);
    if (ringOffsets[part] === ringOffsets[part + 1]) return;
    const count = coordOffsets[ringOffsets[part] + 1] - coordOffsets[ringOffsets[part]];
    for (let i = 0; i < count; i++) {
      const at = first + i * this.#stride;
      const x = snapped(builder.coordinates[at]);
      builder.coordinates[at] = x;
      if (x >= -180 && x <= 180) continue;
      builder.coordinates[at] = Number((x - 360 * Math.round(x / 360)).toFixed(12));
      this.#changed = true;
    }
  }

  #appendPieces(pieces: readonly FlatPolygon[], partKind: number, isCollection: boolean): void {
    const { builder } = this;
    const kind = partKind & PART_KIND_MASK;
    let mark = partKind & ~PART_KIND_MASK;
    if (isCollection && mark === 0 && pieces.length > 1) mark = PART_MULTI_FIRST;
    for (const rings of pieces) {
      for (const ring of rings) {
        builder.reserve(ring.length);
        for (const ordinate of ring) builder.coordinates[builder.coordinateLength++] = ordinate;
        builder.endRing();
      }
      builder.endPart(kind | mark);
      if (mark === PART_MULTI_FIRST) mark = PART_MULTI_NEXT;
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
      if (isCrossing(previous, x)) turn += previous > 0 ? 360 : -360;
      previous = x;
      ordinates.push(x + turn);
      for (let i = 1; i < stride; i++) ordinates.push(coordinates[at + i]);
      minX = Math.min(minX, x + turn);
      maxX = Math.max(maxX, x + turn);
    }
    return { ordinates, minX, maxX };
  }

  #cutLine(part: number): FlatPolygon[] | null {
    const { ringOffsets } = this.#column;
    if (ringOffsets[part] === ringOffsets[part + 1]) return null;
    const stride = this.#stride;
    const { ordinates, minX, maxX } = this.#unwrap(ringOffsets[part]);
    if (!(minX > -ABSURD && maxX < ABSURD)) return null;
    const pieces: number[][] = [];
    let piece: number[] = ordinates.slice(0, stride);
    // The turn of a piece is known from its first edge that does not run along a cut.
    let turn: number | null = null;
    const finish = (): void => {
      const own = turn ?? (piece[0] >= -180 && piece[0] <= 180 ? 0 : turnOf(piece[0]));
      moveBack([piece], own, stride);
      if (own !== 0) this.#changed = true;
      pieces.push(piece);
    };
    for (let at = stride; at < ordinates.length; at += stride) {
      const x1 = ordinates[at - stride];
      const x2 = ordinates[at];
      let from = x1;
      for (const to of [...cutsBetween(x1, x2), x2]) {
        const own: number | null = from === to ? turn : turnOf((from + to) / 2);
        if (turn !== null && own !== turn) {
          const start = piece.slice(piece.length - stride);
          finish();
          this.#changed = true;
          piece = start;
        }
        turn = own;
        const t = to === x2 ? 1 : (to - x1) / (x2 - x1);
        piece.push(to);
        for (let i = 1; i < stride; i++)
          piece.push(t === 1 ? ordinates[at + i] : mix(ordinates[at - stride + i], ordinates[at + i], t));
        from = to;
      }
    }
    finish();
    return pieces.map((line) => [line]);
  }

  #cutPolygon(part: number): FlatPolygon[] | null {
    const { ringOffsets } = this.#column;
    const stride = this.#stride;
    const rings: number[][] = [];
    let minX = 0;
    let maxX = 0;
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      const unwrapped = this.#unwrap(ring);
      const { ordinates } = unwrapped;
      if (ordinates.length < 4 * stride) return null;
      if (ordinates[0] !== ordinates[ordinates.length - stride]) return null;
      if (rings.length === 0) {
        ({ minX, maxX } = unwrapped);
        if (!(minX > -ABSURD && maxX < ABSURD) || maxX - minX > 360) return null;
      } else {
        // A hole may be written with longitudes one turn away from those of its shell.
        const turns = [0, 360, -360, 720, -720].find(
          (by) => unwrapped.minX + by >= minX && unwrapped.maxX + by <= maxX,
        );
        if (turns !== undefined && turns !== 0)
          for (let at = 0; at < ordinates.length; at += stride) ordinates[at] += turns;
      }
      rings.push(ordinates);
    }
    if (rings.length === 0) return null;
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
    if (pieces.length > 1) this.#changed = true;
    for (const piece of pieces) {
      const turn = turnOf(middleX(piece[0], stride));
      if (turn !== 0) this.#changed = true;
      moveBack(piece, turn, stride);
    }
    return pieces;
  }
}

/** The longitudes 180 + 360 k strictly between two, in the order from the first to the second. */
function cutsBetween(from: number, to: number): number[] {
  const cuts: number[] = [];
  const low = Math.min(from, to);
  const high = Math.max(from, to);
  for (let cut = 180 + 360 * Math.floor((low - 180) / 360); cut < high; cut += 360)
    if (cut > low) cuts.push(cut);
  return from <= to ? cuts : cuts.reverse();
}

function middleX(ring: readonly number[], stride: number): number {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < ring.length; at += stride) {
    low = Math.min(low, ring[at]);
    high = Math.max(high, ring[at]);
  }
  return (low + high) / 2;
}

/**
 * Moves positions by whole turns into [-180, 180]. The sum rounds at 1e-13 degrees; rounded to 1e-12 it gives the
 * decimal that the longitude was written as.
 */
function moveBack(rings: readonly number[][], turns: number, stride: number): void {
  if (turns === 0) return;
  for (const ring of rings)
    for (let at = 0; at < ring.length; at += stride) ring[at] = Number((ring[at] - 360 * turns).toFixed(12));
}

function mix(a: number, b: number, t: number): number {
  return a + (b - a) * t;
}
