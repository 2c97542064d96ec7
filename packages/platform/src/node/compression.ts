/** Compression of bytes in memory, at once. Errors are those of zlib, and have a message for people. */
import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';

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

/** The unpacked bytes, of which there are at most `byteLength`: throws for more before it takes the memory. */
export function unpacked(
  kind: 'gzip' | 'brotli' | 'zstd',
  bytes: Uint8Array,
  byteLength: number,
): Uint8Array<ArrayBuffer> {
  // One chunk for the whole output: with the default of 16 KB joining the chunks takes most of the time.
  const options = { chunkSize: Math.max(64, byteLength + 1), maxOutputLength: Math.max(1, byteLength) };
  if (kind === 'gzip') return gunzipSync(bytes, options);
  return kind === 'brotli' ? brotliDecompressSync(bytes, options) : zstdDecompressSync(bytes, options);
}

/** Whether a result of this module has its memory for itself, so that it may be freed: small ones share theirs. */
export function ownsMemory({ buffer }: Uint8Array<ArrayBuffer>): boolean {
  return buffer.byteLength > 2 * Buffer.poolSize;
}
