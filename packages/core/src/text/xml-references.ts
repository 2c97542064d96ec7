/** References to characters: the five names of XML, and numbers. There are no other entities. */
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { asciiSlice, SEMICOLON } from './ascii.ts';
import { ended, XmlFault } from './xml-fault.ts';

const HASH = 0x23;
/** Bytes of the longest reference, "&#x10FFFF;" with some zeros. */
const MAX_REFERENCE_BYTES = 16;

const NAMED: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null), {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
});

/** Appends the character of the reference at `at` of the window `bytes[0, limit)`; returns the offset after it. Throws XmlFault. */
export function appendReference(bytes: Uint8Array, at: number, limit: number, out: ByteWriter): number {
  let end = at + 1;
  while (bytes[end] !== SEMICOLON && end < limit && end - at < MAX_REFERENCE_BYTES) end++;
  if (end >= limit) throw ended(end, limit);
  const name = bytes[end] === SEMICOLON ? asciiSlice(bytes, at + 1, end) : '';
  const character = bytes[at + 1] === HASH ? numbered(name) : NAMED[name];
  if (character === undefined) throw new XmlFault(at, problemOf(name));
  out.utf8(character);
  return end + 1;
}

/** Why the reference with this name cannot be read. */
function problemOf(name: string): string {
  const shown = /^[\w#]+$/.test(name) ? `the reference &${name}; is unknown` : 'an & begins no reference';
  return `${shown}; XML knows &amp; &lt; &gt; &quot; &apos; and numbers such as &#160;`;
}

/** The character of "#160" or "#xA0"; undefined: XML has no such character. */
function numbered(text: string): string | undefined {
  const match = /^#(?:x([0-9a-fA-F]+)|([0-9]+))$/.exec(text);
  if (match === null) return undefined;
  const code = match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16);
  const isCharacter =
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0x10ffff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}
