/** Copies the attributes of chosen rows, when features are dropped, repeated or reordered. */
import type { AttributeColumn, BytesColumn, Validity } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';

/** The batch with `geometry`, whose row i has the attributes and the id of row `rows[i]`. Rows may be repeated. */
export function withRows(
  batch: FeatureBatch,
  rows: Uint32Array<ArrayBuffer>,
  geometry: GeometryColumn,
): FeatureBatch {
  return {
    rowCount: rows.length,
    geometry,
    fields: batch.fields,
    columns: batch.columns.map((column) => takeRows(column, rows)),
    ids: batch.ids === null ? null : takeRows(batch.ids, rows),
  };
}

/** A column of the rows `rows[0]`, `rows[1]`, ... of another. */
export function takeRows(column: AttributeColumn, rows: Uint32Array<ArrayBuffer>): AttributeColumn {
  const validity = takeValidity(column.validity, rows);
  switch (column.type) {
    case 'boolean': {
      const values = new Uint8Array(rows.length);
      for (let i = 0; i < rows.length; i++) values[i] = column.values[rows[i]];
      return { type: column.type, values, validity };
    }
    case 'int32': {
      const values = new Int32Array(rows.length);
      for (let i = 0; i < rows.length; i++) values[i] = column.values[rows[i]];
      return { type: column.type, values, validity };
    }
    case 'int64': {
      const values = new BigInt64Array(rows.length);
      for (let i = 0; i < rows.length; i++) values[i] = column.values[rows[i]];
      return { type: column.type, values, validity };
    }
    case 'float64': {
      const values = new Float64Array(rows.length);
      for (let i = 0; i < rows.length; i++) values[i] = column.values[rows[i]];
      return { type: column.type, values, validity };
    }
    default:
      return { type: column.type, validity, ...takeBytes(column, rows) };
  }
}

function takeBytes(
  { bytes, offsets }: BytesColumn,
  rows: Uint32Array<ArrayBuffer>,
): Pick<BytesColumn, 'bytes' | 'offsets'> {
  const taken = new Uint32Array(rows.length + 1);
  for (let i = 0; i < rows.length; i++) taken[i + 1] = taken[i] + offsets[rows[i] + 1] - offsets[rows[i]];
  const target = new Uint8Array(taken[rows.length]);
  // Neighbouring rows are copied in one piece: most steps drop few of many.
  for (let start = 0; start < rows.length; ) {
    let end = start + 1;
    while (end < rows.length && rows[end] === rows[end - 1] + 1) end++;
    target.set(bytes.subarray(offsets[rows[start]], offsets[rows[end - 1] + 1]), taken[start]);
    start = end;
  }
  return { bytes: target, offsets: taken };
}

function takeValidity(validity: Validity, rows: Uint32Array<ArrayBuffer>): Validity {
  if (validity === null) return null;
  const taken = new Uint8Array((rows.length + 7) >> 3);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    if ((validity[row >> 3] & (1 << (row & 7))) !== 0) taken[i >> 3] |= 1 << (i & 7);
  }
  return taken;
}
