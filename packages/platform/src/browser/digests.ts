/** Digests of bytes, computed at once: those of browsers are only there asynchronously. */
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';

export function digestOf(algorithm: 'sha1' | 'sha256', bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(algorithm === 'sha1' ? sha1(bytes) : sha256(bytes));
}
