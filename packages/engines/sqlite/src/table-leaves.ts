/** The leaf pages of a table in the order of their keys, from the interior pages of its b-tree (fileformat2.html 1.6). */
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { type PageLayout, type PageSet, readPages, uint16At, uint32At } from './database-pages.ts';
import { cellCountOf, contentStartOf, isCovered } from './page-coverage.ts';

const INTERIOR = 5;
const LEAF = 13;
const PAGE_HEADER_BYTES = 12;
const RIGHTMOST_CHILD = 8;
/** SQLite's limit of the depth. */
const MAX_DEPTH = 20;
export const LARGEST_KEY = 2n ** 63n - 1n;

export interface TableLeaves {
  readonly pages: number[];
  /** Upper bound of the keys of `pages[i]`; all keys of `pages[i + 1]` are larger. */
  readonly keyBounds: bigint[];
}

/** Null if the tree is not sound: then SQLite reads it. Adds the visited pages to `met`. */
export function readTableLeaves(
  source: ByteSource,
  layout: PageLayout,
  root: number,
  met: PageSet,
): TableLeaves | null {
  const depth = leafDepth(source, layout, root);
  if (depth < 0) return null;
  const leaves: TableLeaves = { pages: [], keyBounds: [] };
  const walk = new TreeWalk(source, layout, met, leaves);
  return walk.visit(root, depth, LARGEST_KEY) ? leaves : null;
}

/** Interior pages above each leaf, counted along the first ones; -1: no tree. */
function leafDepth(source: ByteSource, { pageBytes, pageCount }: PageLayout, root: number): number {
  const bytes = new Uint8Array(pageBytes);
  let page = root;
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    if (page < 2 || page > pageCount) return -1;
    readPages(source, pageBytes, page, bytes);
    if (bytes[0] === LEAF) return depth;
    if (bytes[0] !== INTERIOR) return -1;
    const first = cellCountOf(bytes, 0) > 0 ? uint16At(bytes, PAGE_HEADER_BYTES) : RIGHTMOST_CHILD;
    if (first + 4 > pageBytes) return -1;
    page = uint32At(bytes, first);
  }
  return -1;
}

class TreeWalk {
  readonly #source: ByteSource;
  readonly #layout: PageLayout;
  readonly #met: PageSet;
  readonly #leaves: TableLeaves;

  constructor(source: ByteSource, layout: PageLayout, met: PageSet, leaves: TableLeaves) {
    this.#source = source;
    this.#layout = layout;
    this.#met = met;
    this.#leaves = leaves;
  }

  /** `keyBound` is the largest allowed key under the page. */
  visit(page: number, levelsBelow: number, keyBound: bigint): boolean {
    if (!this.#met.add(page)) return false;
    const { pages, keyBounds } = this.#leaves;
    if (levelsBelow === 0) {
      pages.push(page);
      keyBounds.push(keyBound);
      return true;
    }
    const { pageBytes } = this.#layout;
    const bytes = new Uint8Array(pageBytes); // of its own: the children are read while it is needed
    readPages(this.#source, pageBytes, page, bytes);
    const cellCount = cellCountOf(bytes, 0);
    const contentAt = contentStartOf(bytes, 0);
    if (bytes[0] !== INTERIOR || contentAt > pageBytes) return false;
    if (PAGE_HEADER_BYTES + 2 * cellCount > contentAt) return false;
    const starts = new Uint32Array(cellCount);
    const ends = new Uint32Array(cellCount);
    for (let cell = 0; cell < cellCount; cell++) {
      const start = uint16At(bytes, PAGE_HEADER_BYTES + 2 * cell);
      starts[cell] = start;
      ends[cell] = keyEnd(bytes, start + 4);
      if (start < contentAt || ends[cell] > pageBytes) return false;
    }
    if (!isCovered(bytes, 0, pageBytes, starts, ends, cellCount)) return false;
    for (let cell = 0; cell < cellCount; cell++) {
      const key = readKey(bytes, starts[cell] + 4);
      const before = keyBounds.at(-1);
      if ((before !== undefined && key <= before) || key > keyBound) return false;
      if (!this.visit(uint32At(bytes, starts[cell]), levelsBelow - 1, key)) return false;
    }
    return this.visit(uint32At(bytes, RIGHTMOST_CHILD), levelsBelow - 1, keyBound);
  }
}

function keyEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at] >= 0x80 && at < start + 8) at++;
  return at + 1;
}

function readKey(bytes: Uint8Array, start: number): bigint {
  let value = 0;
  for (let i = 0; i < 7; i++) {
    const byte = bytes[start + i];
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return BigInt(value);
  }
  const byte = bytes[start + 7];
  const key = (BigInt(value) << 7n) | BigInt(byte & 0x7f);
  return byte < 0x80 ? key : BigInt.asIntN(64, (key << 8n) | BigInt(bytes[start + 8]));
}
