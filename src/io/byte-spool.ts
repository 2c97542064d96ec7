/** Bytes that wait until what comes before them in a file is written: a few in memory, many in a file. */
import { rmSync } from 'node:fs';
import { type ByteSink, createFileSink } from './byte-sink.ts';
import { openFileSource } from './byte-source.ts';

const MEMORY_BYTES = 32 << 20;
const BLOCK_BYTES = 1 << 20;

export class ByteSpool {
  byteLength = 0;
  readonly #path: string;
  #kept: Uint8Array[] = [];
  #file: ByteSink | null = null;

  /** `path` is used only for many bytes; a file that a killed run left there is overwritten. */
  constructor(path: string) {
    this.#path = path;
  }

  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.byteLength += bytes.length;
    if (this.#file === null && this.byteLength > MEMORY_BYTES) {
      this.#file = createFileSink(this.#path, true);
      for (const kept of this.#kept) this.#file.append(kept);
      this.#kept = [];
    }
    if (this.#file === null) this.#kept.push(bytes);
    else this.#file.append(bytes);
  }

  /** Calls `append` with all bytes; each block is valid during the call only. */
  copyTo(append: (bytes: Uint8Array) => void): void {
    for (const kept of this.#kept) append(kept);
    if (this.#file === null) return;
    using source = openFileSource(this.#path);
    const block = new Uint8Array(BLOCK_BYTES);
    for (let at = 0; at < this.byteLength; at += BLOCK_BYTES) {
      const part = block.subarray(0, Math.min(BLOCK_BYTES, this.byteLength - at));
      source.readInto(part, at);
      append(part);
    }
  }

  /** Deletes the file. */
  discard(): void {
    this.#kept = [];
    this.#file?.close();
    this.#file = null;
    rmSync(this.#path, { force: true });
  }
}
