/** Reads the small XML parts of a workbook: relationships, the list of sheets, styles. Each is held in memory as a whole. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { elementText } from '@geomill/core/text/xml-elements.ts';
import { XmlFault } from '@geomill/core/text/xml-fault.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import { type FileSegment, openSegment } from '@geomill/io/file-segment.ts';
import { XmlWindow } from '@geomill/io/xml-window.ts';

const MAX_PART_BYTES = 64 << 20;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** An element whose start tag was read, for reading its attributes. */
export class Element {
  readonly #scanner: XmlScanner;
  readonly #scratch = new ByteWriter(256);

  constructor(scanner: XmlScanner) {
    this.#scanner = scanner;
  }

  /** Without its prefix. */
  get name(): string {
    const { bytes, nameStart, nameEnd } = this.#scanner;
    return decoder.decode(bytes.subarray(nameStart, nameEnd));
  }

  /** Number of open elements with this one. */
  get depth(): number {
    const { depth, isEmpty } = this.#scanner;
    return isEmpty ? depth + 1 : depth;
  }

  /** Null: the element has no such attribute. `name` has its prefix. */
  attribute(name: string): string | null {
    return this.#scanner.attributeText(encoder.encode(name), this.#scratch);
  }

  /** The first attribute whose name ends so after any prefix. */
  prefixedAttribute(name: string): string | null {
    const { bytes, nameEnd } = this.#scanner;
    const end = bytes.indexOf(0x3e, nameEnd);
    const tag = decoder.decode(bytes.subarray(nameEnd, end));
    const found = new RegExp(`\\s([\\w.-]+:${name})\\s*=`).exec(tag);
    return found === null ? null : this.attribute(found[1]);
  }
}

/** Calls `use` for each start tag of the part; `text` reads the text of the element to its end. Throws XML_SYNTAX, TEXT_ENCODING_INVALID and LIMIT_EXCEEDED. */
export function eachElement(segment: FileSegment, use: (element: Element, text: () => string) => void): void {
  using source = openSegment(segment);
  if (source.byteLength > MAX_PART_BYTES)
    throw failure(generalErrors.LIMIT_EXCEEDED, {
      what: `the length of ${segment.name} in bytes`,
      actual: source.byteLength,
      limit: MAX_PART_BYTES,
      setting: 'a fixed limit',
    });
  const window = new XmlWindow(source, segment.name);
  window.load(0, source.byteLength);
  const { scanner } = window;
  const element = new Element(scanner);
  try {
    let at = startOf(scanner);
    const scratch = new ByteWriter(256);
    const text = (): string => {
      if (scanner.isEmpty) return '';
      const read = elementText(scanner, at, scratch);
      at = read.at;
      return read.text;
    };
    do {
      at = scanner.tag(at);
      if (!scanner.isEnd) use(element, text);
    } while (scanner.depth > 0);
  } catch (fault) {
    if (!(fault instanceof XmlFault)) throw fault;
    throw window.failureOf(fault);
  }
  window.checkEncoding(scanner.limit);
}

/** The offset after a byte order mark. */
export function startOf({ bytes }: XmlScanner): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}
