/** Writes texts as XML. */
import type { ByteWriter } from '../bytes/byte-writer.ts';

const encoder = new TextEncoder();
/** By byte: what is written in its place; null: the byte itself. */
const ESCAPES: (Uint8Array | null)[] = Array.from({ length: 256 }, () => null);
const REPLACEMENT = encoder.encode('\ufffd');
for (let byte = 0; byte < 0x20; byte++) ESCAPES[byte] = REPLACEMENT;
ESCAPES[0x09] = null;
ESCAPES[0x0a] = null;
// Readers change a carriage return that is written as it is.
ESCAPES[0x0d] = encoder.encode('&#13;');
ESCAPES[0x26] = encoder.encode('&amp;');
ESCAPES[0x3c] = encoder.encode('&lt;');
ESCAPES[0x3e] = encoder.encode('&gt;');
/** The first byte of U+FFFE and U+FFFF, which are no characters of XML, and of others. */
const MAYBE_NO_CHARACTER = 0xef;
ESCAPES[MAYBE_NO_CHARACTER] = Uint8Array.of(MAYBE_NO_CHARACTER);
const LINE_END = encoder.encode('&#10;');

/** Bytes for which memory is reserved at once: six times the length of a long text would take that memory. */
const BLOCK = 1 << 12;

/**
 * Appends UTF-8 `source[start, end)` as the text of an element. Returns whether characters that XML cannot represent were
 * replaced. A line end at the ends is written as a reference, so that it is not taken for indentation.
 */
export function writeXmlText(out: ByteWriter, source: Uint8Array, start: number, end: number): boolean {
  let first = start;
  while (first < end && isSpace(source[first])) first++;
  let last = end;
  while (last > first && isSpace(source[last - 1])) last--;
  let isReplaced = false;
  let reservedEnd = start;
  for (let i = start; i < end; i++) {
    if (i >= reservedEnd) {
      reservedEnd = Math.min(i + BLOCK, end);
      out.reserve((reservedEnd - i) * 6);
    }
    const byte = source[i];
    const written = ESCAPES[byte];
    if (written === null) {
      if (byte === 0x0a && (i < first || i >= last)) out.copy(LINE_END);
      else out.bytes[out.length++] = byte;
      continue;
    }
    if (byte === MAYBE_NO_CHARACTER && source[i + 1] === 0xbf && source[i + 2] >= 0xbe && i + 2 < end) {
      isReplaced = true;
      out.copy(REPLACEMENT);
      i += 2;
      continue;
    }
    if (written === REPLACEMENT) isReplaced = true;
    out.copy(written);
  }
  return isReplaced;
}

/** A text as the value of an attribute in double quotes, or as the text of an element; off the hot path. */
export function xmlText(text: string): string {
  return (
    text
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/"/g, '&quot;')
      .replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot represent.
      .replace(/[\u0000-\u001f\ufffe\uffff]/g, '\ufffd')
      .toWellFormed()
  );
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
