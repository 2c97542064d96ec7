/** Subtracts, in a worker, the features that cover polygons of a part of the source from these polygons. */
import { copyPart, copyRows } from '@geomill/core/columns/copy-rows.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  geometryBuffers,
  PART_KIND,
} from '@geomill/core/geometry/geometry-column.ts';
import type { GeosGeometry } from '@geomill/geos/geometry.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import { BoxIndex } from '../parts/box-index.ts';
import { thickParts } from '../parts/mask/slivers.ts';
import { emptyBounds, growByRow } from '../parts/row-bounds.ts';
import type { sliverTolerance } from '../parts/sliver-tolerance.ts';
import { ROW_FLAG } from '../parts/source/feature-source.ts';
import { type PlacedSource, validRow } from '../parts/source/placed-source.ts';
import type { AnswerCall } from '../transformation.ts';
import type { Covering } from './covering.ts';

type SliverTolerance = ReturnType<typeof sliverTolerance>;

const BATCH_ROWS = 4096;
const BATCH_POSITIONS = 1 << 15;

/** What is left, so far, of the polygons that features cover: a row for each. Plain data. */
export interface Rests {
  /** Of the source. */
  readonly rows: Uint32Array<ArrayBuffer>;
  /** A row without geometry: nothing is left. */
  readonly geometry: GeometryColumn;
}

/** Subtracts the covering from rows `[first, end)` of the source. Plain data. */
export interface SubtractCall {
  readonly first: number;
  readonly end: number;
  /** Null: nothing was subtracted yet. */
  readonly rests: Rests | null;
  /** Null: nothing covers these rows. */
  readonly covering: Covering | null;
  /** The answer is RemainingRows instead of Rests. */
  readonly isLast: boolean;
}

/** Rows of the source of which something is left, with what is left. Plain data. */
export interface RemainingRows {
  readonly batches: readonly Rests[];
  /** Number of rows of which slivers were dropped. */
  readonly slivers: number;
  /** The width of slivers, for messages. */
  readonly tolerance: string;
}

export class Subtraction {
  readonly #geos: Geos;
  readonly #placed: PlacedSource;
  /** By row of the source: bits of ROW_FLAG. */
  readonly #flags: Uint8Array;
  /** The width of slivers. */
  readonly #tolerance: SliverTolerance;

  constructor(geos: Geos, placed: PlacedSource, flags: Uint8Array, tolerance: SliverTolerance) {
    this.#geos = geos;
    this.#placed = placed;
    this.#flags = flags;
    this.#tolerance = tolerance;
  }

  answer: AnswerCall = (payload) => {
    const { first, end, rests, covering, isLast } = payload as SubtractCall;
    const left = new Map<number, GeosGeometry | null>();
    using owned = new DisposableStack();
    for (let i = 0; i < (rests?.rows.length ?? 0); i++) {
      const { rows, geometry } = rests as Rests;
      const isLeft = geometry.types[i] !== GEOMETRY_TYPE.none;
      left.set(rows[i], isLeft ? owned.use(this.#geos.read(geometry, i)) : null);
    }
    if (covering !== null) this.#subtract(covering, left, owned);
    if (!isLast) {
      const result = restsOf(left);
      return { result, transfer: buffersOf(result) };
    }
    const result = this.#remaining(first, end, left);
    return { result, transfer: result.batches.flatMap(buffersOf) };
  };

  #subtract(covering: Covering, left: Map<number, GeosGeometry | null>, owned: DisposableStack): void {
    for (const [other, rows] of rowsByOther(covering)) {
      const before = left.get(other);
      if (before === null) continue;
      let rest = before ?? owned.use(this.#placed.read(other));
      const { apart, near } = divided(covering, rows);
      if (apart.length > 0) {
        using cover = this.#asMulti(covering.geometry, apart);
        rest = owned.use(rest.difference(cover));
      }
      if (near.length > 0) {
        using cover = this.#united(covering, near);
        rest = owned.use(rest.difference(cover));
      }
      left.set(other, rest.isEmpty ? null : rest);
    }
  }

  /** Of polygons that neither overlap nor touch. Owned by the caller. */
  #asMulti(geometry: GeometryColumn, rows: readonly number[]): GeosGeometry {
    const builder = new GeometryBuilder('XY', 1, rows.length * 8);
    const { partOffsets } = geometry;
    for (const row of rows)
      for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++)
        copyPart(builder, geometry, part, PART_KIND.polygon);
    builder.endFeature(GEOMETRY_TYPE.multiPolygon);
    return this.#geos.read(builder.finish(), 0);
  }

