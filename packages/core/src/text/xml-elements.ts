/** Texts, names and JSON of XML elements, as strings: off the hot path. */
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { XmlFault } from './xml-fault.ts';
import type { XmlScanner } from './xml-scanner.ts';

export type ElementJson = string | { [name: string]: ElementJson | ElementJson[] };

/** Elements of one value; more are no attribute data. */
const MAX_ELEMENTS = 100_000;

const decoder = new TextDecoder();

/** The name of the last tag with its prefix, for messages. */
export function tagName({ bytes, prefixStart, nameEnd }: XmlScanner): string {
  return decoder.decode(bytes.subarray(prefixStart, Math.min(nameEnd, prefixStart + 80)));
}

/** The text of the element whose start tag was read last. */
export function elementText(
  scanner: XmlScanner,
  at: number,
  scratch: ByteWriter,
): { readonly at: number; readonly text: string } {
  scratch.reset();
  const end = scanner.text(at, scratch);
  return { at: end, text: decoder.decode(scratch.written()) };
}

interface Read {
  readonly at: number;
  /** A text; an object of the elements inside, lists where names repeat; null: empty. */
  readonly value: ElementJson | null;
}

interface Reading {
  readonly scratch: ByteWriter;
  readonly hasAttributes: boolean;
  /** Elements that may still be read. */
  left: number;
}

/**
 * Reads the element whose start tag was read last. Names are without prefixes. Texts between elements are left out, and so are
 * attributes, or they are members with an @ before their name; the text beside them is '#text'.
 */
export function elementJson(
  scanner: XmlScanner,
  at: number,
  scratch: ByteWriter,
  hasAttributes = false,
): Read {
  return read(scanner, at, { scratch, hasAttributes, left: MAX_ELEMENTS });
}

function read(scanner: XmlScanner, at: number, reading: Reading): Read {
  if (reading.left-- <= 0)
    throw new XmlFault(scanner.tagStart, `a value has more than ${MAX_ELEMENTS} elements`);
  const members: { [name: string]: ElementJson | ElementJson[] } = Object.create(null);
  const isPlain = !reading.hasAttributes || !addAttributes(scanner, members, reading.scratch);
  if (scanner.isEmpty) return { at, value: isPlain ? null : { ...members } };
  const { bytes } = scanner;
  const first = scanner.space(at);
  const isLeaf = bytes[first] !== 0x3c || bytes[first + 1] === 0x2f || bytes[first + 1] === 0x21;
  if (isLeaf) {
    const { at: end, text } = elementText(scanner, at, reading.scratch);
    if (isPlain) return { at: end, value: text === '' ? null : text };
    if (text !== '') members['#text'] = text;
    return { at: end, value: { ...members } };
  }
  for (;;) {
    at = scanner.tag(at);
    if (scanner.isEnd) return { at, value: { ...members } };
    const name = tagName(scanner).replace(/^[^:]*:/, '');
    const inner = read(scanner, at, reading);
    at = inner.at;
    const known = members[name];
    const value = inner.value ?? '';
    if (known === undefined) members[name] = value;
    else if (Array.isArray(known)) known.push(value);
    else members[name] = [known, value];
  }
}

/** Adds the attributes of the last tag, without declarations of namespaces; returns whether there are any. */
function addAttributes(scanner: XmlScanner, members: Record<string, unknown>, scratch: ByteWriter): boolean {
  let hasAny = false;
  for (const name of scanner.attributeNames()) {
    if (/^xmlns(:|$)/.test(name) || /^xsi:/.test(name)) continue;
    const text = scanner.attributeText(new TextEncoder().encode(name), scratch);
    members[`@${name.replace(/^[^:]*:/, '')}`] = text ?? '';
    hasAny = true;
  }
  return hasAny;
}
