/** Digests of bytes, computed at once. They tell contents apart; nothing here keeps secrets. */
import { hash } from 'node:crypto';

/** In memory that may be part of a larger one: 20 bytes of SHA-1, 32 of SHA-256. */
export function digestOf(algorithm: 'sha1' | 'sha256', bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return hash(algorithm, bytes, 'buffer');
}
