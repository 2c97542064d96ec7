/** An XML element of any namespace as JSON. */
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import { XmlFault, type XmlScanner } from '../../bytes/xml-scanner.ts';
import { tagName } from './names.ts';
import { elementText } from './styles.ts';

type Json = string | { [name: string]: Json | Json[] };

/** Elements of one value; more are no attribute data. */
const MAX_ELEMENTS = 100_000;

interface Read {
  readonly at: number;
  /** A text; an object of the elements inside, lists where names repeat; null: empty. */
  readonly value: Json | null;
}

/** Reads the element whose start tag was read last. Attributes and texts between elements are left out. */
export function elementJson(scanner: XmlScanner, at: number, scratch: ByteWriter): Read {
  const left = { count: MAX_ELEMENTS };
  return read(scanner, at, scratch, left);
}

function read(scanner: XmlScanner, at: number, scratch: ByteWriter, left: { count: number }): Read {
  if (scanner.isEmpty) return { at, value: null };
  if (left.count-- <= 0)
    throw new XmlFault(scanner.tagStart, `a value has more than ${MAX_ELEMENTS} elements`);
  const { bytes } = scanner;
  const first = scanner.space(at);
  const isLeaf = bytes[first] !== 0x3c || bytes[first + 1] === 0x2f || bytes[first + 1] === 0x21;
  if (isLeaf) {
    const leaf = elementText(scanner, at, scratch);
    return { at: leaf.at, value: leaf.text === '' ? null : leaf.text };
  }
  const members: { [name: string]: Json | Json[] } = Object.create(null);
  for (;;) {
    at = scanner.tag(at);
    if (scanner.isEnd) return { at, value: { ...members } };
    const name = tagName(scanner).replace(/^[^:]*:/, '');
    const inner = read(scanner, at, scratch, left);
    at = inner.at;
    const known = members[name];
    const value = inner.value ?? '';
    if (known === undefined) members[name] = value;
    else if (Array.isArray(known)) known.push(value);
    else members[name] = [known, value];
  }
}
