/**
 * Appends pages to a database file while SQLite has no transaction open, and then changes the header of the file as another
 * process would that wrote these pages: SQLite finds a new change counter at its next transaction, and reads the file anew.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';

/** Offsets in the header of a file (fileformat2.html 1.3). */
const HEADER = { pageSize: 16, changeCounter: 24, pageCount: 28, validFor: 92 } as const;
const HEADER_BYTES = 100;
/** SQLite locks bytes from here on, and leaves the page that has them unused. */
const LOCK_BYTE = 2 ** 30;
/** At least one page of any size. */
const BUFFER_BYTES = 1 << 18;

export class PageFile {
  readonly pageBytes: number;
  readonly #descriptor: number;
  readonly #header = new Uint8Array(HEADER_BYTES);
  readonly #headerView = new DataView(this.#header.buffer);
  readonly #lockPage: number;
  #pageCount: number;
  #hasChanges = false;
  /** Following pages that are not written yet; allocated when needed, because small tables only have a root page. */
  #buffer: Uint8Array | null = null;
  #buffered = 0;
  #bufferStart = 0;

  /** The file must have a page, and no connection a transaction. */
  constructor(path: string) {
    this.#descriptor = openSync(path, 'r+');
    readSync(this.#descriptor, this.#header, 0, HEADER_BYTES, 0);
    const code = this.#headerView.getUint16(HEADER.pageSize);
    this.pageBytes = code === 1 ? 65536 : code;
    this.#pageCount = this.#headerView.getUint32(HEADER.pageCount);
    this.#lockPage = LOCK_BYTE / this.pageBytes + 1;
  }

  /** The number that the next page gets. */
  get nextPage(): number {
    return this.pageAfter(this.#pageCount);
  }

  /** The number of the page that is appended after another. */
  pageAfter(page: number): number {
    return page + 1 === this.#lockPage ? page + 2 : page + 1;
  }

  /** Returns the number of the page. */
  append(page: Uint8Array): number {
    const { nextPage, pageBytes } = this;
    this.#buffer ??= new Uint8Array(BUFFER_BYTES);
    if (this.#buffered + pageBytes > BUFFER_BYTES || nextPage !== this.#pageCount + 1) this.#flush();
    if (this.#buffered === 0) this.#bufferStart = (nextPage - 1) * pageBytes;
    this.#buffer.set(page, this.#buffered);
    this.#buffered += pageBytes;
    this.#pageCount = nextPage;
    return nextPage;
  }

  /** Replaces a page of the file. */
  overwrite(page: number, bytes: Uint8Array): void {
    this.#flush();
    this.#hasChanges = true;
    this.#write(bytes, (page - 1) * this.pageBytes);
  }

  /** Writes everything, and closes. */
  finish(): void {
    this.#flush();
    if (this.#hasChanges) {
      const view = this.#headerView;
      const changeCounter = view.getUint32(HEADER.changeCounter) + 1;
      view.setUint32(HEADER.changeCounter, changeCounter);
      view.setUint32(HEADER.validFor, changeCounter);
      view.setUint32(HEADER.pageCount, this.#pageCount);
      this.#write(this.#header, 0);
    }
    this.abandon();
  }

  /** Closes without completing; the file is unusable then. */
  abandon(): void {
    closeSync(this.#descriptor);
  }

  #flush(): void {
    if (this.#buffer === null || this.#buffered === 0) return;
    this.#hasChanges = true;
    this.#write(this.#buffer.subarray(0, this.#buffered), this.#bufferStart);
    this.#buffered = 0;
  }

  #write(bytes: Uint8Array, position: number): void {
    for (let written = 0; written < bytes.length; )
      written += writeSync(this.#descriptor, bytes, written, bytes.length - written, position + written);
  }
}
