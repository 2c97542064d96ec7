/**
 * Unpacks the compressed pages of drawings of 2004 and later but 2007 (Open Design Specification for .dwg files, section 4.7). In place of the parser's
 * own code, which goes on behind the end of the output: a damaged page takes minutes there.
 */
import { DwgLZ77AC18Decompressor } from '@node-projects/acad-ts';

const END = 0x11;

/** Fills `target` with what `source` has from `start` on. Throws RangeError where the source is damaged. */
export function unpack(source: Uint8Array, start: number, target: Uint8Array): void {
  let at = start;
  let filled = 0;
  const next = (): number => {
    if (at >= source.length) throw new RangeError('a compressed page ends too soon');
    return source[at++];
  };
  /** A count whose first bits are 0 goes on in the bytes that follow. */
  const longCount = (step: number): number => {
    let count = step;
    let byte = next();
    for (; byte === 0; byte = next()) count += 0xff;
    return count + byte;
  };
  const literalCount = (code: number): number => ((code & 0xf) === 0 ? longCount(0xf) : code & 0xf) + 3;
  const copyCount = (code: number, mask: number): number =>
    ((code & mask) === 0 ? longCount(mask) : code & mask) + 2;
  const literal = (count: number): void => {
    const end = Math.min(filled + count, target.length);
    while (filled < end) target[filled++] = next();
  };
  let code = next();
  if ((code & 0xf0) === 0) {
    literal(literalCount(code));
    if (filled === target.length) return;
    code = next();
  }
  while (code !== END && filled < target.length) {
    let count: number;
    let back: number;
    if (code >= 0x40) {
      count = (code >> 4) - 1;
      back = (((code >> 2) & 3) | (next() << 2)) + 1;
    } else if (code < 0x10) throw new RangeError('a compressed page has an unknown code');
    else {
      const isFar = code < 0x20;
      const high = isFar ? (code & 8) << 11 : 0;
      count = copyCount(code, isFar ? 7 : 0x1f);
      code = next();
      back = (high | (code >> 2) | (next() << 6)) + (isFar ? 0x4000 : 1);
    }
    if (back > filled) throw new RangeError('a compressed page repeats what is before its beginning');
    for (const end = Math.min(filled + count, target.length); filled < end; filled++)
      target[filled] = target[filled - back];
    let plain = code & 3;
    if (plain === 0) {
      if (filled === target.length) return;
      code = next();
      if ((code & 0xf0) !== 0) continue;
      plain = literalCount(code);
    }
    literal(plain);
    if (filled === target.length) return;
    code = next();
  }
}

/** Lets the parser unpack by this. */
export function replaceUnpacking(): void {
  DwgLZ77AC18Decompressor.decompressToDest = unpack;
}
