/** Bytes as text, and operations on bytes, as bytes.ts of Node.js has them. */
import type { ByteView } from '../shared-types.ts';

export type { ByteView } from '../shared-types.ts';

class View extends Uint8Array {
  override indexOf(wanted: number | Uint8Array, from = 0): number {
    if (typeof wanted === 'number') return super.indexOf(wanted, from);
    const [first] = wanted;
    for (let at = super.indexOf(first, from); at >= 0; at = super.indexOf(first, at + 1)) {
      let length = 1;
      while (length < wanted.length && this[at + length] === wanted[length]) length++;
      if (length >= wanted.length) return at;
    }
    return -1;
  }

  copy(target: Uint8Array, targetStart: number, start: number, end: number): number {
    const count = Math.max(0, Math.min(end - start, target.length - targetStart));
    target.set(this.subarray(start, start + count), targetStart);
    return count;
  }

  /** Typed arrays that are derived, such as those of `map`, are plain. */
  static get [Symbol.species](): Uint8ArrayConstructor {
    return Uint8Array;
  }
}

export function byteView(bytes: Uint8Array<ArrayBufferLike>, start = 0, end = bytes.length): ByteView {
  return new View(bytes.buffer as ArrayBuffer, bytes.byteOffset + start, Math.max(0, end - start));
}

export function newByteView(byteLength: number): ByteView {
  return new View(byteLength);
}

/** `apply` takes its arguments on the stack, which has room for some ten thousands. */
const CHARACTERS_AT_ONCE = 8192;

export function latin1Text(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = '';
  for (let at = start; at < end; at += CHARACTERS_AT_ONCE)
    text += String.fromCharCode.apply(
      null,
      bytes.subarray(at, Math.min(end, at + CHARACTERS_AT_ONCE)) as unknown as number[],
    );
  return text;
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const strictUtf8 = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
/** Up to so many characters of ASCII are faster one by one than by a decoder. */
const SHORT = 24;

export function utf8Text(bytes: Uint8Array, start = 0, end = bytes.length): string {
  if (end - start <= SHORT) {
    let text = '';
    for (let at = start; at < end; at++) {
      if (bytes[at] >= 0x80) return decoded(bytes, start, end);
      text += String.fromCharCode(bytes[at]);
    }
    return text;
  }
  return decoded(bytes, start, end);
}

function decoded(bytes: Uint8Array, start: number, end: number): string {
  return utf8.decode(bytes.subarray(start, Math.max(start, end)) as Uint8Array<ArrayBuffer>);
}

export function hexText(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = '';
  for (let at = start; at < end; at++) text += bytes[at].toString(16).padStart(2, '0');
  return text;
}

export function base64Text(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return btoa(latin1Text(bytes, start, end));
}

export function base64Bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

export function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

export function utf8Length(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) length++;
    else if (unit < 0x800) length += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      length += 4;
      at++;
    } else length += 3;
  }
  return length;
}

export function areAscii(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if (bytes[at] >= 0x80) return false;
  return true;
}

export function areUtf8(bytes: Uint8Array): boolean {
  try {
    strictUtf8.decode(bytes as Uint8Array<ArrayBuffer>);
    return true;
  } catch {
    return false;
  }
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) if (a[at] !== b[at]) return a[at] < b[at] ? -1 : 1;
  return Math.sign(a.length - b.length);
}
