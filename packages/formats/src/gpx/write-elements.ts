/** Writes the values of a feature as elements of a waypoint, route or track, and the others as extensions. */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { type AttributeColumn, isValid, valueAt } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { xmlText } from '@geomill/core/text/xml-text.ts';
import { XmlValueWriter } from '../xml-value-writer.ts';
import { isXsdTime, isXsdUri } from '../xsd-values.ts';
import { hasPlainDigits, writeDecimal } from './plain-decimal.ts';
import type { ElementPlan, ElementsPlan, ElementType, LinkPlan, WriteState } from './write-plan.ts';

const encoder = new TextEncoder();
const ascii = (text: string): Uint8Array => encoder.encode(text);
const EXTENSIONS = ascii('<extensions>');
const END_EXTENSIONS = ascii('</extensions>');
const FIXES = new Set(['none', '2d', '3d', 'dgps', 'pps']);
const MAX_STATION = 1023;
/** A date, or a date and time with or without seconds and zone. */
const TIME = /^(-?\d{4,}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?:(:\d\d(?:\.\d+)?))?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** A time as xsd:dateTime; null if the text is not a date or a time. A date begins at midnight UTC. */
export function dateTimeOf(text: string): string | null {
  const match = TIME.exec(text.trim());
  if (match === null) return null;
  const [, date, minutes, seconds = ':00', zone = ''] = match;
  const time = minutes === undefined ? `${date}T00:00:00Z` : `${date}T${minutes}${seconds}${zoneOf(zone)}`;
  return isXsdTime(time) ? time : null;
}

