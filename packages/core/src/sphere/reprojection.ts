/**
 * A reprojection that keeps shapes: what its transformation of single positions cannot do. Features that cross the end of the map, or hold
 * a pole, are cut and closed, and long edges get positions where they would bend. All other features, which are nearly all, are left to
 * the transformation: one look at the bounds of a batch tells most batches without any of these apart.
 *
 *      from             to               special rows
 *      longitudes       map              opened at the antimeridian, cut at the end of the map, edges followed
 *      map              longitudes       edges followed, cut at the antimeridian, closed along poles
 *      map              map that ends    both, by longitudes of WGS 84
 *      map              other map        edges followed
 *      longitudes       longitudes       cut at the antimeridian of the other prime meridian
 */
import type { Bounds } from '../geometry/bounds.ts';
import {
  type Dimensions,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '../geometry/geometry-column.ts';
import { rowsBetweenLongitudes } from './between-longitudes.ts';
import { rowsOnBothSides } from './edge-sides.ts';
import { emptyReplaced, moveIntoMap } from './map-border.ts';
import { type MapEdge, type MapPoles, mapEdgeAt, mapPoles } from './map-edge.ts';
import { endAtParallel, lastParallel, reachesMissing } from './missing-poles.ts';
import { longitudeIn, type SphereSide } from './side.ts';
import { type SpecialRow, specialRows, withPieces } from './special-rows.ts';
import type { MovePositions } from './subdivide-edges.ts';
import { LONG_DEGREES, rowsToLongitudes } from './to-longitudes.ts';
import { rowsFollowed, rowsToMap } from './to-map.ts';

/** Datum shifts are smaller. */
const SHIFT_DEGREES = 0.02;
const METERS_PER_DEGREE = 111_320;
const TOLERANCE_METERS = 1000;
/** Beyond the bounds of longitudes, in degrees, in which the edge of a map is looked for. */
const BESIDE_EDGE = 1e-3;
/** Positions along each side of a grid over the bounds of a batch, to find where it is on the Earth. */
const GRID = 9;
const DEGREES: SphereSide = { turn: 360, primeMeridian: 0, opposite: null };

export interface SphereMoves {
  readonly from: SphereSide;
  readonly to: SphereSide;
  /** Metres in the unit of the source and of the target, if that is a plane. */
  readonly metersFrom: number;
  readonly metersTo: number;
  readonly move: MovePositions;
  /** From one map to another: to longitudes and latitudes, and from there. Null: no map of the two ends where the other goes on. */
  readonly byDegrees: { readonly toDegrees: MovePositions; readonly fromDegrees: MovePositions } | null;
}

export interface Reprojected {
  readonly geometry: GeometryColumn;
  readonly rows: readonly SpecialRow[];
}

/** Completes a batch whose positions were transformed. */
export type Completion = (transformed: GeometryColumn) => Reprojected;

export class SphereReprojection {
  readonly #moves: SphereMoves;
  #edge: MapEdge | null | undefined;
  #poles: MapPoles | undefined;

  constructor(moves: SphereMoves) {
    this.#moves = moves;
  }

  /** The meridian in degrees from Greenwich at which the map ends; null: not asked for yet, or it does not end. */
  get edgeMeridian(): number | null {
    return this.#edge === undefined || this.#edge === null ? null : this.#moves.to.opposite;
  }

  /** To be called before the positions are transformed in place. Null: there is nothing to complete. */
  begin(geometry: GeometryColumn, bounds: Bounds): Completion | null {
    // Without positions, or with positions that are not numbers.
    if (!(bounds[0] <= bounds[2] && bounds[1] <= bounds[3])) return null;
    const { from, to } = this.#moves;
    if (from.turn !== null)
      return to.turn === null
        ? this.#fromLongitudes(geometry, bounds, from.turn)
        : this.#betweenLongitudes(geometry, bounds, from.turn, to.turn);
    return to.turn === null
      ? this.#betweenMaps(geometry, bounds)
      : this.#toLongitudes(geometry, bounds, to.turn);
  }

  #fromLongitudes(geometry: GeometryColumn, bounds: Bounds, turn: number): Completion | null {
    const { from, to } = this.#moves;
    const seam = to.opposite === null ? null : longitudeIn(from, to.opposite);
    const isAtPole = bounds[1] <= -turn / 4 || bounds[3] >= turn / 4;
    if (!isAtPole && isWithinChart(bounds, turn, seam)) return null;
    const { move, metersTo } = this.#moves;
    const poles = (): MapPoles => this.#polesFor(from, turn, move);
    const isMissing = isAtPole && reachesMissing([bounds[1], bounds[3]], poles(), turn);
    const special = specialRows(geometry, concernedRows(geometry, turn, seam, isMissing));
    if (special.length === 0) return null;
    if (isMissing) endRowsBeforePoles(geometry, special, turn, poles());
    return (transformed) => {
      const basis = { ...this.#basis(geometry), edge: this.#edgeFor(from, turn, move), poles: poles() };
      rowsToMap(special, { ...basis, turn, ...longEdges(turn, metersTo), move });
      return { geometry: withPieces(transformed, special), rows: special };
    };
  }

  #toLongitudes(geometry: GeometryColumn, bounds: Bounds, turn: number): Completion | null {
    const { from, to, move } = this.#moves;
    const edge = from.opposite === null ? null : longitudeIn(to, from.opposite);
    const placed = gridBounds(bounds, move);
    if (placed !== null && isWithinChart(placed, turn, null) && !reaches(placed, edge, turn)) return null;
    const source = { ...geometry, coordinates: geometry.coordinates.slice() };
    return (transformed) => {
      const concerned = concernedRows(transformed, turn, null);
      const cut = this.#rowsCutAtEdge(source, transformed.coordinates, edge, turn);
      const special = specialRows(source, union(concerned, cut));
      if (special.length === 0) return { geometry: transformed, rows: special };
      rowsToLongitudes(special, {
        ...this.#basis(geometry),
        turn,
        move,
        edge: cut.length === 0 ? null : edge,
      });
      return { geometry: withPieces(transformed, special), rows: special };
    };
  }

  #betweenMaps(geometry: GeometryColumn, bounds: Bounds): Completion | null {
    const { byDegrees, from, to, move } = this.#moves;
    if (byDegrees === null) return this.#followed(this.#longRows(geometry, bounds), geometry);
    const { toDegrees, fromDegrees } = byDegrees;
    const placed = gridBounds(bounds, toDegrees);
    const isWithin = placed !== null && !reaches(placed, from.opposite, 360);
    if (isWithin && isWithinChart(placed, 360, to.opposite)) return null;
    const edge = this.#edgeFor(DEGREES, 360, fromDegrees);
    if (edge === null && isWithin) return this.#followed(this.#longRows(geometry, bounds), geometry);
    const degrees = { ...geometry, coordinates: geometry.coordinates.slice() };
    toDegrees(degrees.coordinates, geometry.dimensions);
    const cut = this.#rowsCutAtEdge(geometry, degrees.coordinates, from.opposite, 360);
    const rows = edge === null ? cut : union(concernedRows(degrees, 360, to.opposite), cut);
    const long = edge === null ? this.#longRows(geometry, bounds).filter((row) => !cut.includes(row)) : [];
    const all = specialRows(geometry, rows);
    this.#throughDegrees(all, geometry, byDegrees, edge);
    const followed = this.#followed(long, geometry);
    if (from.opposite !== null) {
      const seam = { at: from.opposite, turn: 360 };
      moveIntoMap(geometry, degrees.coordinates, { move, fromDegrees, seam });
      emptyReplaced(geometry, all, move);
    }
    if (all.length === 0) return followed;
    return (transformed) => {
      const other = followed?.(transformed);
      const completed = other?.geometry ?? transformed;
      return { geometry: withPieces(completed, all), rows: [...all, ...(other?.rows ?? [])] };
    };
  }

  /** Sets the pieces of rows from one map to another, by longitudes and latitudes. */
  #throughDegrees(
    all: readonly SpecialRow[],
    geometry: GeometryColumn,
    { toDegrees, fromDegrees }: NonNullable<SphereMoves['byDegrees']>,
    edge: MapEdge | null,
  ): void {
    if (all.length === 0) return;
    const { from, metersTo } = this.#moves;
    const basis = { ...this.#basis(geometry), turn: 360 };
    rowsToLongitudes(all, { ...basis, move: toDegrees, edge: from.opposite }, true);
    const special = all.filter(({ parts }) => parts.every(({ pieces }) => pieces !== null));
    // What was cut at 180 degrees on the way is opened again where the map ends elsewhere.
    if (edge?.at !== 180)
      for (const row of special) {
        row.isCut = false;
        row.isClosed = false;
      }
    const poles = this.#polesFor(DEGREES, 360, fromDegrees);
    rowsToMap(special, { ...basis, ...longEdges(360, metersTo), move: fromDegrees, edge, poles });
  }

  /** Rows with long edges on a map. */
  #longRows(geometry: GeometryColumn, [west, south, east, north]: Bounds): readonly number[] {
    const long = (LONG_DEGREES * METERS_PER_DEGREE) / this.#moves.metersFrom;
    if (east - west <= long && north - south <= long) return [];
    return rowsWith(geometry, (dx, dy) => Math.abs(dx) > long || Math.abs(dy) > long);
  }

  #followed(rows: readonly number[], geometry: GeometryColumn): Completion | null {
    if (rows.length === 0) return null;
    const { move, metersFrom, metersTo } = this.#moves;
    const longLength = (LONG_DEGREES * METERS_PER_DEGREE) / metersFrom;
    const special = specialRows(geometry, rows);
    return (transformed) => {
      const tolerance = TOLERANCE_METERS / metersTo;
      const basis = this.#basis(geometry);
      const poles = { hasNorth: true, hasSouth: true };
      rowsFollowed(special, { ...basis, turn: 360, longLength, tolerance, move, edge: null, poles });
      return { geometry: withPieces(transformed, special), rows: special };
    };
  }

  #betweenLongitudes(
    geometry: GeometryColumn,
    bounds: Bounds,
    turn: number,
    turnTo: number,
  ): Completion | null {
    const { from, to, move } = this.#moves;
    const seam = longitudeIn(from, to.primeMeridian + 180);
    const [west, south, east, north] = bounds;
    // A datum shift moves positions over the seam or a pole that are near it.
    const near = (SHIFT_DEGREES * turn) / 360;
    const pole = turn / 4 - near;
    const isNearPole = south < -pole || north > pole;
    if (!isNearPole && east - west <= turn / 2 && !isBetween(seam, west - near, east + near, turn))
      return null;
    const rows = rowsWith(
      geometry,
      (dx, _, y) => Math.abs(dx) > turn / 2 || Math.abs(y) > pole,
      (low, high) => low < -turn / 2 || high > turn / 2 || isBetween(seam, low - near, high + near, turn),
    );
    const special = specialRows(geometry, rows);
    if (special.length === 0) return null;
    return (transformed) => {
      rowsBetweenLongitudes(special, { ...this.#basis(geometry), turnFrom: turn, turn: turnTo, move });
      return { geometry: withPieces(transformed, special), rows: special };
    };
  }

  /** Rows with polygons that were cut where the source ends. `placed`: in longitudes and latitudes. */
  #rowsCutAtEdge(source: GeometryColumn, placed: Float64Array, edge: number | null, turn: number): number[] {
    if (edge === null) return [];
    return rowsOnBothSides(source, placed, { at: edge, turn }, this.#moves.metersFrom);
  }

  #basis({ dimensions }: GeometryColumn): { readonly dimensions: Dimensions; readonly stride: number } {
    return { dimensions, stride: strideOf(dimensions) };
  }

  /** Found once, when a batch needs it. */
  #edgeFor(from: SphereSide, turn: number, move: MovePositions): MapEdge | null {
    const { opposite } = this.#moves.to;
    if (this.#edge === undefined)
      this.#edge = opposite === null ? null : mapEdgeAt(longitudeIn(from, opposite), turn, move);
    return this.#edge;
  }

  #polesFor(from: SphereSide, turn: number, move: MovePositions): MapPoles {
    const { opposite } = this.#moves.to;
    const central = opposite === null ? 0 : longitudeIn(from, opposite + 180);
    this.#poles ??= mapPoles(central, turn, move, this.#edgeFor(from, turn, move) === null);
    return this.#poles;
  }
}

