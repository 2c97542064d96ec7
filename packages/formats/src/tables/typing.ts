/**
 * Converts cells to typed columns. A column has a type other than text only if each of its values is in the canonical
 * form of that type, so that no text is lost: "007", "+5", "-0" and integers beyond 64 bits stay text.
 *
 * An unquoted cell that is empty or blank is null; a quoted empty cell is an empty text in a text column and null in
 * any other. Blanks around an unquoted number, date or boolean are ignored.
 */
import { type AttributeColumn, ColumnBuilder, nullColumn } from '@geomill/core/columns/attribute-column.ts';
import type { FieldType } from '@geomill/core/columns/schema.ts';
import { KIND, kindOf, TYPE_OF_KIND, widenKind } from '@geomill/core/columns/text-kinds.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { asciiSlice, isBlank } from '@geomill/core/text/ascii.ts';
import { NumberScanner } from '@geomill/core/text/number-scanner.ts';
import { CommaNumber, kindWithComma } from './decimal-comma.ts';
import { CELL_ESCAPED, CELL_QUOTED, type CellTable, unescapeCell } from './records.ts';

/** The narrowest type that holds every value of the column; text if it has none. */
export function inferType(table: CellTable, column: number, hasDecimalComma: boolean): FieldType {
  const { bytes, starts, ends, flags, columnCount, rowCount } = table;
  const last = rowCount * columnCount;
  let kind: number = KIND.null;
  for (let cell = column; cell < last; cell += columnCount) {
    let start = starts[cell];
    let end = ends[cell];
    const flag = flags[cell];
    if ((flag & CELL_ESCAPED) !== 0) return 'string';
    if (flag === 0) {
      while (start < end && isBlank(bytes[start])) start++;
      while (start < end && isBlank(bytes[end - 1])) end--;
    }
    if (start === end) continue;
    const own = hasDecimalComma ? kindWithComma(bytes, start, end) : kindOf(bytes, start, end);
    kind = widenKind(kind, own);
    if (kind === KIND.text) return 'string';
  }
  return TYPE_OF_KIND[kind];
}

/** Whether all values of a column are numbers and some have a comma that can only be a decimal mark. */
export function hasDecimalCommas(table: CellTable, column: number): boolean {
  const { bytes, starts, ends, flags, columnCount, rowCount } = table;
  const last = rowCount * columnCount;
  const number = new CommaNumber();
  let isCertain = false;
  for (let cell = column; cell < last; cell += columnCount) {
    let start = starts[cell];
    let end = ends[cell];
    if ((flags[cell] & CELL_ESCAPED) !== 0) return false;
    while (start < end && isBlank(bytes[start])) start++;
    while (start < end && isBlank(bytes[end - 1])) end--;
    if (start === end) continue;
    if (number.read(bytes, start, end)) isCertain ||= !number.isAmbiguous;
    else if (kindOf(bytes, start, end) > KIND.int64) return false;
  }
  return isCertain;
}

/** Whether all cells of the column are empty. */
export function isEmptyColumn({ starts, ends, columnCount, rowCount }: CellTable, column: number): boolean {
  const last = rowCount * columnCount;
  for (let cell = column; cell < last; cell += columnCount) if (starts[cell] !== ends[cell]) return false;
  return true;
}

/** Reads the column as a type that holds all its values: a result of `inferType`, or several of them widened. */
export function readColumn(
  table: CellTable,
  column: number,
  type: FieldType,
  hasDecimalComma = false,
): AttributeColumn {
  switch (type) {
    case 'string':
      return readText(table, column, type, true);
    case 'date':
    case 'datetime':
      return readText(table, column, type, false);
    case 'boolean':
    case 'int32':
    case 'float64':
      return readNumbers(table, column, type, hasDecimalComma);
    case 'int64':
      return readBigInts(table, column);
    default:
      throw failure(generalErrors.INTERNAL, { reason: `a CSV column was asked for as ${type}` });
  }
}

