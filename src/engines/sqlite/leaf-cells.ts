/**
 * Cells of leaf pages of a table, one row each (fileformat2.html 1.6, "Table B-Tree Leaf Cell"):
 *
 *     payload length  varint
 *     rowid           varint, 64 bits
 *     payload         the first bytes of it, or all
 *     u32             the first overflow page, where there is more payload
 */
import { uint16At } from './database-pages.ts';
import { cellCountOf, contentStartOf, hasNoGaps, isCovered } from './page-coverage.ts';

const LEAF = 13;
const PAGE_HEADER_BYTES = 8;
const LEAST_CELL_BYTES = 4;
/** A larger row is rejected with SQLite's message (untrusted-database.ts). */
const MAX_PAYLOAD_BYTES = 1 << 29;
const TWO_TO_25 = 2 ** 25;
const TWO_TO_32 = 2 ** 32;

/** Payload bytes in the cell itself. */
export function localBytes(payload: number, pageBytes: number): number {
  const most = pageBytes - 35;
  if (payload <= most) return payload;
  const least = Math.floor(((pageBytes - 12) * 32) / 255) - 23;
  const local = least + ((payload - least) % (pageBytes - 4));
  return local <= most ? local : least;
}

/** The rows of leaf pages, in columns. */
export class LeafCells {
  rowCount = 0;
  /** Offsets of the payloads in the bytes of the pages. */
  payloadStarts: Uint32Array<ArrayBuffer>;
  /** Total, including overflow pages. */
  payloadLengths: Uint32Array<ArrayBuffer>;
  keys: BigInt64Array<ArrayBuffer>;
  /** Rows with overflow pages. */
  overflowing: number[] = [];
  readonly #pageBytes: number;
  /** The keys again: low, high. Typed arrays are little-endian wherever Node runs. */
  #keyHalves: Int32Array;
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;

  constructor(pageBytes: number, expectedRows: number) {
    this.#pageBytes = pageBytes;
    const rows = Math.max(expectedRows, maxCells(pageBytes));
    this.payloadStarts = new Uint32Array(rows);
    this.payloadLengths = new Uint32Array(rows);
    this.keys = new BigInt64Array(rows);
    this.#keyHalves = new Int32Array(this.keys.buffer);
    this.#starts = new Uint32Array(maxCells(pageBytes));
    this.#ends = new Uint32Array(maxCells(pageBytes));
  }

  clear(): void {
    this.rowCount = 0;
    this.overflowing.length = 0;
  }

