/** Texts in double quotes, as in CSV: quotes in them are doubled. */
import { QUOTE } from './ascii.ts';
import type { ByteWriter } from './byte-writer.ts';

/** From this length on, native code searches and copies faster than a loop. */
const LONG_BYTES = 64;

/** Appends the bytes `[start, end)` in quotes. */
export function appendQuoted(out: ByteWriter, bytes: Uint8Array, start: number, end: number): void {
  if (end - start > LONG_BYTES && !bytes.subarray(start, end).includes(QUOTE)) {
    out.uint8(QUOTE);
    out.copy(bytes, start, end);
    out.uint8(QUOTE);
    return;
  }
  out.reserve((end - start) * 2 + 2);
  const target = out.bytes;
  let at = out.length;
  target[at++] = QUOTE;
  for (let i = start; i < end; i++) {
    const byte = bytes[i];
    target[at++] = byte;
    if (byte === QUOTE) target[at++] = QUOTE;
  }
  target[at++] = QUOTE;
  out.length = at;
}
