/**
 * The pages of a database file, read without SQLite (fileformat2.html). Functions return null or false
 * wherever a file is not exactly as expected: then SQLite itself reads it, and decides whether it is damaged.
 */
import { type ByteSource, openFileSource } from '@geomill/io/byte-source.ts';
import { fileFacts } from '@geomill/platform/files.ts';

/** Plain data: it is sent to worker threads. */
export interface PageLayout {
  readonly pageBytes: number;
  /** Pages are numbered from 1. */
  readonly pageCount: number;
}

const HEADER_BYTES = 100;
const LARGEST_CODE = 1; // of the page size, for 65536
const UTF_8 = 1;
/** Names of header fields (fileformat2.html 1.3). */
const HEADER = {
  pageSize: 16,
  writeVersion: 18,
  readVersion: 19,
  reservedBytes: 20,
  changeCounter: 24,
  pageCount: 28,
  encoding: 56,
  validFor: 92,
} as const;

/**
 * Null if only SQLite can read the content: text in UTF-16, a log or journal next to the file, unknown
 * versions, bytes reserved in every page for extensions (checksums, encryption).
 */
export function readPageLayout(path: string): PageLayout | null {
  if (hasContent(`${path}-wal`) || hasContent(`${path}-journal`)) return null;
  using source = openFileSource(path);
  const head = source.slice(0, HEADER_BYTES);
  if (head.length < HEADER_BYTES) return null;
  const view = new DataView(head.buffer);
  const code = view.getUint16(HEADER.pageSize);
  const pageBytes = code === LARGEST_CODE ? 65536 : code;
  if (pageBytes < 512 || (pageBytes & (pageBytes - 1)) !== 0) return null;
  const isKnown = (version: number): boolean => version === 1 || version === 2;
  if (!isKnown(head[HEADER.writeVersion]) || !isKnown(head[HEADER.readVersion])) return null;
  if (head[HEADER.reservedBytes] !== 0 || view.getUint32(HEADER.encoding) !== UTF_8) return null;
  const isCurrent = view.getUint32(HEADER.changeCounter) === view.getUint32(HEADER.validFor);
  const present = Math.floor(source.byteLength / pageBytes);
  const declared = view.getUint32(HEADER.pageCount);
  const pageCount = isCurrent && declared > 0 ? declared : present;
  return pageCount > present ? null : { pageBytes, pageCount };
}

/** Whether a log or journal exists and is not empty. */
export function hasContent(path: string): boolean {
  return (fileFacts(path)?.size ?? 0) > 0;
}

/** Following pages are read along with a page if pages were requested roughly in order. */
const NEAR_PAGES = 64;
const WINDOW_BYTES = 1 << 18;

/** A good size of a window. */
export function windowBytes({ pageBytes }: PageLayout): number {
  return Math.max(WINDOW_BYTES, pageBytes);
}

/** Reads pages one at a time in any order: a window that grows while pages are close together. */
export class PageWindow {
  /** Valid until the next `load`. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #source: ByteSource;
  readonly #layout: PageLayout;
  #firstPage = 0;
  #endPage = 0; // exclusive
  #lastPage = 0;

  /** `bytes`: at least one page. */
  constructor(source: ByteSource, layout: PageLayout, bytes = new Uint8Array(windowBytes(layout))) {
    this.#source = source;
    this.#layout = layout;
    this.bytes = bytes;
  }

  /** Where the page begins in `bytes`. The page must be one of the file's. */
  load(page: number): number {
    const { pageBytes, pageCount } = this.#layout;
    if (page < this.#firstPage || page >= this.#endPage) {
      const isNear = page > this.#lastPage && page <= this.#lastPage + NEAR_PAGES;
      const wanted = isNear ? this.bytes.length / pageBytes : 1;
      const count = Math.min(wanted, pageCount - page + 1);
      readPages(this.#source, pageBytes, page, this.bytes.subarray(0, count * pageBytes));
      this.#firstPage = page;
      this.#endPage = page + count;
    }
    this.#lastPage = page;
    return (page - this.#firstPage) * pageBytes;
  }
}

/** Fills `target`, whole pages long, from `page` on. */
export function readPages(source: ByteSource, pageBytes: number, page: number, target: Uint8Array): void {
  source.readInto(target, (page - 1) * pageBytes);
}

export function uint16At(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 8) | bytes[at + 1];
}

export function uint32At(bytes: Uint8Array, at: number): number {
  return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;
}

/** Pages visited so far: none may be visited twice. */
export class PageSet {
  readonly #bits: Uint8Array;
  readonly #pageCount: number;

  constructor(pageCount: number) {
    this.#pageCount = pageCount;
    this.#bits = new Uint8Array((pageCount >> 3) + 1);
  }

  /** False: not a page of a table, because it does not exist, contains the schema, or was visited before. */
  add(page: number): boolean {
    if (page < 2 || page > this.#pageCount) return false;
    const bit = 1 << (page & 7);
    if ((this.#bits[page >> 3] & bit) !== 0) return false;
    this.#bits[page >> 3] |= bit;
    return true;
  }
}
