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
import type { Bounds } from '../batch/bounds.ts';
import {
  type Dimensions,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '../batch/geometry-column.ts';
import { unwrapRing, windingOf } from './loose-rings.ts';
import { type MapEdge, mapEdgeAt } from './map-edge.ts';
import { longitudeIn, type SphereSide } from './side.ts';
import { type SpecialRow, specialRows, withPieces } from './special-rows.ts';
import type { MovePositions } from './subdivide-edges.ts';
import { LONG_DEGREES, rowsToLongitudes } from './to-longitudes.ts';
import { rowsFollowed, rowsToMap } from './to-map.ts';

const METERS_PER_DEGREE = 111_320;
const TOLERANCE_METERS = 1000;
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
    if (isWithinChart(bounds, turn, seam)) return null;
    const special = specialRows(geometry, concernedRows(geometry, turn, seam));
    if (special.length === 0) return null;
    return (transformed) => {
      const { move, metersTo } = this.#moves;
      const edge = this.#edgeFor(from, turn, move);
      rowsToMap(special, { ...this.#basis(geometry), turn, ...longEdges(turn, metersTo), move, edge });
      return { geometry: withPieces(transformed, special), rows: special };
    };
  }

  #toLongitudes(geometry: GeometryColumn, bounds: Bounds, turn: number): Completion | null {
    const { move } = this.#moves;
    const placed = gridBounds(bounds, move);
    if (placed !== null && isWithinChart(placed, turn, null)) return null;
    const source = { ...geometry, coordinates: geometry.coordinates.slice() };
    return (transformed) => {
      const special = specialRows(source, concernedRows(transformed, turn, null));
      if (special.length === 0) return { geometry: transformed, rows: special };
      rowsToLongitudes(special, { ...this.#basis(geometry), turn, move });
      return { geometry: withPieces(transformed, special), rows: special };
    };
  }

  #betweenMaps(geometry: GeometryColumn, bounds: Bounds): Completion | null {
    const { byDegrees, to, metersTo } = this.#moves;
    if (byDegrees === null) return this.#followed(geometry, bounds);
    const { toDegrees, fromDegrees } = byDegrees;
    const placed = gridBounds(bounds, toDegrees);
    if (placed !== null && isWithinChart(placed, 360, to.opposite)) return null;
    const edge = this.#edgeFor(DEGREES, 360, fromDegrees);
    if (edge === null) return this.#followed(geometry, bounds);
    const degrees = { ...geometry, coordinates: geometry.coordinates.slice() };
    toDegrees(degrees.coordinates, geometry.dimensions);
    const all = specialRows(geometry, concernedRows(degrees, 360, to.opposite));
    if (all.length === 0) return null;
    return (transformed) => {
      const basis = this.#basis(geometry);
      rowsToLongitudes(all, { ...basis, turn: 360, move: toDegrees }, true);
      const special = all.filter(({ parts }) => parts.every(({ pieces }) => pieces !== null));
      // What was cut at 180 degrees on the way is opened again where the map ends elsewhere.
      if (edge.at !== 180)
        for (const row of special) {
          row.isCut = false;
          row.isClosed = false;
        }
      rowsToMap(special, { ...basis, turn: 360, ...longEdges(360, metersTo), move: fromDegrees, edge });
      return { geometry: withPieces(transformed, special), rows: all };
    };
  }

  #followed(geometry: GeometryColumn, [west, south, east, north]: Bounds): Completion | null {
    const { move, metersFrom, metersTo } = this.#moves;
    const longLength = (LONG_DEGREES * METERS_PER_DEGREE) / metersFrom;
    if (east - west <= longLength && north - south <= longLength) return null;
    const special = specialRows(
      geometry,
      rowsWith(geometry, (dx, dy) => Math.abs(dx) > longLength || Math.abs(dy) > longLength),
    );
    if (special.length === 0) return null;
    return (transformed) => {
      const tolerance = TOLERANCE_METERS / metersTo;
      const basis = this.#basis(geometry);
      rowsFollowed(special, { ...basis, turn: 360, longLength, tolerance, move, edge: null });
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
    if (from.primeMeridian === to.primeMeridian) return null;
    const seam = longitudeIn(from, to.primeMeridian + 180);
    if (isWithinChart(bounds, turn, seam)) return null;
    const special = specialRows(geometry, concernedRows(geometry, turn, seam));
    for (const { parts } of special)
      for (const part of parts)
        part.rings = part.rings.map((ring) => unwrapRing(ring, strideOf(geometry.dimensions), turn));
    const stride = strideOf(geometry.dimensions);
    // Rings around a pole are closed by the writers.
    const usable = special.filter(({ parts }) =>
      parts.every(
        ({ isLine, rings }) => isLine || rings.every((ring) => windingOf(ring, stride, turn) === 0),
      ),
    );
    if (usable.length === 0) return null;
    return (transformed) => {
      rowsToLongitudes(usable, { ...this.#basis(geometry), turn: turnTo, move });
      return { geometry: withPieces(transformed, usable), rows: usable };
    };
  }

  #basis({ dimensions }: GeometryColumn): { readonly dimensions: Dimensions; readonly stride: number } {
    return { dimensions, stride: strideOf(dimensions) };
  }

  /** Found once, when a batch needs it. */
  #edgeFor(from: SphereSide, turn: number, move: MovePositions): MapEdge | null {
    const { opposite } = this.#moves.to;
    this.#edge ??= opposite === null ? null : mapEdgeAt(longitudeIn(from, opposite), turn, move);
    return this.#edge;
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

/** Rows with long edges, edges across the antimeridian, longitudes beyond it, or on both sides of the seam. */
function concernedRows(geometry: GeometryColumn, turn: number, seam: number | null): number[] {
  const long = (LONG_DEGREES * turn) / 360;
  const half = turn / 2;
  return rowsWith(
    geometry,
    (dx, dy) => Math.abs(dx) > long || Math.abs(dy) > long,
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
  isWanted: (dx: number, dy: number) => boolean,
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
          if (isWanted(x - coordinates[at - stride], coordinates[at + 1] - coordinates[at - stride + 1])) {
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
