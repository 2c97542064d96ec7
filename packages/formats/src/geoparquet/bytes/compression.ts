/** Compression of pages. Unpacked sizes are declared, and checked before memory is taken. */
import { gzip, ownsMemory, unpacked, zstd } from '@geomill/platform/compression.ts';
import { damaged, unsupported } from '../fault.ts';
import { unpackHadoopLz4, unpackLz4 } from './lz4.ts';
import { unpackSnappy } from './snappy.ts';

/** CompressionCodec of parquet.thrift. */
export const CODEC = {
  none: 0,
  snappy: 1,
  gzip: 2,
  lzo: 3,
  brotli: 4,
  hadoopLz4: 5,
  zstd: 6,
  lz4: 7,
} as const;

const ZSTD = { level: 3 };
/**
 * Neighbouring coordinates have the same upper bytes, mostly four or five. The fast search of level 1 finds them if it looks
 * for four bytes instead of seven, and then saves more than level 3 in two fifths of its time.
 */
const ZSTD_OF_GEOMETRIES = { level: 1, leastMatch: 4 };
const GZIP_LEVEL = 6;

/** The unpacked bytes, which are `byteLength`. For codec `none` a view. */
export function unpack(
  codec: number,
  source: Uint8Array<ArrayBuffer>,
  byteLength: number,
): Uint8Array<ArrayBuffer> {
  if (byteLength === 0) return new Uint8Array(0);
  switch (codec) {
    case CODEC.none:
      if (source.length !== byteLength)
        throw damaged(`a page has ${source.length} bytes instead of ${byteLength}`);
      return source;
    case CODEC.snappy:
      return filled(byteLength, (target) => unpackSnappy(source, target));
    case CODEC.lz4:
      return filled(byteLength, (target) => unpackLz4(source, target));
    case CODEC.hadoopLz4:
      return filled(byteLength, (target) => unpackHadoopLz4(source, target));
    case CODEC.gzip:
      return checked('gzip', source, byteLength);
    case CODEC.brotli:
      return checked('brotli', source, byteLength);
    case CODEC.zstd:
      return checked('zstd', source, byteLength);
    default:
      throw unsupported(
        `it is compressed with ${codec === CODEC.lzo ? 'LZO' : `codec ${codec}`}, which is not supported; write it with zstd, snappy or gzip`,
      );
  }
}

function filled(byteLength: number, fill: (target: Uint8Array) => void): Uint8Array<ArrayBuffer> {
  const target = new Uint8Array(byteLength);
  fill(target);
  return target;
}

function checked(
  name: 'gzip' | 'brotli' | 'zstd',
  source: Uint8Array,
  byteLength: number,
): Uint8Array<ArrayBuffer> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = unpacked(name, source, byteLength);
  } catch (error) {
    throw damaged(`a page compressed with ${name} cannot be unpacked (${(error as Error).message})`);
  }
  if (bytes.length !== byteLength)
    throw damaged(`a page compressed with ${name} has ${bytes.length} bytes instead of ${byteLength}`);
  return bytes;
}

/**
 * Frees what `pack` or `unpack` returned at once: few objects are made here, so a collection of garbage can be many pages away, and when it
 * comes for the sake of this memory, V8 discards compiled code with it. No view of the memory may be used afterwards.
 */
export function release(bytes: Uint8Array<ArrayBuffer>): void {
  if (ownsMemory(bytes)) bytes.buffer.transfer(0);
}

/** The codecs that are written. */
export type Compression = 'zstd' | 'gzip' | 'none';

/** `isGeometries`: whether most of the bytes are coordinates. */
export function pack(
  compression: Compression,
  bytes: Uint8Array<ArrayBuffer>,
  isGeometries: boolean,
): Uint8Array<ArrayBuffer> {
  if (compression === 'none' || bytes.length === 0) return bytes;
  const chunkSize = Math.max(64, bytes.length + (bytes.length >> 3) + 64);
  if (compression === 'gzip') return gzip(bytes, { level: GZIP_LEVEL, chunkSize });
  return zstd(bytes, { ...(isGeometries ? ZSTD_OF_GEOMETRIES : ZSTD), chunkSize });
}
