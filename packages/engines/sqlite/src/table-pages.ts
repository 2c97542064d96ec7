/**
 * Reads the rows of a table from its pages. `measureTable` walks over the whole table once, as SQLite's own check of pages
 * does, and returns the sizes of its rows; `readRowPayloads` reads the rows of a run of leaf pages.
 *
 * Both return null at any fault. The bytes are read by position and not mapped: a mapped file
 * that is truncated during the read would end the process.
 */
import { type ByteSource, openFileSource } from '@geomill/io/byte-source.ts';
import { CompiledRows } from './compiled-rows.ts';
import { type PageLayout, PageSet, PageWindow, readPages, uint32At, windowBytes } from './database-pages.ts';
import { LeafCells, localBytes } from './leaf-cells.ts';
import type { Payloads } from './records.ts';
import { readTableLeaves } from './table-leaves.ts';

/** Leaf pages in the order of their keys. Plain data: it is sent to worker threads. */
export interface TablePages extends PageLayout {
  readonly leaves: Uint32Array<ArrayBuffer>;
}

/** Number of rows of each leaf page. */
export interface TableMeasures {
  readonly pages: TablePages;
  readonly rowCounts: Uint32Array<ArrayBuffer>;
  readonly payloadBytes: Float64Array<ArrayBuffer>;
  /** For a page without rows: the largest key that rows on it could have. */
  readonly lastKeys: BigInt64Array<ArrayBuffer>;
}

/** Gets the rows of a leaf page, valid until it returns. False: no more pages are read, and the result is null. */
export type VisitRows = (bytes: Uint8Array, cells: LeafCells) => boolean;

/** Reads every leaf page: each is sound, keys ascend, and no page is used twice. `visit` gets them in the order of the file. */
export function measureTable(
  path: string,
  layout: PageLayout,
  root: number,
  visit: VisitRows | null = null,
): TableMeasures | null {
  using source = openFileSource(path);
  const met = new PageSet(layout.pageCount);
  const tree = readTableLeaves(source, layout, root, met);
  if (tree === null) return null;
  return new LeafWalk(source, layout, Uint32Array.from(tree.pages), tree.keyBounds, met).measure(visit);
}

/** Bytes of the rows of one leaf page, and their keys. Null where the page has changed since it was measured. */
export function measureRows(
  path: string,
  layout: PageLayout,
  leaf: number,
): { readonly payloadBytes: Uint32Array; readonly keys: BigInt64Array } | null {
  using source = openFileSource(path);
  const { cells, bytes } = onePage(layout);
  readPages(source, layout.pageBytes, leaf, bytes);
  if (!cells.append(0)) return null;
  return {
    payloadBytes: cells.payloadLengths.slice(0, cells.rowCount),
    keys: cells.keys.slice(0, cells.rowCount),
  };
}

function onePage({ pageBytes }: PageLayout): { cells: LeafCells; bytes: Uint8Array<ArrayBuffer> } {
  const memory = CompiledRows.start();
  const place = memory.take(pageBytes);
  const cells = new LeafCells(memory, place, pageBytes, 0);
  return { cells, bytes: memory.bytes(place, pageBytes) };
}

/** Rows by their keys. `pages` are the leaf pages that have them. */
export interface RowMeasures {
  readonly pages: TablePages;
  /** By row: index in `leaves`, and bytes of the payload. */
  readonly leafOf: Uint32Array<ArrayBuffer>;
  readonly payloadBytes: Uint32Array<ArrayBuffer>;
}

/** Reads the leaf pages of the rows with these keys, which ascend and are exact as numbers. Null if one is missing. */
export function measureKeys(
  path: string,
  layout: PageLayout,
  root: number,
  keys: Float64Array,
): RowMeasures | null {
  using source = openFileSource(path);
  const tree = readTableLeaves(source, layout, root, new PageSet(layout.pageCount));
  if (tree === null) return null;
  const bounds = Float64Array.from(tree.keyBounds, Number);
  const leaves: number[] = [];
  const leafOf = new Uint32Array(keys.length);
  const payloadBytes = new Uint32Array(keys.length);
  const { cells, bytes } = onePage(layout);
  let row = 0;
  for (let leaf = 0; row < keys.length; leaf++) {
    if (leaf === tree.pages.length) return null;
    if (keys[row] > bounds[leaf]) continue;
    readPages(source, layout.pageBytes, tree.pages[leaf], bytes);
    cells.clear();
    const end = cells.appendWanted(0, keys, row);
    if (end <= row) return null;
    leafOf.fill(leaves.length, row, end);
    payloadBytes.set(cells.payloadLengths.subarray(0, end - row), row);
    leaves.push(tree.pages[leaf]);
    row = end;
  }
  return { pages: { ...layout, leaves: Uint32Array.from(leaves) }, leafOf, payloadBytes };
}

