/** Finds lines and records of a text drawing from any offset: to split it, and to continue after broken records. */
import { CR, LF, SPACE, TAB } from '@geomill/core/text/ascii.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';

const CHUNK_BYTES = 1 << 22;

/**
 * The first offset in `[from, limit)` of three lines that are 0, a name and a group code; -1 if there is none. If codes
 * and values alternate as they should, this is certain: a name is not a group code, so the line before it is its code.
 */
export function findRecord(bytes: Uint8Array, from: number, limit: number, reachesEnd = false): number {
  let lineStart = lineAfter(bytes, from, limit);
  while (lineStart >= 0) {
    const second = lineAfter(bytes, lineStart, limit);
    if (second < 0) return -1;
    if (isCodeLine(bytes, lineStart, limit, true) && isNameLine(bytes, second, limit)) {
      const third = lineAfter(bytes, second, limit);
      if (third < 0) return reachesEnd ? lineStart : -1;
      if (isCodeLine(bytes, third, limit, false)) return lineStart;
    }
    lineStart = second;
  }
  return -1;
}

/** The offset after the end of the line that contains `at`; -1 if that is not before `limit`. */
function lineAfter(bytes: Uint8Array, at: number, limit: number): number {
  while (at < limit && bytes[at] !== LF && bytes[at] !== CR) at++;
  if (at + 1 >= limit) return -1;
  at += bytes[at] === CR && bytes[at + 1] === LF ? 2 : 1;
  return at < limit ? at : -1;
}

/** Whether the line contains only a group code; only code 0 if `zero`. */
function isCodeLine(bytes: Uint8Array, at: number, limit: number, zero: boolean): boolean {
  while (at < limit && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
  const start = at;
  while (at < limit && bytes[at] >= 0x30 && bytes[at] <= (zero ? 0x30 : 0x39)) at++;
  if (at === start || at - start > 4) return false;
  while (at < limit && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
  return at >= limit || bytes[at] === LF || bytes[at] === CR;
}

/** Whether the line contains only a name such as LINE, 3DFACE or ACAD_TABLE. */
function isNameLine(bytes: Uint8Array, at: number, limit: number): boolean {
  while (at < limit && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
  let hasLetter = false;
  for (; at < limit; at++) {
    const byte = bytes[at];
    if (byte >= 0x41 && byte <= 0x5a) hasLetter = true;
    else if (!((byte >= 0x30 && byte <= 0x39) || byte === 0x5f)) break;
  }
  while (at < limit && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
  return hasLetter && at < limit && (bytes[at] === LF || bytes[at] === CR);
}

/** Number of lines that end in `[start, end)`. */
export function countLines(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i];
    if (byte === LF || (byte === CR && bytes[i + 1] !== LF)) count++;
  }
  return count;
}

/** Number of lines that end in `[start, end)` of the source. */
export function countSourceLines(source: ByteSource, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += CHUNK_BYTES) {
    const stop = Math.min(at + CHUNK_BYTES, end);
    const bytes = source.slice(at, stop + 1);
    count += countLines(bytes, 0, Math.min(stop - at, bytes.length));
  }
  return count;
}
