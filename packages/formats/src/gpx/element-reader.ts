/** Reads the elements of a waypoint, route, track or point that become values of fields. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { DocumentColumns } from '@geomill/core/columns/document-columns.ts';
import type { TextColumn } from '@geomill/core/columns/text-columns.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { NumberScanner } from '@geomill/core/text/number-scanner.ts';
import { elementJson, tagName } from '@geomill/core/text/xml-elements.ts';
import { XmlFault } from '@geomill/core/text/xml-fault.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import { gpxFindings } from './messages.ts';
import { type GpxName, gpxName, isStandard } from './names.ts';
import { FIELD_HINTS, MAX_LINKS, type StandardField } from './standard-fields.ts';
import type { TimeList } from './time-list.ts';

const encoder = new TextEncoder();
const LAT = encoder.encode('lat');
const LON = encoder.encode('lon');
const HREF = encoder.encode('href');
/** Fields that were written as extensions keep their names; one that is no name of XML is an attribute. */
const OWN_PREFIX = encoder.encode('ogr:');
const NAME = encoder.encode('name');
const GREATER = 0x3e;
const MAX_IGNORED_NAMES = 20;

export class ElementReader {
  readonly scanner: XmlScanner;
  /** The position of the point whose start tag was read last; `z` after its elements. NaN: it has none. */
  x = Number.NaN;
  y = Number.NaN;
  z = Number.NaN;
  readonly #rootPrefix: Uint8Array;
  readonly #columns: DocumentColumns;
  readonly #findings: Findings;
  readonly #scratch = new ByteWriter(1024);
  readonly #numbers = new NumberScanner();
  readonly #standard: Partial<Record<StandardField, TextColumn>> = {};
  readonly #ignoredNames = new Set<string>();
  // The last text:
  #bytes: Uint8Array = new Uint8Array(0);
  #start = 0;
  #end = 0;

  constructor(scanner: XmlScanner, rootPrefix: Uint8Array, columns: DocumentColumns, findings: Findings) {
    this.scanner = scanner;
    this.#rootPrefix = rootPrefix;
    this.#columns = columns;
    this.#findings = findings;
  }

