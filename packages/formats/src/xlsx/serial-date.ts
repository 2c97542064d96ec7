/**
 * Dates and times as spreadsheets store them: days since an epoch. In the system of 1900, day 60 is 29 February 1900, which
 * did not exist: days before it are one day later than counted from the epoch of the others.
 */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { DATE_BYTES, writeDay } from '@geomill/core/text/time-text.ts';
import { DATE_CELL, DATETIME_CELL, DURATION_CELL, TIME_CELL } from './number-formats.ts';

const MS_PER_DAY = 86_400_000;
/** 30 December 1899, from which days count from 1 March 1900 on, and 1 January 1904, in milliseconds since 1970. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
/** The day that did not exist. */
const FALSE_LEAP_DAY = 60;
/** Longer times of day are dates, in days: sums of hours are shorter, and dates of the first year are rare. */
const MAX_TIME = 366;
/** 1 January 10000. */
const END = Date.UTC(9999, 11, 31) + MS_PER_DAY;

/**
 * Appends the date or the time of a cell; returns whether the number is one. A number with a date format has a time only if
 * it is not whole.
 */
export function writeSerial(out: ByteWriter, value: number, kind: number, is1904: boolean): boolean {
  if (!(value >= 0) || value > 2_958_466) return false;
  if (isTime(kind)) {
    writeDuration(out, Math.round(value * 86_400_000));
    return true;
  }
  if (!is1904 && value < 1) return false;
  if (!is1904 && Math.floor(value) === FALSE_LEAP_DAY) return false;
  const days = !is1904 && value < FALSE_LEAP_DAY ? value + 1 : value;
  const ms = (is1904 ? EPOCH_1904 : EPOCH_1900) + Math.round(days * MS_PER_DAY);
  if (ms >= END) return false;
  writeDate(out, ms, kind === DATETIME_CELL || !Number.isInteger(value));
  return true;
}

/**
 * The kind of the number of a cell with such a format: a date may have a time, and a time of day a date that its format does
 * not show.
 */
export function kindOfSerial(value: number, kind: number): number {
  if (kind === TIME_CELL && value >= MAX_TIME) return DATETIME_CELL;
  return kind === DATE_CELL && !Number.isInteger(value) ? DATETIME_CELL : kind;
}

export function isTime(kind: number): boolean {
  return kind === TIME_CELL || kind === DURATION_CELL;
}

function writeDate(out: ByteWriter, ms: number, hasTime: boolean): void {
  out.reserve(DATE_BYTES + 1);
  const days = Math.floor(ms / MS_PER_DAY);
  out.length = writeDay(days, out.bytes, out.length);
  if (!hasTime) return;
  out.uint8(0x54);
  writeTime(out, Math.floor((ms - days * MS_PER_DAY) / 3_600_000), ms);
}

function writeDuration(out: ByteWriter, ms: number): void {
  writeTime(out, Math.floor(ms / 3_600_000), ms);
}

function writeTime(out: ByteWriter, hours: number, ms: number): void {
  const rest = ((ms % 3_600_000) + 3_600_000) % 3_600_000;
  padded(out, hours, 2);
  out.uint8(0x3a);
  padded(out, Math.floor(rest / 60_000), 2);
  out.uint8(0x3a);
  padded(out, Math.floor(rest / 1000) % 60, 2);
  if (rest % 1000 === 0) return;
  out.uint8(0x2e);
  padded(out, rest % 1000, 3);
}

function padded(out: ByteWriter, value: number, digits: number): void {
  const text = String(value);
  for (let i = text.length; i < digits; i++) out.uint8(0x30);
  out.ascii(text);
}

const DATE_TEXT = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3})0*)?)?)?$/;

/** The days since the epoch of 1900 of an ISO text; NaN: a cell cannot have it (a time zone, before March 1900, ...). */
export function serialOf(text: string): number {
  const match = DATE_TEXT.exec(text);
  if (match === null) return Number.NaN;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = ''] = match;
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const date = new Date(ms);
  // A day that does not exist would become another one.
  if (date.getUTCMonth() + 1 !== Number(month) || date.getUTCDate() !== Number(day)) return Number.NaN;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return Number.NaN;
  const days = (ms - EPOCH_1900) / MS_PER_DAY;
  if (days <= FALSE_LEAP_DAY) return Number.NaN;
  const time =
    (Number(hour) * 60 + Number(minute)) * 60_000 + Number(second) * 1000 + Number(fraction.padEnd(3, '0'));
  return days + time / MS_PER_DAY;
}
