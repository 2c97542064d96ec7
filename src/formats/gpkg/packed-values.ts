/** Columns out of values that SQLite has laid end to end, which spares an object for each of them. */
import { isUtf8 } from 'node:buffer';
import {
  type AttributeColumn,
  type BytesColumn,
  ColumnBuilder,
  type Validity,
} from '../../batch/attribute-column.ts';
import type { FieldType } from '../../batch/schema.ts';
import { type CellContext, isTextOf, jsonOf, noteInvalid } from './value-column.ts';

/** Where values begin in their bytes, and which are there. */
export interface Extents {
  readonly offsets: Uint32Array<ArrayBuffer>;
  readonly validity: Validity;
}

const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
/** More digits than this may be more than a number holds exactly. */
const EXACT_DIGITS = 15;
const TWO_TO_32 = 2 ** 32;

/** Reads "12,-1,7": lengths in bytes, -1 for a null. */
export function readExtents(lengths: Uint8Array, rowCount: number): Extents {
  const offsets = new Uint32Array(rowCount + 1);
  const validity = new Uint8Array((rowCount + 7) >> 3);
  let nulls = 0;
  let at = 0;
  let end = 0;
  for (let row = 0; row < rowCount; row++) {
    if (lengths[at] === MINUS) {
      nulls++;
      at += 3;
    } else {
      let length = 0;
      for (let digit = lengths[at]; digit !== COMMA && digit !== undefined; digit = lengths[++at])
        length = length * 10 + digit - ZERO;
      at++;
      end += length;
      validity[row >> 3] |= 1 << (row & 7);
    }
    offsets[row + 1] = end;
  }
  return { offsets, validity: nulls === 0 ? null : validity };
}

/**
 * Reads "12,,-7" as an integer column; an empty one is a null. Null for the whole when one is no integer or does not
 * fit the type.
 */
export function readIntegers(
  text: Uint8Array,
  type: 'boolean' | 'int32' | 'int64',
  rowCount: number,
): AttributeColumn | null {
  const wide = type === 'int64' ? new BigInt64Array(rowCount) : null;
  const halves = wide === null ? null : new Int32Array(wide.buffer);
  const narrow = type === 'boolean' ? new Uint8Array(rowCount) : new Int32Array(wide === null ? rowCount : 0);
  const validityBits = new Uint8Array((rowCount + 7) >> 3);
  let nulls = 0;
  let at = 0;
  for (let row = 0; row < rowCount; row++, at++) {
    if (at >= text.length || text[at] === COMMA) {
      nulls++;
      continue;
    }
    const start = at;
    const isNegative = text[at] === MINUS;
    if (isNegative) at++;
    let value = 0;
    for (let byte = text[at]; byte !== COMMA && at < text.length; byte = text[++at]) {
      const digit = byte - ZERO;
      if (digit < 0 || digit > 9) return null;
      value = value * 10 + digit;
    }
    if (isNegative) value = -value;
    validityBits[row >> 3] |= 1 << (row & 7);
    if (wide === null || halves === null) {
      narrow[row] = value;
      if (narrow[row] !== value || (type === 'boolean' && value > 1)) return null;
    } else if (at - start > EXACT_DIGITS) wide[row] = BigInt(asciiText(text, start, at));
    else {
      // Two halves instead of a BigInt, which would be allocated; typed arrays are little-endian wherever Node runs.
      halves[row * 2] = value;
      halves[row * 2 + 1] = Math.floor(value / TWO_TO_32);
    }
  }
  const validity = nulls === 0 ? null : validityBits;
  if (wide !== null) return { type: 'int64', values: wide, validity };
  return type === 'boolean'
    ? { type, values: narrow as Uint8Array<ArrayBuffer>, validity }
    : { type: 'int32', values: narrow as Int32Array<ArrayBuffer>, validity };
}

/** Texts as they are where all fit the type; else those that do not become null and are told. */
export function textColumn(
  field: { readonly name: string; readonly type: BytesColumn['type'] },
  bytes: Uint8Array<ArrayBuffer>,
  { offsets, validity }: Extents,
  context: CellContext,
): AttributeColumn {
  const { type } = field;
  if (type === 'binary' || isWhole(type, bytes, offsets)) return { type, bytes, offsets, validity };
  return checkedTexts(field, bytes, { offsets, validity }, context);
}

/** Whether every value is valid UTF-8 and what its type asks for. */
function isWhole(type: FieldType, bytes: Uint8Array, offsets: Uint32Array): boolean {
  if (!isUtf8(bytes)) return false;
  for (let row = 0; row + 1 < offsets.length; row++) {
    const start = offsets[row];
    const end = offsets[row + 1];
    if (start === end) {
      if (type !== 'string') return false;
    } else if ((bytes[start] & 0xc0) === 0x80 || (type !== 'string' && !isTextOf(type, bytes, start, end)))
      return false; // the first: a character that is torn between two values
  }
  return true;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

function checkedTexts(
  { name, type }: { readonly name: string; readonly type: BytesColumn['type'] },
  bytes: Uint8Array,
  { offsets, validity }: Extents,
  context: CellContext,
): AttributeColumn {
  const rowCount = offsets.length - 1;
  const builder = new ColumnBuilder(type, rowCount, bytes.length);
  for (let row = 0; row < rowCount; row++) {
    if (validity !== null && (validity[row >> 3] & (1 << (row & 7))) === 0) {
      builder.appendNull();
      continue;
    }
    let value = bytes.subarray(offsets[row], offsets[row + 1]);
    if (!isUtf8(value)) {
      value = encoder.encode(decoder.decode(value));
      const place = { record: row + 1, id: context.rowName(row + 1), field: name };
      context.findings.note('TEXT_REPLACED', { field: name, encoding: 'utf-8' }, place);
    }
    if (type === 'json') value = encoder.encode(jsonOf(decoder.decode(value)));
    if (isTextOf(type, value, 0, value.length)) builder.appendBytes(value, 0, value.length);
    else {
      builder.appendNull();
      noteInvalid(name, type, row + 1, context);
    }
  }
  return builder.finish();
}

function asciiText(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}
