/** Texts in double quotes, as in CSV: quotes in them are doubled. */
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { QUOTE } from './ascii.ts';

/** From this length on, native code searches and copies faster than a loop. */
const LONG_BYTES = 64;
/** Bytes for which memory is reserved at once: twice the length of a long text would take that memory. */
const BLOCK = 1 << 12;

/** Appends the bytes `[start, end)` in quotes. */
export function appendQuoted(out: ByteWriter, bytes: Uint8Array, start: number, end: number): void {
  if (end - start > LONG_BYTES && !bytes.subarray(start, end).includes(QUOTE)) {
    out.uint8(QUOTE);
    out.copy(bytes, start, end);
    out.uint8(QUOTE);
    return;
  }
  out.uint8(QUOTE);
  for (let from = start; from < end; from += BLOCK)
    appendDoubled(out, bytes, from, Math.min(from + BLOCK, end));
  out.uint8(QUOTE);
}

function appendDoubled(out: ByteWriter, bytes: Uint8Array, start: number, end: number): void {
  out.reserve((end - start) * 2);
  const target = out.bytes;
  let at = out.length;
  for (let i = start; i < end; i++) {
    const byte = bytes[i];
    target[at++] = byte;
    if (byte === QUOTE) target[at++] = QUOTE;
  }
  out.length = at;
}
