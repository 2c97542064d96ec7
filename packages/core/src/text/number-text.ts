/**
 * Reads and writes numbers as ASCII text without intermediate strings.
 *
 * Reading is exact: up to 15 significant digits with a power of ten up to 22 are one exact division or multiplication
 * (Clinger 1990, "How to read floating point numbers accurately"). 16 to 18 digits, as programs print computed
 * coordinates, are divided in double-double arithmetic; the result is used only if its error bound cannot change the
 * rounding. The rest goes through Number().
 *
 * Writing is either exact (the shortest text that reads back as the same double) or rounded to a number of significant
 * digits.
 */
import { latin1Text } from '@geomill/platform/bytes.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { DOT, LOWER_E, MINUS, NINE, PLUS, UPPER_E, ZERO } from './ascii.ts';

const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
const MAX_EXACT_INTEGER = 9_007_199_254_740_992;
/** Greatest length of text that writeNumber produces: sign, 17 digits, point, exponent. */
export const MAX_NUMBER_LENGTH = 32;

/** Index of the low 32-bit half of a 64-bit integer in memory. */
export const LOW_HALF = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;

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

const LONG_SLICE = 64;

/** `bytes[start, end)` as a string; all bytes must be ASCII. */
export function asciiSlice(bytes: Uint8Array, start: number, end: number): string {
  // Appending one character at a time would take many times the memory.
  if (end - start > LONG_SLICE) return latin1Text(bytes, start, end);
  let text = '';
  for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i]);
  return text;
}

/** Digit pairs "00".."99", so that two digits cost one division. */
const PAIRS = Uint8Array.from(
  { length: 200 },
  (_, i) => ZERO + (i % 2 === 0 ? Math.floor(i / 20) : (i >> 1) % 10),
);

/** Writes a non-negative integer below 1e9 right-aligned, ending before `end`; returns where it starts. */
function writeUint30Backward(bytes: Uint8Array, end: number, value: number): number {
  let at = end;
  while (value >= 100) {
    const rest = (value / 100) | 0;
    const pair = (value - rest * 100) << 1;
    bytes[--at] = PAIRS[pair + 1];
    bytes[--at] = PAIRS[pair];
    value = rest;
  }
  if (value >= 10) {
    bytes[--at] = PAIRS[(value << 1) + 1];
    bytes[--at] = PAIRS[value << 1];
  } else bytes[--at] = ZERO + value;
  return at;
}

const scratch = new Uint8Array(40);

/** Appends an integer of magnitude up to 2^53. */
export function writeInteger(writer: ByteWriter, value: number): void {
  writer.reserve(MAX_NUMBER_LENGTH);
  const { bytes } = writer;
  let at = writer.length;
  if (value < 0) {
    bytes[at++] = MINUS;
    value = -value;
  }
  if (value < 10) {
    bytes[at++] = ZERO + value;
    writer.length = at;
    return;
  }
  let start = scratch.length;
  while (value >= 1e8) {
    const rest = Math.floor(value / 1e8);
    const from = writeUint30Backward(scratch, start, value - rest * 1e8);
    start -= 8;
    for (let i = start; i < from; i++) scratch[i] = ZERO;
    value = rest;
  }
  start = writeUint30Backward(scratch, start, value);
  for (let i = start; i < scratch.length; i++) bytes[at++] = scratch[i];
  writer.length = at;
}

/** Writes the last `count` digits of a non-negative integer below 2^31, ending before `end`. */
function writeDigitsBackward(bytes: Uint8Array, end: number, value: number, count: number): void {
  let at = end;
  while (count >= 2) {
    const rest = (value / 100) | 0;
    const pair = (value - rest * 100) << 1;
    bytes[--at] = PAIRS[pair + 1];
    bytes[--at] = PAIRS[pair];
    value = rest;
    count -= 2;
  }
  if (count === 1) bytes[--at] = ZERO + (value % 10);
}

/**
 * Appends `mantissa * 10^-decimals` in plain notation without trailing zeros in the fraction.
 * `mantissa` is a non-negative integer below 2^53, `decimals` 0 to 22, their value below 1e9.
 */
function writeDecimal(writer: ByteWriter, negative: boolean, mantissa: number, decimals: number): void {
  writer.reserve(2 * MAX_NUMBER_LENGTH);
  const { bytes } = writer;
  let at = writer.length;
  if (negative && mantissa !== 0) bytes[at++] = MINUS;
  // Both steps are exact: the quotient of integers below 2^53 never rounds up to the next integer.
  const whole = Math.floor(mantissa / POWERS_OF_TEN[decimals]) | 0;
  const fraction = mantissa - whole * POWERS_OF_TEN[decimals];
  if (whole < 10) bytes[at++] = ZERO + whole;
  else {
    const digits =
      whole < 100
        ? 2
        : whole < 1000
          ? 3
          : whole < 10_000
            ? 4
            : whole < 1e6
              ? whole < 1e5
                ? 5
                : 6
              : digitsAbove6(whole);
    at += digits;
    writeDigitsBackward(bytes, at, whole, digits);
  }
  if (fraction !== 0) {
    bytes[at++] = DOT;
    at += decimals;
    if (decimals <= 9) writeDigitsBackward(bytes, at, fraction | 0, decimals);
    else {
      const high = Math.floor(fraction / 1e9);
      writeDigitsBackward(bytes, at, (fraction - high * 1e9) | 0, 9);
      writeDigitsBackward(bytes, at - 9, high | 0, decimals - 9);
    }
    while (bytes[at - 1] === ZERO) at--;
  }
  writer.length = at;
}

