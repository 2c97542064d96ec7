/**
 * Writes numbers as ASCII text without intermediate strings: exactly (the shortest text that reads back as the same double), or
 * rounded to a number of significant digits or decimals.
 */
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { DOT, MINUS, ZERO } from './ascii.ts';
import { MAX_EXACT_INTEGER, POWERS_OF_TEN } from './number-scanner.ts';

/** Greatest length of text that writeNumber produces: sign, 17 digits, point, exponent. */
export const MAX_NUMBER_LENGTH = 32;

/** Index of the low 32-bit half of a 64-bit integer in memory. */
export const LOW_HALF = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;

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
