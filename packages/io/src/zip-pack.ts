/** Compresses pieces of the members of a zip archive, in any thread, with the same bytes. */
import { crc32, type DeflateSetting, deflatedRun } from '@geomill/platform/compression.ts';
import { canDeflateWords, deflateWords } from './deflate-words.ts';

/** words: 32-bit words and doubles at multiples of 4 bytes. */
export type Content = 'bytes' | 'words';

export interface PackedPiece {
  /** A run of deflate blocks that ends at a byte boundary. */
  readonly packed: Uint8Array<ArrayBuffer>;
  /** Of the bytes before they were compressed. */
  readonly crc: number;
}

/** A source of threads that compress. */
export interface Packer {
  /** `bytes` is unusable afterwards. */
  pack(bytes: Uint8Array<ArrayBuffer>, content: Content): Promise<PackedPiece>;
}

/**
 * Level 1 with the largest hash table: on coordinates as small as level 3 in three fifths of the time; level 6 would save another
 * 2 % of the size for twice the time.
 */
export const DEFLATE: DeflateSetting = {
  level: 1,
  memLevel: 9,
  chunkSize: 1 << 20,
};
/** Smaller buffers are not worth sending to another thread, nor codes of their own. */
export const SMALL_BYTES = 1 << 16;

/** Whether `deflateWords` compresses the piece. */
export function isOfWords({ length, byteOffset }: Uint8Array, content: Content): boolean {
  const isWhole = length % 4 === 0 && byteOffset % 4 === 0;
  return content === 'words' && isWhole && length >= SMALL_BYTES && canDeflateWords;
}

export function packPiece(bytes: Uint8Array<ArrayBuffer>, content: Content): PackedPiece {
  const packed = isOfWords(bytes, content) ? deflateWords(bytes) : deflatedRun(bytes, DEFLATE);
  return { packed, crc: crc32(bytes) };
}
