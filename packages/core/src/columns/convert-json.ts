/** Converts JSON values: scalars by their kind, null to null, arrays and objects only to text. */
import { ByteWriter } from '../bytes/byte-writer.ts';
import { BACKSLASH, LOWER_F, LOWER_N, LOWER_T, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../text/ascii.ts';
import type { AttributeColumn, BytesColumn } from './attribute-column.ts';
import type { ConvertedRows } from './convert-rows.ts';
import { putText, type ValueTarget } from './convert-texts.ts';

/** Strings are read like texts, JSON numbers and booleans like numbers and booleans; arrays and objects fail. */
export function convertJson(column: BytesColumn, target: ValueTarget, rows: ConvertedRows): AttributeColumn {
  const { bytes, offsets } = column;
  const content = new StringContent();
  for (let row = 0; row < rows.rowCount; row++) {
    if (!rows.hasValue(row)) continue;
    const start = offsets[row];
    const end = offsets[row + 1];
    const first = start < end ? bytes[start] : 0;
    if (first === LOWER_N) rows.clear(row);
    else if (first === QUOTE) {
      if (content.read(bytes, start, end))
        putText(target, rows, row, content.bytes, content.start, content.end);
      else rows.fail(row);
    } else {
      const isTruth = first === LOWER_T || first === LOWER_F;
      const isNested = first === OPEN_BRACKET || first === OPEN_BRACE;
      const isTaken = isTruth
        ? target.truth(row, first === LOWER_T)
        : !isNested && target.number(row, bytes, start, end);
      if (!isTaken) rows.fail(row);
    }
  }
  return target.finish(rows.validity);
}

/** The content of strings, the JSON text of everything else. Only a string with an unpaired surrogate fails. */
export function convertJsonToString(column: BytesColumn, rows: ConvertedRows): AttributeColumn {
  const { bytes, offsets: from } = column;
  const writer = new ByteWriter(bytes.length);
  const offsets = new Uint32Array(rows.rowCount + 1);
  const content = new StringContent();
  for (let row = 0; row < rows.rowCount; row++) {
    if (rows.hasValue(row)) {
      const start = from[row];
      const end = from[row + 1];
      if (bytes[start] === LOWER_N) rows.clear(row);
      else if (bytes[start] !== QUOTE) writer.copy(bytes, start, end);
      else if (content.read(bytes, start, end)) writer.copy(content.bytes, content.start, content.end);
      else rows.fail(row);
    }
    offsets[row + 1] = writer.length;
  }
  return { type: 'string', bytes: writer.take(), offsets, validity: rows.validity };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Locates the content of a JSON string: inside the JSON text, or in a copy if the string has escapes. */
class StringContent {
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;

  /** False if the content has no UTF-8 form. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    let at = start;
    while (at < end && bytes[at] !== BACKSLASH) at++;
    if (at === end) {
      this.bytes = bytes;
      this.start = start + 1;
      this.end = end - 1;
      return true;
    }
    const text = parsedString(decoder.decode(bytes.subarray(start, end)));
    if (text === null || !text.isWellFormed()) return false;
    this.bytes = encoder.encode(text);
    this.start = 0;
    this.end = this.bytes.length;
    return true;
  }
}

/** Rows of a json column should be valid JSON; an invalid one loses its value instead of failing the job. */
function parsedString(json: string): string | null {
  try {
    return JSON.parse(json) as string;
  } catch {
    return null;
  }
}