/** Positions at a pole that the map does not show cannot be transformed, or go to infinity; the rows are written from their parts. */
function endRowsBeforePoles(
  { ringOffsets, coordOffsets, coordinates, dimensions }: GeometryColumn,
  rows: readonly SpecialRow[],
  turn: number,
  poles: MapPoles,
): void {
  const stride = strideOf(dimensions);
  const parallel = lastParallel([], stride, turn);
  for (const { parts } of rows)
    for (const { part } of parts) {
      const start = coordOffsets[ringOffsets[part]] * stride;
      const end = coordOffsets[ringOffsets[part + 1]] * stride;
      endAtParallel(coordinates.subarray(start, end), stride, turn, poles, parallel);
    }
}

function longEdges(
  turn: number,
  metersTo: number,
): { readonly longLength: number; readonly tolerance: number } {
  return { longLength: (LONG_DEGREES * turn) / 360, tolerance: TOLERANCE_METERS / metersTo };
}

/** Whether longitudes and latitudes are so close together that no edge is long, none crosses the seam, and no pole is within. */
function isWithinChart([west, south, east, north]: Bounds, turn: number, seam: number | null): boolean {
  const long = (LONG_DEGREES * turn) / 360;
  if (east - west > long || north - south > long || west < -turn / 2 || east > turn / 2) return false;
  return seam === null || !isBetween(seam, west, east, turn);
}

