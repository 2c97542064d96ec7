/** ASCII characters as bytes, for scanners and writers. */
import { latin1Text } from '@geomill/platform/bytes.ts';
export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const RECORD_SEPARATOR = 0x1e;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const PERCENT = 0x25;
export const OPEN_PAREN = 0x28;
export const CLOSE_PAREN = 0x29;
export const STAR = 0x2a;
export const PLUS = 0x2b;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const DOT = 0x2e;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COLON = 0x3a;
export const SEMICOLON = 0x3b;
export const UPPER_E = 0x45;
export const UPPER_M = 0x4d;
export const UPPER_P = 0x50;
export const UPPER_T = 0x54;
export const UPPER_U = 0x55;
export const UPPER_Z = 0x5a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const CARET = 0x5e;
export const LOWER_E = 0x65;
export const LOWER_F = 0x66;
export const LOWER_N = 0x6e;
export const LOWER_T = 0x74;
export const OPEN_BRACE = 0x7b;
export const PIPE = 0x7c;
export const CLOSE_BRACE = 0x7d;
export const DELETE = 0x7f;

export function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

const LONG_SLICE = 64;

/** `bytes[start, end)` as a string; all bytes must be ASCII. */
export function asciiSlice(bytes: Uint8Array, start: number, end: number): string {
  // Appending one character at a time would take many times the memory.
  if (end - start > LONG_SLICE) return latin1Text(bytes, start, end);
  let text = '';
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i]);
  return text;
}
