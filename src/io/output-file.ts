/**
 * An output that is one file: written to a temporary name and renamed when it is complete, so that a partial file never
 * has the final name.
 */
import { renameSync, rmSync } from 'node:fs';
import { type ByteSink, createFileSink } from './byte-sink.ts';

export class OutputFileSink {
  readonly #path: string;
  readonly #partialPath: string;
  readonly #sink: ByteSink;
  #isOpen = true;

  constructor(path: string) {
    this.#path = path;
    this.#partialPath = `${path}.partial`;
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

  /** Renames the file to its final name, replacing an existing file; returns its size. */
  finish(): number {
    const { byteLength } = this.#sink;
    this.#close();
    renameSync(this.#partialPath, this.#path);
    return byteLength;
  }

  /** Deletes the temporary file; has no effect after `finish`. */
  abort(): void {
    this.#close();
    rmSync(this.#partialPath, { force: true });
  }

  #close(): void {
    if (this.#isOpen) this.#sink.close();
    this.#isOpen = false;
  }
}
