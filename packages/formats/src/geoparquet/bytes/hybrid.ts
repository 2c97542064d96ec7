/**
 * The hybrid of run lengths and packed bits (Encodings.md, RLE = 3) that levels, indexes of dictionaries and booleans have:
 *
 *     run       varint: count << 1, then the value in whole bytes
 *     packed    varint: groups << 1 | 1, then 8 values for each group, least significant bit first
 */
import { damaged } from '../fault.ts';

/** Bits that hold the numbers from 0 to `most`. */
export function bitsFor(most: number): number {
  return 32 - Math.clz32(most);
}

/** Fills `target` with values of `width` bits from `bytes[at, end)`; returns the offset after them. */
export function readHybrid(
  bytes: Uint8Array,
  at: number,
  end: number,
  width: number,
  target: Uint8Array | Uint32Array,
): number {
  if (width > 32) throw damaged(`a page has values of ${width} bits`);
  const count = target.length;
  const valueBytes = (width + 7) >> 3;
  let filled = 0;
  while (filled < count) {
    let head = 0;
    for (let scale = 1, i = 0; ; i++, scale *= 128) {
      if (at >= end || i === 5) throw damaged('a page ends within its levels or indexes');
      const byte = bytes[at++];
      head += (byte & 127) * scale;
      if (byte < 128) break;
    }
    if (head % 2 === 0) {
      if (at + valueBytes > end) throw damaged('a page ends within its levels or indexes');
      let value = 0;
      for (let i = valueBytes - 1; i >= 0; i--) value = value * 256 + bytes[at + i];
      at += valueBytes;
      const runEnd = Math.min(count, filled + head / 2);
      if (runEnd === filled) throw damaged('a page has a run of no values');
      target.fill(value, filled, runEnd);
      filled = runEnd;
      continue;
    }
    const groups = (head - 1) / 2;
    const wanted = Math.min(count - filled, groups * 8);
    if (wanted === 0) throw damaged('a page has a run of no values');
    // Some writers leave out the unused bytes of the last group.
    if (at + Math.ceil((wanted * width) / 8) > end) throw damaged('a page ends within its levels or indexes');
    if (width === 1 && target instanceof Uint8Array) unpackBits(bytes, at, wanted, target, filled);
    else unpackWide(bytes, at, width, wanted, target, filled);
    filled += wanted;
    at = Math.min(end, at + groups * width);
  }
  return at;
}

/** Single bits, least significant first: levels of optional columns, and plain booleans. */
export function unpackBits(
  bytes: Uint8Array,
  at: number,
  count: number,
  target: Uint8Array,
  start: number,
): void {
  for (let i = 0; i < count; i++) target[start + i] = (bytes[at + (i >> 3)] >> (i & 7)) & 1;
}

function unpackWide(
  bytes: Uint8Array,
  at: number,
  width: number,
  count: number,
  target: Uint8Array | Uint32Array,
  start: number,
): void {
  const mask = width === 32 ? -1 : (1 << width) - 1;
  for (let i = 0, bit = 0; i < count; i++, bit += width) {
    const first = at + Math.floor(bit / 8);
    const shift = bit & 7;
    let value =
      (bytes[first] | (bytes[first + 1] << 8) | (bytes[first + 2] << 16) | (bytes[first + 3] << 24)) >>>
      shift;
    if (shift + width > 32) value |= bytes[first + 4] << (32 - shift);
    target[start + i] = (value & mask) >>> 0;
  }
}
