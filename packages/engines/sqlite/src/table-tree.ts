/**
 * Fills an empty table by writing the pages of its b-tree (fileformat2.html 1.6), row after row in the order of their keys.
 * A page is written when it is full, so memory does not grow with the table. SQLite has made the table, and its root
 * page keeps its number; until `finish` the table is empty for SQLite, which may change other tables in between.
 */
import { type ByteView, newByteView } from '@geomill/platform/bytes.ts';
import { localBytes } from './leaf-cells.ts';
import type { PageFile } from './page-file.ts';
import { keyBytes, varintBytes, writeKey, writeVarint } from './record-bytes.ts';

export type Key = number | bigint;

/** The file that pages are appended to, as long as no statement runs. */
export interface PagedDatabase {
  pages(): PageFile;
}

const LEAF = 13;
const LEAF_HEADER_BYTES = 8;
const INTERIOR = 5;
const INTERIOR_HEADER_BYTES = 12;
const POINTER_BYTES = 2;
const PAGE_NUMBER_BYTES = 4;
/** Most bytes of a cell of an interior page: a page number and a key. */
const INTERIOR_CELL_BYTES = PAGE_NUMBER_BYTES + 9;
/** For fewer bytes a loop is faster than a call. */
const COPY_AT_ONCE_BYTES = 24;
/** SQLite rejects larger rows (SQLITE_MAX_LENGTH). */
export const MAX_RECORD_BYTES = 1_000_000_000;

export class TableTree {
  readonly #database: PagedDatabase;
  readonly #root: number;
  readonly #pageBytes: number;
  readonly #leaf: ByteView;
  #cellCount = 0;
  /** Where the cells of the leaf begin: they fill it from its end. */
  #contentStart: number;
  #lastKey: Key | null = null;
  readonly #levels: Level[] = [];

  constructor(database: PagedDatabase, root: number) {
    this.#database = database;
    this.#root = root;
    this.#pageBytes = database.pages().pageBytes;
    this.#leaf = newByteView(this.#pageBytes);
    this.#contentStart = this.#pageBytes;
  }

  /** The key of the last row; null: no row was appended. */
  get lastKey(): Key | null {
    return this.#lastKey;
  }

  isAbove(key: Key): boolean {
    return this.#lastKey === null || key > this.#lastKey;
  }

