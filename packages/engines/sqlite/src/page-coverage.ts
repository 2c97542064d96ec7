/**
 * Whether the cells of a b-tree page and its free blocks fill the page (fileformat2.html 1.6). This detects a page
 * with a wrong count of cells, which would otherwise be read as fewer rows without an error.
 *
 *     header | pointers to cells, 2 bytes each | unallocated | from `contentAt` on: cells, free blocks, fragments
 */
import { uint16At } from './database-pages.ts';

const FIRST_FREE_BLOCK = 1;
const CELL_COUNT = 3;
const CONTENT = 5;
const FRAGMENTED_BYTES = 7;
const LEAST_FREE_BLOCK = 4;
/** Larger than any offset in a page. */
const PLACES = 1 << 17;

export function cellCountOf(bytes: Uint8Array, pageAt: number): number {
  return uint16At(bytes, pageAt + CELL_COUNT);
}

/** Offset of the first cell in the page; 0 means 65536. */
export function contentStartOf(bytes: Uint8Array, pageAt: number): number {
  return uint16At(bytes, pageAt + CONTENT) || 65536;
}

/** `starts` and `ends` (exclusive) of the cells are offsets in the page, none before its content. */
export function isCovered(
  bytes: Uint8Array,
  pageAt: number,
  pageBytes: number,
  starts: Uint32Array,
  ends: Uint32Array,
  cellCount: number,
): boolean {
  const contentAt = contentStartOf(bytes, pageAt);
  const extents: number[] = [];
  for (let i = 0; i < cellCount; i++) extents.push(starts[i] * PLACES + ends[i]);
  let last = contentAt - 1;
  for (let at = uint16At(bytes, pageAt + FIRST_FREE_BLOCK); at !== 0; at = uint16At(bytes, pageAt + at)) {
    if (at <= last || at + LEAST_FREE_BLOCK > pageBytes) return false;
    const size = uint16At(bytes, pageAt + at + 2);
    if (size < LEAST_FREE_BLOCK || at + size > pageBytes) return false;
    extents.push(at * PLACES + at + size);
    last = at + size - 1;
  }
  const sorted = Float64Array.from(extents).sort();
  let covered = contentAt;
  let fragmented = 0;
  for (let i = 0; i < sorted.length; i++) {
    const start = Math.floor(sorted[i] / PLACES);
    if (start < covered) return false;
    fragmented += start - covered;
    covered = sorted[i] - start * PLACES;
  }
  return fragmented + pageBytes - covered === bytes[pageAt + FRAGMENTED_BYTES];
}
