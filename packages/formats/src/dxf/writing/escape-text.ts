/**
 * Writes text as the value of a tag. A value ends with its line, so control characters are written as in AutoCAD: ^J
 * for a line feed, and a caret as "^ ". A backslash before "U+" or "M+", which begin character codes, is written as
 * such a code itself, so that text which looks like a code is read back unchanged. DELETE has no caret form here and is
 * written as a code, too.
 */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { utf8Boundary } from '@geomill/core/bytes/utf8.ts';
import {
  BACKSLASH,
  CARET,
  CLOSE_BRACE,
  CR,
  DELETE,
  LF,
  OPEN_BRACE,
  PERCENT,
  PLUS,
  SPACE,
  UPPER_M,
  UPPER_P,
  UPPER_U,
} from '@geomill/core/text/ascii.ts';

/** The bit that differs in lower case; readers accept both cases. */
const LETTER_CASE = 0x20;
/** "\U+005C", a backslash. */
const BACKSLASH_CODE = new TextEncoder().encode('\\U+005C');
const DELETE_CODE = new TextEncoder().encode('\\U+007F');
const TEXT_CODES = new TextEncoder().encode('oukdpc');
/** Greatest number of bytes written for one byte. */
export const MOST_BYTES_PER_BYTE = BACKSLASH_CODE.length;

/** 1 for bytes that need a check. */
const SPECIAL = new Uint8Array(256);
SPECIAL.fill(1, 0, SPACE);
SPECIAL[CARET] = 1;
SPECIAL[DELETE] = 1;
SPECIAL[BACKSLASH] = 1;

/** Appends UTF-8 `source[start, end)` as the value of a tag, without its line end. */
export function writeEscaped(out: ByteWriter, source: Uint8Array, start: number, end: number): void {
  out.reserve((end - start) * 2);
  let { bytes } = out;
  let at = out.length;
  for (let i = start; i < end; i++) {
    const byte = source[i];
    if (SPECIAL[byte] === 0) bytes[at++] = byte;
    else if (byte === DELETE || (byte === BACKSLASH && beginsCode(source, i, end))) {
      out.length = at;
      out.copy(byte === DELETE ? DELETE_CODE : BACKSLASH_CODE);
      out.reserve((end - i) * 2);
      bytes = out.bytes;
      at = out.length;
    } else if (byte === BACKSLASH) bytes[at++] = byte;
    else {
      bytes[at++] = CARET;
      bytes[at++] = byte === CARET ? SPACE : byte + 0x40;
    }
  }
  out.length = at;
}

function beginsCode(source: Uint8Array, at: number, end: number): boolean {
  const letter = source[at + 1] & ~LETTER_CASE;
  return at + 2 < end && (letter === UPPER_U || letter === UPPER_M) && source[at + 2] === PLUS;
}

/** Writes the string of a TEXT, in which "%%d" is a degree sign, and "%%%" a per cent sign that begins no code. */
export function writeTextValue(out: ByteWriter, source: Uint8Array): void {
  let start = 0;
  for (let i = 0; i + 2 < source.length; i++) {
    if (source[i] !== PERCENT || source[i + 1] !== PERCENT || !isTextCode(source[i + 2])) continue;
    writeEscaped(out, source, start, i);
    out.ascii('%%%%%%');
    start = i + 2;
    i++;
  }
  writeEscaped(out, source, start, source.length);
}

/** What follows "%%" in a code: o u k (lines), d p c (signs), a digit (a character by number), a per cent sign. */
function isTextCode(byte: number): boolean {
  return byte === PERCENT || (byte >= 0x30 && byte <= 0x39) || TEXT_CODES.includes(byte | LETTER_CASE);
}

/**
 * Writes the string of an MTEXT, before it is split: \P for line ends, a backslash before characters that would begin a
 * code.
 */
export function writeMtextValue(out: ByteWriter, source: Uint8Array): void {
  for (let i = 0; i < source.length; i++) {
    const byte = source[i];
    if (byte === LF || byte === CR) {
      if (byte === CR && source[i + 1] === LF) i++;
      out.uint8(BACKSLASH);
      out.uint8(UPPER_P);
    } else if (byte === BACKSLASH && beginsCode(source, i, source.length)) {
      out.copy(BACKSLASH_CODE);
      out.copy(BACKSLASH_CODE);
    } else {
      if (byte === BACKSLASH || byte === OPEN_BRACE || byte === CLOSE_BRACE) out.uint8(BACKSLASH);
      if (byte < SPACE || byte === CARET) writeEscaped(out, source, i, i + 1);
      else out.uint8(byte);
    }
  }
}

/**
 * The greatest end of a value that begins at `start` with at most `most` bytes, so that no character or code is split.
 */
export function cutAt(escaped: Uint8Array, start: number, end: number, most: number): number {
  if (end - start <= most) return end;
  let at = utf8Boundary(escaped, start, start + most);
  // In escaped text, a caret always begins a code.
  if (escaped[at - 1] === CARET) return at - 1;
  for (let back = 1; back < BACKSLASH_CODE.length; back++) {
    if (
      escaped[at - back] === BACKSLASH &&
      escaped[at - back + 1] === UPPER_U &&
      escaped[at - back + 2] === PLUS
    )
      at -= back;
  }
  return at;
}
