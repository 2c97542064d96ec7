/**
 * A part of a layer as columns. All buffers are plain ArrayBuffers, so a batch can be transferred to another thread
 * without a copy.
 */
import { type GeometryColumn, geometryBuffers } from '../geometry/geometry-column.ts';
import { type AttributeColumn, columnBuffers } from './attribute-column.ts';
import type { Field } from './schema.ts';

export interface FeatureBatch {
  readonly rowCount: number;
  readonly geometry: GeometryColumn;
  /** Fields in their order; `columns[i]` holds the values of `fields[i]` and has its type. */
  readonly fields: readonly Field[];
  readonly columns: readonly AttributeColumn[];
  /** Feature ids: int64, float64, string or json; null when no feature has one. */
  readonly ids: AttributeColumn | null;
}

/** All buffers of the batch, for a transfer list. The batch is unusable after the transfer. */
export function batchBuffers(batch: FeatureBatch): ArrayBuffer[] {
  const buffers = geometryBuffers(batch.geometry);
  for (const column of batch.columns) for (const buffer of columnBuffers(column)) buffers.push(buffer);
  if (batch.ids !== null) for (const buffer of columnBuffers(batch.ids)) buffers.push(buffer);
  return buffers;
}

/**
 * Frees the memory of a batch's buffers at once, except of those that are also in `kept`. Views of them are empty afterwards. A garbage
 * collection may be long after: few objects are made where features are read and encoded.
 */
export function freeBuffers(buffers: Iterable<ArrayBuffer>, kept: Iterable<ArrayBuffer> = []): void {
  const needed = new Set(kept);
  for (const buffer of buffers) if (!buffer.detached && !needed.has(buffer)) buffer.transfer(0);
}

/** Frees the columns of a batch, whose values are written; not its geometry and ids. */
export function freeColumns({ columns, geometry, ids }: FeatureBatch): void {
  const kept = [...geometryBuffers(geometry), ...(ids === null ? [] : columnBuffers(ids))];
  for (const column of columns) freeBuffers(columnBuffers(column), kept);
}

/** The buffers of the geometry that no column and no id has. */
export function buffersOfGeometry({ geometry, columns, ids }: FeatureBatch): ArrayBuffer[] {
  const others = new Set([...columns, ...(ids === null ? [] : [ids])].flatMap(columnBuffers));
  return geometryBuffers(geometry).filter((buffer) => !others.has(buffer));
}

export function batchByteLength(batch: FeatureBatch): number {
  let total = 0;
  for (const buffer of batchBuffers(batch)) total += buffer.byteLength;
  return total;
}
