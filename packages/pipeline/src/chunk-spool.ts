/**
 * Encoded chunks of the parts of a split output, which are written one part after another: the features come in any order of
 * their values, and a thousand writers would need thousands of open files. A few chunks stay in memory, many go to one file.
 */

import { type ByteSink, createFileSink } from '@geomill/io/byte-sink.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import { removeFile } from '@geomill/platform/files.ts';
import { serialized } from '@geomill/platform/serialization.ts';
import { readStoredChunk } from './stored-chunk.ts';

/** Bytes in memory for all parts together. */
const MEMORY_BYTES = 32 << 20;
const LENGTH_BYTES = 4;

interface Block {
  readonly start: number;
  readonly end: number;
}

interface PartChunks {
  /** In the file, in the order of the chunks. Each is a sequence of chunks with their lengths. */
  readonly blocks: Block[];
  /** After those in the file. */
  waiting: Uint8Array[];
}

export class ChunkSpool {
  readonly #path: string;
  readonly #memoryBytes: number;
  readonly #parts: readonly PartChunks[];
  #waitingBytes = 0;
  #file: ByteSink | null = null;

  /** `path` is used only for many bytes; the file must not exist. */
  constructor(path: string, partCount: number, memoryBytes = MEMORY_BYTES) {
    this.#path = path;
    this.#memoryBytes = memoryBytes;
    this.#parts = Array.from({ length: partCount }, () => ({ blocks: [], waiting: [] }));
  }

  /** `chunk` is structured-clonable. */
  append(part: number, chunk: unknown): void {
    const bytes = serialized(chunk);
    this.#parts[part].waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > this.#memoryBytes) this.#moveToFile();
  }

  /** The chunks of a part in their order. */
  *chunks(part: number): Generator<unknown, void, undefined> {
    const { blocks, waiting } = this.#parts[part];
    if (blocks.length > 0) {
      using source = openFileSource(this.#path);
      for (const { start, end } of blocks) {
        const bytes = source.slice(start, end);
        const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        for (let at = 0; at < bytes.length; ) {
          const from = at + LENGTH_BYTES;
          at = from + view.getUint32(at);
          yield readStoredChunk(bytes.subarray(from, at));
        }
      }
    }
    for (const bytes of waiting) yield readStoredChunk(bytes);
  }

  discard(): void {
    this.#file?.close();
    this.#file = null;
    removeFile(this.#path);
  }

  /** Chunks of a part that come together in the file are read in one piece. */
  #moveToFile(): void {
    this.#file ??= createFileSink(this.#path);
    const file = this.#file;
    for (const part of this.#parts) {
      if (part.waiting.length === 0) continue;
      const start = file.byteLength;
      for (const bytes of part.waiting) {
        const length = new DataView(new ArrayBuffer(LENGTH_BYTES));
        length.setUint32(0, bytes.length);
        file.append(new Uint8Array(length.buffer));
        file.append(bytes);
      }
      part.blocks.push({ start, end: file.byteLength });
      part.waiting = [];
    }
    this.#waitingBytes = 0;
  }
}
