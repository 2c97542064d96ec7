/** Comments, CDATA sections and processing instructions of XML, in a window `bytes[0, limit)`. Throws XmlFault. */
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { CLOSE_BRACKET, CR, LF } from './ascii.ts';
import { ended, unexpected, XmlFault } from './xml-fault.ts';

const GREATER = 0x3e;
const QUESTION = 0x3f;

const encoder = new TextEncoder();
const COMMENT = encoder.encode('--');
const CDATA = encoder.encode('[CDATA[');
const DOCTYPE = encoder.encode('DOCTYPE');

/** The offset after a comment, a CDATA section or a processing instruction, which begins at `at`. */
export function markupEnd(bytes: Uint8Array, at: number, limit: number): number {
  if (bytes[at + 1] === QUESTION) return after(bytes, at + 2, limit, QUESTION, GREATER, -1);
  if (startsWith(bytes, at + 2, limit, COMMENT)) return after(bytes, at + 4, limit, 0x2d, 0x2d, GREATER);
  if (startsWith(bytes, at + 2, limit, CDATA)) return cdataEnd(bytes, at, limit);
  if (startsWith(bytes, at + 2, limit, DOCTYPE))
    throw new XmlFault(
      at,
      'the file has a DOCTYPE, which is not read for safety: remove it, and replace the entities that it defines',
    );
  if (at + 9 >= limit) throw ended(limit, limit, at);
  throw unexpected(at + 1, limit, 'a tag');
}

/** As `markupEnd`; appends the text of a CDATA section. */
export function appendMarkup(bytes: Uint8Array, at: number, limit: number, out: ByteWriter): number {
  if (!startsWith(bytes, at + 2, limit, CDATA)) return markupEnd(bytes, at, limit);
  const end = cdataEnd(bytes, at, limit);
  let from = at + 9;
  const last = end - 3;
  for (let i = from; i < last; i++) {
    if (bytes[i] !== CR) continue;
    out.copy(bytes, from, i);
    if (bytes[i + 1] !== LF || i + 1 === last) out.uint8(LF);
    from = i + 1;
  }
  out.copy(bytes, from, last);
  return end;
}

function cdataEnd(bytes: Uint8Array, at: number, limit: number): number {
  return after(bytes, at + 9, limit, CLOSE_BRACKET, CLOSE_BRACKET, GREATER);
}

function startsWith(bytes: Uint8Array, at: number, limit: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return at + wanted.length <= limit;
}

/** The offset after the next two or three bytes, which end markup. `third`: -1 for two. */
function after(
  bytes: Uint8Array,
  at: number,
  limit: number,
  first: number,
  second: number,
  third: number,
): number {
  for (;;) {
    at = bytes.indexOf(first, at);
    if (at < 0 || at + 2 >= limit) {
      if (at >= 0 && third < 0 && at + 1 < limit && bytes[at + 1] === second) return at + 2;
      throw ended(limit, limit);
    }
    if (bytes[at + 1] === second && (third < 0 || bytes[at + 2] === third)) return at + (third < 0 ? 2 : 3);
    at++;
  }
}
