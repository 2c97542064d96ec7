/** Recognises ISO 8601 dates and datetimes in text, so that a field with only such values gets that type. */
import { COLON, MINUS, ZERO } from '../text/ascii.ts';

export const DATE_TEXT = 0;
export const DATETIME_TEXT = 1;
export const PLAIN_TEXT = 2;

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * DATE_TEXT for `YYYY-MM-DD`; DATETIME_TEXT for that followed by `T` or a space, `hh:mm[:ss[.fraction]]` and optionally
 * a zone (`Z`, `+hh`, `+hhmm`, `+hh:mm`); PLAIN_TEXT for all else, including dates that do not exist.
 */
export function temporalKind(
  bytes: Uint8Array,
  start: number,
  end: number,
): typeof DATE_TEXT | typeof DATETIME_TEXT | typeof PLAIN_TEXT {
  const length = end - start;
  if (length < 10 || bytes[start + 4] !== MINUS || bytes[start + 7] !== MINUS) return PLAIN_TEXT;
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= DAYS[month - 1])) return PLAIN_TEXT;
  if (month === 2 && day === 29 && (year % 4 !== 0 || (year % 100 === 0 && year % 400 !== 0)))
    return PLAIN_TEXT;
  if (length === 10) return DATE_TEXT;
  const separator = bytes[start + 10];
  if (separator !== 0x54 && separator !== 0x20) return PLAIN_TEXT;
  return isTime(bytes, start + 11, end) ? DATETIME_TEXT : PLAIN_TEXT;
}

function isTime(bytes: Uint8Array, at: number, end: number): boolean {
  if (at + 5 > end || bytes[at + 2] !== COLON) return false;
  if (!(twoDigits(bytes, at) <= 23 && twoDigits(bytes, at + 3) <= 59)) return false;
  at += 5;
  if (at < end && bytes[at] === COLON) {
    if (at + 3 > end || !(twoDigits(bytes, at + 1) <= 60)) return false;
    at += 3;
    if (at < end && bytes[at] === 0x2e) {
      const first = ++at;
      while (at < end && bytes[at] >= ZERO && bytes[at] <= 0x39) at++;
      if (at === first) return false;
    }
  }
  return at === end || isZone(bytes, at, end);
}

function isZone(bytes: Uint8Array, at: number, end: number): boolean {
  if (bytes[at] === 0x5a) return at + 1 === end;
  if (bytes[at] !== 0x2b && bytes[at] !== MINUS) return false;
  const length = end - at;
  if ((length !== 3 && length !== 5 && length !== 6) || !(twoDigits(bytes, at + 1) <= 23)) return false;
  if (length === 3) return true;
  if (length === 6 && bytes[at + 3] !== COLON) return false;
  return twoDigits(bytes, end - 2) <= 59;
}

/** NaN if they are not digits; all comparisons with it fail. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at] - ZERO;
  const ones = bytes[at + 1] - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}
