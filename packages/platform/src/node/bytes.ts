/**
 * Bytes as text, and operations on bytes that Node.js has native code for. All work at once, and read `[start, end)` of the bytes, which are
 * offsets within them; by default all.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { ByteView } from '../shared-types.ts';

export type { ByteView } from '../shared-types.ts';

/** A view of the same memory. */
export function byteView(bytes: Uint8Array<ArrayBufferLike>, start = 0, end = bytes.length): ByteView {
  return viewOf(bytes, start, end);
}

/** Zeros. */
export function newByteView(byteLength: number): ByteView {
  return Buffer.alloc(byteLength);
}

/** One character for each byte, which is its code: all bytes can be told apart, and ASCII is itself. */
export function latin1Text(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return viewOf(bytes, start, end).toString('latin1');
}

/** U+FFFD stands for what is not UTF-8. A byte order mark stays. */
export function utf8Text(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return viewOf(bytes, start, end).toString('utf8');
}

/** Lower-case hexadecimal digits. */
export function hexText(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return viewOf(bytes, start, end).toString('hex');
}

/** Base64 of RFC 4648 section 4, with padding. */
export function base64Text(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return viewOf(bytes, start, end).toString('base64');
}

/** The bytes of characters below U+0100; of others their lowest eight bits. */
export function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  return Buffer.from(text, 'latin1');
}

/** The bytes that a text in Base64 stands for. */
export function base64Bytes(text: string): Uint8Array<ArrayBuffer> {
  return Buffer.from(text, 'base64');
}

/** Number of bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text);
}

/** Whether all bytes are below 0x80. */
export function areAscii(bytes: Uint8Array): boolean {
  return isAscii(bytes);
}

export function areUtf8(bytes: Uint8Array): boolean {
  return isUtf8(bytes);
}

/** In memory of their own. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Below 0: `a` comes first, in the order of their first bytes that differ, then of their lengths; 0: they are equal. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

function viewOf({ buffer, byteOffset }: Uint8Array, start: number, end: number): Buffer<ArrayBuffer> {
  return Buffer.from(buffer as ArrayBuffer, byteOffset + start, Math.max(0, end - start));
}
