/**
 * Values as bytes, for files that the same version of the program reads: all that can be sent to a thread, with Map, Set, BigInt, typed arrays
 * and undefined. The bytes have no form that lasts longer.
 */
import { deserialize, serialize } from 'node:v8';

export function serialized(value: unknown): Uint8Array<ArrayBuffer> {
  return serialize(value);
}

/** Typed arrays in the value may be views of the memory of `bytes`. */
export function deserialized(bytes: Uint8Array): unknown {
  return deserialize(bytes);
}
