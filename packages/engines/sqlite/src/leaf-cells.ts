/**
 * Cells of leaf pages of a table, one row each (fileformat2.html 1.6, "Table B-Tree Leaf Cell"):
 *
 *     payload length  varint
 *     rowid           varint, 64 bits
 *     payload         the first bytes of it, or all
 *     u32             the first overflow page, where there is more payload
 */
import type { CompiledRows, Place } from './compiled-rows.ts';
import { isCovered } from './page-coverage.ts';

/** A cell takes 4 bytes and a pointer of 2. */
const LEAST_BYTES_WITH_POINTER = 6;
const TWO_TO_32 = 2 ** 32;

/** Payload bytes in the cell itself. */
export function localBytes(payload: number, pageBytes: number): number {
  const most = pageBytes - 35;
  if (payload <= most) return payload;
  const least = Math.floor(((pageBytes - 12) * 32) / 255) - 23;
  const local = least + ((payload - least) % (pageBytes - 4));
  return local <= most ? local : least;
}

/** Flags in the result of `read_leaf`, above the number of rows. */
const DENSE = 1 << 20;
const OVERFLOWING = 1 << 21;
const COUNT = DENSE - 1;

/** The rows of leaf pages, in columns, which are valid until more memory is taken. */
export class LeafCells {
  rowCount = 0;
  /** Offsets of the payloads in the bytes of the pages. */
  readonly payloadStarts: Uint32Array<ArrayBuffer>;
  /** Total, including overflow pages. */
  readonly payloadLengths: Uint32Array<ArrayBuffer>;
  readonly keys: BigInt64Array<ArrayBuffer>;
  /** Rows with overflow pages. */
  readonly overflowing: number[] = [];
  readonly #memory: CompiledRows;
  readonly #bytes: Place;
  readonly #pageBytes: number;
  readonly #room: number;
  /** The keys again: low, high. Typed arrays are little-endian wherever Node runs. */
  readonly #keyHalves: Int32Array;
  /** Of the cells of the last page. */
  readonly #cellStarts: Uint32Array;
  readonly #cellEnds: Uint32Array;

  /** Of pages in memory from `bytes` on. There is room for the expected rows, and for more on the first and the last page. */
  constructor(memory: CompiledRows, bytes: Place, pageBytes: number, expectedRows: number) {
    const mostCells = Math.ceil(pageBytes / LEAST_BYTES_WITH_POINTER);
    const room = expectedRows + 2 * mostCells;
    const [keys, starts, lengths, cellStarts, cellEnds] = [8, 4, 4, 4, 4].map((size) =>
      memory.take(room * size),
    );
    this.#memory = memory;
    this.#bytes = bytes;
    this.#pageBytes = pageBytes;
    this.#room = room;
    this.keys = memory.int64(keys, room);
    this.#keyHalves = new Int32Array(this.keys.buffer, keys, 2 * room);
    this.payloadStarts = memory.uint32(starts, room);
    this.payloadLengths = memory.uint32(lengths, room);
    this.#cellStarts = memory.uint32(cellStarts, room);
    this.#cellEnds = memory.uint32(cellEnds, room);
  }

  clear(): void {
    this.rowCount = 0;
    this.overflowing.length = 0;
  }

  /** Appends the rows of the complete page at `pageAt`; false: the page is not sound, keys do not ascend, or there are more rows than expected. */
  append(pageAt: number): boolean {
    const found = this.#readLeaf(pageAt);
    if (found < 0) return false;
    const end = this.rowCount + (found & COUNT);
    if ((found & OVERFLOWING) !== 0) this.#noteOverflowing(this.rowCount, end);
    const cellCount = end - this.rowCount;
    this.rowCount = end;
    if ((found & DENSE) !== 0) return true;
    const page = this.#memory.bytes(this.#bytes + pageAt, this.#pageBytes);
    return isCovered(page, 0, this.#pageBytes, this.#cellStarts, this.#cellEnds, cellCount);
  }

  /** The key of a row; beyond 2^53 the nearest float. */
  keyAt(row: number): number {
    const halves = this.#keyHalves;
    return halves[2 * row + 1] * TWO_TO_32 + (halves[2 * row] >>> 0);
  }

  /**
   * Appends the rows of the page at `pageAt` that have the keys from `keys[first]` on, which ascend, up to its last row. Returns the index of
   * the next key; -1: a key is missing, or the page is not a leaf with rows. What else is in the page is not checked.
   */
  appendWanted(pageAt: number, keys: Float64Array, first: number): number {
    const found = this.#readLeaf(pageAt);
    if (found < 0 || (found & COUNT) === 0) return -1;
    const end = this.rowCount + (found & COUNT);
    const lastKey = this.keyAt(end - 1);
    const firstRow = this.rowCount;
    let next = first;
    for (let row = firstRow; next < keys.length && keys[next] <= lastKey; next++) {
      while (this.keyAt(row) < keys[next]) row++;
      if (this.keyAt(row) !== keys[next]) return -1;
      this.#move(row++, this.rowCount++);
    }
    if ((found & OVERFLOWING) !== 0) this.#noteOverflowing(firstRow, this.rowCount);
    return next;
  }

  #readLeaf(pageAt: number): number {
    return this.#memory.functions.read_leaf(
      this.#bytes,
      this.#bytes + pageAt,
      this.#pageBytes,
      this.rowCount,
      this.#room,
      this.payloadStarts.byteOffset,
      this.payloadLengths.byteOffset,
      this.keys.byteOffset,
      this.#cellStarts.byteOffset,
      this.#cellEnds.byteOffset,
    );
  }

  #move(from: number, to: number): void {
    this.keys[to] = this.keys[from];
    this.payloadStarts[to] = this.payloadStarts[from];
    this.payloadLengths[to] = this.payloadLengths[from];
  }

  #noteOverflowing(first: number, end: number): void {
    for (let row = first; row < end; row++) {
      const length = this.payloadLengths[row];
      if (localBytes(length, this.#pageBytes) !== length) this.overflowing.push(row);
    }
  }
}
