/** Compression of bytes in memory. Errors are those of zlib, and have a message for people. */
import {
  brotliDecompressSync,
  constants,
  deflateRaw,
  deflateRawSync,
  gunzipSync,
  gzipSync,
  inflateRaw,
  inflateRawSync,
  crc32 as zlibCrc32,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';

/** CRC of the bytes after those that gave `before`. */
export function crc32(bytes: Uint8Array, before = 0): number {
  return zlibCrc32(bytes, before);
}

export interface DeflateSetting {
  /** 1, fast, to 9, small. */
  readonly level: number;
  /** Memory for the state, 1 to 9. */
  readonly memLevel: number;
  /** Bytes of each piece of memory that the result is collected in. */
  readonly chunkSize: number;
}

/** A run of deflate blocks that ends at a byte boundary, and of which none is the last: such runs one after another are a stream. */
export function deflatedRun(bytes: Uint8Array, setting: DeflateSetting): Uint8Array<ArrayBuffer> {
  return deflateRawSync(bytes, { ...setting, finishFlush: constants.Z_SYNC_FLUSH });
}

/** As `deflatedRun`, beside the thread of the caller. */
export function deflatedRunBeside(
  bytes: Uint8Array,
  setting: DeflateSetting,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    deflateRaw(bytes, { ...setting, finishFlush: constants.Z_SYNC_FLUSH }, (error, packed) => {
      if (error === null) resolve(packed);
      else reject(error);
    });
  });
}

export interface GzipSetting {
  /** 1, fast, to 9, small. */
  readonly level: number;
  /** Base-two logarithm of the window, 9 to 15. Default: 15. */
  readonly windowBits?: number;
  /** Memory for the state, 1 to 9. Default: 8. */
  readonly memLevel?: number;
  /** Bytes of each piece of memory that the result is collected in: the size of the whole result saves joining them. Default: 16 KiB. */
  readonly chunkSize?: number;
}

export function gzip(bytes: Uint8Array, setting: GzipSetting): Uint8Array<ArrayBuffer> {
  return gzipSync(bytes, setting);
}

export interface ZstdSetting {
  readonly level: number;
  /** Shortest match that is searched for. Default: that of the level. */
  readonly leastMatch?: number;
  readonly chunkSize: number;
}

export function zstd(
  bytes: Uint8Array,
  { level, leastMatch, chunkSize }: ZstdSetting,
): Uint8Array<ArrayBuffer> {
  const params: Record<number, number> = { [constants.ZSTD_c_compressionLevel]: level };
  if (leastMatch !== undefined) params[constants.ZSTD_c_minMatch] = leastMatch;
  return zstdCompressSync(bytes, { params, chunkSize });
}

/** One chunk for the whole output: with the default of 16 KB joining the chunks takes most of the time. */
function unpackOptions(byteLength: number): { chunkSize: number; maxOutputLength: number } {
  return { chunkSize: Math.max(64, byteLength + 1), maxOutputLength: Math.max(1, byteLength) };
}

/** The unpacked bytes, of which there are at most `byteLength`: throws for more before it takes the memory. `deflate`: without a header. */
export function unpacked(
  kind: 'brotli' | 'deflate' | 'gzip' | 'zstd',
  bytes: Uint8Array,
  byteLength: number,
): Uint8Array<ArrayBuffer> {
  const options = unpackOptions(byteLength);
  if (kind === 'gzip') return gunzipSync(bytes, options);
  if (kind === 'deflate') return inflateRawSync(bytes, options);
  return kind === 'brotli' ? brotliDecompressSync(bytes, options) : zstdDecompressSync(bytes, options);
}

/** As `unpacked` of `deflate`, beside the thread of the caller. */
export function inflatedBeside(bytes: Uint8Array, byteLength: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    inflateRaw(bytes, unpackOptions(byteLength), (error, inflated) => {
      if (error === null) resolve(inflated);
      else reject(error);
    });
  });
}

/** Whether `unpacked` failed because there are more bytes than those that were allowed. */
export function isTooLong(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

/** Whether a result of this module has its memory for itself, so that it may be freed: small ones share theirs. */
export function ownsMemory({ buffer }: Uint8Array<ArrayBuffer>): boolean {
  return buffer.byteLength > 2 * Buffer.poolSize;
}
