/** Compression of bytes in memory. Errors are those of zlib, and have a message for people. */
import type { DeflateSetting, GzipSetting, ZstdSetting } from '../shared-types.ts';

export type { DeflateSetting, GzipSetting, ZstdSetting } from '../shared-types.ts';

/** Loaded when it is used: every command loads this module. */
const zlib = () => process.getBuiltinModule('node:zlib');

/** CRC of the bytes after those that gave `before`. */
export function crc32(bytes: Uint8Array, before = 0): number {
  return zlib().crc32(bytes, before);
}

/** A run of deflate blocks that ends at a byte boundary, and of which none is the last: such runs one after another are a stream. */
export function deflatedRun(bytes: Uint8Array, setting: DeflateSetting): Uint8Array<ArrayBuffer> {
  return zlib().deflateRawSync(bytes, { ...setting, finishFlush: zlib().constants.Z_SYNC_FLUSH });
}

/** As `deflatedRun`, beside the thread of the caller. */
export function deflatedRunBeside(
  bytes: Uint8Array,
  setting: DeflateSetting,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    zlib().deflateRaw(bytes, { ...setting, finishFlush: zlib().constants.Z_SYNC_FLUSH }, (error, packed) => {
      if (error === null) resolve(packed);
      else reject(error);
    });
  });
}

export function gzip(bytes: Uint8Array, setting: GzipSetting): Uint8Array<ArrayBuffer> {
  return zlib().gzipSync(bytes, setting);
}

export function zstd(
  bytes: Uint8Array,
  { level, leastMatch, chunkSize }: ZstdSetting,
): Uint8Array<ArrayBuffer> {
  const params: Record<number, number> = { [zlib().constants.ZSTD_c_compressionLevel]: level };
  if (leastMatch !== undefined) params[zlib().constants.ZSTD_c_minMatch] = leastMatch;
  return zlib().zstdCompressSync(bytes, { params, chunkSize });
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
  if (kind === 'gzip') return zlib().gunzipSync(bytes, options);
  if (kind === 'deflate') return zlib().inflateRawSync(bytes, options);
  return kind === 'brotli'
    ? zlib().brotliDecompressSync(bytes, options)
    : zlib().zstdDecompressSync(bytes, options);
}

/** As `unpacked` of `deflate`, beside the thread of the caller. */
export function inflatedBeside(bytes: Uint8Array, byteLength: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    zlib().inflateRaw(bytes, unpackOptions(byteLength), (error, inflated) => {
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
