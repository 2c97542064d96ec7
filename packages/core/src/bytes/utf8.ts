/** UTF-8, the encoding that needs no tables: `text-encoding.ts` has the others. */

/** Its name. */
export const UTF8 = 'UTF-8';

/**
 * Offset of the first byte in `[start, end)` that is not well-formed UTF-8 (Unicode 16, table 3-7), or -1. A character
 * truncated by `end` is reported at its first byte.
 */
export function invalidUtf8At(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const lead = bytes[at];
    if (lead < 0x80) {
      at++;
      continue;
    }
    const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (length === 0 || at + length > end) return at;
    const second = bytes[at + 1];
    const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    if (second < least || second > most) return at;
    for (let i = 2; i < length; i++) if ((bytes[at + i] & 0xc0) !== 0x80) return at;
    at += length;
  }
  return -1;
}

/** `end`, moved back if it would split a UTF-8 character of `bytes[start, ...)`. */
export function utf8Boundary(bytes: Uint8Array, start: number, end: number): number {
  let at = end;
  while (at > start && (bytes[at] & 0xc0) === 0x80) at--;
  return at;
}
