/** Unpacks Snappy (google/snappy, format_description.txt): literals, and copies of bytes that were unpacked before. */
import { damaged } from '../fault.ts';

/** Shorter runs are copied faster in a loop than by the methods of typed arrays. */
const SHORT = 24;

/** Fills `target`, whose length is the unpacked size, from `source`. */
export function unpackSnappy(source: Uint8Array, target: Uint8Array): void {
  let from = 0;
  let declared = 0;
  for (let scale = 1, i = 0; ; i++, scale *= 128) {
    if (i === 5 || from >= source.length) throw damaged('a page compressed with snappy has no length');
    const byte = source[from++];
    declared += (byte & 127) * scale;
    if (byte < 128) break;
  }
  if (declared !== target.length)
    throw damaged(`a page compressed with snappy has ${declared} bytes instead of ${target.length}`);
  let at = 0;
  while (from < source.length) {
    const tag = source[from++];
    let length: number;
    let distance = 0;
    switch (tag & 3) {
      case 0: {
        length = (tag >> 2) + 1;
        if (length > 60) {
          const extra = length - 60;
          length = littleEndian(source, from, extra) + 1;
          from += extra;
        }
        if (from + length > source.length || at + length > target.length) throw overrun();
        if (length < SHORT) for (let i = 0; i < length; i++) target[at + i] = source[from + i];
        else target.set(source.subarray(from, from + length), at);
        from += length;
        at += length;
        continue;
      }
      case 1:
        length = ((tag >> 2) & 7) + 4;
        distance = ((tag >> 5) << 8) | source[from++];
        break;
      case 2:
        length = (tag >> 2) + 1;
        distance = littleEndian(source, from, 2);
        from += 2;
        break;
      default:
        length = (tag >> 2) + 1;
        distance = littleEndian(source, from, 4);
        from += 4;
    }
    if (from > source.length) throw overrun();
    at = copyBack(target, at, distance, length);
  }
  if (at !== target.length) throw overrun();
}

/** Copies `length` bytes from `distance` before `at`; they may overlap, and then repeat. Returns the new end. */
export function copyBack(target: Uint8Array, at: number, distance: number, length: number): number {
  if (!(distance > 0 && distance <= at) || at + length > target.length) throw overrun();
  if (length < SHORT || distance < length)
    for (let i = at, end = at + length; i < end; i++) target[i] = target[i - distance];
  else target.copyWithin(at, at - distance, at - distance + length);
  return at + length;
}

function littleEndian(source: Uint8Array, at: number, count: number): number {
  if (at + count > source.length) throw overrun();
  let value = 0;
  for (let i = count - 1; i >= 0; i--) value = value * 256 + source[at + i];
  return value;
}

export function overrun(): Error {
  return damaged('the compressed bytes of a page do not fit its size');
}
