/**
 * Where bytes come from. Two members, so that a file, a zip entry, a buffer or a counting test double are all just
 * another source. Synchronous: sources are read in worker threads and runner processes, where waiting is free.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { failure } from '../errors.ts';

export interface ByteSource {
  readonly byteLength: number;
  /** Bytes `[start, end)`; `end` beyond the source is cut to its length. The result is the caller's to keep. */
  slice(start: number, end: number): Uint8Array<ArrayBuffer>;
  /** Fills `target` with the bytes from `start` on, which must not end before: for readers that reuse their memory. */
  readInto?(target: Uint8Array, start: number): void;
  close(): void;
}

export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    byteLength: bytes.length,
    slice: (start, end) => new Uint8Array(bytes.subarray(start, Math.min(end, bytes.length))),
    close: () => {},
  };
}

/** Opens a file for reading. Throws FILE_NOT_FOUND. */
export function openFileSource(path: string): ByteSource {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    throw failure('FILE_NOT_FOUND', { path, reason: (error as Error).message }, undefined, error);
  }
  const byteLength = fstatSync(descriptor).size;
  const readInto = (target: Uint8Array, start: number): void => {
    let filled = 0;
    while (filled < target.length) {
      const count = readSync(descriptor, target, filled, target.length - filled, start + filled);
      if (count === 0)
        throw failure('INPUT_UNREADABLE', {
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
    close: () => closeSync(descriptor),
  };
}