  /** Owned by the caller. */
  #united({ geometry, isBroken }: Covering, rows: readonly number[]): GeosGeometry {
    using parts = this.#geos.readParts(
      geometry,
      rows.filter((row) => isBroken[row] === 0),
    );
    let united = parts.unaryUnion();
    for (const row of rows) {
      if (isBroken[row] === 0) continue;
      using before = united;
      using valid = validRow(this.#geos, geometry, row).geometry;
      united = before.union(valid);
    }
    return united;
  }

  /** Only rows without geometry, or with some of it left, are in the result. */
  #remaining(first: number, end: number, left: ReadonlyMap<number, GeosGeometry | null>): RemainingRows {
    const batches: Rests[] = [];
    let slivers = 0;
    let geometry = new GeometryBuilder('XY');
    let rows: number[] = [];
    const endBatch = (): void => {
      batches.push({ rows: Uint32Array.from(rows), geometry: geometry.finish() });
      geometry = new GeometryBuilder('XY');
      rows = [];
    };
    for (let row = first; row < end; row++) {
      if ((this.#flags[row] & ROW_FLAG.notShown) !== 0) continue;
      const rest = left.get(row);
      const added = rest === undefined ? this.#appendWhole(row, geometry) : this.#appendRest(rest, geometry);
      if (added.hasSlivers) slivers++;
      if (added.isFeature) rows.push(row);
      if (rows.length >= BATCH_ROWS || geometry.positionCount >= BATCH_POSITIONS) endBatch();
    }
    if (rows.length > 0) endBatch();
    return { batches, slivers, tolerance: this.#tolerance.text };
  }

  #appendRest(rest: GeosGeometry | null, builder: GeometryBuilder): Appended {
    if (rest === null) return { isFeature: false, hasSlivers: false };
    const own = new GeometryBuilder('XY', 1, rest.positionCount);
    rest.appendTo(own, 2);
    const column = own.finish();
    const parts = thickParts(column, this.#tolerance.tolerance, () => true);
    const hasSlivers = parts.length < column.partKinds.length;
    if (parts.length === 0) return { isFeature: false, hasSlivers };
    for (const part of parts) copyPart(builder, column, part, PART_KIND.polygon);
    builder.endFeature(parts.length === 1 ? GEOMETRY_TYPE.polygon : GEOMETRY_TYPE.multiPolygon);
    return { isFeature: true, hasSlivers };
  }

  #appendWhole(row: number, builder: GeometryBuilder): Appended {
    const { geometry } = this.#placed;
    const whole = { isFeature: true, hasSlivers: false };
    if (geometry.partOffsets[row] === geometry.partOffsets[row + 1]) {
      builder.endFeature(geometry.types[row]);
      return whole;
    }
    const { geometry: own, flag } = validRow(this.#geos, geometry, row);
    using valid = own;
    if (!flag) copyRows(builder, geometry, row, row + 1);
    else {
      this.#flags[row] |= ROW_FLAG.repaired;
      if (valid.appendTo(builder, 2) === GEOMETRY_TYPE.none) return { isFeature: false, hasSlivers: true };
    }
    return whole;
  }
}

interface Appended {
  readonly isFeature: boolean;
  readonly hasSlivers: boolean;
}

function rowsByOther({ rows, others }: Covering): Map<number, number[]> {
  const byOther = new Map<number, number[]>();
  for (let i = 0; i < rows.length; i++) {
    const known = byOther.get(others[i]);
    if (known === undefined) byOther.set(others[i], [rows[i]]);
    else known.push(rows[i]);
  }
  return byOther;
}

/**
 * Valid rows whose boxes are apart from those of all other rows, which need not be united before they are subtracted, and
 * the other rows.
 */
function divided(
  { geometry, isBroken }: Covering,
  rows: readonly number[],
): { readonly apart: readonly number[]; readonly near: readonly number[] } {
  const boxes = new Float64Array(rows.length * 4);
  const bounds: Bounds = emptyBounds();
  for (const [i, row] of rows.entries()) {
    bounds[0] = bounds[1] = Number.POSITIVE_INFINITY;
    bounds[2] = bounds[3] = Number.NEGATIVE_INFINITY;
    growByRow(bounds, geometry, row);
    boxes.set(bounds, i * 4);
  }
  const index = new BoxIndex(boxes);
  const apart: number[] = [];
  const near: number[] = [];
  const found: number[] = [];
  for (const [i, row] of rows.entries()) {
    const at = i * 4;
    index.search(boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3], found);
    if (found.length === 1 && isBroken[row] === 0) apart.push(row);
    else near.push(row);
  }
  return { apart, near };
}

function restsOf(left: ReadonlyMap<number, GeosGeometry | null>): Rests {
  const builder = new GeometryBuilder('XY', left.size);
  for (const rest of left.values()) {
    const type = rest === null ? GEOMETRY_TYPE.none : rest.appendTo(builder, 2);
    if (type === GEOMETRY_TYPE.none) builder.endFeature(GEOMETRY_TYPE.none);
  }
  return { rows: Uint32Array.from(left.keys()), geometry: builder.finish() };
}

function buffersOf({ rows, geometry }: Rests): ArrayBuffer[] {
  return [rows.buffer, ...geometryBuffers(geometry)];
}
