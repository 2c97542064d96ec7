/** Which features of the source relate to a feature: candidates by their boxes, then the exact test of GEOS. */
import { type Bounds, positionBounds } from '@geomill/core/geometry/bounds.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { meetingShifts } from '@geomill/core/sphere/meeting-turns.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import type { GeosPrepared } from '@geomill/geos/prepared.ts';
import { readAround } from '@geomill/geos/read-turned.ts';
import { isRefusal } from '../parts/repaired.ts';
import { emptyBounds, growByRow } from '../parts/row-bounds.ts';
import { type PlacedSource, validRow } from '../parts/source/placed-source.ts';

export type Predicate = 'intersects' | 'within' | 'contains' | 'touches' | 'crosses' | 'overlaps';

/** A predicate of the feature and the source with the arguments exchanged: the source is prepared. */
const OF_SOURCE = {
  intersects: 'intersects',
  within: 'contains',
  contains: 'within',
  touches: 'touches',
  crosses: 'crosses',
  overlaps: 'overlaps',
} as const satisfies Record<Predicate, Predicate>;

/** Matches of one feature at a time. */
export interface Matcher {
  /** Rows of the source, ascending; good until the next call. */
  readonly found: number[];
  /** Of the features found, in metres; only of `nearest`. */
  readonly distance: number;
  /** The feature was tested as repaired: it is invalid. */
  readonly isRepaired: boolean;
  match(column: GeometryColumn, row: number): void;
}

export class PredicateMatcher implements Matcher {
  readonly found: number[] = [];
  readonly distance = 0;
  isRepaired = false;
  readonly #geos: Geos;
  readonly #source: PlacedSource;
  readonly #predicate: Predicate;
  readonly #bounds: Bounds = emptyBounds();
  readonly #candidates: number[] = [];

  /** Of all rows of the source, in longitudes; null: coordinates are not longitudes. */
  readonly #extent: Bounds | null;

  constructor(geos: Geos, source: PlacedSource, predicate: Predicate, hasLongitudes: boolean) {
    this.#geos = geos;
    this.#source = source;
    this.#predicate = predicate;
    this.#extent = hasLongitudes ? positionBounds(source.geometry) : null;
  }

