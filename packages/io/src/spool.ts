/** Bytes that must wait for their position in a file: a few are kept in memory, many in a temporary file. */
import { removeFile } from '@geomill/platform/files.ts';
import { type ByteSink, createFileSink } from './byte-sink.ts';
import { openFileSource } from './byte-source.ts';

const MEMORY_BYTES = 1 << 20;
const COPY_BYTES = 1 << 20;

export class Spool {
  byteLength = 0;
  readonly #path: string;
  #kept: Uint8Array[] = [];
  #file: ByteSink | null = null;

  /** `path` is used only for many bytes; a file that a killed run left there is overwritten. */
  constructor(path: string) {
    this.#path = path;
  }

  append(bytes: Uint8Array): void {
    this.byteLength += bytes.length;
    if (this.#file === null && this.byteLength > MEMORY_BYTES) {
      this.#file = createFileSink(this.#path, true);
      for (const kept of this.#kept) this.#file.append(kept);
      this.#kept = [];
    }
    if (this.#file === null) this.#kept.push(bytes);
    else this.#file.append(bytes);
  }

  /** Appends all bytes to `sink` and clears the spool. */
  moveTo(sink: Pick<ByteSink, 'append'>): void {
    if (this.#file === null) for (const kept of this.#kept) sink.append(kept);
    else {
      using source = openFileSource(this.#path);
      for (let at = 0; at < source.byteLength; at += COPY_BYTES)
        sink.append(source.slice(at, at + COPY_BYTES));
    }
    this.discard();
  }

  discard(): void {
    this.#kept = [];
    if (this.#file === null) return;
    this.#file.close();
    this.#file = null;
    removeFile(this.#path);
  }
}
