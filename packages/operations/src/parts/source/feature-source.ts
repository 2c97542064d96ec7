/** The features of a second source in memory: geometries and attributes, gathered from its batches and kept once for all threads. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import {
  GEOMETRY_TYPE_NAMES,
  type GeometryColumn,
  hasM,
  hasZ,
  PART_KIND,
  PART_KIND_MASK,
  restride,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { counted, field } from '@geomill/core/messages/message.ts';
import type { FeatureCollector } from '../../transformation.ts';
import { ADVICE_FOR_TABLES } from '../source-file.ts';
import { type AttributeTable, SOURCE_LIMITS, TableGatherer } from './attribute-table.ts';
import { sharedBuffer } from './shared-columns.ts';

/** Plain data; columns are in shared memory. */
export interface FeatureSource {
  readonly table: AttributeTable;
  /** XY, in the CRS of the source. */
  readonly geometry: GeometryColumn;
  /** Number of rows that have Z, or M, in the source. */
  readonly rowsWithZ: number;
  readonly rowsWithM: number;
  /** By row: bits of ROW_FLAG. Threads write to it. */
  readonly flags: Uint8Array;
}

export const ROW_FLAG = { matched: 1, repaired: 2, notShown: 4 } as const;

export class FeatureSourceCollector implements FeatureCollector {
  readonly takes = 'features';
  readonly #path: string;
  readonly #kinds: 'any' | 'polygons';
  readonly #table: TableGatherer;
  readonly #maxPositions: number;
  #chunks: GeometryColumn[] = [];
  #positions = 0;
  #rowsWithZ = 0;
  #rowsWithM = 0;

  /** `path` of the source in the request. `fields` to keep; null: all. `kinds`: what the geometries may be. */
  constructor(
    path: string,
    fields: readonly string[] | null,
    kinds: 'any' | 'polygons' = 'any',
    limits = SOURCE_LIMITS,
  ) {
    this.#path = path;
    this.#kinds = kinds;
    this.#table = new TableGatherer(path, [], fields, limits);
    this.#maxPositions = limits.positions;
  }

  /** Throws TRANSFORMATION_INVALID for points and lines where polygons are wanted, and for too many positions. */
  add(batch: FeatureBatch, file: string): void {
    if (this.#kinds === 'polygons') this.#refuseOthers(batch.geometry);
    this.#table.add(batch, file);
    if (batch.rowCount === 0) return;
    const { geometry } = batch;
    this.#positions += geometry.coordinates.length / strideOf(geometry.dimensions);
    if (this.#positions > this.#maxPositions)
      throw failure(generalErrors.TRANSFORMATION_INVALID, {
        path: field(this.#path),
        reason: `has more than ${counted(this.#maxPositions, 'position')}, the limit of a second source; simplify it, use fewer of its features, or exchange the two sources`,
      });
    if (hasZ(geometry.dimensions)) this.#rowsWithZ += rowsWith(geometry, 2);
    if (hasM(geometry.dimensions)) this.#rowsWithM += rowsWith(geometry, strideOf(geometry.dimensions) - 1);
    const coordinates =
      geometry.dimensions === 'XY'
        ? geometry.coordinates
        : restride(geometry.coordinates, geometry.dimensions, 'XY');
    this.#chunks.push({ ...geometry, dimensions: 'XY', coordinates });
  }

  #refuseOthers({ types, partOffsets, partKinds }: GeometryColumn): void {
    for (let row = 0; row < types.length; row++)
      for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
        if ((partKinds[part] & PART_KIND_MASK) === PART_KIND.polygon) continue;
        const reason = `has a ${GEOMETRY_TYPE_NAMES[types[row]]}; the source of an overlay has polygons alone`;
        throw failure(
          generalErrors.TRANSFORMATION_INVALID,
          { path: field(this.#path), reason },
          { record: row + 1 },
        );
      }
  }

  #refuseTable(): never {
    const rows = this.#chunks.reduce((sum, { types }) => sum + types.length, 0);
    throw failure(generalErrors.TRANSFORMATION_INVALID, {
      path: field(this.#path),
      reason: `has no geometry (${counted(rows, 'row')}); use a file or layer with geometries. ${ADVICE_FOR_TABLES}, or join its attributes by a field with the step join`,
    });
  }

  restart(): void {
    this.#table.restart();
    this.#chunks = [];
    this.#positions = 0;
    this.#rowsWithZ = 0;
    this.#rowsWithM = 0;
  }

  /** Throws TRANSFORMATION_INVALID if there are rows and none has a position: nothing could match. */
  finish(): FeatureSource {
    if (this.#positions === 0 && this.#chunks.length > 0) this.#refuseTable();
    const geometry = joined(this.#chunks);
    this.#chunks = [];
    const table = this.#table.finish();
    const flags = new Uint8Array(sharedBuffer(table.rowCount));
    return { table, geometry, rowsWithZ: this.#rowsWithZ, rowsWithM: this.#rowsWithM, flags };
  }
}

/** Number of rows with a number as ordinate `offset` of a position. */
function rowsWith(
  { types, partOffsets, ringOffsets, coordOffsets, coordinates, dimensions }: GeometryColumn,
  offset: number,
): number {
  const stride = strideOf(dimensions);
  let count = 0;
  for (let row = 0; row < types.length; row++) {
    const end = coordOffsets[ringOffsets[partOffsets[row + 1]]];
    for (let position = coordOffsets[ringOffsets[partOffsets[row]]]; position < end; position++) {
      if (Number.isNaN(coordinates[position * stride + offset])) continue;
      count++;
      break;
    }
  }
  return count;
}

/** All rows in order, in shared memory. */
function joined(chunks: readonly GeometryColumn[]): GeometryColumn {
  const sum = (count: (column: GeometryColumn) => number): number =>
    chunks.reduce((total, column) => total + count(column), 0);
  const rows = sum(({ types }) => types.length);
  const parts = sum(({ partKinds }) => partKinds.length);
  const rings = sum(({ coordOffsets }) => coordOffsets.length - 1);
  const ordinates = sum(({ coordinates }) => coordinates.length);
  const result = {
    dimensions: 'XY',
    types: new Uint8Array(sharedBuffer(rows)),
    partOffsets: new Uint32Array(sharedBuffer((rows + 1) * 4)),
    partKinds: new Uint8Array(sharedBuffer(parts)),
    ringOffsets: new Uint32Array(sharedBuffer((parts + 1) * 4)),
    coordOffsets: new Uint32Array(sharedBuffer((rings + 1) * 4)),
    coordinates: new Float64Array(sharedBuffer(ordinates * 8)),
  } as const;
  let [row, part, ring, ordinate] = [0, 0, 0, 0];
  for (const column of chunks) {
    const { types, partOffsets, partKinds, ringOffsets, coordOffsets, coordinates } = column;
    result.types.set(types, row);
    result.partKinds.set(partKinds, part);
    result.coordinates.set(coordinates, ordinate);
    for (let i = 0; i < types.length; i++) result.partOffsets[row + i + 1] = part + partOffsets[i + 1];
    for (let i = 0; i < partKinds.length; i++) result.ringOffsets[part + i + 1] = ring + ringOffsets[i + 1];
    for (let i = 0; i + 1 < coordOffsets.length; i++)
      result.coordOffsets[ring + i + 1] = ordinate / 2 + coordOffsets[i + 1];
    row += types.length;
    part += partKinds.length;
    ring += coordOffsets.length - 1;
    ordinate += coordinates.length;
  }
  return result;
}