  match(column: GeometryColumn, row: number): void {
    const { found } = this;
    found.length = 0;
    this.isRepaired = false;
    if (column.partOffsets[row] === column.partOffsets[row + 1]) return;
    const bounds = boundsOf(column, row, this.#bounds);
    const candidates = this.#candidates;
    const shifts = this.#extent === null ? [] : meetingShifts(bounds, this.#extent);
    if (shifts.some((by) => by !== 0)) {
      this.#matchTurned(column, row, bounds, shifts);
      return;
    }
    this.#source.index.search(bounds[0], bounds[1], bounds[2], bounds[3], candidates);
    if (candidates.length === 0) return;
    candidates.sort((a, b) => a - b);
    if (column.types[row] === GEOMETRY_TYPE.point && Number.isFinite(bounds[0] + bounds[1]))
      this.#matchPoint(column, row, bounds[0], bounds[1]);
    else this.#matchAny(column, row);
  }

  /** Of longitudes that meet the source when they are moved by whole turns. */
  #matchTurned(column: GeometryColumn, row: number, bounds: Bounds, shifts: readonly number[]): void {
    const found = new Map<number, number[]>();
    for (const by of shifts) {
      const candidates = this.#candidates;
      this.#source.index.search(bounds[0] + by, bounds[1], bounds[2] + by, bounds[3], candidates);
      for (const other of candidates) found.set(other, [...(found.get(other) ?? []), by]);
    }
    if (found.size === 0) return;
    using owned = new DisposableStack();
    const { geometry, flag } = validRow(this.#geos, column, row);
    owned.use(geometry);
    this.isRepaired = flag;
    const builder = new GeometryBuilder('XY', 1, 64);
    geometry.appendTo(builder);
    const valid = builder.finish();
    for (const [other, by] of [...found].sort(([a], [b]) => a - b)) {
      const { prepared, geometry: held } = this.#source.row(other);
      using seen = readAround(this.#geos, valid, 0, by, middleOf(held));
      if (this.#holds(prepared, OF_SOURCE[this.#predicate], seen)) this.found.push(other);
    }
  }

  /** Most points need no geometry of GEOS. */
  #matchPoint(column: GeometryColumn, row: number, x: number, y: number): void {
    const predicate = this.#predicate;
    using owned = new DisposableStack();
    let point: GeosGeometry | null = null;
    for (const other of this.#candidates) {
      const { prepared } = this.#source.row(other);
      // Whatever is true of two geometries, they intersect.
      if (!prepared.intersectsXY(x, y)) continue;
      if (predicate !== 'intersects') {
        point ??= owned.use(this.#geos.read(column, row));
        if (!prepared[OF_SOURCE[predicate]](point)) continue;
      }
      this.found.push(other);
    }
  }

  #matchAny(column: GeometryColumn, row: number): void {
    const predicate = this.#predicate;
    using owned = new DisposableStack();
    const { geometry, flag } = validRow(this.#geos, column, row);
    owned.use(geometry);
    this.isRepaired = flag;
    const count = positionsOf(column, row);
    let own: GeosPrepared | null = null;
    for (const other of this.#candidates) {
      // The larger geometry is prepared: of a few large ones, the index is made once.
      if (this.#source.positionsOf(other) >= count) {
        if (this.#holds(this.#source.row(other).prepared, OF_SOURCE[predicate], geometry))
          this.found.push(other);
        continue;
      }
      own ??= owned.use(geometry.prepare());
      const at = pointOf(this.#source.geometry, other);
      if (at >= 0 && predicate === 'intersects') {
        const { coordinates } = this.#source.geometry;
        if (own.intersectsXY(coordinates[at], coordinates[at + 1])) this.found.push(other);
        continue;
      }
      using tested = this.#source.read(other);
      if (this.#holds(own, predicate, tested)) this.found.push(other);
    }
  }

  /** GEOS may reject lines and collections that are not valid, which only then are repaired. */
  #holds(prepared: GeosPrepared, predicate: Predicate, other: GeosGeometry): boolean {
    try {
      return prepared[predicate](other);
    } catch (thrown) {
      if (!isRefusal(thrown, this.#geos)) throw thrown;
      this.isRepaired = true;
      using valid = other.makeValid();
      return prepared[predicate](valid);
    }
  }
}

/** The nearest features of the source, all of them if several are equally near. */
export class NearestMatcher implements Matcher {
  readonly found: number[] = [];
  distance = 0;
  isRepaired = false;
  readonly #geos: Geos;
  readonly #source: PlacedSource;
  /** In the unit of the coordinates. */
  readonly #most: number;
  readonly #metresPerUnit: number;
  readonly #bounds: Bounds = emptyBounds();

  /** `mostMetres`: features farther away do not match. */
  constructor(geos: Geos, source: PlacedSource, mostMetres: number, metresPerUnit: number) {
    this.#geos = geos;
    this.#source = source;
    this.#most = mostMetres / metresPerUnit;
    this.#metresPerUnit = metresPerUnit;
  }

  match(column: GeometryColumn, row: number): void {
    const { found } = this;
    found.length = 0;
    this.isRepaired = false;
    if (column.partOffsets[row] === column.partOffsets[row + 1]) return;
    const bounds = boundsOf(column, row, this.#bounds);
    if (!Number.isFinite(bounds[0] + bounds[1] + bounds[2] + bounds[3])) {
      this.isRepaired = true;
      return;
    }
    using owned = new DisposableStack();
    const isPoint = column.types[row] === GEOMETRY_TYPE.point;
    let own: GeosGeometry | null = null;
    const geometryOf = (): GeosGeometry => {
      if (own === null) {
        const { geometry, flag } = validRow(this.#geos, column, row);
        own = owned.use(geometry);
        this.isRepaired = flag;
      }
      return own;
    };
    let best = Number.POSITIVE_INFINITY;
    this.#source.index.visitNear(bounds, this.#most, (other) => {
      const at = isPoint ? pointOf(this.#source.geometry, other) : -1;
      const { coordinates } = this.#source.geometry;
      const distance =
        at >= 0
          ? Math.hypot(coordinates[at] - bounds[0], coordinates[at + 1] - bounds[1])
          : geometryOf().distance(this.#source.row(other).geometry);
      if (distance < best) found.length = 0;
      if (distance <= best && distance <= this.#most) {
        best = distance;
        found.push(other);
      }
      return best;
    });
    found.sort((a, b) => a - b);
    this.distance = best * this.#metresPerUnit;
  }
}

function boundsOf(column: GeometryColumn, row: number, bounds: Bounds): Bounds {
  bounds[0] = bounds[1] = Number.POSITIVE_INFINITY;
  bounds[2] = bounds[3] = Number.NEGATIVE_INFINITY;
  growByRow(bounds, column, row);
  return bounds;
}

function positionsOf({ partOffsets, ringOffsets, coordOffsets }: GeometryColumn, row: number): number {
  return coordOffsets[ringOffsets[partOffsets[row + 1]]] - coordOffsets[ringOffsets[partOffsets[row]]];
}

/** Where the coordinates of a single point are; -1: the row is something else. */
function pointOf(column: GeometryColumn, row: number): number {
  const { types, partOffsets, partKinds, ringOffsets, coordOffsets, dimensions } = column;
  const part = partOffsets[row];
  const isPoint =
    types[row] === GEOMETRY_TYPE.point &&
    partOffsets[row + 1] === part + 1 &&
    (partKinds[part] & PART_KIND_MASK) === PART_KIND.point;
  return isPoint ? coordOffsets[ringOffsets[part]] * strideOf(dimensions) : -1;
}

/** The longitude in the middle of the bounds. */
function middleOf(geometry: GeosGeometry): number {
  const builder = new GeometryBuilder('XY', 1, geometry.positionCount);
  geometry.appendTo(builder);
  const [west, , east] = positionBounds(builder.finish());
  return (west + east) / 2;
}
