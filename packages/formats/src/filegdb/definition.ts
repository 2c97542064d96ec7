/** The descriptions of tables, domains and relationships in the catalogue, which are XML. Elements that are not known are not used. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { type ElementJson, elementJson } from '@geomill/core/text/xml-elements.ts';
import { XmlFault } from '@geomill/core/text/xml-fault.ts';
import { XmlScanner } from '@geomill/core/text/xml-scanner.ts';

export interface Definition {
  /** Local name of the root element: "DEFeatureClassInfo", "GPCodedValueDomain2". */
  readonly kind: string;
  readonly content: ElementJson;
}

const LESS = 0x3c;
const decoder = new TextDecoder();

/** Returns a text in place of a definition: why the XML cannot be read. */
export function readDefinition(xml: Uint8Array): Definition | string {
  const scanner = new XmlScanner();
  const bytes = new Uint8Array(xml.length + 1);
  bytes.set(xml);
  bytes[xml.length] = LESS;
  scanner.bytes = bytes;
  scanner.limit = xml.length;
  try {
    const at = scanner.tag(bytes[0] === 0xef ? 3 : 0);
    const kind = decoder.decode(bytes.subarray(scanner.nameStart, scanner.nameEnd));
    const { value } = elementJson(scanner, at, new ByteWriter(1024));
    return { kind, content: value ?? '' };
  } catch (fault) {
    if (!(fault instanceof XmlFault)) throw fault;
    return fault.message;
  }
}

/** The element at a path of names; null: there is none. Of several of the same name the first one. */
export function elementAt(content: ElementJson, ...path: readonly string[]): ElementJson | null {
  return descend(content, path);
}

/** The text at a path of names; empty: there is none. */
export function textAt(content: ElementJson, ...path: readonly string[]): string {
  const found = descend(content, path);
  return typeof found === 'string' ? found : '';
}

/** All elements at a path of names. */
export function elementsAt(content: ElementJson, ...path: readonly string[]): readonly ElementJson[] {
  const parent = descend(content, path.slice(0, -1));
  if (parent === null || typeof parent === 'string') return [];
  const found = parent[path[path.length - 1]];
  return found === undefined ? [] : Array.isArray(found) ? found : [found];
}

function descend(content: ElementJson, path: readonly string[]): ElementJson | null {
  let found: ElementJson | undefined = content;
  for (const name of path) {
    if (typeof found !== 'object') return null;
    const next: ElementJson | ElementJson[] | undefined = found[name];
    found = Array.isArray(next) ? next[0] : next;
  }
  return found ?? null;
}