  /** Appends the rows of the complete page at `bytes[pageAt]`; false: the page is not sound. */
  append(bytes: Uint8Array, pageAt: number): boolean {
    const pageBytes = this.#pageBytes;
    const cellCount = cellCountOf(bytes, pageAt);
    const contentAt = contentStartOf(bytes, pageAt);
    if (bytes[pageAt] !== LEAF || contentAt > pageBytes) return false;
    if (PAGE_HEADER_BYTES + 2 * cellCount > contentAt || cellCount > this.#starts.length) return false;
    this.#reserve(cellCount);
    const starts = this.#starts;
    const ends = this.#ends;
    const pageEnd = pageAt + pageBytes;
    let isDense = hasNoGaps(bytes, pageAt);
    let denseEnd = pageEnd;
    for (let cell = 0; cell < cellCount; cell++) {
      const start = uint16At(bytes, pageAt + PAGE_HEADER_BYTES + 2 * cell);
      if (start < contentAt || start + LEAST_CELL_BYTES > pageBytes) return false;
      const end = this.#readCell(bytes, pageAt + start);
      if (end > pageEnd || end === 0) return false;
      // The first row is usually the last one in its page, the second is before it, and so on.
      if (end !== denseEnd) isDense = false;
      denseEnd = pageAt + start;
      starts[cell] = start;
      ends[cell] = end - pageAt;
    }
    if (isDense && denseEnd === pageAt + contentAt) return true;
    return isCovered(bytes, pageAt, pageBytes, starts, ends, cellCount);
  }

  /** The key of a row; beyond 2^53 the nearest float. */
  keyAt(row: number): number {
    const halves = this.#keyHalves;
    return halves[2 * row + 1] * TWO_TO_32 + (halves[2 * row] >>> 0);
  }

  /**
   * Appends the rows of the page at `bytes[pageAt]` that have the keys from `keys[first]` on, which ascend, up to its last row. Returns the index of
   * the next key; -1: a key is missing, or the page is not a leaf with rows. Other rows of the page are not checked.
   */
  appendWanted(bytes: Uint8Array, pageAt: number, keys: Float64Array, first: number): number {
    const pageBytes = this.#pageBytes;
    const cellCount = cellCountOf(bytes, pageAt);
    if (bytes[pageAt] !== LEAF || cellCount === 0 || cellCount > this.#starts.length) return -1;
    this.#reserve(cellCount + 1);
    const lastKey = this.#keyOfCell(bytes, pageAt, cellCount - 1);
    let low = 0;
    let next = first;
    for (; next < keys.length && keys[next] <= lastKey; next++) {
      let high = cellCount - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.#keyOfCell(bytes, pageAt, middle) < keys[next]) low = middle + 1;
        else high = middle;
      }
      if (this.#keyOfCell(bytes, pageAt, low) !== keys[next]) return -1;
      const start = uint16At(bytes, pageAt + PAGE_HEADER_BYTES + 2 * low);
      const end = this.#readCell(bytes, pageAt + start);
      if (end > pageAt + pageBytes || end === 0) return -1;
      low++;
    }
    return next;
  }

  /** NaN: not a cell. */
  #keyOfCell(bytes: Uint8Array, pageAt: number, cell: number): number {
    const start = uint16At(bytes, pageAt + PAGE_HEADER_BYTES + 2 * cell);
    if (start < PAGE_HEADER_BYTES || start + LEAST_CELL_BYTES > this.#pageBytes) return Number.NaN;
    let at = pageAt + start;
    while (bytes[at] >= 0x80) at++;
    this.#readKey(bytes, at + 1);
    return this.keyAt(this.rowCount);
  }

  /** Whether every key is larger than the one before it. */
  areAscending(): boolean {
    const halves = this.#keyHalves;
    for (let row = 1; row < this.rowCount; row++) {
      const high = halves[2 * row + 1];
      const highBefore = halves[2 * row - 1];
      if (high < highBefore) return false;
      if (high === highBefore && halves[2 * row] >>> 0 <= halves[2 * row - 2] >>> 0) return false;
    }
    return true;
  }

  /** End of the cell in `bytes`, maybe after the page; 0: not a cell. */
  #readCell(bytes: Uint8Array, cellAt: number): number {
    let at = cellAt;
    let byte = bytes[at++];
    let payload = byte & 0x7f;
    while (byte >= 0x80) {
      byte = bytes[at++];
      payload = payload * 128 + (byte & 0x7f);
      if (payload > MAX_PAYLOAD_BYTES || at - cellAt > 5) return 0;
    }
    at = this.#readKey(bytes, at);
    const row = this.rowCount++;
    this.payloadStarts[row] = at;
    this.payloadLengths[row] = payload;
    const local = localBytes(payload, this.#pageBytes);
    if (local === payload) return Math.max(at + local, cellAt + LEAST_CELL_BYTES);
    this.overflowing.push(row);
    return at + local + 4;
  }

  /** Reads a rowid (fileformat2.html 1.6: 7 bits a byte, the ninth has 8); returns its end. */
  #readKey(bytes: Uint8Array, start: number): number {
    let at = start;
    let byte = bytes[at++];
    let value = byte & 0x7f;
    while (byte >= 0x80 && at < start + 7) {
      byte = bytes[at++];
      value = value * 128 + (byte & 0x7f);
    }
    let low = value | 0;
    let high = Math.floor(value / TWO_TO_32);
    if (byte >= 0x80) {
      byte = bytes[at++];
      low = (value % TWO_TO_25) * 128 + (byte & 0x7f);
      high = Math.floor(value / TWO_TO_25);
      if (byte >= 0x80) {
        high = (high << 8) | (low >>> 24);
        low = (low << 8) | bytes[at++];
      }
    }
    const half = 2 * this.rowCount;
    this.#keyHalves[half] = low;
    this.#keyHalves[half + 1] = high;
    return at;
  }

  #reserve(more: number): void {
    const rows = this.rowCount + more;
    if (rows <= this.payloadStarts.length) return;
    const room = Math.max(rows, 2 * this.payloadStarts.length);
    const { payloadStarts, payloadLengths, keys } = this;
    this.payloadStarts = new Uint32Array(room);
    this.payloadStarts.set(payloadStarts);
    this.payloadLengths = new Uint32Array(room);
    this.payloadLengths.set(payloadLengths);
    this.keys = new BigInt64Array(room);
    this.keys.set(keys);
    this.#keyHalves = new Int32Array(this.keys.buffer);
  }
}

/** A cell takes 4 bytes and a pointer of 2. */
function maxCells(pageBytes: number): number {
  return Math.ceil(pageBytes / 6);
}
