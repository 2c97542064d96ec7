/** Tells whether a whole file is ASCII, UTF-8 or neither. */
import { utf8Boundary } from '@geomill/core/bytes/utf8.ts';
import { areAscii, areUtf8 } from '@geomill/platform/bytes.ts';
import type { ByteSource } from './byte-source.ts';

const CHUNK_BYTES = 1 << 20;

export function sourceForm(source: ByteSource): 'ascii' | 'utf-8' | 'other' {
  let form: 'ascii' | 'utf-8' = 'ascii';
  for (let start = 0; start < source.byteLength; ) {
    const bytes = source.slice(start, start + CHUNK_BYTES);
    const isLast = start + bytes.length >= source.byteLength;
    // The end of the chunk may split a character.
    const end = isLast ? bytes.length : utf8Boundary(bytes, 0, bytes.length - 1);
    const whole = bytes.subarray(0, end);
    if (end === 0 || !areUtf8(whole)) return 'other';
    if (!areAscii(whole)) form = 'utf-8';
    start += end;
  }
  return form;
}
