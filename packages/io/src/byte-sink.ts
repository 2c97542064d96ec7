/** Appends bytes to a file in order; headers can be corrected when the totals are known. */
import { closeFile, createFile, readFileAt, writeFileAt } from '@geomill/platform/files.ts';

export interface ByteSink {
  readonly byteLength: number;
  append(bytes: Uint8Array): void;
  /** Overwrites bytes that were appended before. */
  patch(offset: number, bytes: Uint8Array): void;
  /** Inserts `byteCount` undefined bytes at `offset`: the bytes after it are moved. */
  insert(offset: number, byteCount: number): void;
  close(): void;
}

const MOVE_BYTES = 1 << 22;

/** Creates the file; fails if it already exists, so that no file is overwritten by accident. */
export function createFileSink(path: string, overwrite = false): ByteSink {
  const file = createFile(path, overwrite);
  let byteLength = 0;
  return {
    get byteLength() {
      return byteLength;
    },
    append(bytes) {
      writeFileAt(file, bytes, byteLength);
      byteLength += bytes.length;
    },
    patch: (offset, bytes) => writeFileAt(file, bytes, offset),
    insert(offset, byteCount) {
      const block = new Uint8Array(Math.min(MOVE_BYTES, byteLength - offset));
      // Starts at the end, so that no byte is overwritten before it is read.
      for (let end = byteLength; end > offset; ) {
        const start = Math.max(offset, end - MOVE_BYTES);
        readFileAt(file, block, start, 0, end - start);
        writeFileAt(file, block.subarray(0, end - start), start + byteCount);
        end = start;
      }
      byteLength += byteCount;
    },
    close: () => closeFile(file),
  };
}
