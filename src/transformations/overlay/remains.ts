/**
 * What no feature covers of the polygons of the source, as features of their own: for union and symmetric_difference. Workers
 * find which features cover which polygons; the differences are made in the main thread, from so many features at a time
 * that the result does not depend on how the features were divided into batches.
 */
import { nullColumn } from '../../batch/attribute-column.ts';
import type { FeatureBatch } from '../../batch/feature-batch.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
} from '../../batch/geometry-column.ts';
import type { Field } from '../../batch/schema.ts';
import type { GeosGeometry } from '../../engines/geos/geometry.ts';
import type { Geos } from '../../engines/geos/geos.ts';
import type { Findings } from '../../findings.ts';
import { copyPart, copyRows } from '../parts/copy-rows.ts';
import { thickParts } from '../parts/mask/slivers.ts';
import { type FeatureSource, ROW_FLAG } from '../parts/source/feature-source.ts';
import { type PlacedSource, validRow } from '../parts/source/placed-source.ts';
import { takeOrNull } from '../parts/source/shared-columns.ts';
import type { AdditionRun, StepSetting } from '../transformation.ts';

/** Positions of the features whose polygons are united and subtracted at a time: about 20 MB in GEOS. */
const CHUNK_POSITIONS = 200_000;
const BATCH_ROWS = 4096;

/** Polygons that cover parts of the source. Plain data. */
export interface Covering {
  readonly geometry: GeometryColumn;
  /** By row: 1 if GEOS needs it repaired. */
  readonly isBroken: Uint8Array;
  /** Pairs of a row of `geometry`, ascending, and a row of the source. */
  readonly rows: Uint32Array;
  readonly others: Uint32Array;
}

export class CoveringBuilder {
  readonly #geometry = new GeometryBuilder('XY');
  readonly #isBroken: number[] = [];
  readonly #rows: number[] = [];
  readonly #others: number[] = [];

  get positionCount(): number {
    return this.#geometry.positionCount;
  }

