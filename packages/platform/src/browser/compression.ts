/** Compression of bytes in memory, as compression.ts of Node.js has it. What is packed here has other bytes, and unpacks to the same. */
import { gunzipSync, gzipSync, inflateSync } from 'fflate';
import { Deflate, Z_SYNC_FLUSH } from 'pako';
import type { DeflateSetting, GzipSetting, ZstdSetting } from '../shared-types.ts';
import { part } from './parts.ts';

export type { DeflateSetting, GzipSetting, ZstdSetting } from '../shared-types.ts';

const CRC_TABLE = new Uint32Array(256).map((_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 0 ? crc >>> 1 : 0xedb88320 ^ (crc >>> 1);
  return crc;
});

export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (let at = 0; at < bytes.length; at++) crc = CRC_TABLE[(crc ^ bytes[at]) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

type Level = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** By zlib itself in JavaScript: fflate ends some runs in the middle of a byte. */
export function deflatedRun(bytes: Uint8Array, { level, memLevel }: DeflateSetting): Uint8Array<ArrayBuffer> {
  const deflate = new Deflate({ raw: true, level: level as Level, memLevel });
  const chunks: Uint8Array[] = [];
  deflate.onData = (chunk) => chunks.push(chunk.slice() as Uint8Array);
  deflate.push(bytes, Z_SYNC_FLUSH);
  return joined(chunks);
}

/** Not beside the thread of the caller, which has only itself. */
export async function deflatedRunBeside(
  bytes: Uint8Array,
  setting: DeflateSetting,
): Promise<Uint8Array<ArrayBuffer>> {
  return deflatedRun(bytes, setting);
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

export function gzip(bytes: Uint8Array, { level }: GzipSetting): Uint8Array<ArrayBuffer> {
  // As zlib does, no time: the same content gives the same bytes.
  return gzipSync(bytes as Uint8Array<ArrayBuffer>, { level: level as Level, mtime: 0 });
}

/** The functions of `@bokuweb/zstd-wasm`. */
interface Zstd {
  compress(bytes: Uint8Array, level: number): Uint8Array;
  decompress(bytes: Uint8Array, options: { readonly defaultHeapSize: number }): Uint8Array;
}

/** Name of the part with Zstandard. */
export const ZSTD = 'zstd';

export function zstd(bytes: Uint8Array, { level }: ZstdSetting): Uint8Array<ArrayBuffer> {
  return (part(ZSTD) as Zstd).compress(bytes, level) as Uint8Array<ArrayBuffer>;
}

/** More bytes than those that were allowed. */
class TooLong extends RangeError {}

export function unpacked(
  kind: 'brotli' | 'deflate' | 'gzip' | 'zstd',
  bytes: Uint8Array,
  byteLength: number,
): Uint8Array<ArrayBuffer> {
  if (kind === 'brotli') throw new Error('Brotli cannot be unpacked in a browser');
  if (kind === 'deflate') return inflated(bytes, byteLength);
  if (kind === 'zstd') return ofZstd(bytes, byteLength);
  // The size that gzip states is not believed: one byte more than the limit shows whether there is more.
  const result = gunzipSync(bytes as Uint8Array<ArrayBuffer>, { out: new Uint8Array(byteLength + 1) });
  if (result.length > byteLength) throw new TooLong(`more than ${byteLength} bytes`);
  return result as Uint8Array<ArrayBuffer>;
}

function ofZstd(bytes: Uint8Array, byteLength: number): Uint8Array<ArrayBuffer> {
  const stated = zstdContentSize(bytes);
  if (stated !== null && stated > byteLength) throw new TooLong(`more than ${byteLength} bytes`);
  const result = (part(ZSTD) as Zstd).decompress(bytes, { defaultHeapSize: byteLength });
  return result as Uint8Array<ArrayBuffer>;
}

/** What the header of a frame states (RFC 8878, 3.1.1.1), because as many bytes are allocated; null: nothing. */
function zstdContentSize(bytes: Uint8Array): number | null {
  const descriptor = bytes[4] ?? 0;
  const isSingle = (descriptor & 0x20) !== 0;
  const kind = descriptor >> 6;
  if (kind === 0 && !isSingle) return null;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3];
  const at = 5 + (isSingle ? 0 : 1) + dictionaryBytes;
  let size = 0;
  const length = 1 << kind;
  for (let i = length - 1; i >= 0; i--) size = size * 256 + (bytes[at + i] ?? 0);
  return kind === 1 ? size + 256 : size;
}

function inflated(bytes: Uint8Array, byteLength: number): Uint8Array<ArrayBuffer> {
  // With room for all bytes and one more; fflate keeps the room that it is given, and fails where it does not suffice.
  const result = inflateSync(bytes as Uint8Array<ArrayBuffer>, { out: new Uint8Array(byteLength + 1) });
  if (result.length > byteLength) throw new TooLong(`more than ${byteLength} bytes`);
  return result as Uint8Array<ArrayBuffer>;
}

export async function inflatedBeside(
  bytes: Uint8Array,
  byteLength: number,
): Promise<Uint8Array<ArrayBuffer>> {
  return inflated(bytes, byteLength);
}

export function isTooLong(error: unknown): boolean {
  return error instanceof TooLong;
}

/** Results have their memory for themselves. */
export function ownsMemory(_bytes: Uint8Array<ArrayBuffer>): boolean {
  return true;
}
