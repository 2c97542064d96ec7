/** Dates and times as a .mid has them. ISO 8601 texts of them; null: it is none. */

/** YYYYMMDD, or DD/MM/YYYY of old files. */
export function dateText(text: string): string | null {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? [];
  if (year !== undefined) return isoDate(Number(year), Number(month), Number(day));
  const [, oldDay, oldMonth, oldYear] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? [];
  return oldYear === undefined ? null : isoDate(Number(oldYear), Number(oldMonth), Number(oldDay));
}

export function isoDate(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  const isValid = month >= 1 && month <= 12 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isValid || year < 0 || year > 9999) return null;
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

const DAY_MS = 86_400_000;

/** Milliseconds of a day as HH:MM:SS, with a fraction if there is one. */
export function isoTime(ms: number): string | null {
  if (ms < 0 || ms >= DAY_MS) return null;
  const text = new Date(ms).toISOString().slice(11, 23);
  return text.endsWith('.000') ? text.slice(0, -4) : text;
}

/** HHMMSSmmm, also without the milliseconds. */
export function timeText(text: string): string | null {
  const [, hours, minutes, seconds, fraction = '0'] = /^(\d{2})(\d{2})(\d{2})(\d{3})?$/.exec(text) ?? [];
  if (hours === undefined || Number(minutes) > 59 || Number(seconds) > 59) return null;
  return isoTime(((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(fraction));
}

/** YYYYMMDDHHMMSSmmm. */
export function dateTimeText(text: string): string | null {
  const date = dateText(text.slice(0, 8));
  const time = text.length === 8 ? '00:00:00' : timeText(text.slice(8));
  return date === null || time === null ? null : `${date}T${time}`;
}
