/** Bytes that must wait for their place in a file: in memory while they are few, in a file of their own beyond that. */
import { unlinkSync } from 'node:fs';
import { type ByteSink, createFileSink } from './byte-sink.ts';
import { openFileSource } from './byte-source.ts';

const MEMORY_BYTES = 1 << 20;
const COPY_BYTES = 1 << 20;

export class Spool {
  byteLength = 0;
  readonly #path: string;
  #kept: Uint8Array[] = [];
  #file: ByteSink | null = null;

  /** `path` is used only when the bytes become many; it must not exist. */
  constructor(path: string) {
    this.#path = path;
  }

  append(bytes: Uint8Array): void {
    this.byteLength += bytes.length;
    if (this.#file === null && this.byteLength > MEMORY_BYTES) {
      this.#file = createFileSink(this.#path);
      for (const kept of this.#kept) this.#file.append(kept);
      this.#kept = [];
    }
    if (this.#file === null) this.#kept.push(bytes);
    else this.#file.append(bytes);
  }

  /** Appends all bytes to `sink` and forgets them. */
  moveTo(sink: ByteSink): void {
    if (this.#file === null) for (const kept of this.#kept) sink.append(kept);
    else {
      const source = openFileSource(this.#path);
      try {
        for (let at = 0; at < source.byteLength; at += COPY_BYTES)
          sink.append(source.slice(at, at + COPY_BYTES));
      } finally {
        source.close();
      }
    }
    this.discard();
  }

  discard(): void {
    this.#kept = [];
    if (this.#file === null) return;
    this.#file.close();
    this.#file = null;
    unlinkSync(this.#path);
  }
}
