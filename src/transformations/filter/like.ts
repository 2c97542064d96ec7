/** Patterns of SQL's LIKE: `%` stands for any characters, `_` for one, `\` takes the next character as it is. */
import type { BytesColumn } from '../../batch/attribute-column.ts';
import { mixedValue } from './compare.ts';
import { FALSE, markNulls, TRUE, UNKNOWN, type Verdicts } from './verdict.ts';

const ANY_ONE = 256;
const ANY_MANY = 257;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Rows of a text column against a pattern; rows of a json column that are no text do not match. */
export function columnIsLike(
  column: BytesColumn,
  rowCount: number,
  pattern: string,
  ignoresCase: boolean,
): Verdicts {
  const compiled = compilePattern(ignoresCase ? pattern.toLowerCase() : pattern);
  const verdicts = new Uint8Array(rowCount);
  const { bytes, offsets, type } = column;
  for (let row = 0; row < rowCount; row++) {
    if (type !== 'json' && !ignoresCase) {
      verdicts[row] = isLike(bytes, offsets[row], offsets[row + 1], compiled) ? TRUE : FALSE;
      continue;
    }
    const value =
      type === 'json'
        ? mixedValue(column, row)
        : decoder.decode(bytes.subarray(offsets[row], offsets[row + 1]));
    if (value === null) verdicts[row] = UNKNOWN;
    else if (typeof value !== 'string') verdicts[row] = FALSE;
    else {
      const text = encoder.encode(ignoresCase ? value.toLowerCase() : value);
      verdicts[row] = isLike(text, 0, text.length, compiled) ? TRUE : FALSE;
    }
  }
  return markNulls(verdicts, column.validity);
}

/** UTF-8 bytes, ANY_ONE and ANY_MANY. */
function compilePattern(pattern: string): Uint16Array {
  const symbols: number[] = [];
  const characters = [...pattern];
  for (let i = 0; i < characters.length; i++) {
    let character = characters[i];
    if (character === '%' || character === '_') {
      symbols.push(character === '%' ? ANY_MANY : ANY_ONE);
      continue;
    }
    if (character === '\\' && i + 1 < characters.length) character = characters[++i];
    for (const byte of encoder.encode(character)) symbols.push(byte);
  }
  return Uint16Array.from(symbols);
}

/** Goes back to the last `%` alone, which is enough: what an earlier one could take, the last one can take too. */
function isLike(bytes: Uint8Array, start: number, end: number, pattern: Uint16Array): boolean {
  let at = start;
  let next = 0;
  let manyAt = -1;
  let retryAt = 0;
  while (at < end) {
    const symbol = next < pattern.length ? pattern[next] : -1;
    if (symbol === ANY_MANY) {
      manyAt = ++next;
      retryAt = at;
    } else if (symbol === ANY_ONE) {
      next++;
      at = characterEnd(bytes, at, end);
    } else if (symbol === bytes[at]) {
      next++;
      at++;
    } else if (manyAt >= 0) {
      next = manyAt;
      retryAt = characterEnd(bytes, retryAt, end);
      at = retryAt;
    } else return false;
  }
  while (next < pattern.length && pattern[next] === ANY_MANY) next++;
  return next === pattern.length;
}

/** Behind the UTF-8 sequence that begins at `at`. */
function characterEnd(bytes: Uint8Array, at: number, end: number): number {
  at++;
  while (at < end && (bytes[at] & 0xc0) === 0x80) at++;
  return at;
}
