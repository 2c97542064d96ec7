/** Columns that come up while rows are read: a row is given a value or left out, and is null then. */
import type { ColumnBuilder } from '../../../batch/attribute-column.ts';

/** Makes the rows before `row` that got no value null. */
export function alignRows(builder: ColumnBuilder, row: number): void {
  while (builder.rowCount < row) builder.appendNull();
}
