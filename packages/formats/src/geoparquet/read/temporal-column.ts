/** Dates and timestamps as columns of text, without an object for each: tables have many of them. */
import { trimmed } from '@geomill/core/bytes/trimmed.ts';
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import type { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { UPPER_Z } from '@geomill/core/text/ascii.ts';
import { DATE_BYTES, writeDay, writeDigits, writeMilliseconds } from '@geomill/core/text/time-text.ts';
import type { Segment } from './chunk-reader.ts';
import type { TimeUnit } from './logical.ts';

export interface TemporalForm {
  /** days: since 1970-01-01. Others: the unit of a timestamp. */
  readonly unit: 'days' | TimeUnit;
  readonly isUtc: boolean;
}

/** YYYY-MM-DDThh:mm:ss.nnnnnnnnnZ */
const MOST_BYTES = 30;
const PER_MS: Readonly<Record<TimeUnit, number>> = { ms: 1, us: 1e3, ns: 1e6 };

/** `most`: definition level of a value. `invalid`: gets rows whose year has not four digits, which are null. */
export function readTemporalColumn(
  { unit, isUtc }: TemporalForm,
  segments: readonly Segment[],
  most: number,
  rowCount: number,
  invalid: RowTally,
): AttributeColumn {
  const isDate = unit === 'days';
  const bytes = new Uint8Array(rowCount * (isDate ? DATE_BYTES : MOST_BYTES));
  const offsets = new Uint32Array(rowCount + 1);
  const bits = new Uint8Array((rowCount + 7) >> 3);
  let nulls = 0;
  let row = 0;
  let at = 0;
  for (const { count, definitions, values, firstValue } of segments)
    for (let i = 0, value = firstValue; i < count; i++, row++) {
      let end = -1;
      if (definitions === null || definitions[i] === most) {
        const number = values.kind === 'int32' || values.kind === 'int64' ? values.values[value] : 0;
        end =
          unit === 'days' ? writeDay(Number(number), bytes, at) : writeTime(number, unit, isUtc, bytes, at);
        if (end < 0) invalid.add(row);
        value++;
      }
      if (end < 0) nulls++;
      else {
        bits[row >> 3] |= 1 << (row & 7);
        at = end;
      }
      offsets[row + 1] = at;
    }
  return {
    type: isDate ? 'date' : 'datetime',
    bytes: trimmed(bytes, at),
    offsets,
    validity: nulls === 0 ? null : bits,
  };
}

function writeTime(
  value: number | bigint,
  unit: TimeUnit,
  isUtc: boolean,
  target: Uint8Array,
  start: number,
): number {
  const perMs = PER_MS[unit];
  let ms: number;
  let rest: number;
  const exact = Number(value);
  if (Number.isSafeInteger(exact)) {
    ms = Math.floor(exact / perMs);
    rest = exact - ms * perMs;
  } else {
    const whole = BigInt(value);
    const remainder = ((whole % BigInt(perMs)) + BigInt(perMs)) % BigInt(perMs);
    ms = Number((whole - remainder) / BigInt(perMs));
    rest = Number(remainder);
  }
  let at = writeMilliseconds(ms, target, start);
  if (at < 0) return -1;
  // Further digits in groups of three, as many as there are.
  if (rest !== 0) {
    const isCoarse = unit === 'us' || rest % 1000 === 0;
    const digits = isCoarse ? 3 : 6;
    writeDigits(unit === 'ns' && isCoarse ? rest / 1000 : rest, digits, target, at);
    at += digits;
  }
  if (isUtc) target[at++] = UPPER_Z;
  return at;
}
