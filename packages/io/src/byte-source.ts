/**
 * Reads bytes from a file or a part of one. Synchronous: sources are read in worker threads and runner processes,
 * where waiting blocks nothing else.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { failure } from '@geomill/core/messages/errors.ts';
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
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    throw failure(ioErrors.FILE_NOT_FOUND, { path, reason: (error as Error).message }, undefined, error);
  }
  const byteLength = fstatSync(descriptor).size;
  const readInto = (target: Uint8Array, start: number): void => {
    let filled = 0;
    while (filled < target.length) {
      const count = readSync(descriptor, target, filled, target.length - filled, start + filled);
      if (count === 0)
        throw failure(ioErrors.INPUT_UNREADABLE, {
          source: path,
          reason: `it ended at byte ${start + filled} while being read`,
        });
      filled += count;
    }
  };
  return {
    byteLength,
    slice(start, end) {
      const bytes = new Uint8Array(Math.max(0, Math.min(end, byteLength) - start));
      readInto(bytes, start);
      return bytes;
    },
    readInto,
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

/** The first bytes of a regular file, at most so many. Throws as `openFileSource`. */
export function fileHead(path: string, byteLength: number): Uint8Array {
  using source = openFileSource(path);
  return source.slice(0, byteLength);
}
