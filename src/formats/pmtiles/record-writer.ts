/** Writes records of pieces of features, and sorts them by their tile. */
import { HEAD_BYTES } from './records.ts';

const LEAST_BYTES = 1 << 16;
/** One byte array has at most so many bytes. */
export const MOST_BYTES = 2 ** 29;

/** What all pieces of a feature have. */
export interface RecordFacts {
  readonly hash: number;
  readonly layer: number;
  /** NaN: none. */
  readonly id: number;
  readonly attributes: Uint8Array;
}

export class RecordWriter {
  #bytes = new Uint8Array(LEAST_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  #tiles: number[] = [];
  #starts: number[] = [];
  /** Of the open record. */
  #x = 0;
  #y = 0;

  get byteLength(): number {
    return this.#length;
  }

  get count(): number {
    return this.#tiles.length;
  }

  /** Begins the record of a piece; its commands follow, in units of its tile, whose corner is at `left`, `top`. */
  begin(tile: number, facts: RecordFacts, size: number, type: number, flags: number): void {
    this.#reserve(HEAD_BYTES);
    const view = this.#view;
    const at = this.#length;
    this.#tiles.push(tile);
    this.#starts.push(at);
    view.setFloat64(at, tile, true);
    view.setUint32(at + 12, facts.hash, true);
    view.setFloat32(at + 16, size, true);
    view.setUint16(at + 20, facts.layer, true);
    view.setUint8(at + 22, type);
    view.setUint8(at + 23, flags);
    view.setFloat64(at + 32, facts.id, true);
    this.#length = at + HEAD_BYTES;
    this.#x = 0;
    this.#y = 0;
  }

  /** Takes the open record back. */
  cancel(): void {
    this.#tiles.pop();
    this.#length = this.#starts.pop() ?? 0;
  }

  end(attributes: Uint8Array): void {
    const start = this.#starts[this.#starts.length - 1];
    this.#reserve(attributes.length + 8);
    const view = this.#view;
    view.setUint32(start + 24, this.#length - start - HEAD_BYTES, true);
    view.setUint32(start + 28, attributes.length, true);
    this.#bytes.set(attributes, this.#length);
    const end = (this.#length + attributes.length + 7) & ~7;
    this.#bytes.fill(0, this.#length + attributes.length, end);
    this.#length = end;
    view.setUint32(start + 8, end - start, true);
  }

  /** MoveTo (1) or LineTo (2) `count` positions of the line from `from` on; the tile's corner is at `left`, `top`. */
  draw(
    command: 1 | 2,
    line: readonly number[],
    from: number,
    count: number,
    left: number,
    top: number,
  ): void {
    this.#reserve(10 * (2 * count + 1));
    this.#varint(command | (count << 3));
    let { x, y } = { x: this.#x, y: this.#y };
    for (let i = from * 2; i < (from + count) * 2; i += 2) {
      const toX = line[i] - left;
      const toY = line[i + 1] - top;
      this.#zigzag(toX - x);
      this.#zigzag(toY - y);
      x = toX;
      y = toY;
    }
    this.#x = x;
    this.#y = y;
  }

  closePath(): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = 15;
  }

  /** All records, sorted by tile; those of one tile in their order. */
  sorted(): Uint8Array<ArrayBuffer> {
    const tiles = this.#tiles;
    const starts = this.#starts;
    const order = Uint32Array.from(tiles, (_, i) => i);
    order.sort((a, b) => tiles[a] - tiles[b] || a - b);
    const out = new Uint8Array(this.#length);
    let at = 0;
    for (const i of order) {
      const end = starts[i + 1] ?? this.#length;
      out.set(this.#bytes.subarray(starts[i], end), at);
      at += end - starts[i];
    }
    return out;
  }

  #zigzag(value: number): void {
    this.#varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  #varint(value: number): void {
    const bytes = this.#bytes;
    let at = this.#length;
    let rest = value;
    while (rest > 0x7f) {
      bytes[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    bytes[at++] = rest;
    this.#length = at;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}