/** Whether bounds reach the edge of a map. */
function reaches([west, , east]: Bounds, edge: number | null, turn: number): boolean {
  const beside = (BESIDE_EDGE * turn) / 360;
  return edge !== null && isBetween(edge, west - beside, east + beside, turn);
}

function union(some: readonly number[], others: readonly number[]): readonly number[] {
  if (others.length === 0) return some;
  return [...new Set([...some, ...others])].sort((a, b) => a - b);
}

/** Whether a meridian, or one whole turns away, is strictly between two longitudes. */
function isBetween(meridian: number, west: number, east: number, turn: number): boolean {
  const next = meridian + turn * (Math.floor((west - meridian) / turn) + 1);
  return next > west && next < east;
}

/** Bounds of positions all over other bounds after a transformation; null if some cannot be transformed. */
function gridBounds([west, south, east, north]: Bounds, move: MovePositions): Bounds | null {
  const grid = new Float64Array(2 * GRID * GRID);
  for (let row = 0, at = 0; row < GRID; row++)
    for (let column = 0; column < GRID; column++) {
      grid[at++] = west + ((east - west) * column) / (GRID - 1);
      grid[at++] = south + ((north - south) * row) / (GRID - 1);
    }
  move(grid, 'XY');
  const bounds: Bounds = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < grid.length; at += 2) {
    if (!Number.isFinite(grid[at]) || !Number.isFinite(grid[at + 1])) return null;
    bounds[0] = Math.min(bounds[0], grid[at]);
    bounds[1] = Math.min(bounds[1], grid[at + 1]);
    bounds[2] = Math.max(bounds[2], grid[at]);
    bounds[3] = Math.max(bounds[3], grid[at + 1]);
  }
  return bounds;
}

