/**
 * Reads bytes from a file or a part of one. Synchronous: sources are read in worker threads and runner processes,
 * where waiting blocks nothing else.
 */
import { failure } from '@geomill/core/messages/errors.ts';
import { closeFile, type OpenFile, openFileSize, openToRead, readFileAt } from '@geomill/platform/files.ts';
import { ioErrors } from './errors.ts';

export interface ByteSource {
  readonly byteLength: number;
  /** Bytes `[start, end)`, in memory of their own; an `end` beyond the source means its length. */
  slice(start: number, end: number): Uint8Array<ArrayBuffer>;
  /** Fills `target` with the bytes from `start` on; the source must be long enough. For readers that reuse memory. */
  readInto(target: Uint8Array, start: number): void;
  [Symbol.dispose](): void;
}

/** Larger blocks are rare and are not kept. */
const MAX_KEPT_BYTES = 1 << 25;

/**
 * A block of memory that readers use one after another in this thread. New memory costs a page fault every 4 KB, about a
 * tenth of the time that scanning it takes. Only one reader may use the block at a time, and none may keep a view of it.
 */
export class ReusedMemory {
  #kept = new Uint8Array(0);

  /** At least `byteLength` bytes, with arbitrary content. */
  take(byteLength: number): Uint8Array<ArrayBuffer> {
    if (byteLength <= this.#kept.length) return this.#kept;
    const memory = new Uint8Array(byteLength);
    if (byteLength <= MAX_KEPT_BYTES) this.#kept = memory;
    return memory;
  }
}

/** Opens a file for reading. Throws FILE_NOT_FOUND. */
export function openFileSource(path: string): ByteSource {
  let file: OpenFile;
  try {
    file = openToRead(path);
  } catch (error) {
    throw failure(ioErrors.FILE_NOT_FOUND, { path, reason: (error as Error).message }, undefined, error);
  }
  const byteLength = openFileSize(file);
  const readInto = (target: Uint8Array, start: number): void => {
    const count = readFileAt(file, target, start);
    if (count < target.length)
      throw failure(ioErrors.INPUT_UNREADABLE, {
        source: path,
        reason: `it ended at byte ${start + count} while being read`,
      });
  };
  return {
    byteLength,
    slice(start, end) {
      const bytes = new Uint8Array(Math.max(0, Math.min(end, byteLength) - start));
      readInto(bytes, start);
      return bytes;
    },
    readInto,
    [Symbol.dispose]: () => closeFile(file),
  };
}

/** The first bytes of a regular file, at most so many. Throws as `openFileSource`. */
export function fileHead(path: string, byteLength: number): Uint8Array {
  using source = openFileSource(path);
  return source.slice(0, byteLength);
}
