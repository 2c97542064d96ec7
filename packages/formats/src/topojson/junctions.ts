/**
 * Finds the positions at which lines have to be cut so that what they share is an arc of its own: the ends of lines, and
 * positions whose neighbours are not the same two wherever a line passes.
 *
 *        a---b---c---d           b and c are passed with the same neighbours by both: no junctions there
 *            | and |             at x and y the lines part: junctions
 *     x--b--c--y--e
 */
import type { LineSet } from './line-set.ts';

/** For each position the number of the first position with the same ordinates. */
export function positionIds({ coordinates, stride, offsets }: LineSet): Int32Array {
  const count = offsets[offsets.length - 1];
  const words = new Int32Array(coordinates.buffer, coordinates.byteOffset, count * stride * 2);
  const wordCount = stride * 2;
  const ids = new Int32Array(count);
  let size = 16;
  while (size < count * 2) size *= 2;
  const mask = size - 1;
  const table = new Int32Array(size).fill(-1);
  for (let position = 0; position < count; position++) {
    const at = position * wordCount;
    let slot = hashOf(words, at, wordCount) & mask;
    for (;;) {
      const other = table[slot];
      if (other < 0) {
        table[slot] = position;
        ids[position] = position;
        break;
      }
      if (isSame(words, at, other * wordCount, wordCount)) {
        ids[position] = other;
        break;
      }
      slot = (slot + 1) & mask;
    }
  }
  return ids;
}

function hashOf(words: Int32Array, at: number, count: number): number {
  let hash = 0x9e3779b9 | 0;
  for (let i = 0; i < count; i++) {
    hash = Math.imul(hash ^ words[at + i], 0x85ebca6b);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function isSame(words: Int32Array, a: number, b: number, count: number): boolean {
  for (let i = 0; i < count; i++) if (words[a + i] !== words[b + i]) return false;
  return true;
}

/** Whether a line is a ring whose ends meet, given the ids of its positions. */
export function isClosed({ offsets, isRing }: LineSet, ids: Int32Array, line: number): boolean {
  const start = offsets[line];
  const end = offsets[line + 1];
  return isRing[line] === 1 && end - start > 1 && ids[start] === ids[end - 1];
}

/** 1 for each id that is a junction. */
export function findJunctions(lines: LineSet, ids: Int32Array): Uint8Array {
  const { offsets, isRing } = lines;
  const junctions = new Uint8Array(ids.length);
  const left = new Int32Array(ids.length).fill(-1);
  const right = new Int32Array(ids.length);
  const pass = (before: number, id: number, after: number): void => {
    const known = left[id];
    if (known < 0) {
      left[id] = before;
      right[id] = after;
    } else if ((known !== before || right[id] !== after) && (known !== after || right[id] !== before))
      junctions[id] = 1;
  };
  for (let line = 0; line < isRing.length; line++) {
    const start = offsets[line];
    const last = offsets[line + 1] - 1;
    if (last < start) continue;
    if (isClosed(lines, ids, line)) pass(ids[last - 1], ids[start], ids[start + 1]);
    else {
      junctions[ids[start]] = 1;
      junctions[ids[last]] = 1;
    }
    for (let i = start + 1; i < last; i++) pass(ids[i - 1], ids[i], ids[i + 1]);
  }
  return junctions;
}
