/** Ids of features that were made of one. */
import { type AttributeColumn, ColumnBuilder, isValid } from '@geomill/core/columns/attribute-column.ts';

/** The ids of `rows`, which ascend: only the first of equal rows has one, so that ids stay unique. */
export function idsOfFirst(ids: AttributeColumn, rows: Uint32Array<ArrayBuffer>): AttributeColumn {
  const builder = new ColumnBuilder(ids.type, rows.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    if ((i > 0 && row === rows[i - 1]) || !isValid(ids.validity, row)) builder.appendNull();
    else if ('offsets' in ids) builder.appendBytes(ids.bytes, ids.offsets[row], ids.offsets[row + 1]);
    else if (ids.type === 'int64') builder.appendBigInt(ids.values[row]);
    else builder.appendNumber(ids.values[row]);
  }
  return builder.finish();
}
