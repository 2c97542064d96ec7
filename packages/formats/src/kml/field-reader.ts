/** Reads the values of fields: texts of elements, and ExtendedData. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { DocumentColumns } from '@geomill/core/columns/document-columns.ts';
import type { TextColumn, TextHint } from '@geomill/core/columns/text-columns.ts';
import { elementJson, elementText, tagName } from '@geomill/core/text/xml-elements.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import { kmlName } from './names.ts';
import type { LayerState } from './state.ts';

const encoder = new TextEncoder();
const NAME = encoder.encode('name');
const WORDS: ReadonlyMap<string, string> = new Map([
  ['1', 'true'],
  ['true', 'true'],
  ['0', 'false'],
  ['false', 'false'],
]);
const AMPERSAND = 0x26;

export class FieldReader {
  readonly #scanner: XmlScanner;
  readonly #rootPrefix: Uint8Array;
  readonly #elementTypes: LayerState['arrays'];
  /** Arrays of the feature as JSON texts of their elements, by field; one for each track. */
  readonly #arrays = new Map<string, string[][]>();
  /** Arrays of the current track; null: outside of tracks. */
  #trackArrays: Map<string, string[]> | null = null;
  readonly #columns: DocumentColumns;
  readonly #ignored: (name: string) => void;
  readonly #scratch = new ByteWriter(1024);

  /** `ignored` gets the names of elements that are not read. */
  constructor(
    scanner: XmlScanner,
    { document, arrays }: LayerState,
    columns: DocumentColumns,
    ignored: (name: string) => void,
  ) {
    this.#scanner = scanner;
    this.#rootPrefix = document.rootPrefix;
    this.#elementTypes = arrays;
    this.#columns = columns;
    this.#ignored = ignored;
  }

  /** The text of the element whose start tag was read last; an empty tag has no value. Returns the offset after its end tag. */
  value(column: TextColumn, at: number): number {
    return this.#scanner.isEmpty ? at : this.#text(column, at);
  }

  #text(column: TextColumn, at: number): number {
    const scanner = this.#scanner;
    const end = scanner.plainText(at);
    if (end >= 0) {
      const next = scanner.tag(end);
      this.#columns.set(column, scanner.bytes, at, end);
      return next;
    }
    const scratch = this.#scratch;
    scratch.reset();
    at = scanner.text(at, scratch);
    this.#columns.set(column, scratch.bytes, 0, scratch.length);
    return at;
  }

  /** ExtendedData or Metadata, whose start tag was read last. */
  extendedData(at: number): number {
    const scanner = this.#scanner;
    if (scanner.isEmpty) return at;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) return at;
      const child = kmlName(scanner, this.#rootPrefix);
      if (child === 'SchemaData') at = this.#schemaData(at);
      else if (child === 'Data') at = this.#data(at);
      else at = this.#foreign(at);
    }
  }

  #schemaData(at: number): number {
    const scanner = this.#scanner;
    if (scanner.isEmpty) return at;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) return at;
      const child = kmlName(scanner, this.#rootPrefix);
      if (child === 'SimpleData') {
        const column = this.#namedColumn();
        if (column === null) {
          at = this.#nameless(at);
          continue;
        }
        // An empty tag is an empty text.
        at = this.#text(column, at);
      } else if (child === 'SimpleArrayData') at = this.#array(at);
      else {
        this.#ignored(tagName(scanner));
        at = scanner.skip(at);
      }
    }
  }

  /** The column that the attribute `name` of the last tag names; null: it has none. */
  #namedColumn(): TextColumn | null {
    const { repeated: tag } = this.#scanner;
    const repeated = tag?.isWhole === true ? tag : null;
    if (repeated !== null && repeated.column >= 0) return this.#columns.at(repeated.column);
    const column = this.#findColumn();
    if (repeated !== null && column !== null) repeated.column = column.index;
    return column;
  }

  #findColumn(): TextColumn | null {
    const scanner = this.#scanner;
    if (!scanner.attribute(NAME)) return null;
    const { bytes, valueStart, valueEnd } = scanner;
    for (let i = valueStart; i < valueEnd; i++)
      if (bytes[i] === AMPERSAND || bytes[i] < 0x20)
        return this.#columns.column(scanner.attributeText(NAME, this.#scratch) ?? '');
    return this.#columns.columnOf(bytes, valueStart, valueEnd);
  }

  /** Data without a name, which no field can hold. */
  #nameless(at: number): number {
    this.#ignored(`${tagName(this.#scanner)} without name`);
    return this.#scanner.skip(at);
  }

  #array(at: number): number {
    const scanner = this.#scanner;
    const name = scanner.attributeText(NAME, this.#scratch) ?? 'values';
    if (scanner.isEmpty) return at;
    const values: string[] = [];
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) break;
      const read = elementText(scanner, at, this.#scratch);
      at = read.at;
      values.push(read.text);
    }
    // The column is made here, so that fields are in the order of their elements.
    this.#columns.column(name, 'json');
    const type = this.#elementTypes.get(name) ?? null;
    const elements = values.map((text) => jsonOf(text, type));
    if (this.#trackArrays === null) this.#addArray(name, elements);
    else this.#trackArrays.set(name, elements);
    return at;
  }

  #addArray(name: string, elements: string[]): void {
    const arrays = this.#arrays.get(name);
    if (arrays === undefined) this.#arrays.set(name, [elements]);
    else arrays.push(elements);
  }

  /** Forgets the arrays of a feature that was not read to its end. */
  begin(): void {
    this.#arrays.clear();
    this.#trackArrays = null;
  }

  beginTrack(): void {
    this.#trackArrays = new Map();
  }

  /** `count` and `gaps` are as in GeometrySink: arrays with an element for each `coord` lose those without a position. */
  endTrack(count: number, gaps: readonly number[]): void {
    const missing = new Set(gaps);
    for (const [name, elements] of this.#trackArrays ?? [])
      this.#addArray(
        name,
        elements.length === count && missing.size > 0 ? elements.filter((_, i) => !missing.has(i)) : elements,
      );
    this.#trackArrays = null;
  }

  /** Sets the fields of the arrays: a list, or a list for each track. */
  end(): void {
    for (const [name, arrays] of this.#arrays) {
      const lists = arrays.map((elements) => `[${elements.join(',')}]`);
      const bytes = encoder.encode(lists.length === 1 ? lists[0] : `[${lists.join(',')}]`);
      this.#columns.setJsonText(name, bytes, 0, bytes.length);
    }
    this.#arrays.clear();
  }

  #data(at: number): number {
    const scanner = this.#scanner;
    const column = this.#namedColumn();
    if (column === null) return this.#nameless(at);
    if (scanner.isEmpty) return at;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) return at;
      const child = kmlName(scanner, this.#rootPrefix);
      if (child === 'value') at = this.value(column, at);
      else {
        if (child !== 'displayName') this.#ignored(tagName(scanner));
        at = scanner.skip(at);
      }
    }
  }

  /** An element of another namespace: a text, or JSON if it has attributes or elements. */
  #foreign(at: number): number {
    const name = tagName(this.#scanner).replace(/^[^:]*:/, '');
    const read = elementJson(this.#scanner, at, this.#scratch);
    if (typeof read.value === 'string') this.#columns.setText(name, read.value);
    else if (read.value !== null) this.#columns.setJson(name, read.value);
    return read.at;
  }
}

/** An element of an array as JSON text: null if it is empty, and a text if it is not of the declared type. */
function jsonOf(text: string, type: TextHint): string {
  const word = text.trim();
  if (type === null || type === 'string' || type === 'temporal' || type === 'json')
    return JSON.stringify(text);
  if (word === '') return 'null';
  if (type === 'boolean') return WORDS.get(word.toLowerCase()) ?? JSON.stringify(text);
  // As they are: JavaScript numbers have only 53 bits.
  if (/^-?(?:0|[1-9]\d{0,18})$/.test(word)) return word;
  const number = Number(word);
  return Number.isFinite(number) ? JSON.stringify(number) : JSON.stringify(text);
}
