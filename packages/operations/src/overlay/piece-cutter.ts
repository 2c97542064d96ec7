/** The pieces of one feature in the polygons of a source, and what is outside of all of them. */
import { copyPart, copyRows } from '@geomill/core/columns/copy-rows.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
} from '@geomill/core/geometry/geometry-column.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import { thickParts } from '../parts/mask/slivers.ts';
import { isRefusal } from '../parts/repaired.ts';
import { emptyBounds, growByRow } from '../parts/row-bounds.ts';
import { type HeldRow, type PlacedSource, validRow } from '../parts/source/placed-source.ts';
import { NO_ROW_OF_SOURCE } from '../parts/source/row-pairs.ts';
import { EdgeIndex, RELATION, RingCutter } from './ring-cutter.ts';

/** Between a single type and its multi type. */
const MULTI = GEOMETRY_TYPE.multiPoint - GEOMETRY_TYPE.point;

/** Which pieces become features. */
export interface KeptPieces {
  readonly inside: boolean;
  /** What is in no polygon. */
  readonly outside: boolean;
}

export class PieceCutter {
  /** Of the feature that was cut last. */
  hasSlivers = false;
  isRepaired = false;
  /** The repair left nothing, so that it has no pieces. */
  isVanished = false;
  isCut = false;
  /** The rows of the source in which it has pieces, kept or not, ascending. */
  readonly covered: number[] = [];
  readonly #geos: Geos;
  readonly #source: PlacedSource;
  readonly #tolerance: number;
  readonly #keeps: KeptPieces;
  readonly #bounds: Bounds = emptyBounds();
  readonly #candidates: number[] = [];
  readonly #ring = new RingCutter();
  /** Of the rows of the source that GEOS holds. */
  readonly #edges = new WeakMap<HeldRow, EdgeIndex>();

  /** `tolerance`: the width of slivers in the unit of the coordinates. */
  constructor(geos: Geos, source: PlacedSource, tolerance: number, keeps: KeptPieces) {
    this.#geos = geos;
    this.#source = source;
    this.#tolerance = tolerance;
    this.#keeps = keeps;
  }

