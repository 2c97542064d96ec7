/** Classifies bytes of JSON (RFC 8259). */
import { CLOSE_BRACE, COMMA, LOWER_N, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './ascii.ts';

export function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * Ends a number, true, false or null. Any other byte directly after one is invalid JSON and is reported by the parser.
 */
export function endsLiteral(byte: number): boolean {
  return isSpace(byte) || byte === COMMA || byte === CLOSE_BRACE;
}

/** The kind of JSON value that begins with `byte`, in words; null if none does. */
export function kindOfValue(byte: number): string | null {
  switch (byte) {
    case OPEN_BRACE:
      return 'an object';
    case OPEN_BRACKET:
      return 'an array';
    case QUOTE:
      return 'a string';
    case LOWER_N:
      return 'null';
    case 0x74:
    case 0x66:
      return 'a boolean';
    default:
      return byte === 0x2d || (byte >= 0x30 && byte <= 0x39) ? 'a number' : null;
  }
}

export function byteName(byte: number): string {
  if (byte > 0x20 && byte < 0x7f) return `'${String.fromCharCode(byte)}'`;
  return `byte 0x${byte.toString(16).padStart(2, '0')}`;
}
