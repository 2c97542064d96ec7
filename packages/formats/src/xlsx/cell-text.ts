/** Writes texts of cells as XML. What XML cannot represent is written as spreadsheet programs do: "_x0001_". */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';

/** Most characters (UTF-16 units) of a cell, as in Excel. */
export const MAX_CHARACTERS = 32_767;

const encoder = new TextEncoder();
const UNDERSCORE = 0x5f;
/** By byte: what is written in its place; null: the byte itself. */
const ESCAPES: (Uint8Array | null)[] = Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 && byte !== 0x09 && byte !== 0x0a ? encoder.encode(escapeOf(byte)) : null,
);
ESCAPES[0x26] = encoder.encode('&amp;');
ESCAPES[0x3c] = encoder.encode('&lt;');
ESCAPES[0x3e] = encoder.encode('&gt;');
const ESCAPED_UNDERSCORE = encoder.encode(escapeOf(UNDERSCORE));
const OPEN = encoder.encode('<c t="inlineStr"><is><t>');
const OPEN_PRESERVED = encoder.encode('<c t="inlineStr"><is><t xml:space="preserve">');
const CLOSE = encoder.encode('</t></is></c>');

function escapeOf(byte: number): string {
  return `_x${byte.toString(16).toUpperCase().padStart(4, '0')}_`;
}

/** Appends a cell with the text. */
export function writeTextCell(out: ByteWriter, source: Uint8Array, start: number, end: number): void {
  const isPreserved = start < end && (source[start] <= 0x20 || source[end - 1] <= 0x20);
  out.copy(isPreserved ? OPEN_PRESERVED : OPEN);
  out.reserve((end - start) * 7);
  for (let i = start; i < end; i++) {
    const byte = source[i];
    const written = ESCAPES[byte];
    if (written !== null) out.copy(written);
    else if (byte === UNDERSCORE && isEscape(source, i, end)) out.copy(ESCAPED_UNDERSCORE);
    else out.bytes[out.length++] = byte;
  }
  out.copy(CLOSE);
}

/** Appends a cell with a text that has nothing to escape, which `write` appends. */
export function writePlainCell(out: ByteWriter, write: () => void): void {
  out.copy(OPEN);
  write();
  out.copy(CLOSE);
}

/** Whether readers would take what follows the underscore for an escaped character. */
function isEscape(source: Uint8Array, at: number, end: number): boolean {
  if (at + 7 > end || source[at + 1] !== 0x78 || source[at + 6] !== UNDERSCORE) return false;
  for (let i = at + 2; i < at + 6; i++) {
    const byte = source[i];
    const isHex =
      (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
    if (!isHex) return false;
  }
  return true;
}

/** Number of UTF-16 units of UTF-8 bytes. */
export function characterCount(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i];
    if ((byte & 0xc0) !== 0x80) count += byte >= 0xf0 ? 2 : 1;
  }
  return count;
}

/** The end of the first so many UTF-16 units of UTF-8 bytes; whole characters only. */
export function endOfCharacters(bytes: Uint8Array, start: number, end: number, limit: number): number {
  let count = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i];
    if ((byte & 0xc0) === 0x80) continue;
    count += byte >= 0xf0 ? 2 : 1;
    if (count > limit) return i;
  }
  return end;
}