function digitsAbove6(whole: number): number {
  return whole < 1e7 ? 7 : whole < 1e8 ? 8 : whole < 1e9 ? 9 : 10;
}

/** The last number of decimals that worked; neighbouring coordinates mostly have the same number. */
let decimalsHint = 7;

/** Appends the shortest text that reads back as the same double. The value must be finite. */
export function writeNumber(writer: ByteWriter, value: number): void {
  const negative = value < 0;
  const magnitude = negative ? -value : value;
  if (Number.isInteger(magnitude) && magnitude < 1e15) {
    writeInteger(writer, negative ? -magnitude : magnitude);
    return;
  }
  if (magnitude < 1e9 && magnitude >= 1e-5) {
    // A decimal of at most 15 significant digits that reads back as this double is unique, so it is the shortest.
    let decimals = decimalsHint;
    for (let attempt = 0; attempt < 3; attempt++) {
      const scaled = Math.round(magnitude * POWERS_OF_TEN[decimals]);
      if (scaled < 1e15 && scaled / POWERS_OF_TEN[decimals] === magnitude) {
        decimalsHint = decimals;
        writeDecimal(writer, negative, scaled, decimals);
        return;
      }
      const most = mostDecimals(magnitude);
      if (decimals === most) break;
      decimals = attempt === 0 && decimals < 10 ? Math.min(10, most) : most;
    }
  }
  writer.ascii(String(value));
}

/** The number of decimals left by 15 significant digits. */
function mostDecimals(magnitude: number): number {
  if (magnitude < 1)
    return magnitude < 0.001
      ? magnitude < 1e-4
        ? 19
        : 18
      : magnitude < 0.01
        ? 17
        : magnitude < 0.1
          ? 16
          : 15;
  if (magnitude < 1e3) return magnitude < 10 ? 14 : magnitude < 100 ? 13 : 12;
  if (magnitude < 1e6) return magnitude < 1e4 ? 11 : magnitude < 1e5 ? 10 : 9;
  return magnitude < 1e7 ? 8 : magnitude < 1e8 ? 7 : 6;
}

/** Appends the value rounded to `significantDigits` (1 to 15), in plain notation if that is shorter. */
export function writeRounded(writer: ByteWriter, value: number, significantDigits: number): void {
  const negative = value < 0;
  const magnitude = negative ? -value : value;
  if (magnitude < 1e9 && magnitude >= 1e-5) {
    const decimals = mostDecimals(magnitude) - (15 - significantDigits);
    if (decimals >= 0) {
      writeDecimal(writer, negative, Math.round(magnitude * POWERS_OF_TEN[decimals]), decimals);
      return;
    }
  }
  const rounded = value === 0 ? 0 : Number(value.toPrecision(significantDigits));
  // Rounding up the largest doubles would give Infinity.
  writeNumber(writer, Number.isFinite(rounded) ? rounded : value);
}

/** Appends the value rounded to `decimals` (0 to 15), in plain notation if that is shorter. */
function writeFixed(writer: ByteWriter, value: number, decimals: number): void {
  const negative = value < 0;
  const magnitude = negative ? -value : value;
  const scaled = Math.round(magnitude * POWERS_OF_TEN[decimals]);
  if (magnitude < 1e9 && scaled < MAX_EXACT_INTEGER) writeDecimal(writer, negative, scaled, decimals);
  // From 2^53 on a double has no decimals.
  else writeNumber(writer, magnitude < 2 ** 53 ? Number(value.toFixed(decimals)) : value);
}

/**
 * How numbers are written: 0 as the shortest text that reads back as the same double, 1 to 15 rounded to so many
 * significant digits, and negative numbers, made by `fixedDecimals`, rounded to decimals.
 */
export type Digits = number;

/** Rounds to 0 to 15 decimals. */
export function fixedDecimals(count: number): Digits {
  return ~count;
}

/** The number of decimals of `fixedDecimals`; null for other digits. */
export function decimalsOf(digits: Digits): number | null {
  return digits < 0 ? ~digits : null;
}

/** Of the coordinates of a layer. */
export interface CoordinateDigits {
  readonly xy: Digits;
  /** Of Z and M, whose unit can be another one. */
  readonly zm: Digits;
}

export const ALL_DIGITS: CoordinateDigits = { xy: 0, zm: 0 };

/** Appends a finite value. */
export function writeDigits(writer: ByteWriter, value: number, digits: Digits): void {
  if (digits === 0) writeNumber(writer, value);
  else if (digits > 0) writeRounded(writer, value, digits);
  else writeFixed(writer, value, ~digits);
}

/** Usual length of a coordinate with a separator, to reserve memory. */
export function usualLength(digits: Digits): number {
  if (digits === 0) return 13;
  return digits > 0 ? digits + 3 : Math.min(~digits + 7, 18);
}
