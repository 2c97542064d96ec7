/** Damaged copies of files: cut off, and with bits that are flipped. The same for each run. */
import { seededRandom } from '../../bench/data.ts';

export interface Damaged {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const CUT_STEPS_FROM_ENDS = 4;

/**
 * Lengths spread over the file, including those just above 0 and just below the whole, which affect headers and
 * trailers.
 */
function cutLengths(byteLength: number, count: number): number[] {
  const lengths = new Set<number>();
  for (let i = 0; i < CUT_STEPS_FROM_ENDS; i++) {
    lengths.add(i);
    lengths.add(byteLength - 1 - i);
  }
  for (let i = 1; i <= count; i++) lengths.add(Math.floor((byteLength * i) / (count + 1)));
  return [...lengths].filter((length) => length >= 0 && length < byteLength).slice(0, count);
}

export function* damagedCopies(whole: Uint8Array, cuts: number, flips: number): Generator<Damaged> {
  const random = seededRandom(whole.length);
  for (const length of cutLengths(whole.length, cuts))
    yield { name: `cut at ${length}`, bytes: whole.subarray(0, length) };
  for (let i = 0; i < flips && whole.length > 0; i++) {
    const bytes = Uint8Array.from(whole);
    const at = Math.floor(random() * bytes.length);
    const bit = Math.floor(random() * 8);
    bytes[at] ^= 1 << bit;
    yield { name: `bit ${bit} of byte ${at} flipped`, bytes };
  }
}
