/**
 * Decodes texts of a drawing: bytes in the drawing's encoding, with other characters as \U+XXXX (UTF-16) or \M+nXXXX
 * (bytes of the double-byte code page n).
 */

import { type TextDecode, textDecoder } from '@geomill/core/bytes/text-encoding.ts';
import { invalidUtf8At, UTF8 } from '@geomill/core/bytes/utf8.ts';
import { utf8Wins } from '@geomill/core/bytes/utf8-evidence.ts';
import { BACKSLASH } from '@geomill/core/text/ascii.ts';
import { latin1Text } from '@geomill/platform/bytes.ts';

/** \M+n: 1 Shift JIS, 2 Big5, 3 Wansung, 4 Johab, 5 GBK. */
const MULTIBYTE = ['', 'Shift_JIS', 'Big5', 'EUC-KR', 'CP1361', 'GBK'];
const ESCAPE = /\\U\+([0-9a-f]{4})|\\M\+([1-5])([0-9a-f]{4})/gi;

const CACHE_SLOTS = 1 << 10;
const MAX_CACHED_BYTES = 64;

/** Decodes texts and caches short ones: layers, owner handles and class names are repeated often. */
export class DrawingText {
  /** Texts that were read in the other encoding: not valid in the declared one, or valid UTF-8 in spite of it. */
  otherCount = 0;
  /** Texts with bytes that are not valid in any of the encodings. */
  replacedCount = 0;
  readonly #decode: TextDecode;
  readonly #fallback: TextDecode | null;
  readonly #isUtf8: boolean;
  /** The single-byte encoding that the drawing states, if texts that are valid UTF-8 are read as UTF-8; else null. */
  readonly #doubted: string | null;
  readonly #cachedBytes = new Uint8Array(CACHE_SLOTS * MAX_CACHED_BYTES);
  readonly #cachedLengths = new Int8Array(CACHE_SLOTS).fill(-1);
  readonly #cachedTexts: string[] = new Array(CACHE_SLOTS).fill('');

  constructor(encoding: string, fallbackEncoding: string | null) {
    this.#isUtf8 = encoding === UTF8;
    this.#doubted = !this.#isUtf8 && fallbackEncoding === UTF8 ? encoding : null;
    this.#decode = textDecoder(encoding);
    this.#fallback = fallbackEncoding === null ? null : textDecoder(fallbackEncoding);
  }

  /** `bytes[start, end)` as text; equal short texts are the same string. */
  read(bytes: Uint8Array, start: number, end: number): string {
    const length = end - start;
    if (length > MAX_CACHED_BYTES) return this.#resolve(bytes, start, end);
    let hash = length;
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + bytes[i]) | 0;
    const slot = (hash ^ (hash >>> 12)) & (CACHE_SLOTS - 1);
    const cached = this.#cachedBytes;
    const base = slot * MAX_CACHED_BYTES;
    if (this.#cachedLengths[slot] === length) {
      let i = 0;
      while (i < length && cached[base + i] === bytes[start + i]) i++;
      if (i === length) return this.#cachedTexts[slot];
    }
    const text = this.#resolve(bytes, start, end);
    for (let i = 0; i < length; i++) cached[base + i] = bytes[start + i];
    this.#cachedLengths[slot] = length;
    this.#cachedTexts[slot] = text;
    return text;
  }

  #resolve(bytes: Uint8Array, start: number, end: number): string {
    let isAscii = true;
    let hasBackslash = false;
    for (let i = start; i < end; i++) {
      const byte = bytes[i];
      if (byte >= 0x80) isAscii = false;
      else if (byte === BACKSLASH) hasBackslash = true;
    }
    let text: string;
    if (isAscii) text = latin1Text(bytes, start, end);
    else {
      const isOther = this.#isOther(bytes, start, end);
      if (isOther) this.otherCount++;
      text = ((isOther ? this.#fallback : null) ?? this.#decode)(bytes, start, end);
      if (text.includes('\ufffd') && invalidUtf8At(bytes, start, end) >= 0) this.replacedCount++;
    }
    // A backslash byte can be the second byte of a double-byte character, so the decoded text is checked.
    return hasBackslash || !isAscii ? resolveEscapes(text) : text;
  }

  /** Whether a text beyond ASCII is in the other encoding. */
  #isOther(bytes: Uint8Array, start: number, end: number): boolean {
    const isUtf8 = invalidUtf8At(bytes, start, end) < 0;
    if (this.#isUtf8) return !isUtf8;
    return this.#doubted !== null && isUtf8 && utf8Wins(this.#doubted, [bytes.subarray(start, end)]);
  }
}

/** Replaces \U+XXXX and \M+nXXXX by their characters; surrogates are pairs of escapes. */
function resolveEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    ESCAPE,
    (whole, unit: string | undefined, page: string | undefined, pair: string | undefined) => {
      if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16));
      if (page === undefined || pair === undefined) return whole;
      const code = Number.parseInt(pair, 16);
      const bytes = code > 0xff ? Uint8Array.of(code >> 8, code & 0xff) : Uint8Array.of(code);
      const character = multibyteDecoder(Number(page))?.(bytes, 0, bytes.length);
      return character === undefined || character.includes('�') ? whole : character;
    },
  );
}

const multibyteDecoders: (TextDecode | null)[] = [];

function multibyteDecoder(page: number): TextDecode | null {
  let decoder = multibyteDecoders[page];
  if (decoder === undefined) {
    // iconv-lite does not support Johab: such escapes are kept.
    decoder = MULTIBYTE[page] === 'CP1361' ? null : textDecoder(MULTIBYTE[page]);
    multibyteDecoders[page] = decoder;
  }
  return decoder;
}
