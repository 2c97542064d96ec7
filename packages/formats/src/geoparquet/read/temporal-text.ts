/** Dates and times of Parquet as ISO 8601 text; null: the year has not four digits. */
import { DAY_MS, END_MS, LEAST_MS } from '@geomill/core/text/time-text.ts';
import type { TimeUnit } from './logical.ts';

const PER_MS: Readonly<Record<TimeUnit, bigint>> = { ms: 1n, us: 1_000n, ns: 1_000_000n };

/** Days since 1970-01-01. */
export function dateText(days: number): string | null {
  const time = days * DAY_MS;
  return time >= LEAST_MS && time < END_MS ? new Date(time).toISOString().slice(0, 10) : null;
}

/** With milliseconds, and with as many further digits as it has. */
export function timestampText(value: bigint, unit: TimeUnit, isUtc: boolean): string | null {
  const [ms, rest] = divided(value, PER_MS[unit]);
  const time = Number(ms);
  if (!(time >= LEAST_MS && time < END_MS)) return null;
  const text = new Date(time).toISOString();
  return text.slice(0, -1) + finer(rest, unit) + (isUtc ? 'Z' : '');
}

/** Since midnight. */
export function timeText(value: bigint, unit: TimeUnit, isUtc: boolean): string | null {
  const [ms, rest] = divided(value, PER_MS[unit]);
  const time = Number(ms);
  if (!(time >= 0 && time < DAY_MS)) return null;
  const seconds = new Date(time).toISOString().slice(11, -1);
  const text = seconds + finer(rest, unit);
  return text.replace(/\.0+$/, '') + (isUtc ? 'Z' : '');
}

/** Months, days and milliseconds as unsigned integers of 32 bits. */
export function durationText(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const [months, days, ms] = [0, 4, 8].map((at) => view.getUint32(at, true));
  const parts = [months > 0 ? `${months}M` : '', days > 0 ? `${days}D` : ''].join('');
  return `P${parts}${ms > 0 || parts === '' ? `T${ms / 1000}S` : ''}`;
}

function divided(value: bigint, by: bigint): [bigint, bigint] {
  const rest = value % by;
  return rest < 0n ? [value / by - 1n, rest + by] : [value / by, rest];
}

/** Digits after the milliseconds, in groups of three. */
function finer(rest: bigint, unit: TimeUnit): string {
  if (rest === 0n) return '';
  const digits = String(rest).padStart(unit === 'us' ? 3 : 6, '0');
  return digits.endsWith('000') ? digits.slice(0, 3) : digits;
}
