/** Attribute columns that are gathered batch by batch and then kept in shared memory: once for all threads. */
import { type AttributeColumn, isValid, type Validity } from '@geomill/core/columns/attribute-column.ts';
import type { FieldType } from '@geomill/core/columns/schema.ts';

/**
 * A buffer of shared memory: messages to threads pass it on without a copy. The types of columns say ArrayBuffer because columns
 * of batches are transferred, which columns of a source never are.
 */
export function sharedBuffer(byteLength: number): ArrayBuffer {
  return new SharedArrayBuffer(byteLength) as unknown as ArrayBuffer;
}

/** One column in the order of `chunks`, in shared memory. */
export function joinedColumn(
  type: FieldType,
  chunks: readonly AttributeColumn[],
  rowCounts: readonly number[],
): AttributeColumn {
  const rowCount = rowCounts.reduce((sum, count) => sum + count, 0);
  const validity = joinedValidity(chunks, rowCounts, rowCount);
  switch (type) {
    case 'boolean':
      return { type, values: filled(new Uint8Array(sharedBuffer(rowCount)), chunks, type), validity };
    case 'int32':
      return { type, values: filled(new Int32Array(sharedBuffer(rowCount * 4)), chunks, type), validity };
    case 'int64':
      return { type, values: filled(new BigInt64Array(sharedBuffer(rowCount * 8)), chunks, type), validity };
    case 'float64':
      return { type, values: filled(new Float64Array(sharedBuffer(rowCount * 8)), chunks, type), validity };
    default:
      return { type, ...joinedBytes(chunks, rowCounts, rowCount), validity };
  }
}

/** Bytes that the column takes. */
export function columnSize(column: AttributeColumn): number {
  const values =
    'offsets' in column ? column.bytes.byteLength + column.offsets.byteLength : column.values.byteLength;
  return values + (column.validity?.byteLength ?? 0);
}

function filled<Values extends { set(source: Values, at: number): void }>(
  target: Values,
  chunks: readonly AttributeColumn[],
  type: FieldType,
): Values {
  let at = 0;
  for (const chunk of chunks) {
    if (chunk.type !== type || 'offsets' in chunk)
      throw new Error('batches of a source differ in their fields');
    target.set(chunk.values as unknown as Values, at);
    at += chunk.values.length;
  }
  return target;
}

function joinedBytes(
  chunks: readonly AttributeColumn[],
  rowCounts: readonly number[],
  rowCount: number,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly offsets: Uint32Array<ArrayBuffer> } {
  const offsets = new Uint32Array(sharedBuffer((rowCount + 1) * 4));
  const lengths = chunks.map((chunk, i) => {
    if (!('offsets' in chunk)) throw new Error('batches of a source differ in their fields');
    return chunk.offsets[rowCounts[i]] - chunk.offsets[0];
  });
  const bytes = new Uint8Array(sharedBuffer(lengths.reduce((sum, length) => sum + length, 0)));
  let row = 0;
  let at = 0;
  for (const [i, chunk] of chunks.entries()) {
    if (!('offsets' in chunk)) continue;
    const first = chunk.offsets[0];
    bytes.set(chunk.bytes.subarray(first, first + lengths[i]), at);
    for (let own = 0; own < rowCounts[i]; own++) offsets[row++] = at + chunk.offsets[own] - first;
    at += lengths[i];
  }
  offsets[row] = at;
  return { bytes, offsets };
}

function joinedValidity(
  chunks: readonly AttributeColumn[],
  rowCounts: readonly number[],
  rowCount: number,
): Validity {
  if (chunks.every(({ validity }) => validity === null)) return null;
  const joined = new Uint8Array(sharedBuffer((rowCount + 7) >> 3));
  let row = 0;
  for (const [i, { validity }] of chunks.entries())
    for (let own = 0; own < rowCounts[i]; own++, row++)
      if (isValid(validity, own)) joined[row >> 3] |= 1 << (row & 7);
  return joined;
}

/** Bytes of what `takeOrNull` makes. */
export function takenSize(column: AttributeColumn, rows: Int32Array): number {
  if (!('offsets' in column)) return rows.length * column.values.BYTES_PER_ELEMENT;
  const { offsets } = column;
  let size = rows.length * 4;
  for (let i = 0; i < rows.length; i++) if (rows[i] >= 0) size += offsets[rows[i] + 1] - offsets[rows[i]];
  return size;
}

/** A column of the rows `rows[0]`, `rows[1]`, ... of another, null where the row is negative. Not in shared memory. */
export function takeOrNull(column: AttributeColumn, rows: Int32Array): AttributeColumn {
  const count = rows.length;
  const validity = new Uint8Array((count + 7) >> 3);
  let nulls = 0;
  for (let i = 0; i < count; i++) {
    if (rows[i] >= 0 && isValid(column.validity, rows[i])) validity[i >> 3] |= 1 << (i & 7);
    else nulls++;
  }
  const own = nulls === 0 ? null : validity;
  switch (column.type) {
    case 'boolean':
      return { type: column.type, values: picked(new Uint8Array(count), column.values, rows), validity: own };
    case 'int32':
      return { type: column.type, values: picked(new Int32Array(count), column.values, rows), validity: own };
    case 'int64': {
      const values = new BigInt64Array(count);
      for (let i = 0; i < count; i++) if (rows[i] >= 0) values[i] = column.values[rows[i]];
      return { type: column.type, values, validity: own };
    }
    case 'float64':
      return {
        type: column.type,
        values: picked(new Float64Array(count), column.values, rows),
        validity: own,
      };
    default: {
      const { bytes, offsets } = column;
      const taken = new Uint32Array(count + 1);
      for (let i = 0; i < count; i++)
        taken[i + 1] = taken[i] + (rows[i] < 0 ? 0 : offsets[rows[i] + 1] - offsets[rows[i]]);
      const target = new Uint8Array(taken[count]);
      for (let i = 0; i < count; i++) {
        if (rows[i] < 0) continue;
        // Most texts are short: a loop is faster than a view of each.
        for (let from = offsets[rows[i]], to = taken[i]; to < taken[i + 1]; ) target[to++] = bytes[from++];
      }
      return { type: column.type, bytes: target, offsets: taken, validity: own };
    }
  }
}

function picked<Values extends Uint8Array | Int32Array | Float64Array>(
  target: Values,
  source: Values,
  rows: Int32Array,
): Values {
  for (let i = 0; i < rows.length; i++) if (rows[i] >= 0) target[i] = source[rows[i]];
  return target;
}
