/** References to characters: the five names of XML, and numbers. There are no other entities. */
import { asciiSlice } from './number-text.ts';

const HASH = 0x23;

const NAMED: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null), {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
});

/** The character of the reference `&bytes[start, end);`; undefined: it is no reference of XML. */
export function referredCharacter(bytes: Uint8Array, start: number, end: number): string | undefined {
  const name = asciiSlice(bytes, start, end);
  return bytes[start] === HASH ? numbered(name) : NAMED[name];
}

/** Why the reference with this name cannot be read. */
export function referenceProblem(name: string): string {
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
