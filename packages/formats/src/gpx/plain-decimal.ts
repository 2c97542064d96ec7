/** Numbers as xsd:decimal, which has no exponents. */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { asciiSlice } from '@geomill/core/text/ascii.ts';
import { type Digits, writeDigits } from '@geomill/core/text/number-text.ts';

const LEAST_PLAIN = 1e-5;
const MOST_PLAIN = 1e9;
/** A validator must accept 18 digits of an xsd:decimal; libxml2 accepts 24. */
const MAX_DIGITS = 24;
/** From here on numbers have more digits. */
export const DECIMAL_LIMIT = 1e24;

/** Whether validators accept a finite value as a decimal with all its digits. */
export function hasPlainDigits(value: number): boolean {
  const magnitude = Math.abs(value);
  if (magnitude >= LEAST_PLAIN || value === 0) return magnitude < DECIMAL_LIMIT;
  return withoutExponent(String(magnitude)).length <= MAX_DIGITS + 2;
}

/** Appends a finite value with all its digits: a coordinate near 0 may have more than validators accept. */
export function writeDecimal(out: ByteWriter, value: number, digits: Digits): void {
  const start = out.length;
  writeDigits(out, value, digits);
  const magnitude = Math.abs(value);
  if ((magnitude < MOST_PLAIN && magnitude >= LEAST_PLAIN) || value === 0) return;
  const text = asciiSlice(out.bytes, start, out.length);
  if (!text.includes('e')) return;
  out.length = start;
  out.ascii(withoutExponent(text));
}

/** "1.5e-7" as "0.00000015". */
export function withoutExponent(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]?\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign, whole, fraction = '', exponent] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
