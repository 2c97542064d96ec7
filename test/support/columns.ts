/** Columns of given values. */
import { type AttributeColumn, ColumnBuilder } from '../../packages/core/src/columns/attribute-column.ts';
import type { FieldType } from '../../packages/core/src/columns/schema.ts';

export type Cell = boolean | number | bigint | string | Uint8Array | null;

export function columnOf(type: FieldType, cells: readonly Cell[]): AttributeColumn {
  const builder = new ColumnBuilder(type);
  for (const cell of cells) {
    if (cell === null) builder.appendNull();
    else if (cell instanceof Uint8Array) builder.appendBytes(cell, 0, cell.length);
    else if (typeof cell === 'string') builder.appendText(cell);
    else if (typeof cell === 'bigint') builder.appendBigInt(cell);
    else builder.appendNumber(Number(cell));
  }
  return builder.finish();
}
