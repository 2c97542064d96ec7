/**
 * Appends pages to a database file while SQLite has no transaction open, and then changes the header of the file as another
 * process would that wrote these pages: SQLite finds a new change counter at its next transaction, and reads the file anew.
 */
import { closeFile, type OpenFile, openToChange, readFileAt, writeFileAt } from '@geomill/platform/files.ts';

/** Offsets in the header of a file (fileformat2.html 1.3). */
const HEADER = { pageSize: 16, changeCounter: 24, pageCount: 28, validFor: 92 } as const;
const HEADER_BYTES = 100;
/** SQLite locks bytes from here on, and leaves the page that has them unused. */
const LOCK_BYTE = 2 ** 30;
/** At least one page of any size. */
const BUFFER_BYTES = 1 << 18;

export class PageFile {
  readonly pageBytes: number;
  readonly #file: OpenFile;
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
    this.#file = openToChange(path);
    readFileAt(this.#file, this.#header, 0);
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
    writeFileAt(this.#file, bytes, (page - 1) * this.pageBytes);
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
      writeFileAt(this.#file, this.#header, 0);
    }
    this.abandon();
  }

  /** Closes without completing; the file is unusable then. */
  abandon(): void {
    closeFile(this.#file);
  }

  #flush(): void {
    if (this.#buffer === null || this.#buffered === 0) return;
    this.#hasChanges = true;
    writeFileAt(this.#file, this.#buffer.subarray(0, this.#buffered), this.#bufferStart);
    this.#buffered = 0;
  }
}
