/** The texts of attributes until the topology is complete: a few in memory, many in a temporary file. */

import { type ByteSink, createFileSink } from '@geomill/io/byte-sink.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import { removeFile } from '@geomill/platform/files.ts';

const MEMORY_BYTES = 64 << 20;

export class AttributeSpool {
  readonly #path: string;
  readonly #memoryBytes: number;
  readonly #lengths: number[] = [];
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #file: ByteSink | null = null;

  /** `path` is used only for many bytes; a file that a killed run left there is overwritten. */
  constructor(path: string, memoryBytes = MEMORY_BYTES) {
    this.#path = path;
    this.#memoryBytes = memoryBytes;
  }

  append(text: Uint8Array): void {
    this.#lengths.push(text.length);
    this.#kept.push(text);
    this.#keptBytes += text.length;
    if (this.#keptBytes <= this.#memoryBytes) return;
    this.#file ??= createFileSink(this.#path, true);
    for (const kept of this.#kept) this.#file.append(kept);
    this.#kept = [];
    this.#keptBytes = 0;
  }

  /** The appended texts in their order. */
  *texts(): Generator<Uint8Array, void, undefined> {
    const inMemory = this.#kept.length;
    const inFile = this.#lengths.length - inMemory;
    if (this.#file !== null) {
      using source = openFileSource(this.#path);
      let start = 0;
      for (let i = 0; i < inFile; i++) {
        yield source.slice(start, start + this.#lengths[i]);
        start += this.#lengths[i];
      }
    }
    yield* this.#kept;
  }

  discard(): void {
    this.#kept = [];
    this.#file?.close();
    this.#file = null;
    removeFile(this.#path);
  }
}
