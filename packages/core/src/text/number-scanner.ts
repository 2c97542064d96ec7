/**
 * Reads numbers from ASCII text without intermediate strings, and exactly: up to 15 significant digits with a power of ten up to 22
 * are one exact division or multiplication (Clinger 1990, "How to read floating point numbers accurately"). 16 to 18 digits, as
 * programs print computed coordinates, are divided in double-double arithmetic; the result is used only if its error bound cannot
 * change the rounding. The rest goes through Number().
 */
import { asciiSlice, DOT, LOWER_E, MINUS, NINE, PLUS, UPPER_E, ZERO } from './ascii.ts';

export const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
export const MAX_EXACT_INTEGER = 9_007_199_254_740_992;

/** Scans one number per call and remembers where it ended. Reuse one instance to keep hot loops monomorphic. */
export class NumberScanner {
  /** Offset after the last scanned number; equal to the start offset if there was none. */
  end = 0;
  /** The text had neither fraction nor exponent. */
  isInteger = false;
  /** Count of digits in the mantissa without leading zeros. */
  digits = 0;

  /**
   * Reads `[+-]digits[.digits][(e|E)[+-]digits]` from `bytes[at, limit)`. Accepts what JSON, WKT and CSV agree on and
   * a little more (leading zeros, "1.", ".5", "+1"); stricter grammars check the bytes themselves.
   * Returns NaN with `end === at` when no number starts there.
   */
  scan(bytes: Uint8Array, at: number, limit: number): number {
    const start = at;
    let negative = false;
    let byte = at < limit ? bytes[at] : 0;
    if (byte === MINUS || byte === PLUS) {
      negative = byte === MINUS;
      byte = ++at < limit ? bytes[at] : 0;
    }
    // The first nine digits go into an integer register: its additions take a third of the time of a double's.
    let leading = 0;
    let digits = 0;
    let fractionStart = -1;
    const firstDigit = at;
    for (;;) {
      const digit = byte - ZERO;
      if (digit >= 0 && digit <= 9) {
        if (digits === 9) break;
        leading = (leading * 10 + digit) | 0;
        if (leading !== 0) digits++;
      } else if (byte === DOT && fractionStart < 0) fractionStart = at + 1;
      else break;
      byte = ++at < limit ? bytes[at] : 0;
    }
    let mantissa = leading;
    for (;;) {
      const digit = byte - ZERO;
      if (digit >= 0 && digit <= 9) {
        mantissa = mantissa * 10 + digit;
        digits++;
      } else if (byte === DOT && fractionStart < 0) fractionStart = at + 1;
      else break;
      byte = ++at < limit ? bytes[at] : 0;
    }
    let isInteger = fractionStart < 0;
    const fractionDigits = isInteger ? 0 : at - fractionStart;
    if (at - firstDigit === (isInteger ? 0 : 1)) {
      this.end = start;
      return Number.NaN;
    }
    let exponent = 0 - fractionDigits;
    if (byte === LOWER_E || byte === UPPER_E) {
      const mark = at;
      byte = ++at < limit ? bytes[at] : 0;
      let negativeExponent = false;
      if (byte === MINUS || byte === PLUS) {
        negativeExponent = byte === MINUS;
        byte = ++at < limit ? bytes[at] : 0;
      }
      const exponentStart = at;
      let value = 0;
      while (byte >= ZERO && byte <= NINE) {
        if (value < 100_000) value = value * 10 + (byte - ZERO);
        byte = ++at < limit ? bytes[at] : 0;
      }
      if (at === exponentStart) at = mark;
      else {
        exponent += negativeExponent ? -value : value;
        isInteger = false;
      }
    }
    this.end = at;
    this.isInteger = isInteger;
    this.digits = digits;
    let value: number;
    if (digits > 15 && mantissa >= MAX_EXACT_INTEGER) return parseDecimal(bytes, start, at);
    if (exponent === 0) value = mantissa;
    else if (exponent < 0 && exponent >= -22) value = mantissa / POWERS_OF_TEN[-exponent];
    else if (exponent > 0 && exponent <= 22) value = mantissa * POWERS_OF_TEN[exponent];
    else value = Math.abs(Number(asciiSlice(bytes, start, at)));
    return negative ? -value : value;
  }
}

/**
 * The double nearest to the decimal number in `bytes[start, end)`: an optional sign, digits with at most one point, an
 * optional exponent. The text must be a valid number.
 */
export function parseDecimal(bytes: Uint8Array, start: number, end: number): number {
  let high = 0;
  let low = 0;
  let digits = 0;
  let exponent = 0;
  let inFraction = false;
  for (let at = start; at < end; at++) {
    const digit = bytes[at] - ZERO;
    if (digit >= 0 && digit <= 9) {
      if (inFraction) exponent--;
      if (digits === 0 && digit === 0) continue;
      if (digits < 9) high = high * 10 + digit;
      else if (digits < 18) low = low * 10 + digit;
      else return Number(asciiSlice(bytes, start, end));
      digits++;
    } else if (bytes[at] === DOT) inFraction = true;
    else if (bytes[at] === LOWER_E || bytes[at] === UPPER_E) {
      exponent += Number(asciiSlice(bytes, at + 1, end));
      break;
    }
  }
  // Counted down from 0 and subtracted here: an index of -0 would deoptimise the compiled code every time.
  const decimals = 0 - exponent;
  if (decimals < 0 || decimals > 22) return Number(asciiSlice(bytes, start, end));
  let value: number;
  if (digits <= 9) value = high / POWERS_OF_TEN[decimals];
  else if (digits <= 15) value = (high * POWERS_OF_TEN[digits - 9] + low) / POWERS_OF_TEN[decimals];
  else {
    value = quotientOfDecimal(high, low, digits - 9, decimals);
    if (Number.isNaN(value)) return Number(asciiSlice(bytes, start, end));
  }
  return bytes[start] === MINUS ? -value : value;
}

/** Veltkamp's constant 2^27 + 1: splits a double into two halves whose products are exact. */
const SPLITTER = 134_217_729;

/**
 * `(high * 10^lowDigits + low) / 10^decimals` correctly rounded, or NaN if that cannot be decided. `high` has nine
 * digits, `low` at most nine. The dividend is held exactly as the sum of two doubles; the remainder of the first
 * quotient is exact, so the correction computed from it is accurate to about 2^-51 of itself.
 */
function quotientOfDecimal(high: number, low: number, lowDigits: number, decimals: number): number {
  const scale = POWERS_OF_TEN[lowDigits];
  const upper = (high >>> 15) * scale * 32_768;
  const lower = (high & 32_767) * scale + low;
  const sum = upper + lower;
  const rest = lower - (sum - upper);
  const divisor = POWERS_OF_TEN[decimals];
  const quotient = sum / divisor;
  const product = quotient * divisor;
  let scaled = SPLITTER * quotient;
  const quotientHigh = scaled - (scaled - quotient);
  const quotientLow = quotient - quotientHigh;
  scaled = SPLITTER * divisor;
  const divisorHigh = scaled - (scaled - divisor);
  const divisorLow = divisor - divisorHigh;
  const productError =
    quotientHigh * divisorHigh -
    product +
    quotientHigh * divisorLow +
    quotientLow * divisorHigh +
    quotientLow * divisorLow;
  const correction = (sum - product - productError + rest) / divisor;
  const least = quotient + correction * (1 - 1e-12);
  const most = quotient + correction * (1 + 1e-12);
  return least === most ? least : Number.NaN;
}
