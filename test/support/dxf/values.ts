/** The kind of value for a group code, and its limits. */
import type { Tag } from './tags.ts';

const INT16 = [60, 79, 170, 179, 270, 289, 370, 389, 400, 409, 1060, 1070];
const INT32 = [90, 99, 420, 429, 440, 449, 1071, 1071];
const INT64 = [160, 169, 450, 459];
const REAL = [10, 59, 110, 149, 210, 239, 460, 469, 1010, 1059];
const HANDLE = [5, 5, 105, 105, 320, 369, 390, 399, 480, 481, 1005, 1005];
const BINARY = [310, 319, 1004, 1004];

/** Handles that refer to another entity or object; 320 to 329 are arbitrary and need not be defined. */
const POINTERS = [330, 369, 390, 399, 480, 481, 1005, 1005];

const MAX_TEXT_BYTES = 2049;
const MAX_BINARY_DIGITS = 254;

function isWithin(code: number, ranges: readonly number[]): boolean {
  for (let i = 0; i < ranges.length; i += 2) if (code >= ranges[i] && code <= ranges[i + 1]) return true;
  return false;
}

export const isHandle = (code: number): boolean => isWithin(code, HANDLE);
export const isPointer = (code: number): boolean => isWithin(code, POINTERS);

function isInteger(value: string, bits: number): boolean {
  if (!/^ *-?\d+ *$/.test(value)) return false;
  const limit = 2 ** (bits - 1);
  const number = Number(value);
  return number >= -limit && number < limit;
}

/**
 * The reason why a value is invalid for its code; null if it is valid. `isHeader`: group 5 is not an entity's handle
 * there.
 */
export function faultOfValue({ code, value }: Tag): string | null {
  if (isWithin(code, INT16) && !isInteger(value, 16)) return `'${value}' is no 16-bit integer`;
  if (code >= 290 && code <= 299 && !/^ *[01] *$/.test(value)) return `'${value}' is neither 0 nor 1`;
  if (isWithin(code, INT32) && !isInteger(value, 32)) return `'${value}' is no 32-bit integer`;
  if (isWithin(code, INT64) && !isInteger(value, 64)) return `'${value}' is no integer`;
  if (isWithin(code, REAL) && !(/^ *[-+\d.]/.test(value) && Number.isFinite(Number(value))))
    return `'${value}' is no finite number`;
  if (isWithin(code, HANDLE) && !/^[0-9A-F]{1,16}$/i.test(value)) return `'${value}' is no handle`;
  if (isWithin(code, BINARY) && !(/^([0-9A-F]{2})*$/i.test(value) && value.length <= MAX_BINARY_DIGITS))
    return `${value.length} characters are no binary chunk`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) return 'a control character stands in the text';
  if (Buffer.byteLength(value) > MAX_TEXT_BYTES)
    return `${Buffer.byteLength(value)} bytes of text are too long`;
  return null;
}
