/** Unpacks LZ4 blocks (lz4_Block_format.md), and the frames of Hadoop around them, which the codec LZ4 of Parquet has. */
import { copyBack, overrun } from './snappy.ts';

const LEAST_MATCH = 4;

/** Fills `target`, whose length is the unpacked size, from one block. */
export function unpackLz4(source: Uint8Array, target: Uint8Array): void {
  let from = 0;
  let at = 0;
  const length = (nibble: number): number => {
    let total = nibble;
    if (nibble < 15) return total;
    for (;;) {
      if (from >= source.length) throw overrun();
      const byte = source[from++];
      total += byte;
      if (byte < 255) return total;
    }
  };
  while (from < source.length) {
    const token = source[from++];
    const literals = length(token >> 4);
    if (from + literals > source.length || at + literals > target.length) throw overrun();
    target.set(source.subarray(from, from + literals), at);
    from += literals;
    at += literals;
    // The last sequence has literals only.
    if (from === source.length) break;
    if (from + 2 > source.length) throw overrun();
    const distance = source[from] | (source[from + 1] << 8);
    from += 2;
    at = copyBack(target, at, distance, length(token & 15) + LEAST_MATCH);
  }
  if (at !== target.length) throw overrun();
}

/** Frames of Hadoop: unpacked and packed size in big-endian before each block. Some writers leave them out. */
export function unpackHadoopLz4(source: Uint8Array, target: Uint8Array): void {
  if (!hasFrames(source, target.length)) {
    unpackLz4(source, target);
    return;
  }
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  for (let from = 0, at = 0; from < source.length; ) {
    const unpacked = view.getUint32(from);
    const packed = view.getUint32(from + 4);
    unpackLz4(source.subarray(from + 8, from + 8 + packed), target.subarray(at, at + unpacked));
    from += 8 + packed;
    at += unpacked;
  }
}

function hasFrames(source: Uint8Array, unpackedBytes: number): boolean {
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  let total = 0;
  let from = 0;
  while (from + 8 <= source.length) {
    total += view.getUint32(from);
    from += 8 + view.getUint32(from + 4);
  }
  return from === source.length && total === unpackedBytes;
}
