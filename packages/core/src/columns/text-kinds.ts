/** Classifies texts, as of cells of a table, as kinds of values. */
import { asciiSlice, COLON, DOT, MINUS, NINE, PLUS, ZERO } from '../text/ascii.ts';
import type { FieldType } from './schema.ts';

/** In widening order for numbers: the higher of two integer kinds holds both. */
export const KIND = {
  null: 0,
  int32: 1,
  /** More than 32 bits, but exact as a double. */
  int53: 2,
  /** More than 2^53, within 64 bits. */
  int64: 3,
  float64: 4,
  boolean: 5,
  date: 6,
  datetime: 7,
  text: 8,
} as const;

/** The type that holds the values of each kind. */
export const TYPE_OF_KIND: readonly FieldType[] = [
  'string',
  'int32',
  'int64',
  'int64',
  'float64',
  'boolean',
  'date',
  'datetime',
  'string',
];

/** The kind of `bytes[start, end)`, which is not empty and has no blanks around it. */
export function kindOf(bytes: Uint8Array, start: number, end: number): number {
  const first = bytes[start];
  if ((first >= ZERO && first <= NINE) || first === MINUS || first === DOT)
    return kindOfNumber(bytes, start, end);
  return first === 0x74 || first === 0x66 || first === 0x54 || first === 0x46
    ? kindOfWord(bytes, start, end)
    : KIND.text;
}

/** The kind that holds both; text holds everything. */
export function widenKind(a: number, b: number): number {
  if (a === b || b === KIND.null) return a;
  if (a === KIND.null) return b;
  if (a > KIND.float64 || b > KIND.float64) return KIND.text;
  if (a !== KIND.float64 && b !== KIND.float64) return Math.max(a, b);
  return a === KIND.int64 || b === KIND.int64 ? KIND.text : KIND.float64;
}

function kindOfNumber(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  if (bytes[at] === MINUS) at++;
  const integerStart = at;
  while (at < end && bytes[at] >= ZERO && bytes[at] <= NINE) at++;
  const digits = at - integerStart;
  if (at === end) return kindOfInteger(bytes, start, integerStart, end);
  if (digits === 4 && bytes[at] === MINUS && integerStart === start) return kindOfDate(bytes, start, end);
  if (digits > 1 && bytes[integerStart] === ZERO) return KIND.text;
  let fraction = 0;
  if (bytes[at] === DOT) {
    const from = ++at;
    while (at < end && bytes[at] >= ZERO && bytes[at] <= NINE) at++;
    fraction = at - from;
    if (fraction === 0) return KIND.text;
  }
  if (digits + fraction === 0) return KIND.text;
  if (at < end) {
    if ((bytes[at] | 0x20) !== 0x65) return KIND.text;
    at++;
    if (at < end && (bytes[at] === MINUS || bytes[at] === PLUS)) at++;
    const from = at;
    while (at < end && bytes[at] >= ZERO && bytes[at] <= NINE) at++;
    if (at < end || at === from) return KIND.text;
    if (at - from > 2 && !isInRange(asciiSlice(bytes, start, end))) return KIND.text;
  }
  return digits > 200 ? KIND.text : KIND.float64;
}

/** Whether the value of a number with a large exponent is finite and does not underflow to zero. */
function isInRange(text: string): boolean {
  const value = Number(text);
  return Number.isFinite(value) && (value !== 0 || /^[-0.]*e/i.test(text));
}

const MAX_INT32 = 2_147_483_647;
const MAX_EXACT = 9_007_199_254_740_992;

function kindOfInteger(bytes: Uint8Array, start: number, digitStart: number, end: number): number {
  const digits = end - digitStart;
  if (digits === 0 || digits > 19) return KIND.text;
  if (bytes[digitStart] === ZERO) return digits === 1 && start === digitStart ? KIND.int32 : KIND.text;
  if (digits <= 9) return KIND.int32;
  let value = 0;
  for (let i = digitStart; i < end; i++) value = value * 10 + (bytes[i] - ZERO);
  const isNegative = start < digitStart;
  if (value <= MAX_INT32 || (isNegative && value === MAX_INT32 + 1)) return KIND.int32;
  if (digits <= 15) return KIND.int53;
  // Rare: exact with bigints.
  let exact = 0n;
  for (let i = digitStart; i < end; i++) exact = exact * 10n + BigInt(bytes[i] - ZERO);
  if (exact <= MAX_EXACT) return KIND.int53;
  return exact < 1n << 63n || (isNegative && exact === 1n << 63n) ? KIND.int64 : KIND.text;
}

const DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** YYYY-MM-DD, optionally followed by "T", HH:MM[:SS[.fraction]] and a zone (Z, +HH, +HHMM, +HH:MM). */
function kindOfDate(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 10 || bytes[start + 7] !== MINUS) return KIND.text;
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= DAYS_IN_MONTH[month - 1])) return KIND.text;
  if (month === 2 && day === 29 && !isLeapYear(twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2)))
    return KIND.text;
  if (end - start === 10) return KIND.date;
  if (bytes[start + 10] !== 0x54 || end - start < 16) return KIND.text;
  let at = start + 11;
  if (!(twoDigits(bytes, at) <= 23 && bytes[at + 2] === COLON && twoDigits(bytes, at + 3) <= 59))
    return KIND.text;
  at += 5;
  if (at < end && bytes[at] === COLON) {
    if (end - at < 3 || !(twoDigits(bytes, at + 1) <= 60)) return KIND.text;
    at += 3;
    if (at < end && bytes[at] === DOT) {
      const from = ++at;
      while (at < end && bytes[at] >= ZERO && bytes[at] <= NINE) at++;
      if (at === from) return KIND.text;
    }
  }
  return isZone(bytes, at, end) ? KIND.datetime : KIND.text;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function isZone(bytes: Uint8Array, at: number, end: number): boolean {
  if (at === end) return true;
  if (bytes[at] === 0x5a) return at + 1 === end;
  if (bytes[at] !== PLUS && bytes[at] !== MINUS) return false;
  const length = end - at;
  if (length !== 3 && length !== 5 && length !== 6) return false;
  if (!(twoDigits(bytes, at + 1) <= 23)) return false;
  if (length === 3) return true;
  if (length === 6 && bytes[at + 3] !== COLON) return false;
  return twoDigits(bytes, end - 2) <= 59;
}

/** NaN if one of the two is not a digit: every comparison with it is false. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const high = bytes[at] - ZERO;
  const low = bytes[at + 1] - ZERO;
  return high >= 0 && high <= 9 && low >= 0 && low <= 9 ? high * 10 + low : Number.NaN;
}

const WORDS = ['true', 'false', 'TRUE', 'FALSE', 'True', 'False'].map((word) =>
  new TextEncoder().encode(word),
);

function kindOfWord(bytes: Uint8Array, start: number, end: number): number {
  for (let i = 0; i < WORDS.length; i++) {
    const word = WORDS[i];
    if (word.length !== end - start) continue;
    let same = 0;
    while (same < word.length && bytes[start + same] === word[same]) same++;
    if (same === word.length) return KIND.boolean;
  }
  return KIND.text;
}