function readText(
  table: CellTable,
  column: number,
  type: 'string' | 'date' | 'datetime',
  keepBlanks: boolean,
): AttributeColumn {
  const { bytes, starts, ends, flags, columnCount, rowCount } = table;
  const builder = new ColumnBuilder(type);
  const last = rowCount * columnCount;
  let scratch = new Uint8Array(256);
  for (let cell = column; cell < last; cell += columnCount) {
    const flag = flags[cell];
    let start = starts[cell];
    let end = ends[cell];
    if ((flag & CELL_ESCAPED) !== 0) {
      if (end - start > scratch.length) scratch = new Uint8Array((end - start) * 2);
      builder.appendBytes(scratch, 0, unescapeCell(bytes, start, end, scratch));
      continue;
    }
    if (flag === 0 && (!keepBlanks || (start < end && isBlank(bytes[start])))) {
      let first = start;
      while (first < end && isBlank(bytes[first])) first++;
      if (first === end) start = end;
      else if (!keepBlanks) {
        start = first;
        while (isBlank(bytes[end - 1])) end--;
      }
    }
    if (start === end && !(keepBlanks && (flag & CELL_QUOTED) !== 0)) builder.appendNull();
    else builder.appendBytes(bytes, start, end);
  }
  return builder.finish();
}

function readNumbers(
  table: CellTable,
  column: number,
  type: 'boolean' | 'int32' | 'float64',
  hasDecimalComma: boolean,
): AttributeColumn {
  const { bytes, starts, ends, flags, columnCount, rowCount } = table;
  const values =
    type === 'float64'
      ? new Float64Array(rowCount)
      : type === 'int32'
        ? new Int32Array(rowCount)
        : new Uint8Array(rowCount);
  const validity = new Uint8Array((rowCount + 7) >> 3);
  const scanner = new NumberScanner();
  const comma = new CommaNumber();
  let valueCount = 0;
  for (let row = 0, cell = column; row < rowCount; row++, cell += columnCount) {
    let start = starts[cell];
    let end = ends[cell];
    if (flags[cell] === 0) {
      while (start < end && isBlank(bytes[start])) start++;
      while (start < end && isBlank(bytes[end - 1])) end--;
    }
    if (start === end) continue;
    if (type === 'boolean') values[row] = (bytes[start] | 0x20) === 0x74 ? 1 : 0;
    else {
      values[row] = scanner.scan(bytes, start, end);
      if (scanner.end !== end) {
        if (!hasDecimalComma || !comma.read(bytes, start, end)) throw misfit(bytes, start, end, type);
        values[row] = scanner.scan(comma.text, 0, comma.length);
      }
    }
    validity[row >> 3] |= 1 << (row & 7);
    valueCount++;
  }
  if (valueCount === 0) return nullColumn(type, rowCount);
  return { type, values, validity: valueCount === rowCount ? null : validity } as AttributeColumn;
}

function readBigInts(table: CellTable, column: number): AttributeColumn {
  const { bytes, starts, ends, flags, columnCount, rowCount } = table;
  const builder = new ColumnBuilder('int64');
  const scanner = new NumberScanner();
  for (let row = 0, cell = column; row < rowCount; row++, cell += columnCount) {
    let start = starts[cell];
    let end = ends[cell];
    if (flags[cell] === 0) {
      while (start < end && isBlank(bytes[start])) start++;
      while (start < end && isBlank(bytes[end - 1])) end--;
    }
    if (start === end) {
      builder.appendNull();
      continue;
    }
    const value = scanner.scan(bytes, start, end);
    if (scanner.end !== end || !scanner.isInteger) throw misfit(bytes, start, end, 'int64');
    builder.appendBigInt(Number.isSafeInteger(value) ? BigInt(value) : BigInt(asciiSlice(bytes, start, end)));
  }
  return builder.finish();
}

function misfit(bytes: Uint8Array, start: number, end: number, type: FieldType): Error {
  return failure(generalErrors.INTERNAL, {
    reason: `CSV cell '${asciiSlice(bytes, start, end)}' was asked for as ${type}`,
  });
}
