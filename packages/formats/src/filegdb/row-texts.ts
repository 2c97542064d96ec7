/** Values of rows as text: times, which are stored as days, and GUIDs. */
import { COLON, MINUS, UPPER_Z } from '@geomill/core/text/ascii.ts';
import {
  DATE_BYTES,
  DAY_MS,
  MILLISECOND_BYTES,
  writeDay,
  writeDigits,
  writeMilliseconds,
} from '@geomill/core/text/time-text.ts';

/** How a time is written: with a day and a time of day, which is in no zone, in UTC, or in one that each value states; the day or the time of day alone. */
export type TimeForm = 'local' | 'utc' | 'offset' | 'day' | 'time of day';

const PLUS = 0x2b;
/** From 1899-12-30, day 0 of the format, to 1970-01-01. */
const EPOCH_DAYS = 25_569;
/** Length of a time without its fraction, and of the fraction ".000". */
const FRACTION_BYTES = 4;
const MINUTES_OF_DAY = 1440;

export class TimeWriter {
  readonly bytes: Uint8Array<ArrayBuffer> = new Uint8Array(MILLISECOND_BYTES + 6);

  /** Writes a number of days to `bytes`. Returns the length of the text, or -1 if it has no form in ISO 8601. */
  write(days: number, form: TimeForm, offsetMinutes: number): number {
    const { bytes } = this;
    if (form === 'day') return writeDay(Math.floor(days - EPOCH_DAYS), bytes, 0);
    const ms = Math.round((days - EPOCH_DAYS) * DAY_MS);
    if (form === 'time of day') {
      if (!(days >= 0 && days <= 1)) return -1;
      const end = this.#trim(writeMilliseconds(Math.min(DAY_MS - 1, Math.round(days * DAY_MS)), bytes, 0));
      bytes.copyWithin(0, DATE_BYTES + 1, end);
      return end - DATE_BYTES - 1;
    }
    const end = this.#trim(writeMilliseconds(ms, bytes, 0));
    if (end < 0 || form === 'local') return end;
    if (form === 'offset') return this.#offset(end, offsetMinutes);
    bytes[end] = UPPER_Z;
    return end + 1;
  }

  /** Without a fraction that is 0. */
  #trim(end: number): number {
    return end >= 0 &&
      this.bytes[end - 1] === 0x30 &&
      this.bytes[end - 2] === 0x30 &&
      this.bytes[end - 3] === 0x30
      ? end - FRACTION_BYTES
      : end;
  }

  #offset(at: number, minutes: number): number {
    const size = Math.abs(minutes);
    if (size >= MINUTES_OF_DAY) return -1;
    const { bytes } = this;
    bytes[at] = minutes < 0 ? MINUS : PLUS;
    writeDigits(Math.floor(size / 60), 2, bytes, at + 1);
    bytes[at + 3] = COLON;
    writeDigits(size % 60, 2, bytes, at + 4);
    return at + 6;
  }
}

const HEX = new TextEncoder().encode('0123456789ABCDEF');
/** The order of the bytes in the text; the first three groups are numbers with the lowest byte first. */
const GUID_ORDER = [3, 2, 1, 0, -1, 5, 4, -1, 7, 6, -1, 8, 9, -1, 10, 11, 12, 13, 14, 15];
const guid = new Uint8Array(38);

/** "{12345678-9ABC-DEF0-1234-567890ABCDEF}"; overwritten by the next call. */
export function guidText(bytes: Uint8Array, at: number): Uint8Array {
  let out = 0;
  guid[out++] = 0x7b;
  for (const index of GUID_ORDER) {
    if (index < 0) guid[out++] = MINUS;
    else {
      const byte = bytes[at + index];
      guid[out++] = HEX[byte >> 4];
      guid[out++] = HEX[byte & 15];
    }
  }
  guid[out] = 0x7d;
  return guid;
}