  /** The name of the last tag; null: it is no element of GPX. */
  name(): GpxName | null {
    return gpxName(this.scanner, this.#rootPrefix);
  }

  /** Reads the attributes of a point, whose start tag was read last. Returns whether it has a position. */
  position(): boolean {
    const { scanner } = this;
    this.x = Number.NaN;
    this.y = Number.NaN;
    this.z = Number.NaN;
    for (let at = scanner.nameEnd; scanner.attributeAfter(at); at = scanner.valueEnd + 1)
      if (scanner.isAttribute(LAT)) this.y = this.#degrees();
      else if (scanner.isAttribute(LON)) this.x = this.#degrees();
    return !Number.isNaN(this.x) && !Number.isNaN(this.y);
  }

  /** Reads all elements of the point whose start tag was read last; returns the offset after its end tag. */
  children(at: number): number {
    const { scanner } = this;
    if (scanner.isEmpty) return at;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) return at;
      at = this.child(this.name(), at);
    }
  }

  /** Reads the element whose start tag was read last. */
  child(name: GpxName | null, at: number): number {
    if (isStandard(name)) {
      this.#standard[name] ??= this.#declared(name);
      at = this.#value(this.#standard[name], at);
      if (name === 'ele' && this.#end > this.#start) this.#elevation();
      return at;
    }
    if (name === 'link') return this.#link(at);
    return name === 'extensions' ? this.#extensions(at) : this.#extension(at);
  }

  /** Reads the elevation of a point of a line; appends its time as JSON to `times`. Returns the offset after its end tag. */
  elevationAndTime(at: number, times: TimeList): number {
    const { scanner } = this;
    if (!scanner.isEmpty)
      for (;;) {
        at = scanner.tag(at);
        if (scanner.isEnd) break;
        const name = this.name();
        if (name === 'ele') {
          at = this.#text(at);
          this.#elevation();
        } else if (name === 'time' && !times.hasTime) {
          at = this.#text(at);
          if (this.#end > this.#start) times.add(this.#bytes, this.#start, this.#end);
        } else at = scanner.skip(at);
      }
    return at;
  }

  ignored(name: string, record: number): void {
    if (!this.#ignoredNames.has(name)) {
      if (this.#ignoredNames.size < MAX_IGNORED_NAMES) this.#ignoredNames.add(name);
      else name = '…';
    }
    this.#findings.note(gpxFindings.GPX_ELEMENTS_IGNORED, { name }, { record });
  }

  /** The value of the last attribute; NaN: it is empty. */
  #degrees(): number {
    const { bytes, valueStart, valueEnd } = this.scanner;
    let start = valueStart;
    let end = valueEnd;
    while (start < end && bytes[start] <= 0x20) start++;
    while (start < end && bytes[end - 1] <= 0x20) end--;
    if (start === end) return Number.NaN;
    const value = this.#numbers.scan(bytes, start, end);
    if (this.#numbers.end !== end || !Number.isFinite(value)) throw this.#noNumber(start, end);
    return value;
  }

  #noNumber(start: number, end: number): XmlFault {
    const text = new TextDecoder().decode(this.scanner.bytes.subarray(start, Math.min(end, start + 40)));
    return new XmlFault(start, `'${text}' is no number of degrees`);
  }

  /** Finds the text of the element whose start tag was read last; returns the offset after its end tag. */
  #text(at: number): number {
    const { scanner } = this;
    const end = scanner.plainText(at);
    if (end >= 0) {
      this.#bytes = scanner.bytes;
      this.#start = at;
      this.#end = end;
      return scanner.tag(end);
    }
    const scratch = this.#scratch;
    scratch.reset();
    at = scanner.text(at, scratch);
    this.#bytes = scratch.bytes;
    this.#start = 0;
    this.#end = scratch.length;
    return at;
  }

  #elevation(): void {
    const bytes = this.#bytes;
    let start = this.#start;
    let end = this.#end;
    while (start < end && bytes[start] <= 0x20) start++;
    while (start < end && bytes[end - 1] <= 0x20) end--;
    const value = this.#numbers.scan(bytes, start, end);
    if (start < end && this.#numbers.end === end && Number.isFinite(value)) this.z = value;
  }

  #declared(name: StandardField): TextColumn {
    const column = this.#columns.column(name);
    column.hint = FIELD_HINTS[name];
    return column;
  }

  /** The text as the value of a field, unless it is empty. */
  #value(column: TextColumn, at: number): number {
    at = this.#text(at);
    if (this.#end > this.#start) this.#columns.set(column, this.#bytes, this.#start, this.#end);
    return at;
  }

  #link(at: number): number {
    const { scanner } = this;
    const { row } = this.#columns;
    let number = 1;
    while (number <= MAX_LINKS && this.#hasLink(number, row)) number++;
    if (number > MAX_LINKS) {
      this.ignored('link', row + 1);
      return scanner.skip(at);
    }
    const href = scanner.attributeText(HREF, this.#scratch);
    if (href !== null) this.#columns.setText(`link${number}_href`, href);
    if (scanner.isEmpty) return at;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) return at;
      const name = this.name();
      if (name === 'text' || name === 'type') {
        at = this.#value(this.#columns.column(`link${number}_${name}`), at);
      } else at = this.#extension(at);
    }
  }

  #hasLink(number: number, row: number): boolean {
    return ['href', 'text', 'type'].some(
      (part) => this.#columns.find(`link${number}_${part}`)?.hasValue(row) === true,
    );
  }

  #extensions(at: number): number {
    const { scanner } = this;
    if (scanner.isEmpty) return at;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) return at;
      at = this.#extension(at);
    }
  }

  /** The column with the local name of the last tag. */
  #extensionColumn(): TextColumn {
    const { bytes, nameStart, nameEnd, repeated } = this.scanner;
    if (repeated !== null && repeated.column >= 0) return this.#columns.at(repeated.column);
    const column = this.#columns.columnOf(bytes, nameStart, nameEnd);
    if (repeated !== null) repeated.column = column.index;
    return column;
  }

  /** An element of another namespace: a text, or JSON if it has attributes or elements. */
  #extension(at: number): number {
    const { scanner } = this;
    const { bytes, prefixStart, nameStart, nameEnd } = scanner;
    const isOwn = scanner.equals(prefixStart, nameStart, OWN_PREFIX);
    if ((isOwn || prefixStart === nameStart) && bytes[nameEnd] === GREATER) {
      const end = scanner.plainText(at);
      if (end >= 0) {
        const column = this.#extensionColumn();
        const next = scanner.tag(end);
        if (end > at) this.#columns.set(column, bytes, at, end);
        return next;
      }
    }
    const given = isOwn ? scanner.attributeText(NAME, this.#scratch) : null;
    if (given !== null) return this.#value(this.#columns.column(given), at);
    const name = tagName(scanner).replace(':', '_');
    const read = elementJson(scanner, at, this.#scratch, true);
    const field = isOwn ? name.slice(OWN_PREFIX.length) : name;
    if (typeof read.value === 'object' && read.value !== null) this.#columns.setJson(field, read.value);
    else this.#columns.setText(field, read.value ?? '');
    return read.at;
  }
}
