/** Reads the values of fields: texts of elements, and ExtendedData. */
import type { DocumentColumns } from '../../batch/document-columns.ts';
import type { TextColumn } from '../../batch/text-columns.ts';
import { ByteWriter } from '../../bytes/byte-writer.ts';
import { elementJson, elementText, tagName } from '../../bytes/xml-elements.ts';
import type { XmlScanner } from '../../bytes/xml-scanner.ts';
import { kmlName } from './names.ts';
import type { LayerState } from './state.ts';

const NAME = new TextEncoder().encode('name');
const AMPERSAND = 0x26;

export class FieldReader {
  readonly #scanner: XmlScanner;
  readonly #rootPrefix: Uint8Array;
  readonly #types: LayerState['types'];
  readonly #columns: DocumentColumns;
  readonly #ignored: (name: string) => void;
  readonly #scratch = new ByteWriter(1024);

  /** `ignored` gets the names of elements that are not read. */
  constructor(
    scanner: XmlScanner,
    { document, types }: LayerState,
    columns: DocumentColumns,
    ignored: (name: string) => void,
  ) {
    this.#scanner = scanner;
    this.#rootPrefix = document.rootPrefix;
    this.#types = types;
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
    const type = this.#types.get(name) ?? null;
    const isNumber = type === 'int32' || type === 'int64' || type === 'float64';
    this.#columns.setJson(
      name,
      values.map((text) =>
        isNumber && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text,
      ),
    );
    return at;
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
