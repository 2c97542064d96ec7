/** Dates and times in ISO 8601 text as numbers of Parquet. */
import { type BytesColumn, isValid } from '@geomill/core/columns/attribute-column.ts';
import { DATE_TEXT, DATETIME_TEXT, temporalKind } from '@geomill/core/columns/temporal-text.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { COLON, DOT, MINUS, ZERO } from '@geomill/core/text/ascii.ts';

export interface DateValues {
  /** Days since 1970-01-01, by row. */
  readonly values: Int32Array;
  /** Rows with a value. */
  readonly present: Uint8Array<ArrayBuffer>;
  /** Rows with a text that is no date. */
  readonly invalid: RowTally;
}

export interface TimeValues {
  /** Microseconds since 1970-01-01T00:00, in UTC where the text has a zone, by row. */
  readonly values: BigInt64Array;
  readonly present: Uint8Array<ArrayBuffer>;
  readonly invalid: RowTally;
  /** Rows with an offset other than UTC. */
  readonly moved: RowTally;
  /** Rows with more than six digits of a second. */
  readonly cut: RowTally;
  /** Rows with a zone, and without. */
  readonly withZone: number;
  readonly withoutZone: number;
}

const DAY_SECONDS = 86_400;
const DATE_LENGTH = 10;

export function dateValues({ bytes, offsets, validity }: BytesColumn, rowCount: number): DateValues {
  const values = new Int32Array(rowCount);
  const present = new Uint8Array((rowCount + 7) >> 3);
  const invalid = new RowTally();
  for (let row = 0; row < rowCount; row++) {
    if (!isValid(validity, row)) continue;
    const start = offsets[row];
    const end = offsets[row + 1];
    if (temporalKind(bytes, start, end) === DATE_TEXT) {
      values[row] = daysAt(bytes, start);
      present[row >> 3] |= 1 << (row & 7);
    } else invalid.add(row);
  }
  return { values, present, invalid };
}

export function timeValues({ bytes, offsets, validity }: BytesColumn, rowCount: number): TimeValues {
  const values = new BigInt64Array(rowCount);
  const present = new Uint8Array((rowCount + 7) >> 3);
  const invalid = new RowTally();
  const moved = new RowTally();
  const cut = new RowTally();
  let withZone = 0;
  let withoutZone = 0;
  for (let row = 0; row < rowCount; row++) {
    if (!isValid(validity, row)) continue;
    const start = offsets[row];
    const end = offsets[row + 1];
    if (temporalKind(bytes, start, end) !== DATETIME_TEXT) {
      invalid.add(row);
      continue;
    }
    present[row >> 3] |= 1 << (row & 7);
    let at = start + DATE_LENGTH + 1;
    let seconds =
      daysAt(bytes, start) * DAY_SECONDS + digits(bytes, at, 2) * 3600 + digits(bytes, at + 3, 2) * 60;
    at += 5;
    let micros = 0;
    if (bytes[at] === COLON && at < end) {
      seconds += digits(bytes, at + 1, 2);
      at += 3;
      if (bytes[at] === DOT && at < end) {
        let scale = 100_000;
        let isCut = false;
        for (at++; at < end && isDigit(bytes[at]); at++, scale /= 10) {
          if (scale >= 1) micros += (bytes[at] - ZERO) * scale;
          else if (bytes[at] !== ZERO) isCut = true;
        }
        if (isCut) cut.add(row);
      }
    }
    if (at === end) withoutZone++;
    else {
      withZone++;
      const minutes = offsetMinutes(bytes, at, end);
      if (minutes !== 0) moved.add(row);
      seconds -= minutes * 60;
    }
    values[row] = BigInt(seconds) * 1_000_000n + BigInt(micros);
  }
  return { values, present, invalid, moved, cut, withZone, withoutZone };
}

/** Of a zone `Z`, `+hh`, `+hhmm` or `+hh:mm`. */
function offsetMinutes(bytes: Uint8Array, at: number, end: number): number {
  if (end - at === 1) return 0;
  const hours = digits(bytes, at + 1, 2);
  const minutes = end - at === 3 ? 0 : digits(bytes, end - 2, 2);
  return (bytes[at] === MINUS ? -1 : 1) * (hours * 60 + minutes);
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}

function digits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let i = 0; i < count; i++) value = value * 10 + bytes[at + i] - ZERO;
  return value;
}

/** Days since 1970-01-01 of the date at `at`, by the proleptic Gregorian calendar. */
function daysAt(bytes: Uint8Array, at: number): number {
  const month = digits(bytes, at + 5, 2);
  // Years that begin in March, so that the leap day is their last.
  const year = digits(bytes, at, 4) - (month <= 2 ? 1 : 0);
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + digits(bytes, at + 8, 2) - 1;
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400);
  return year * 365 + leapDays + dayOfYear - 719_468;
}
