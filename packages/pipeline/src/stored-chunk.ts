/** Encoded chunks as bytes: in files, and between processes. */
import { deserialized } from '@geomill/platform/serialization.ts';

/**
 * A chunk as it was before `serialized`. The arrays of `deserialized` are views of its argument, but writers take the whole buffer of an
 * array, align it or free it.
 */
export function readStoredChunk(bytes: Uint8Array): unknown {
  return withOwnBuffers(deserialized(bytes));
}

function withOwnBuffers(value: unknown): unknown {
  if (value instanceof Object === false) return value;
  if (ArrayBuffer.isView(value)) {
    if (value.byteLength === value.buffer.byteLength || value instanceof DataView) return value;
    const { buffer, byteOffset, byteLength } = value;
    const Kind = value.constructor as new (own: ArrayBufferLike) => typeof value;
    return new Kind(buffer.slice(byteOffset, byteOffset + byteLength));
  }
  if (Array.isArray(value)) return value.map(withOwnBuffers);
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, withOwnBuffers(own)]));
}
