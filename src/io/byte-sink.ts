/** Where bytes go: appended in order, with room to correct a header once the totals are known. */
import { closeSync, openSync, writeSync } from 'node:fs';

export interface ByteSink {
  /** Bytes appended so far. */
  readonly byteLength: number;
  append(bytes: Uint8Array): void;
  /** Overwrites bytes that were appended before. */
  patch(offset: number, bytes: Uint8Array): void;
  close(): void;
}

/** Creates the file; fails when it exists already, so that nobody's file is overwritten by accident. */
export function createFileSink(path: string, overwrite = false): ByteSink {
  const descriptor = openSync(path, overwrite ? 'w' : 'wx');
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
    close: () => closeSync(descriptor),
  };
}