  add(column: GeometryColumn, row: number, isBroken: boolean, others: readonly number[]): void {
    for (const other of others) {
      this.#rows.push(this.#isBroken.length);
      this.#others.push(other);
    }
    copyRows(this.#geometry, column, row, row + 1);
    this.#isBroken.push(isBroken ? 1 : 0);
  }

  finish(): Covering {
    return {
      geometry: this.#geometry.finish(),
      isBroken: Uint8Array.from(this.#isBroken),
      rows: Uint32Array.from(this.#rows),
      others: Uint32Array.from(this.#others),
    };
  }
}

export class Remains implements AdditionRun {
  readonly #geos: Geos;
  readonly #source: FeatureSource;
  readonly #placed: PlacedSource;
  readonly #tolerance: { readonly tolerance: number; readonly text: string };
  readonly #setting: StepSetting;
  readonly #chunkPositions: number;
  /** Of polygons that features cover; null: nothing is left. */
  readonly #rests = new Map<number, GeometryColumn | null>();
  #restPositions = 0;
  #chunk = new CoveringBuilder();

  /** `tolerance`: the width of slivers. `chunkPositions`: of the features that are subtracted at a time. */
  constructor(
    geos: Geos,
    source: FeatureSource,
    placed: PlacedSource,
    tolerance: { readonly tolerance: number; readonly text: string },
    setting: StepSetting,
    chunkPositions = CHUNK_POSITIONS,
  ) {
    this.#geos = geos;
    this.#source = source;
    this.#placed = placed;
    this.#tolerance = tolerance;
    this.#setting = setting;
    this.#chunkPositions = chunkPositions;
  }

  add(data: unknown): void {
    const { geometry, isBroken, rows, others } = data as Covering;
    for (let start = 0; start < rows.length; ) {
      const row = rows[start];
      let end = start + 1;
      while (end < rows.length && rows[end] === row) end++;
      this.#chunk.add(geometry, row, isBroken[row] === 1, [...others.subarray(start, end)]);
      if (this.#chunk.positionCount >= this.#chunkPositions) this.#subtract();
      start = end;
    }
  }

  /** Notes SLIVERS_DROPPED, Z_DROPPED and M_DROPPED. Only polygons of the source without geometry, or with some of it left, become features. */
  *finish(fields: readonly Field[], findings: Findings): Generator<FeatureBatch> {
    this.#subtract();
    const { table, flags, rowsWithZ, rowsWithM } = this.#source;
    const file = { file: table.file };
    const format = 'overlay';
    if (rowsWithZ > 0) findings.note('Z_DROPPED', { format }, file, rowsWithZ);
    if (rowsWithM > 0) findings.note('M_DROPPED', { format }, file, rowsWithM);
    let slivers = 0;
    let builder = new GeometryBuilder('XY');
    let rows: number[] = [];
    for (let row = 0; row < table.rowCount; row++) {
      if ((flags[row] & ROW_FLAG.notShown) !== 0) continue;
      const left = this.#append(row, builder);
      if (left.hasSlivers) slivers++;
      if (left.isFeature) rows.push(row);
      if (rows.length < BATCH_ROWS && builder.positionCount < CHUNK_POSITIONS) continue;
      yield this.#features(fields, builder, rows);
      builder = new GeometryBuilder('XY');
      rows = [];
    }
    if (rows.length > 0) yield this.#features(fields, builder, rows);
    if (slivers > 0)
      findings.note(
        'SLIVERS_DROPPED',
        { operation: 'overlay', tolerance: this.#tolerance.text },
        file,
        slivers,
      );
  }

  /** Subtracts the features of the chunk from the polygons that they cover. */
  #subtract(): void {
    const covering = this.#chunk.finish();
    this.#chunk = new CoveringBuilder();
    const rowsOf = new Map<number, number[]>();
    for (const [i, other] of covering.others.entries()) {
      const known = rowsOf.get(other);
      if (known === undefined) rowsOf.set(other, [covering.rows[i]]);
      else known.push(covering.rows[i]);
    }
    for (const [other, rows] of rowsOf) {
      const before = this.#rests.get(other);
      if (before === null) continue;
      using own = before === undefined ? this.#placed.read(other) : this.#geos.read(before, 0);
      using cover = this.#united(covering, rows);
      using left = own.difference(cover);
      const builder = new GeometryBuilder('XY', 1, left.positionCount);
      const isLeft = left.appendTo(builder, 2) !== GEOMETRY_TYPE.none;
      this.#restPositions += (isLeft ? builder.positionCount : 0) - (before?.coordinates.length ?? 0) / 2;
      this.#rests.set(other, isLeft ? builder.finish() : null);
      this.#setting.checkPositions(this.#restPositions - this.#placed.geometry.coordinates.length / 2);
    }
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

  #append(
    row: number,
    builder: GeometryBuilder,
  ): { readonly isFeature: boolean; readonly hasSlivers: boolean } {
    const { geometry } = this.#placed;
    const rest = this.#rests.get(row);
    if (rest === null) return { isFeature: false, hasSlivers: false };
    if (rest !== undefined) {
      const parts = thickParts(rest, this.#tolerance.tolerance, () => true);
      const hasSlivers = parts.length < rest.partKinds.length;
      if (parts.length === 0) return { isFeature: false, hasSlivers };
      for (const part of parts) copyPart(builder, rest, part, PART_KIND.polygon);
      builder.endFeature(parts.length === 1 ? GEOMETRY_TYPE.polygon : GEOMETRY_TYPE.multiPolygon);
      return { isFeature: true, hasSlivers };
    }
    if (geometry.partOffsets[row] === geometry.partOffsets[row + 1]) builder.endFeature(geometry.types[row]);
    else {
      const { geometry: own, flag } = validRow(this.#geos, geometry, row);
      using valid = own;
      if (!flag) copyRows(builder, geometry, row, row + 1);
      else {
        this.#source.flags[row] |= ROW_FLAG.repaired;
        if (valid.appendTo(builder, 2) === GEOMETRY_TYPE.none) return { isFeature: false, hasSlivers: true };
      }
    }
    return { isFeature: true, hasSlivers: false };
  }

  #features(fields: readonly Field[], builder: GeometryBuilder, rows: readonly number[]): FeatureBatch {
    const { fields: added, columns } = this.#source.table;
    const own = fields.slice(0, fields.length - added.length);
    const others = Int32Array.from(rows);
    return {
      rowCount: rows.length,
      geometry: builder.finish(),
      fields,
      columns: [
        ...own.map(({ type }) => nullColumn(type, rows.length)),
        ...columns.map((column) => takeOrNull(column, others)),
      ],
      ids: null,
    };
  }
}
