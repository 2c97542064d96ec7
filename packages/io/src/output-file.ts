/**
 * An output that is one file: written to a temporary name and renamed when it is complete, so that a partial file never
 * has the final name.
 */
import { removeFile } from '@geomill/platform/files.ts';
import { type ByteSink, createFileSink } from './byte-sink.ts';
import { type ExpectedFile, moveIntoPlace, unfinishedPath } from './output-place.ts';

export class OutputFileSink {
  readonly #path: string;
  readonly #partialPath: string;
  readonly #sink: ByteSink;
  readonly #expected: readonly ExpectedFile[] | undefined;
  #isOpen = true;

  constructor(path: string, expected?: readonly ExpectedFile[]) {
    this.#path = path;
    this.#expected = expected;
    this.#partialPath = `${unfinishedPath(path, expected)}.partial`;
    // A partial file left by a killed run is overwritten.
    this.#sink = createFileSink(this.#partialPath, true);
  }

  append(bytes: Uint8Array): void {
    this.#sink.append(bytes);
  }

  /** Overwrites bytes that were appended before. */
  patch(offset: number, bytes: Uint8Array): void {
    this.#sink.patch(offset, bytes);
  }

  /** Inserts `byteCount` undefined bytes at `offset`: the bytes after it are moved, at the cost of one copy. */
  insert(offset: number, byteCount: number): void {
    this.#sink.insert(offset, byteCount);
  }

  /** Renames the file to its final name, replacing an existing file; returns its size. Throws OUTPUT_CHANGED. */
  finish(): number {
    const { byteLength } = this.#sink;
    this.#close();
    moveIntoPlace([{ partial: this.#partialPath, path: this.#path }], this.#expected);
    return byteLength;
  }

  /** Deletes the temporary file; has no effect after `finish`. */
  abort(): void {
    this.#close();
    removeFile(this.#partialPath);
  }

  #close(): void {
    if (this.#isOpen) this.#sink.close();
    this.#isOpen = false;
  }
}
