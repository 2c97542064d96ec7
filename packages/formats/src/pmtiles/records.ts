/**
 * Pieces of features in tiles, as they are sorted: records one after another, sorted by their tile.
 *
 *      0 f64 number of the tile        24 u32 bytes of the geometry
 *      8 u32 bytes of the record       28 u32 bytes of the attributes
 *     12 u32 hash of the position      32 f64 id of the feature, NaN without
 *     16 f32 size of the feature       40 commands of the geometry, attributes, padding
 *     20 u16 layer, u8 type, u8 flags
 */

export const HEAD_BYTES = 40;
/** Flag of points of which each pixel keeps one. */
export const IS_THINNED = 1;

/** Records are copied as a whole from this length on, by words below. */
const LONG_BYTES = 1 << 10;

/** Sorted records. Structured-clonable. */
export interface RecordChunk {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** minX, minY, maxX, maxY in degrees; inverted infinities without a position. */
  readonly bounds: readonly [number, number, number, number];
  /** Metres on the ground that the grid of the largest zoom moved a position, at most. */
  readonly displacement: number;
}

/** Reads the heads of records. `bytes` are a whole buffer, whose length is a multiple of 8, as that of records is. */
export class RecordView {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly words: Int32Array<ArrayBuffer>;
  #view: DataView<ArrayBuffer>;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes;
    this.words = new Int32Array(bytes.buffer);
    this.#view = new DataView(bytes.buffer);
  }

  tile(at: number): number {
    return this.#view.getFloat64(at, true);
  }

  byteLength(at: number): number {
    return this.#view.getUint32(at + 8, true);
  }

  /** Larger features have larger numbers; those of one size, as all points, differ by the hash of their position. */
  rank(at: number): number {
    const size = this.#view.getUint32(at + 16, true); // Positive floats sort as their bits.
    return size * 2 ** 21 + (this.#view.getUint32(at + 12, true) >>> 11);
  }

  layer(at: number): number {
    return this.#view.getUint16(at + 20, true);
  }

  type(at: number): number {
    return this.bytes[at + 22];
  }

  isThinned(at: number): boolean {
    return (this.bytes[at + 23] & IS_THINNED) !== 0;
  }

  geometryBytes(at: number): number {
    return this.#view.getUint32(at + 24, true);
  }

  attributeBytes(at: number): number {
    return this.#view.getUint32(at + 28, true);
  }

  id(at: number): number {
    return this.#view.getFloat64(at + 32, true);
  }
}

/** Copies the record `[start, end)`. By words: a view of a part of an array, as `set` needs it, would be an object for each record. */
export function copyRecord(
  source: Int32Array,
  start: number,
  end: number,
  target: Int32Array,
  at: number,
): void {
  if (end - start > LONG_BYTES) target.set(source.subarray(start >> 2, end >> 2), at >> 2);
  else for (let i = start >> 2, to = at >> 2; i < end >> 2; i++) target[to++] = source[i];
}