/** Rows with long edges, at a pole (`withPoles`), with edges across the antimeridian, longitudes beyond it, or on both sides of the seam. */
function concernedRows(
  geometry: GeometryColumn,
  turn: number,
  seam: number | null,
  withPoles = false,
): number[] {
  const long = (LONG_DEGREES * turn) / 360;
  const half = turn / 2;
  return rowsWith(
    geometry,
    (dx, dy, y) => Math.abs(dx) > long || Math.abs(dy) > long || (withPoles && Math.abs(y) >= turn / 4),
    (west, east) =>
      west < -half ||
      east > half ||
      (west === -half && east === half) ||
      (seam !== null && isBetween(seam, west, east, turn)),
  );
}

/** The rows with such an edge of a line or polygon, or with such longitudes. */
function rowsWith(
  { types, partOffsets, partKinds, ringOffsets, coordOffsets, coordinates, dimensions }: GeometryColumn,
  isWanted: (dx: number, dy: number, y: number) => boolean,
  areWanted: (west: number, east: number) => boolean = () => false,
): number[] {
  const stride = strideOf(dimensions);
  const rows: number[] = [];
  for (let row = 0; row < types.length; row++) {
    let west = Number.POSITIVE_INFINITY;
    let east = Number.NEGATIVE_INFINITY;
    let isFound = false;
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      if ((partKinds[part] & PART_KIND_MASK) === PART_KIND.point) continue;
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1] && !isFound; ring++) {
        const start = coordOffsets[ring] * stride;
        const end = coordOffsets[ring + 1] * stride;
        for (let at = start; at < end; at += stride) {
          const x = coordinates[at];
          if (x < west) west = x;
          if (x > east) east = x;
          if (at === start) continue;
          const y = coordinates[at + 1];
          if (isWanted(x - coordinates[at - stride], y - coordinates[at - stride + 1], y)) {
            isFound = true;
            break;
          }
        }
      }
    }
    if (isFound || (west <= east && areWanted(west, east))) rows.push(row);
  }
  return rows;
}
