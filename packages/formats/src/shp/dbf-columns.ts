/** Plans the columns of a .dbf: unique names and types. */
import { textDecoder } from '@geomill/core/bytes/text-encoding.ts';
import type { FieldType } from '@geomill/core/columns/schema.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { asciiSlice, COMMA, DOT, NINE } from '@geomill/core/text/ascii.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { formatFindings } from '../findings.ts';
import type { DbfField, DbfHeader } from './dbf-header.ts';

/** How the bytes of a cell are parsed. */
export type CellKind =
  | 'text'
  | 'number'
  | 'logical'
  | 'date'
  | 'int32-le'
  | 'int32-be'
  | 'double-le'
  | 'double-be'
  | 'currency'
  | 'timestamp';

/** Plain data: sent to the workers. */
export interface DbfColumn {
  readonly name: string;
  readonly type: FieldType;
  readonly cell: CellKind;
  readonly offset: number;
  readonly width: number;
  /** Decimals as declared in the header. */
  readonly decimals: number;
  /** The declared type, for messages: N(10,2). */
  readonly declared: string;
  /** For a column read as text although the header declares another type: the kind whose null cells it has. */
  readonly nullsOf?: CellKind;
}

/** The column read as text because its cells contradict the declared type. */
export function undeclaredColumn(column: DbfColumn): DbfColumn {
  return { ...column, cell: 'text', type: 'string', nullsOf: column.cell };
}

/** A number this wide without decimals always fits. */
const INT32_DIGITS = 9;
const INT64_DIGITS = 18;
const SCAN_BYTES = 1 << 20;

/**
 * Cell kind and type of a field, or the reason to drop it. Fields N and F without decimals are integers unless their
 * rows contain other numbers (`findFractions`).
 */
function decide(
  field: DbfField,
  isLevel7: boolean,
): { cell: CellKind; type: FieldType } | { dropped: string } {
  const { type, width } = field;
  switch (type) {
    case 'N':
    case 'F':
      if (field.decimals > 0) return { cell: 'number', type: 'float64' };
      return { cell: 'number', type: width <= INT32_DIGITS ? 'int32' : 'int64' };
    case 'L':
      return { cell: 'logical', type: 'boolean' };
    case 'D':
      return { cell: 'date', type: 'date' };
    case 'I':
    case '+':
      if (width !== 4) break;
      return { cell: isLevel7 ? 'int32-be' : 'int32-le', type: 'int32' };
    case 'O':
      if (width === 8) return { cell: 'double-be', type: 'float64' };
      break;
    case 'B':
      if (width === 8) return { cell: 'double-le', type: 'float64' };
      return { dropped: 'its values are in a memo file, which is not part of a shapefile' };
    case 'Y':
      if (width === 8) return { cell: 'currency', type: 'float64' };
      break;
    case '@':
    case 'T':
      if (width === 8) return { cell: 'timestamp', type: 'datetime' };
      return { cell: 'text', type: 'string' };
    case 'M':
    case 'G':
    case 'P':
      return { dropped: 'its values are in a memo file, which is not part of a shapefile' };
    case '0':
    case 'Q':
    case 'W':
      return { dropped: `its type '${type}' holds no values for readers` };
    default:
      return { cell: 'text', type: 'string' };
  }
  return { dropped: `its type '${type}' with a width of ${width} is not known` };
}

/** The columns of a table. `rows` is the .dbf; it is read only if types depend on the rows. */
export function planColumns(
  header: DbfHeader,
  encoding: string,
  rows: ByteSource,
  layer: string,
  findings: Findings,
): DbfColumn[] {
  const decode = textDecoder(encoding);
  const names = new UniqueNames();
  const columns: DbfColumn[] = [];
  for (const [position, field] of header.fields.entries()) {
    const stated = decode(field.nameBytes, 0, field.nameBytes.length) || `field_${position + 1}`;
    const decision = decide(field, header.isLevel7);
    if ('dropped' in decision) {
      findings.note(formatFindings.FIELD_DROPPED, { field: stated, layer, reason: decision.dropped });
      continue;
    }
    if (field.width === 0) {
      findings.note(formatFindings.FIELD_DROPPED, {
        field: stated,
        layer,
        reason: 'it is declared with a width of 0',
      });
      continue;
    }
    const name = names.take(stated);
    if (name !== stated) findings.note(generalFindings.NAME_DUPLICATE, { from: stated, to: name });
    const { offset, width, decimals, type: letter } = field;
    const size = decimals > 0 ? `${width},${decimals}` : width;
    columns.push({ name, ...decision, offset, width, decimals, declared: `${letter}(${size})` });
  }
  const fractional = findFractions(columns, header, rows);
  return columns.map((column) => (fractional.has(column) ? { ...column, type: 'float64' } : column));
}

/**
 * The fields without decimals that have cells other than integers, or integers that do not fit. All rows are checked:
 * otherwise one late "1.5" in a field of integers would be lost. The check takes a few percent of the reading time.
 */
function findFractions(
  columns: readonly DbfColumn[],
  header: DbfHeader,
  rows: ByteSource,
): ReadonlySet<DbfColumn> {
  const found = new Set<DbfColumn>();
  let open = columns.filter(({ cell, type }) => cell === 'number' && type !== 'float64');
  const rowsAtOnce = Math.max(1, Math.floor(SCAN_BYTES / header.rowBytes));
  for (let first = 0; first < header.rowCount && open.length > 0; first += rowsAtOnce) {
    const end = Math.min(header.rowCount, first + rowsAtOnce);
    const bytes = rows.slice(
      header.headerBytes + first * header.rowBytes,
      header.headerBytes + end * header.rowBytes,
    );
    for (const column of open)
      if (hasFraction(bytes, column, header.rowBytes, end - first)) found.add(column);
    open = open.filter((column) => !found.has(column));
  }
  return found;
}

/** Includes what C libraries write for numbers that are not finite. */
const NUMBER_NO_INTEGER =
  /^[+-]?(?:(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?|nan|inf|infinity|1\.#(ind|inf|qnan|snan)\d*)$/i;

/** Whether a cell of the column contains a number with a point, comma or exponent, or an integer beyond 64 bits. */
function hasFraction(bytes: Uint8Array, column: DbfColumn, rowBytes: number, rowCount: number): boolean {
  const { offset, width } = column;
  const mayOverflow = width > INT64_DIGITS;
  for (let row = 0; row < rowCount; row++) {
    const start = row * rowBytes + offset;
    const limit = start + width;
    let isPlain = true;
    for (let at = start; at < limit; at++) {
      const byte = bytes[at];
      if (byte > NINE || byte === DOT || byte === COMMA) isPlain = false;
    }
    if (isPlain && !mayOverflow) continue;
    const text = asciiSlice(bytes, start, limit).split('\0')[0].trim();
    if (isPlain ? /^[+-]?\d+$/.test(text) && !fitsInt64(text) : NUMBER_NO_INTEGER.test(text)) return true;
  }
  return false;
}

function fitsInt64(text: string): boolean {
  if (text.length <= INT64_DIGITS) return true;
  // Much longer numbers are not worth converting.
  if (text.length > 40) return false;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value;
}
