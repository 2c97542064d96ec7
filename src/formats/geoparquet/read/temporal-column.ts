/** Dates and timestamps as columns of text, without an object for each: tables have many of them. */
import type { AttributeColumn } from '../../../batch/attribute-column.ts';
import { trimmed } from '../../../batch/trimmed.ts';
import { COLON, DOT, MINUS, UPPER_T, UPPER_Z, ZERO } from '../../../bytes/ascii.ts';
import type { RowTally } from '../../../finding-rows.ts';
import type { Segment } from './chunk-reader.ts';
import type { TimeUnit } from './logical.ts';
import { DAY_MS, END_MS, LEAST_MS } from './temporal-text.ts';

export interface TemporalForm {
  /** days: since 1970-01-01. Others: the unit of a timestamp. */
  readonly unit: 'days' | TimeUnit;
  readonly isUtc: boolean;
}

/** YYYY-MM-DDThh:mm:ss.nnnnnnnnnZ */
const MOST_BYTES = 30;
const DATE_BYTES = 10;
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

/** Returns the end, or -1 if the year has not four digits. */
function writeDay(days: number, target: Uint8Array, at: number): number {
  if (!(days >= LEAST_MS / DAY_MS && days < END_MS / DAY_MS)) return -1;
  // Eras of 400 years that begin on 1 March, so that the leap day is their last (Howard Hinnant, days_from_civil).
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  writeDigits(year, 4, target, at);
  target[at + 4] = MINUS;
  writeDigits(month, 2, target, at + 5);
  target[at + 7] = MINUS;
  writeDigits(dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1, 2, target, at + 8);
  return at + DATE_BYTES;
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
  const days = Math.floor(ms / DAY_MS);
  let at = writeDay(days, target, start);
  if (at < 0) return -1;
  const ofDay = ms - days * DAY_MS;
  target[at++] = UPPER_T;
  writeDigits(Math.floor(ofDay / 3_600_000), 2, target, at);
  target[at + 2] = COLON;
  writeDigits(Math.floor(ofDay / 60_000) % 60, 2, target, at + 3);
  target[at + 5] = COLON;
  writeDigits(Math.floor(ofDay / 1000) % 60, 2, target, at + 6);
  target[at + 8] = DOT;
  writeDigits(ofDay % 1000, 3, target, at + 9);
  at += 12;
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

function writeDigits(value: number, count: number, target: Uint8Array, at: number): void {
  let rest = value;
  for (let i = at + count - 1; i >= at; i--) {
    const tens = Math.floor(rest / 10);
    target[i] = ZERO + rest - tens * 10;
    rest = tens;
  }
}
