/** Where bytes go: appended in order, with room to correct a header once the totals are known. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';

export interface ByteSink {
  /** Bytes appended so far. */
  readonly byteLength: number;
  append(bytes: Uint8Array): void;
  /** Overwrites bytes that were appended before. */
  patch(offset: number, bytes: Uint8Array): void;
  /** Makes room for `byteCount` more bytes at `offset`: what stands from there on moves back. What the room holds is undefined. */
  insert(offset: number, byteCount: number): void;
  close(): void;
}

const MOVE_BYTES = 1 << 22;

/** Creates the file; fails when it exists already, so that nobody's file is overwritten by accident. */
export function createFileSink(path: string, overwrite = false): ByteSink {
  const descriptor = openSync(path, overwrite ? 'w+' : 'wx+');
  let byteLength = 0;
  const write = (bytes: Uint8Array, offset: number): void => {
    let written = 0;
    while (written < bytes.length)
      written += writeSync(descriptor, bytes, written, bytes.length - written, offset + written);
  };
  return {
    get byteLength() {
      return byteLength;
    },
    append(bytes) {
      write(bytes, byteLength);
      byteLength += bytes.length;
    },
    patch: (offset, bytes) => write(bytes, offset),
    insert(offset, byteCount) {
      const block = new Uint8Array(Math.min(MOVE_BYTES, byteLength - offset));
      // From the end, so that nothing is overwritten before it was read.
      for (let end = byteLength; end > offset; ) {
        const start = Math.max(offset, end - MOVE_BYTES);
        let read = 0;
        while (read < end - start)
          read += readSync(descriptor, block, read, end - start - read, start + read);
        write(block.subarray(0, end - start), start + byteCount);
        end = start;
      }
      byteLength += byteCount;
    },
    close: () => closeSync(descriptor),
  };
}