class LeafWalk {
  readonly #source: ByteSource;
  readonly #layout: PageLayout;
  readonly #leaves: Uint32Array<ArrayBuffer>;
  readonly #keyBounds: readonly bigint[];
  readonly #met: PageSet;
  readonly #chainHeads: number[] = [];
  readonly #chainLengths: number[] = [];
  /** Overflow pages that rows claim to have. */
  #claimedPages = 0;

  constructor(
    source: ByteSource,
    layout: PageLayout,
    leaves: Uint32Array<ArrayBuffer>,
    keyBounds: readonly bigint[],
    met: PageSet,
  ) {
    this.#source = source;
    this.#layout = layout;
    this.#leaves = leaves;
    this.#keyBounds = keyBounds;
    this.#met = met;
  }

  measure(visit: VisitRows | null): TableMeasures | null {
    const leaves = this.#leaves;
    const rowCounts = new Uint32Array(leaves.length);
    const payloadBytes = new Float64Array(leaves.length);
    const lastKeys = new BigInt64Array(leaves.length);
    const memory = CompiledRows.start();
    const place = memory.take(windowBytes(this.#layout));
    const cells = new LeafCells(memory, place, this.#layout.pageBytes, 0);
    const bytes = memory.bytes(place, windowBytes(this.#layout));
    const window = new PageWindow(this.#source, this.#layout, bytes);
    for (const leaf of inFileOrder(leaves)) {
      const pageAt = window.load(leaves[leaf]);
      cells.clear();
      if (!cells.append(pageAt)) return null;
      const { rowCount } = cells;
      const bound = this.#keyBounds[leaf];
      if (rowCount > 0) {
        if (cells.keys[rowCount - 1] > bound) return null;
        if (leaf > 0 && cells.keys[0] <= this.#keyBounds[leaf - 1]) return null;
      }
      rowCounts[leaf] = rowCount;
      lastKeys[leaf] = rowCount > 0 ? cells.keys[rowCount - 1] : bound;
      let payload = 0;
      for (let row = 0; row < rowCount; row++) payload += cells.payloadLengths[row];
      payloadBytes[leaf] = payload;
      if (cells.overflowing.length > 0 && !this.#noteChains(window.bytes, cells)) return null;
      if (visit !== null && !visit(window.bytes, cells)) return null;
    }
    if (!this.#areChainsSound()) return null;
    return { pages: { ...this.#layout, leaves }, rowCounts, payloadBytes, lastKeys };
  }

  #noteChains(bytes: Uint8Array, cells: LeafCells): boolean {
    const { pageBytes, pageCount } = this.#layout;
    for (const row of cells.overflowing) {
      const length = cells.payloadLengths[row];
      const local = localBytes(length, pageBytes);
      const pages = Math.ceil((length - local) / (pageBytes - 4));
      this.#claimedPages += pages;
      if (this.#claimedPages > pageCount) return false;
      this.#chainHeads.push(uint32At(bytes, cells.payloadStarts[row] + local));
      this.#chainLengths.push(pages);
    }
    return true;
  }

  #areChainsSound(): boolean {
    const window = new PageWindow(this.#source, this.#layout);
    for (let chain = 0; chain < this.#chainHeads.length; chain++) {
      let page = this.#chainHeads[chain];
      for (let left = this.#chainLengths[chain]; left > 0; left--) {
        if (!this.#met.add(page)) return false;
        page = uint32At(window.bytes, window.load(page));
      }
      if (page !== 0) return false;
    }
    return true;
  }
}

/** Indexes in `leaves`, by page number: the file is read forward, whatever the order of the keys. */
function inFileOrder(leaves: Uint32Array): Uint32Array {
  const order = new Uint32Array(leaves.length);
  let isAscending = true;
  for (let i = 0; i < leaves.length; i++) {
    order[i] = i;
    if (i > 0 && leaves[i] < leaves[i - 1]) isAscending = false;
  }
  return isAscending ? order : order.sort((a, b) => leaves[a] - leaves[b]);
}

/** Rows with keys in a range. */
export interface RowRun {
  /** Indexes in `leaves`. */
  readonly leafStart: number;
  readonly leafEnd: number; // exclusive
  /** Rows of these pages with keys outside the range are left out. */
  readonly firstKey: bigint;
  readonly lastKey: bigint;
  /** Rows with other keys are left out, too; ascending. Null: all keys are wanted. */
  readonly wantedKeys: Float64Array | null;
  readonly rowCount: number;
}

/** All payloads, each contiguous. */
export interface RowPayloads extends Payloads {
  readonly keys: BigInt64Array<ArrayBuffer>;
}

/** The bytes are valid until memory of compiled functions is used again. Null if the pages have changed since they were measured. */
export function readRowPayloads(path: string, pages: TablePages, run: RowRun): RowPayloads | null {
  using source = openFileSource(path);
  return payloadsOf(source, pages, run);
}

function payloadsOf(source: ByteSource, pages: TablePages, run: RowRun): RowPayloads | null {
  const { pageBytes } = pages;
  const leaves = pages.leaves.subarray(run.leafStart, run.leafEnd);
  const byteLength = leaves.length * pageBytes;
  const memory = CompiledRows.start();
  const place = memory.take(byteLength);
  const cells = new LeafCells(memory, place, pageBytes, run.rowCount);
  readLeaves(source, pageBytes, leaves, memory.bytes(place, byteLength));
  const { wantedKeys } = run;
  let next = wantedKeys === null ? 0 : indexOfFirst(wantedKeys, run.firstKey);
  for (let leaf = 0; leaf < leaves.length; leaf++) {
    const pageAt = leaf * pageBytes;
    if (wantedKeys !== null) next = cells.appendWanted(pageAt, wantedKeys, next);
    if (wantedKeys === null ? !cells.append(pageAt) : next < 0) return null;
  }
  const { keys } = cells;
  let first = 0;
  let end = cells.rowCount;
  while (first < end && keys[first] < run.firstKey) first++;
  while (end > first && keys[end - 1] > run.lastKey) end--;
  if (end - first !== run.rowCount) return null;
  const starts = cells.payloadStarts.slice(first, end);
  const lengths = cells.payloadLengths.slice(first, end);
  const payloads = { memory, bytes: place, byteLength, rowCount: run.rowCount, starts, lengths };
  const result = { ...payloads, keys: keys.slice(first, end) };
  const overflowing = cells.overflowing.filter((row) => row >= first && row < end);
  if (overflowing.length === 0) return result;
  const wholeLength = joinPayloads(
    source,
    pages,
    payloads,
    overflowing.map((row) => row - first),
  );
  return wholeLength === null ? null : { ...result, byteLength: wholeLength };
}

function indexOfFirst(ascending: Float64Array, least: bigint): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Consecutive pages in the file are read at once. */
function readLeaves(source: ByteSource, pageBytes: number, leaves: Uint32Array, bytes: Uint8Array): void {
  let start = 0;
  for (let i = 1; i <= leaves.length; i++) {
    if (i < leaves.length && leaves[i] === leaves[i - 1] + 1) continue;
    readPages(source, pageBytes, leaves[start], bytes.subarray(start * pageBytes, i * pageBytes));
    start = i;
  }
}

/** Copies the payloads of rows with overflow pages behind all others, each contiguous, and changes where they start. Returns the length of all bytes. */
function joinPayloads(
  source: ByteSource,
  pages: TablePages,
  { memory, bytes, starts, lengths }: Payloads,
  rows: readonly number[],
): number | null {
  const { pageBytes, pageCount } = pages;
  const added = rows.reduce((sum, row) => sum + lengths[row], 0);
  let at = memory.take(added) - bytes;
  const wholeLength = at + added;
  const whole = memory.bytes(bytes, wholeLength);
  const window = new PageWindow(source, pages);
  for (const row of rows) {
    const start = starts[row];
    const local = localBytes(lengths[row], pageBytes);
    whole.copyWithin(at, start, start + local);
    starts[row] = at;
    let page = uint32At(whole, start + local);
    const payloadEnd = at + lengths[row];
    at += local;
    while (at < payloadEnd) {
      if (page < 2 || page > pageCount) return null;
      const pageAt = window.load(page);
      const count = Math.min(pageBytes - 4, payloadEnd - at);
      whole.set(window.bytes.subarray(pageAt + 4, pageAt + 4 + count), at);
      at += count;
      page = uint32At(window.bytes, pageAt);
    }
    if (page !== 0) return null;
  }
  return wholeLength;
}
