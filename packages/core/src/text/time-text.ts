/** Dates and times as ISO 8601 text, without an object for each. */
import { COLON, DOT, MINUS, UPPER_T, ZERO } from './ascii.ts';

export const DAY_MS = 86_400_000;
/** 0000-01-01 and 10000-01-01. */
export const LEAST_MS = -62_167_219_200_000;
export const END_MS = 253_402_300_800_000;

/** Length of YYYY-MM-DD, and with Thh:mm:ss.nnn. */
export const DATE_BYTES = 10;
export const MILLISECOND_BYTES = 23;

/** Writes YYYY-MM-DD for days since 1970-01-01. Returns the end, or -1 if the year has not four digits. */
export function writeDay(days: number, target: Uint8Array, at: number): number {
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

/** Writes YYYY-MM-DDThh:mm:ss.nnn for milliseconds since 1970-01-01. Returns the end, or -1 if the year has not four digits. */
export function writeMilliseconds(ms: number, target: Uint8Array, start: number): number {
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
  return at + 12;
}

/** Writes the last `count` digits of a whole number. */
export function writeDigits(value: number, count: number, target: Uint8Array, at: number): void {
  let rest = value;
  for (let i = at + count - 1; i >= at; i--) {
    const tens = Math.floor(rest / 10);
    target[i] = ZERO + rest - tens * 10;
    rest = tens;
  }
}
