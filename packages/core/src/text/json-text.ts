/** Reads and writes JSON strings, and removes white space from JSON text, as bytes. */
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { BACKSLASH, QUOTE } from './ascii.ts';

const HEX = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

/** By byte: the letter after the backslash if it has a short escape, 1 if it needs \u00xx, 0 for the rest. */
const ESCAPES = new Uint8Array(256);
for (let byte = 0; byte < 0x20; byte++) ESCAPES[byte] = 1;
for (const [byte, letter] of [
  [0x22, '"'],
  [0x5c, '\\'],
  [0x08, 'b'],
  [0x0c, 'f'],
  [0x0a, 'n'],
  [0x0d, 'r'],
  [0x09, 't'],
] as const)
  ESCAPES[byte] = letter.charCodeAt(0);

/** Bytes that are escaped at once: reserving six times the length of a long text would take that memory. */
const BLOCK = 1 << 12;

/** Appends UTF-8 `source[start, end)` as a JSON string with its quotes. */
export function writeJsonString(writer: ByteWriter, source: Uint8Array, start: number, end: number): void {
  writer.uint8(QUOTE);
  for (let from = start; from < end; from += BLOCK)
    writeEscaped(writer, source, from, Math.min(from + BLOCK, end));
  writer.uint8(QUOTE);
}

function writeEscaped(writer: ByteWriter, source: Uint8Array, start: number, end: number): void {
  writer.reserve((end - start) * 6);
  const { bytes } = writer;
  let at = writer.length;
  for (let i = start; i < end; i++) {
    const byte = source[i];
    const letter = ESCAPES[byte];
    if (letter === 0) bytes[at++] = byte;
    else {
      bytes[at++] = BACKSLASH;
      if (letter !== 1) bytes[at++] = letter;
      else {
        bytes[at++] = 0x75; // u
        bytes[at++] = 0x30;
        bytes[at++] = 0x30;
        bytes[at++] = HEX[byte >> 4];
        bytes[at++] = HEX[byte & 15];
      }
    }
  }
  writer.length = at;
}

/**
 * Appends the text of the JSON string content `source[start, end)`. A \u escape of an unpaired surrogate has no UTF-8
 * form: it is replaced by U+FFFD, and the number of these is returned.
 */
export function appendUnescaped(source: Uint8Array, start: number, end: number, writer: ByteWriter): number {
  writer.reserve(end - start);
  let replaced = 0;
  let at = start;
  while (at < end) {
    const byte = source[at++];
    if (byte !== BACKSLASH) {
      writer.bytes[writer.length++] = byte;
      continue;
    }
    const letter = source[at++];
    if (letter !== 0x75) {
      writer.bytes[writer.length++] = shortEscape(letter);
      continue;
    }
    let codePoint = hexValue(source, at);
    at += 4;
    if (codePoint >= 0xd800 && codePoint <= 0xdbff && source[at] === BACKSLASH && source[at + 1] === 0x75) {
      const second = at + 6 <= end ? hexValue(source, at + 2) : 0;
      if (second >= 0xdc00 && second <= 0xdfff) {
        codePoint = 0x10000 + ((codePoint - 0xd800) << 10) + (second - 0xdc00);
        at += 6;
      }
    }
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) {
      codePoint = 0xfffd;
      replaced++;
    }
    writeCodePoint(writer, codePoint);
  }
  return replaced;
}

function shortEscape(letter: number): number {
  switch (letter) {
    case 0x62:
      return 0x08;
    case 0x66:
      return 0x0c;
    case 0x6e:
      return 0x0a;
    case 0x72:
      return 0x0d;
    case 0x74:
      return 0x09;
    default:
      return letter;
  }
}

function hexValue(source: Uint8Array, at: number): number {
  let value = 0;
  for (let i = at; i < at + 4; i++) {
    const byte = source[i];
    value = (value << 4) | (byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57);
  }
  return value;
}

function writeCodePoint(writer: ByteWriter, codePoint: number): void {
  const { bytes } = writer;
  let at = writer.length;
  if (codePoint < 0x80) bytes[at++] = codePoint;
  else if (codePoint < 0x800) {
    bytes[at++] = 0xc0 | (codePoint >> 6);
    bytes[at++] = 0x80 | (codePoint & 0x3f);
  } else {
    if (codePoint < 0x10000) bytes[at++] = 0xe0 | (codePoint >> 12);
    else {
      bytes[at++] = 0xf0 | (codePoint >> 18);
      bytes[at++] = 0x80 | ((codePoint >> 12) & 0x3f);
    }
    bytes[at++] = 0x80 | ((codePoint >> 6) & 0x3f);
    bytes[at++] = 0x80 | (codePoint & 0x3f);
  }
  writer.length = at;
}

/** Appends valid JSON text without white space between its tokens, so that a value is on one line. */
export function writeCompactJson(writer: ByteWriter, source: Uint8Array, start: number, end: number): void {
  writer.reserve(end - start);
  const { bytes } = writer;
  let at = writer.length;
  let inString = false;
  for (let i = start; i < end; i++) {
    const byte = source[i];
    if (inString) {
      bytes[at++] = byte;
      if (byte === BACKSLASH) bytes[at++] = source[++i];
      else if (byte === QUOTE) inString = false;
    } else if (byte > 0x20) {
      bytes[at++] = byte;
      if (byte === QUOTE) inString = true;
    }
  }
  writer.length = at;
}