  /** Appends the record `bytes[start, end)`, at most MAX_RECORD_BYTES long. The key must be above that of the last row. */
  append(key: Key, bytes: ByteView, start: number, end: number): void {
    const payload = end - start;
    const headBytes = varintBytes(payload) + keyBytes(key);
    const local = localBytes(payload, this.#pageBytes);
    const tailBytes = local === payload ? 0 : PAGE_NUMBER_BYTES;
    const cellBytes = headBytes + local + tailBytes;
    const pointersEnd = LEAF_HEADER_BYTES + POINTER_BYTES * this.#cellCount;
    if (pointersEnd + POINTER_BYTES + cellBytes > this.#contentStart) this.#appendLeaf();
    const leaf = this.#leaf;
    const cell = this.#contentStart - cellBytes;
    const at = writeKey(leaf, writeVarint(leaf, cell, payload), key);
    if (local >= COPY_AT_ONCE_BYTES) bytes.copy(leaf, at, start, start + local);
    else for (let i = 0; i < local; i++) leaf[at + i] = bytes[start + i];
    if (tailBytes > 0) writeUint32(leaf, at + local, this.#appendOverflow(bytes, start + local, end));
    const pointer = LEAF_HEADER_BYTES + POINTER_BYTES * this.#cellCount;
    leaf[pointer] = cell >> 8;
    leaf[pointer + 1] = cell;
    this.#cellCount++;
    this.#contentStart = cell;
    this.#lastKey = key;
  }

  /** Writes the rest of the tree. From now on the table has its rows for SQLite; nothing more can be appended. */
  finish(): void {
    if (this.#cellCount === 0) return;
    if (this.#levels.length === 0) {
      this.#database.pages().overwrite(this.#root, this.#endLeaf());
      return;
    }
    this.#appendLeaf();
    for (let i = 0; i < this.#levels.length; i++) {
      const level = this.#levels[i];
      if (i === this.#levels.length - 1 && level.fitsOnePage) {
        this.#database.pages().overwrite(this.#root, level.take(level.count));
        return;
      }
      // A page without keys is not allowed, so the last one gets at least two children.
      if (!level.fitsOnePage) this.#appendInterior(i, level.count - 2);
      this.#appendInterior(i, level.count);
    }
  }

  #appendLeaf(): void {
    const page = this.#database.pages().append(this.#endLeaf());
    this.#addChild(0, page, this.#lastKey as Key);
    this.#cellCount = 0;
    this.#contentStart = this.#pageBytes;
  }

  #endLeaf(): Uint8Array {
    const leaf = this.#leaf;
    leaf.fill(0, LEAF_HEADER_BYTES + POINTER_BYTES * this.#cellCount, this.#contentStart);
    writePageHeader(leaf, LEAF, this.#cellCount, this.#contentStart);
    return leaf;
  }

  /** Writes a chain of overflow pages with `bytes[start, end)`; returns the first one. */
  #appendOverflow(bytes: ByteView, start: number, end: number): number {
    const file = this.#database.pages();
    const first = file.nextPage;
    const page = newByteView(this.#pageBytes);
    const room = this.#pageBytes - PAGE_NUMBER_BYTES;
    for (let at = start; at < end; at += room) {
      const count = Math.min(room, end - at);
      bytes.copy(page, PAGE_NUMBER_BYTES, at, at + count);
      page.fill(0, PAGE_NUMBER_BYTES + count);
      writeUint32(page, 0, at + count < end ? file.pageAfter(file.nextPage) : 0);
      file.append(page);
    }
    return first;
  }

  #addChild(depth: number, page: number, lastKey: Key): void {
    this.#levels[depth] ??= new Level(this.#pageBytes);
    const level = this.#levels[depth];
    level.add(page, lastKey);
    // The rest can become a page of its own.
    if (level.count === level.capacity + 2) this.#appendInterior(depth, level.capacity);
  }

  #appendInterior(depth: number, childCount: number): void {
    const level = this.#levels[depth];
    const lastKey = level.keyOf(childCount - 1);
    const page = this.#database.pages().append(level.take(childCount));
    this.#addChild(depth + 1, page, lastKey);
  }
}

/** Pages that have no parent yet, all of one depth. */
class Level {
  /** Children of a page, whatever their keys. */
  readonly capacity: number;
  readonly #page: ByteView;
  #pages: number[] = [];
  /** The largest key of each page. */
  #keys: Key[] = [];

  constructor(pageBytes: number) {
    this.capacity =
      Math.floor((pageBytes - INTERIOR_HEADER_BYTES) / (INTERIOR_CELL_BYTES + POINTER_BYTES)) + 1;
    this.#page = newByteView(pageBytes);
  }

  get count(): number {
    return this.#pages.length;
  }

  get fitsOnePage(): boolean {
    return this.count <= this.capacity;
  }

  add(page: number, lastKey: Key): void {
    this.#pages.push(page);
    this.#keys.push(lastKey);
  }

  keyOf(child: number): Key {
    return this.#keys[child];
  }

  /** Removes the first children; returns the page above them, valid until the next call. */
  take(childCount: number): Uint8Array {
    const page = this.#page.fill(0);
    let content = page.length;
    for (let child = 0; child < childCount - 1; child++) {
      const key = this.#keys[child];
      content -= PAGE_NUMBER_BYTES + keyBytes(key);
      writeUint32(page, content, this.#pages[child]);
      writeKey(page, content + PAGE_NUMBER_BYTES, key);
      writeUint16(page, INTERIOR_HEADER_BYTES + POINTER_BYTES * child, content);
    }
    writePageHeader(page, INTERIOR, childCount - 1, content);
    writeUint32(page, LEAF_HEADER_BYTES, this.#pages[childCount - 1]);
    this.#pages = this.#pages.slice(childCount);
    this.#keys = this.#keys.slice(childCount);
    return page;
  }
}

/** The first 8 bytes; there are neither free blocks nor fragments. */
function writePageHeader(page: Uint8Array, type: number, cellCount: number, contentStart: number): void {
  page[0] = type;
  writeUint16(page, 1, 0);
  writeUint16(page, 3, cellCount);
  writeUint16(page, 5, contentStart);
  page[7] = 0;
}

/** Big endian. */
function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  writeUint16(bytes, at, value >>> 16);
  writeUint16(bytes, at + 2, value);
}

/** Big endian, of the lowest bits. */
function writeUint16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >> 8;
  bytes[at + 1] = value;
}
