/** Writes records of pieces of features, and sorts them by their tile. */
import { copyRecord, HEAD_BYTES } from './records.ts';

const LEAST_BYTES = 1 << 16;
const LEAST_RECORDS = 1 << 10;
/** A writer that is used again keeps at most so many bytes. */
const KEPT_BYTES = 16 << 20;
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
  #tiles = new Float64Array(LEAST_RECORDS);
  #starts = new Float64Array(LEAST_RECORDS);
  #count = 0;
  /** Of the open record. */
  #x = 0;
  #y = 0;

  get byteLength(): number {
    return this.#length;
  }

  get count(): number {
    return this.#count;
  }

  /** Begins the record of a piece; its commands follow, in units of its tile, whose corner is at `left`, `top`. */
  begin(tile: number, facts: RecordFacts, size: number, type: number, flags: number): void {
    this.#reserve(HEAD_BYTES);
    const view = this.#view;
    const at = this.#length;
    if (this.#count === this.#tiles.length) this.#moreRecords();
    this.#tiles[this.#count] = tile;
    this.#starts[this.#count++] = at;
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
    this.#length = this.#starts[--this.#count];
  }

  end(attributes: Uint8Array): void {
    const start = this.#starts[this.#count - 1];
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

  /** MoveTo one position of the tile. */
  point(x: number, y: number): void {
    this.#reserve(24);
    this.#bytes[this.#length++] = 9;
    this.#zigzag(x);
    this.#zigzag(y);
  }

  /** All records, sorted by tile; those of one tile in their order. The writer is empty afterwards. */
  takeSorted(): Uint8Array<ArrayBuffer> {
    const starts = this.#starts;
    const count = this.#count;
    const out = new Uint8Array(this.#length);
    const from = new Int32Array(this.#bytes.buffer, 0, this.#length >> 2);
    const to = new Int32Array(out.buffer);
    let at = 0;
    for (const i of stableOrder(this.#tiles, count)) {
      const end = i + 1 < count ? starts[i + 1] : this.#length;
      copyRecord(from, starts[i], end, to, at);
      at += end - starts[i];
    }
    this.reset();
    return out;
  }

  reset(): void {
    this.#length = 0;
    this.#count = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#use(new Uint8Array(LEAST_BYTES));
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
    // Frees the memory of before at once.
    this.#use(new Uint8Array(this.#bytes.buffer.transfer(Math.max(needed, this.#bytes.length * 2))));
  }

  #use(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }

  #moreRecords(): void {
    const [tiles, starts] = [this.#tiles, this.#starts];
    this.#tiles = new Float64Array(this.#count * 2);
    this.#starts = new Float64Array(this.#count * 2);
    this.#tiles.set(tiles);
    this.#starts.set(starts);
  }
}

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;

/** The indexes of the first `count` numbers in ascending order of these; of equal ones in their own order. */
export function stableOrder(numbers: Float64Array, count: number): Uint32Array<ArrayBuffer> {
  let most = 0;
  for (let i = 0; i < count; i++) if (numbers[i] > most) most = numbers[i];
  let from = Uint32Array.from({ length: count }, (_, i) => i);
  let to = new Uint32Array(count);
  const starts = new Uint32Array(DIGITS);
  // A radix sort: numbers of tiles of the largest zoom have 44 bits.
  for (let unit = 1; unit <= most; unit *= DIGITS) {
    starts.fill(0);
    for (let i = 0; i < count; i++) starts[Math.floor(numbers[i] / unit) % DIGITS]++;
    for (let digit = 0, start = 0; digit < DIGITS; digit++) {
      const length = starts[digit];
      starts[digit] = start;
      start += length;
    }
    for (let i = 0; i < count; i++) {
      const index = from[i];
      to[starts[Math.floor(numbers[index] / unit) % DIGITS]++] = index;
    }
    [from, to] = [to, from];
  }
  return from;
}