  /**
   * Appends the pieces, in the order of the source, and at last what is outside, as which an empty feature counts. `onPiece` gets
   * the row of the source for each piece, or NO_ROW_OF_SOURCE for the outside. The row has points, lines or polygons.
   */
  cut(column: GeometryColumn, row: number, builder: GeometryBuilder, onPiece: (other: number) => void): void {
    this.hasSlivers = false;
    this.isRepaired = false;
    this.isVanished = false;
    this.isCut = false;
    const { covered } = this;
    covered.length = 0;
    const keeps = this.#keeps;
    const bounds = this.#bounds;
    bounds[0] = bounds[1] = Number.POSITIVE_INFINITY;
    bounds[2] = bounds[3] = Number.NEGATIVE_INFINITY;
    growByRow(bounds, column, row);
    const candidates = this.#candidates;
    this.#source.index.search(bounds[0], bounds[1], bounds[2], bounds[3], candidates);
    candidates.sort((a, b) => a - b);
    const keepWhole = (other: number): void => {
      const isInside = other !== NO_ROW_OF_SOURCE;
      if (isInside) covered.push(other);
      if (isInside ? !keeps.inside : !keeps.outside) return;
      copyRows(builder, column, row, row + 1);
      onPiece(other);
    };
    if (candidates.length === 0) {
      keepWhole(NO_ROW_OF_SOURCE);
      return;
    }
    if (column.types[row] === GEOMETRY_TYPE.point) {
      this.#placePoint(bounds[0], bounds[1], keepWhole);
      return;
    }
    const { partKinds, partOffsets } = column;
    const kind = partKinds[partOffsets[row]] & PART_KIND_MASK;
    const isPlain = this.#ring.load(column, row, bounds);
    let read: GeosGeometry | null = null;
    let flag = false;
    let rest: GeosGeometry | null = null;
    let isCovered = false;
    using owned = new DisposableStack();
    const inGeos = (): GeosGeometry => {
      if (read === null) {
        const valid = validRow(this.#geos, column, row);
        read = owned.use(valid.geometry);
        flag = valid.flag;
        this.isRepaired = flag;
      }
      return read;
    };
    for (const other of candidates) {
      const held = this.#source.row(other);
      const { prepared, geometry: polygon } = held;
      const relation =
        isPlain && held.isAsRead ? this.#ring.relate(this.#edgesOf(held, other)) : RELATION.unsure;
      if (relation === RELATION.outside) continue;
      if (relation === RELATION.inside) {
        keepWhole(other);
        isCovered = true;
        continue;
      }
      if (relation === RELATION.cut) {
        this.isCut = true;
        if (this.#ring.width < this.#tolerance) this.hasSlivers = true;
        else {
          covered.push(other);
          if (keeps.inside) {
            this.#ring.appendTo(builder);
            onPiece(other);
          }
        }
        if (keeps.outside && !isCovered)
          rest = owned.use(this.#overlaid(rest ?? inGeos(), polygon, 'difference'));
        continue;
      }
      const own = inGeos();
      if (flag && own.isEmpty) {
        this.isVanished = true;
        return;
      }
      if (!prepared.intersects(own)) continue;
      if (!flag && prepared.covers(own)) {
        keepWhole(other);
        isCovered = true;
        continue;
      }
      if (kind === PART_KIND.polygon && prepared.touches(own)) continue;
      using piece = this.#overlaid(own, polygon, 'intersection');
      const target = keeps.inside ? builder : new GeometryBuilder('XY', 1, piece.positionCount);
      if (this.#append(piece, kind, target)) {
        covered.push(other);
        if (keeps.inside) onPiece(other);
      }
      if (!keeps.outside || isCovered) continue;
      rest = owned.use(this.#overlaid(rest ?? own, polygon, 'difference'));
    }
    if (!keeps.outside || isCovered) return;
    if (flag) rest ??= read;
    // With nothing but slivers inside, it is whole outside.
    if (rest === null || (covered.length === 0 && !flag)) {
      this.isCut = false;
      keepWhole(NO_ROW_OF_SOURCE);
    } else if (!rest.isEmpty && this.#append(rest, kind, builder)) onPiece(NO_ROW_OF_SOURCE);
  }

  #edgesOf(held: HeldRow, row: number): EdgeIndex {
    let edges = this.#edges.get(held);
    if (edges === undefined) {
      edges = new EdgeIndex(this.#source.geometry, row);
      this.#edges.set(held, edges);
    }
    return edges;
  }

  #placePoint(x: number, y: number, keepWhole: (other: number) => void): void {
    let isInside = false;
    for (const other of this.#candidates) {
      if (!Number.isFinite(x + y) || !this.#source.row(other).prepared.intersectsXY(x, y)) continue;
      isInside = true;
      keepWhole(other);
    }
    if (!isInside) keepWhole(NO_ROW_OF_SOURCE);
  }

  /** GEOS may reject a line with ordinates that it cannot place, which only then is repaired. */
  #overlaid(
    own: GeosGeometry,
    polygon: GeosGeometry,
    operation: 'intersection' | 'difference',
  ): GeosGeometry {
    try {
      return own[operation](polygon);
    } catch (thrown) {
      if (!isRefusal(thrown, this.#geos)) throw thrown;
      this.isRepaired = true;
      using valid = own.makeValid();
      return valid[operation](polygon);
    }
  }

  /** False where nothing but slivers is left. */
  #append(piece: GeosGeometry, kind: number, builder: GeometryBuilder): boolean {
    this.isCut = true;
    if (piece.isEmpty) return false;
    const own = new GeometryBuilder(builder.dimensions, 1, piece.positionCount);
    piece.appendTo(own, kind === PART_KIND.polygon ? 2 : kind === PART_KIND.line ? 1 : 0);
    const column = own.finish();
    const parts =
      kind === PART_KIND.point
        ? Array.from(column.partKinds, (_, part) => part)
        : thickParts(column, this.#tolerance, () => true);
    if (parts.length < column.partKinds.length) this.hasSlivers = true;
    if (parts.length === 0) return false;
    for (const part of parts) copyPart(builder, column, part, kind);
    builder.endFeature(parts.length === 1 ? kind : kind + MULTI);
    return true;
  }
}
