/** Ways to damage a file. Each is a pure function of the bytes and the random numbers it is given. */

/** A number from 0 to 1 (exclusive). */
export type Random = () => number;

export type Mutation = (bytes: Uint8Array, random: Random, donor: Uint8Array) => Uint8Array;

/** No mutation makes a file larger than this; what grows with the size has tests of its own. */
const MAX_BYTES = 1 << 20;
const MAX_FLIPS = 16;
const MAX_SPLICE = 4096;
const MAX_REPEATS = 200;
const SNIFFED_BYTES = 2000;

/** Numbers as text that readers stumble over: signs, ends of integer and float ranges, no number at all. */
const TEXT_NUMBERS = [
  '',
  '-1',
  '0',
  '0.5',
  '-0.0',
  '1e309',
  '-1e309',
  '1e-320',
  'NaN',
  'Infinity',
  '255',
  '256',
  '65536',
  '2147483647',
  '2147483648',
  '-2147483649',
  '4294967296',
  '9007199254740993',
  '-9223372036854775809',
  '1'.repeat(400),
];

/** The same for binary fields of 1, 2, 4 and 8 bytes; cut to the width of the field. */
const BINARY_NUMBERS = [
  0n,
  1n,
  2n,
  0x7fn,
  0x80n,
  0xffn,
  0x7fffn,
  0xffffn,
  0x7fff_ffffn,
  0x8000_0000n,
  0xffff_ffffn,
  -1n,
];
const BINARY_DOUBLES = [Number.NaN, Number.POSITIVE_INFINITY, -1e308, 1e308, 5e-324, 180.1, -1];

export const MUTATIONS = {
  cut,
  flip,
  splice,
  number: changeNumber,
  length: changeLength,
} as const satisfies Record<string, Mutation>;
export type MutationName = keyof typeof MUTATIONS;
export const mutationNames = Object.keys(MUTATIONS) as readonly MutationName[];

/** An integer from 0 to `end` (exclusive). */
export function below(random: Random, end: number): number {
  return Math.floor(random() * end);
}

export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[below(random, items.length)];
}

/** Keeps the beginning. */
function cut(bytes: Uint8Array, random: Random): Uint8Array {
  return bytes.slice(0, below(random, bytes.length + 1));
}

function flip(bytes: Uint8Array, random: Random): Uint8Array {
  const result = bytes.slice();
  for (let left = 1 + below(random, random() < 0.7 ? 2 : MAX_FLIPS); left > 0 && result.length > 0; left--)
    result[below(random, result.length)] ^= 1 << below(random, 8);
  return result;
}

/** Puts a piece of the donor in place of a piece of another length. */
function splice(bytes: Uint8Array, random: Random, donor: Uint8Array): Uint8Array {
  const [from, to] = range(random, donor.length);
  const [start, end] = range(random, bytes.length);
  return join(bytes.subarray(0, start), donor.subarray(from, to), bytes.subarray(end));
}

function changeNumber(bytes: Uint8Array, random: Random): Uint8Array {
  return isText(bytes) ? changeTextNumber(bytes, random) : changeBinaryNumber(bytes, random);
}

/** Removes a piece, repeats it, or puts a run of one byte into its place. */
function changeLength(bytes: Uint8Array, random: Random): Uint8Array {
  const [start, end] = range(random, bytes.length);
  const piece = bytes.subarray(start, end);
  const kind = below(random, 3);
  if (kind === 0) return join(bytes.subarray(0, start), bytes.subarray(end));
  const times = 1 + below(random, MAX_REPEATS);
  if (kind === 1)
    return join(bytes.subarray(0, end), ...Array.from({ length: times }, () => piece), bytes.subarray(end));
  const run = new Uint8Array(times * 50).fill(bytes[start] ?? 0x20);
  return join(bytes.subarray(0, start), run, bytes.subarray(start));
}

function changeTextNumber(bytes: Uint8Array, random: Random): Uint8Array {
  const from = below(random, bytes.length);
  const isDigit = (at: number): boolean => bytes[at] >= 0x30 && bytes[at] <= 0x39;
  let start = from;
  while (start < bytes.length && !isDigit(start)) start++;
  let end = start;
  while (end < bytes.length && (isDigit(end) || bytes[end] === 0x2e)) end++;
  const text = Buffer.from(pick(random, TEXT_NUMBERS));
  return join(bytes.subarray(0, start), text, bytes.subarray(end));
}

function changeBinaryNumber(bytes: Uint8Array, random: Random): Uint8Array {
  const result = bytes.slice();
  const view = new DataView(result.buffer);
  const isLittle = random() < 0.5;
  const width = pick(random, [1, 2, 4, 8]);
  if (result.length < width) return result;
  // Headers decide most, and most of a file is no header.
  const end = result.length - width + 1;
  const at = below(random, random() < 0.5 ? Math.min(end, 512) : end);
  const value = pick(random, BINARY_NUMBERS);
  if (width === 1) view.setUint8(at, Number(value & 0xffn));
  else if (width === 2) view.setUint16(at, Number(value & 0xffffn), isLittle);
  else if (width === 4) view.setUint32(at, Number(value & 0xffff_ffffn), isLittle);
  else if (random() < 0.5) view.setBigInt64(at, BigInt.asIntN(64, value), isLittle);
  else view.setFloat64(at, pick(random, BINARY_DOUBLES), isLittle);
  return result;
}

function isText(bytes: Uint8Array): boolean {
  return !bytes.subarray(0, SNIFFED_BYTES).includes(0);
}

/** Start and end (exclusive) of a piece, mostly a short one. */
function range(random: Random, length: number): [number, number] {
  const start = below(random, length + 1);
  const longest = Math.min(length - start, random() < 0.8 ? 64 : MAX_SPLICE);
  return [start, start + below(random, longest + 1)];
}

function join(...pieces: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(pieces).subarray(0, MAX_BYTES));
}
