/** Single values of attribute columns: copied, compared. Both columns are of one type. */
import { type AttributeColumn, type ColumnBuilder, valueAt } from '@geomill/core/columns/attribute-column.ts';

/** Appends a non-null value to a builder of the column's type. */
export function appendValue(column: AttributeColumn, row: number, builder: ColumnBuilder): void {
  if ('offsets' in column) builder.appendBytes(column.bytes, column.offsets[row], column.offsets[row + 1]);
  else if (column.type === 'int64') builder.appendBigInt(column.values[row]);
  else builder.appendNumber(column.values[row]);
}

export function isSameValue(a: AttributeColumn, rowA: number, b: AttributeColumn, rowB: number): boolean {
  if ('offsets' in a && 'offsets' in b) {
    const start = a.offsets[rowA];
    const length = a.offsets[rowA + 1] - start;
    const startB = b.offsets[rowB];
    if (b.offsets[rowB + 1] - startB !== length) return false;
    for (let i = 0; i < length; i++) if (a.bytes[start + i] !== b.bytes[startB + i]) return false;
    return true;
  }
  return (
    'values' in a && 'values' in b && Object.is(toComparable(a.values[rowA]), toComparable(b.values[rowB]))
  );
}

/** 0 and -0 are the same value, and so are two NaN. */
function toComparable(value: number | bigint): number | bigint {
  return value === 0 ? 0 : value;
}

/**
 * Negative, 0 or positive, like a comparator. Texts are compared by code points, dates and times as instants;
 * NaN compares equal to everything.
 */
export function compareValues(a: AttributeColumn, rowA: number, b: AttributeColumn, rowB: number): number {
  if ('values' in a && 'values' in b) {
    const valueA = a.values[rowA];
    const valueB = b.values[rowB];
    if (valueA < valueB) return -1;
    return valueA > valueB ? 1 : 0;
  }
  if (!('offsets' in a && 'offsets' in b)) return 0;
  if (a.type === 'datetime') {
    const order = instantAt(a, rowA) - instantAt(b, rowB);
    if (!Number.isNaN(order)) return order;
  }
  let at = a.offsets[rowA];
  let atB = b.offsets[rowB];
  const end = a.offsets[rowA + 1];
  const endB = b.offsets[rowB + 1];
  while (at < end && atB < endB) {
    const difference = a.bytes[at++] - b.bytes[atB++];
    if (difference !== 0) return difference;
  }
  return end - at - (endB - atB);
}

/** Milliseconds since 1970; a time without a zone is in UTC, independent of this machine's zone. */
function instantAt(column: AttributeColumn, row: number): number {
  const text = String(valueAt(column, row));
  return Date.parse(/(?:[zZ]|[+-]\d\d(?::?\d\d)?)$/.test(text.slice(10)) ? text : `${text}Z`);
}

export function isNaNValue(column: AttributeColumn, row: number): boolean {
  return column.type === 'float64' && Number.isNaN(column.values[row]);
}
