/** ISO 8601 dates and times as numbers that can be compared, whatever their zones. */
import { PLAIN_TEXT, temporalKind } from '@geomill/core/columns/temporal-text.ts';
import { COLON, ZERO } from '@geomill/core/text/ascii.ts';

const SECONDS_PER_DAY = 86400;

/**
 * Seconds since 1970 of a date (its midnight) or a date and time; without a zone they are in UTC. NaN for other
 * text. Exact to a microsecond.
 */
export function instantOf(bytes: Uint8Array, start: number, end: number): number {
  if (temporalKind(bytes, start, end) === PLAIN_TEXT) return Number.NaN;
  const year = number2(bytes, start) * 100 + number2(bytes, start + 2);
  const days = daysSince1970(year, number2(bytes, start + 5), number2(bytes, start + 8));
  if (end - start === 10) return days * SECONDS_PER_DAY;
  let seconds = number2(bytes, start + 11) * 3600 + number2(bytes, start + 14) * 60;
  let at = start + 16;
  if (at < end && bytes[at] === COLON) {
    seconds += number2(bytes, at + 1);
    at += 3;
    if (at < end && bytes[at] === 0x2e) {
      for (let unit = 0.1; ++at < end && bytes[at] >= ZERO && bytes[at] <= 0x39; unit /= 10)
        seconds += (bytes[at] - ZERO) * unit;
    }
  }
  return days * SECONDS_PER_DAY + seconds - offsetSeconds(bytes, at, end);
}

function offsetSeconds(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end || bytes[at] === 0x5a) return 0;
  const hours = number2(bytes, at + 1);
  const minutes = end - at === 3 ? 0 : number2(bytes, end - 2);
  return (bytes[at] === 0x2d ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/** Proleptic Gregorian calendar; years are counted from March, so that the leap day is the last day of a year. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146097 + dayOfEra - 719468;
}

function number2(bytes: Uint8Array, at: number): number {
  return (bytes[at] - ZERO) * 10 + bytes[at + 1] - ZERO;
}
