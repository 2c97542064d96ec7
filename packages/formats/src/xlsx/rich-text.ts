/** Texts of cells: a text, or runs of formatted texts, which are joined. Phonetic runs are ignored. */

import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { NameTable } from '@geomill/core/text/xml-names.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import { byteView } from '@geomill/platform/bytes.ts';

const NAMES = new NameTable(['t', 'r', 'rPh', 'phoneticPr', 'rPr'] as const);
const UNDERSCORE = 0x5f;
const LOWER_X = 0x78;
const ESCAPE = /_x([0-9a-fA-F]{4})_/g;
const LONG_BYTES = 64;
const ESCAPE_BYTES = '_x0000_'.length;
const decoder = new TextDecoder();
const scratch = new ByteWriter(256);

/** Appends the text of the element (si or is) whose start tag was read last; returns the offset after its end tag. */
export function readRichText(scanner: XmlScanner, at: number, out: ByteWriter): number {
  if (scanner.isEmpty) return at;
  const depth = scanner.depth;
  for (;;) {
    at = scanner.tag(at);
    if (scanner.isEnd) {
      if (scanner.depth < depth) return at;
      continue;
    }
    switch (NAMES.find(scanner)) {
      case 't':
        at = readText(scanner, at, out);
        break;
      case 'r':
        break;
      default:
        at = scanner.skip(at);
    }
  }
}

/** Appends the text of the element whose start tag was read last, with its characters beyond XML: "_x000D_". */
export function readText(scanner: XmlScanner, at: number, out: ByteWriter): number {
  const start = out.length;
  const end = scanner.text(at, out, true);
  if (mayHaveEscape(out.bytes, start, out.length)) decodeEscapes(out, start);
  return end;
}

const ESCAPE_START = Uint8Array.of(UNDERSCORE, LOWER_X);

/** Whether the text has the beginning of an escape. */
function mayHaveEscape(bytes: Uint8Array, start: number, end: number): boolean {
  // Native code searches long texts, such as geometries, faster.
  if (end - start > LONG_BYTES) return byteView(bytes, start, end).indexOf(ESCAPE_START) >= 0;
  for (let i = start; i + ESCAPE_BYTES <= end; i++)
    if (bytes[i] === UNDERSCORE && bytes[i + 1] === LOWER_X) return true;
  return false;
}

function decodeEscapes(out: ByteWriter, start: number): void {
  const text = decoder.decode(out.bytes.subarray(start, out.length));
  scratch.reset();
  scratch.utf8(
    text.replace(ESCAPE, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))).toWellFormed(),
  );
  out.length = start;
  out.copy(scratch.bytes, 0, scratch.length);
}
