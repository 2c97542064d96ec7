/** Writes the member `time` of features from the fields that a reader makes of it. */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { type AttributeColumn, type BytesColumn, isValid } from '@geomill/core/columns/attribute-column.ts';
import type { Field } from '@geomill/core/columns/schema.ts';

const DATE = /^\d{4}-\d\d-\d\d$/;
/** Timestamps of JSON-FG are in UTC. */
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const ZONED = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d(?::?\d\d)?)$/;

const decoder = new TextDecoder();

export class TimeWriter {
  readonly #out: ByteWriter;
  readonly #columns: readonly AttributeColumn[];
  /** Indices of the fields; -1: there is none. */
  readonly #instant: number;
  readonly #start: number;
  readonly #end: number;
  /** Of the row that was written last. */
  #tookInstant = false;
  #tookInterval = false;

  constructor(out: ByteWriter, fields: readonly Field[], columns: readonly AttributeColumn[]) {
    this.#out = out;
    this.#columns = columns;
    const index = (name: string): number => {
      const own = fields.findIndex((field, i) => field.name === `jsonfg_${name}` && isTime(columns[i]));
      return own >= 0 ? own : fields.findIndex((field, i) => field.name === name && isTime(columns[i]));
    };
    this.#instant = index('time');
    const [start, end] = [index('time_start'), index('time_end')];
    // One of them alone is no interval.
    const hasBoth = start >= 0 && end >= 0;
    this.#start = hasBoth ? start : -1;
    this.#end = hasBoth ? end : -1;
  }

  /** Writes the value; fields that it has no form for remain properties. */
  write(row: number): void {
    const instant = this.#value(this.#instant, row);
    const start = this.#value(this.#start, row);
    const end = this.#value(this.#end, row);
    this.#tookInstant = instant !== undefined;
    const areAlike = start == null || end == null || DATE.test(start) === DATE.test(end);
    this.#tookInterval = start !== undefined && end !== undefined && areAlike;
    const members: string[] = [];
    if (instant != null) members.push(`"${DATE.test(instant) ? 'date' : 'timestamp'}":"${instant}"`);
    if (this.#tookInterval && (start != null || end != null))
      members.push(`"interval":["${start ?? '..'}","${end ?? '..'}"]`);
    this.#out.ascii(members.length === 0 ? 'null' : `{${members.join(',')}}`);
  }

  /** Whether the field is in the member `time` of the row that was written last, so that it is no property. */
  took(field: number): boolean {
    if (field === this.#instant) return this.#tookInstant;
    return (field === this.#start || field === this.#end) && this.#tookInterval;
  }

  /** A date, or a timestamp in UTC; null: the row has no value; undefined: there is no form for it. */
  #value(field: number, row: number): string | null | undefined {
    if (field < 0) return undefined;
    const column = this.#columns[field] as BytesColumn;
    if (!isValid(column.validity, row)) return null;
    const text = decoder.decode(column.bytes.subarray(column.offsets[row], column.offsets[row + 1]));
    if (DATE.test(text) || UTC.test(text)) return text;
    return inUtc(text);
  }
}

function isTime({ type }: AttributeColumn): boolean {
  return type === 'date' || type === 'datetime';
}

/** Undefined: the text has no zone, or more digits than can be computed with. */
function inUtc(text: string): string | undefined {
  const [, day, minute, second = ':00', zone] = ZONED.exec(text) ?? [];
  if (day === undefined) return undefined;
  const offset = zone === 'Z' ? zone : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`;
  const time = Date.parse(`${day}T${minute}${second}${offset}`);
  if (Number.isNaN(time)) return undefined;
  return new Date(time).toISOString().replace('.000Z', 'Z');
}
