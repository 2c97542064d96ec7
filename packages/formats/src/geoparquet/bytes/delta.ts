/**
 * Deltas of integers (Encodings.md, DELTA_BINARY_PACKED = 5):
 *
 *     head    values in a block, miniblocks in a block, count of values, first value
 *     block   least delta, a width in bits for each miniblock, the miniblocks: deltas without the least, packed
 *
 * Sums wrap around in 32 or 64 bits.
 */
import { damaged } from '../fault.ts';

interface Deltas<Values> {
  readonly values: Values;
  /** Offset after them. */
  readonly end: number;
}

/** `most`: of values that the page can have; a page with more is damaged. */
export function readDeltas32(
  bytes: Uint8Array,
  at: number,
  end: number,
  most: number,
): Deltas<Int32Array<ArrayBuffer>> {
  const cursor = new DeltaCursor(bytes, at, end, most);
  const values = new Int32Array(cursor.count);
  if (cursor.count > 0) values[0] = Number(BigInt.asIntN(32, cursor.first));
  let previous = values[0];
  cursor.blocks((least, width, from, start, count) => {
    const leastDelta = Number(BigInt.asIntN(32, least));
    if (width > 32) throw damaged(`a page has deltas of ${width} bits`);
    for (let i = 0; i < count; i++) {
      previous = (previous + leastDelta + packedAt(bytes, from, i * width, width)) | 0;
      values[start + i] = previous;
    }
  });
  return { values, end: cursor.at };
}

export function readDeltas64(
  bytes: Uint8Array,
  at: number,
  end: number,
  most: number,
): Deltas<BigInt64Array<ArrayBuffer>> {
  const cursor = new DeltaCursor(bytes, at, end, most);
  const values = new BigInt64Array(cursor.count);
  if (cursor.count > 0) values[0] = cursor.first;
  let previous = cursor.first;
  cursor.blocks((least, width, from, start, count) => {
    if (width > 64) throw damaged(`a page has deltas of ${width} bits`);
    const lowWidth = Math.min(width, 32);
    for (let i = 0; i < count; i++) {
      let delta = BigInt(packedAt(bytes, from, i * width, lowWidth));
      if (width > 32) delta |= BigInt(packedAt(bytes, from, i * width + 32, width - 32)) << 32n;
      previous = BigInt.asIntN(64, previous + least + delta);
      values[start + i] = previous;
    }
  });
  return { values, end: cursor.at };
}

/** The unsigned number of `width` bits, at most 32, that begins at a bit. */
function packedAt(bytes: Uint8Array, from: number, bit: number, width: number): number {
  if (width === 0) return 0;
  const at = from + (bit >>> 3);
  const shift = bit & 7;
  let value = (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> shift;
  if (shift + width > 32) value |= bytes[at + 4] << (32 - shift);
  return width === 32 ? value >>> 0 : value & ((1 << width) - 1);
}

type MiniBlock = (least: bigint, width: number, from: number, start: number, count: number) => void;

class DeltaCursor {
  readonly count: number;
  readonly first: bigint;
  at: number;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #miniBlocks: number;
  readonly #miniBlockValues: number;

  constructor(bytes: Uint8Array, at: number, end: number, most: number) {
    this.#bytes = bytes;
    this.at = at;
    this.#end = end;
    const blockValues = Number(this.#varint());
    this.#miniBlocks = Number(this.#varint());
    this.count = Number(this.#varint());
    this.first = this.#zigzag();
    this.#miniBlockValues = blockValues / this.#miniBlocks;
    const isPlausible = this.#miniBlocks > 0 && this.#miniBlocks <= 4096 && this.#miniBlockValues <= 65_536;
    if (!isPlausible || this.#miniBlockValues % 8 !== 0)
      throw damaged(`a page has ${this.#miniBlocks} miniblocks of ${blockValues} values`);
    if (this.count > most) throw damaged(`a page has ${this.count} deltas for ${most} values`);
  }

  /** Calls `read` for each miniblock with the index of its first value. */
  blocks(read: MiniBlock): void {
    for (let start = 1; start < this.count; ) {
      const least = this.#zigzag();
      const widths = this.at;
      this.at += this.#miniBlocks;
      if (this.at > this.#end) throw damaged('a page ends within its deltas');
      for (let i = 0; i < this.#miniBlocks && start < this.count; i++) {
        const width = this.#bytes[widths + i];
        const count = Math.min(this.#miniBlockValues, this.count - start);
        if (this.at + Math.ceil((count * width) / 8) > this.#end)
          throw damaged('a page ends within its deltas');
        read(least, width, this.at, start, count);
        this.at = Math.min(this.#end, this.at + (this.#miniBlockValues / 8) * width);
        start += count;
      }
    }
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.at >= this.#end) throw damaged('a page ends within its deltas');
      const byte = this.#bytes[this.at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw damaged('a number in a page has too many bytes');
  }

  #zigzag(): bigint {
    const value = this.#varint();
    return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
  }
}