function zoneOf(zone: string): string {
  if (zone === '' || /^z$/i.test(zone)) return zone.toUpperCase();
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

/** Findings about values, by row; those of all kinds of elements of a batch. */
export class ElementTallies {
  readonly replaced = new RowTally();
  readonly notFinite: readonly RowTally[];
  readonly unheld: readonly RowTally[];

  constructor(fieldCount: number) {
    this.notFinite = Array.from({ length: fieldCount }, () => new RowTally());
    this.unheld = Array.from({ length: fieldCount }, () => new RowTally());
  }
}

interface Element extends ElementPlan {
  readonly open: Uint8Array;
  readonly close: Uint8Array;
}

export class ElementsWriter {
  /** The field of elevations or times of the row has not become elements. */
  hasLooseElevation = false;
  hasLooseTimes = false;
  readonly #out: ByteWriter;
  readonly #columns: readonly AttributeColumn[];
  readonly #state: WriteState;
  readonly #tallies: ElementTallies;
  readonly #values: readonly XmlValueWriter[];
  readonly #before: readonly Element[];
  readonly #links: readonly LinkPlan[];
  readonly #after: readonly Element[];
  readonly #opens: readonly Uint8Array[];
  readonly #closes: readonly Uint8Array[];
  /** 1: the value of the row is written. */
  readonly #isDone: Uint8Array;

  constructor(
    out: ByteWriter,
    batch: FeatureBatch,
    state: WriteState,
    elements: ElementsPlan,
    tallies: ElementTallies,
  ) {
    this.#out = out;
    this.#columns = batch.columns;
    this.#state = state;
    this.#tallies = tallies;
    this.#values = batch.columns.map((column) => new XmlValueWriter(out, column, true));
    this.#before = elements.before.map(withTags);
    this.#links = elements.links;
    this.#after = elements.after.map(withTags);
    this.#opens = state.extensions.map((name, i) => {
      const given = batch.fields[i].name;
      return encoder.encode(name === given ? `<ogr:${name}>` : `<ogr:${name} name="${xmlText(given)}">`);
    });
    this.#closes = state.extensions.map((name) => encoder.encode(`</ogr:${name}>`));
    this.#isDone = new Uint8Array(batch.columns.length);
  }

  /** Writes the elements of a row, and its extensions. */
  write(row: number): void {
    const { elevation, times } = this.#state;
    this.#isDone.fill(0);
    if (elevation >= 0 && !this.hasLooseElevation) this.#isDone[elevation] = 1;
    if (times >= 0 && !this.hasLooseTimes) this.#isDone[times] = 1;
    for (let i = 0; i < this.#before.length; i++) this.#element(this.#before[i], row);
    for (const link of this.#links) this.#link(link, row);
    for (let i = 0; i < this.#after.length; i++) this.#element(this.#after[i], row);
    this.#extensions(row);
  }

  #hasValue(field: number, row: number): boolean {
    return field >= 0 && isValid(this.#columns[field].validity, row);
  }

  #element({ field, type, open, close }: Element, row: number): void {
    if (!this.#hasValue(field, row)) return;
    const out = this.#out;
    const start = out.length;
    out.copy(open);
    if (this.#content(field, type, row)) {
      out.copy(close);
      this.#isDone[field] = 1;
    } else out.length = start;
  }

  /** Writes the value; returns whether the element can hold it. */
  #content(field: number, type: ElementType, row: number): boolean {
    const out = this.#out;
    if (type === 'text') {
      if (this.#values[field].write(row)) this.#tallies.replaced.add(row);
      return true;
    }
    const value = valueAt(this.#columns[field], row);
    if (type === 'time' || type === 'fix') {
      const text =
        type === 'time' ? dateTimeOf(String(value)) : FIXES.has(String(value)) ? String(value) : null;
      if (text === null) this.#tallies.unheld[field].add(row);
      else out.ascii(text);
      return text !== null;
    }
    const number = Number(value);
    // Numbers that are not finite are counted with the extensions.
    if (!Number.isFinite(number)) return false;
    if (!isHeld(number, type)) {
      this.#tallies.unheld[field].add(row);
      return false;
    }
    if (typeof value === 'bigint') out.ascii(String(value));
    else writeDecimal(out, number, 0);
    return true;
  }

  #link({ href, text, type }: LinkPlan, row: number): void {
    if (!this.#hasValue(href, row)) return;
    const out = this.#out;
    const uri = String(valueAt(this.#columns[href], row));
    if (!isXsdUri(uri)) {
      this.#tallies.unheld[href].add(row);
      return;
    }
    out.utf8(`<link href="${xmlText(uri)}"`);
    this.#isDone[href] = 1;
    const hasText = this.#hasValue(text, row);
    const hasType = this.#hasValue(type, row);
    if (!hasText && !hasType) {
      out.ascii('/>');
      return;
    }
    out.ascii('>');
    if (hasText) this.#linkPart(text, 'text', row);
    if (hasType) this.#linkPart(type, 'type', row);
    out.ascii('</link>');
  }

  #linkPart(field: number, name: string, row: number): void {
    const out = this.#out;
    out.ascii(`<${name}>`);
    if (this.#values[field].write(row)) this.#tallies.replaced.add(row);
    out.ascii(`</${name}>`);
    this.#isDone[field] = 1;
  }

  #extensions(row: number): void {
    const out = this.#out;
    let isOpen = false;
    for (let i = 0; i < this.#values.length; i++) {
      if (this.#isDone[i] === 1 || !this.#hasValue(i, row)) continue;
      const column = this.#columns[i];
      if (column.type === 'float64' && !Number.isFinite(column.values[row])) {
        this.#tallies.notFinite[i].add(row);
        continue;
      }
      if (!isOpen) out.copy(EXTENSIONS);
      isOpen = true;
      out.copy(this.#opens[i]);
      if (this.#values[i].write(row)) this.#tallies.replaced.add(row);
      out.copy(this.#closes[i]);
    }
    if (isOpen) out.copy(END_EXTENSIONS);
  }
}

function withTags(plan: ElementPlan): Element {
  return { ...plan, open: ascii(`<${plan.name}>`), close: ascii(`</${plan.name}>`) };
}

function isHeld(value: number, type: ElementType): boolean {
  switch (type) {
    case 'degrees':
      return value >= 0 && value < 360 && hasPlainDigits(value);
    case 'count':
      return Number.isInteger(value) && value >= 0 && hasPlainDigits(value);
    case 'station':
      return Number.isInteger(value) && value >= 0 && value <= MAX_STATION;
    default:
      return hasPlainDigits(value);
  }
}
