/**
 * Cuts lines at junctions into arcs, each of which is kept once, and refers to them by number.
 *
 * Between junctions all lines go on alike, so that an arc is known by its first step: two arcs with the same first
 * and second position are the same one, and so are an arc and another's last step backwards. A ring without junctions
 * is known by its position with the lowest id.
 */
import { findJunctions, isClosed, positionIds } from './junctions.ts';
import type { LineSet } from './line-set.ts';

export interface Topology {
  /** Positions of the arcs, in the coordinates of the lines. */
  readonly arcStarts: Int32Array;
  readonly arcLengths: Int32Array;
  readonly arcCount: number;
  /** Arc numbers of all lines; the complement of a number is the arc backwards. */
  readonly references: Int32Array;
  /** Line i has references [i] .. [i + 1]. */
  readonly referenceOffsets: Uint32Array;
}

/** Key of a ring without junctions, in place of its second position. */
const RING = -1;

/** The topology of the lines; rotates rings in their coordinates so that they begin at a junction. */
export function cutArcs(lines: LineSet): Topology {
  const ids = positionIds(lines);
  const cutter = new ArcCutter(lines, ids, findJunctions(lines, ids));
  return cutter.cut();
}

class ArcCutter {
  readonly #lines: LineSet;
  readonly #ids: Int32Array;
  readonly #junctions: Uint8Array;
  readonly #known = new StepTable();
  #starts = new Int32Array(1024);
  #lengths = new Int32Array(1024);
  #arcCount = 0;
  #references = new Int32Array(1024);
  #referenceCount = 0;

  constructor(lines: LineSet, ids: Int32Array, junctions: Uint8Array) {
    this.#lines = lines;
    this.#ids = ids;
    this.#junctions = junctions;
  }

  cut(): Topology {
    const { offsets, isRing } = this.#lines;
    const referenceOffsets = new Uint32Array(isRing.length + 1);
    for (let line = 0; line < isRing.length; line++) {
      const start = offsets[line];
      const end = offsets[line + 1];
      if (end > start) this.#line(line, start, end);
      referenceOffsets[line + 1] = this.#referenceCount;
    }
    return {
      arcStarts: this.#starts,
      arcLengths: this.#lengths,
      arcCount: this.#arcCount,
      references: this.#references,
      referenceOffsets,
    };
  }

  #line(line: number, start: number, end: number): void {
    const ids = this.#ids;
    const junctions = this.#junctions;
    if (isClosed(this.#lines, ids, line)) {
      let first = start;
      while (first < end && junctions[ids[first]] === 0) first++;
      if (first === end) {
        this.#refer(this.#ring(start, end));
        return;
      }
      if (first > start) this.#rotate(start, end, first);
    }
    let from = start;
    for (let i = start + 1; i < end - 1; i++) {
      if (junctions[ids[i]] === 0) continue;
      this.#refer(this.#arc(from, i + 1));
      from = i;
    }
    this.#refer(this.#arc(from, end));
  }

  /** Makes `first` the first position of the ring `[start, end)`. */
  #rotate(start: number, end: number, first: number): void {
    const { coordinates, stride } = this.#lines;
    const head = coordinates.slice(start * stride, first * stride);
    coordinates.copyWithin(start * stride, first * stride, (end - 1) * stride);
    coordinates.set(head, (start + end - 1 - first) * stride);
    coordinates.copyWithin((end - 1) * stride, start * stride, (start + 1) * stride);
    const ids = this.#ids;
    const headIds = ids.slice(start, first);
    ids.copyWithin(start, first, end - 1);
    ids.set(headIds, start + end - 1 - first);
    ids[end - 1] = ids[start];
  }

  /** The number of the arc of positions `[start, end)`, which is added unless it is known. */
  #arc(start: number, end: number): number {
    const ids = this.#ids;
    const second = end - start > 1 ? start + 1 : start;
    const found = this.#known.find(ids[start], ids[second]);
    if (found !== null && this.#lengths[found < 0 ? ~found : found] === end - start) return found;
    const arc = this.#add(start, end);
    if (found === null) {
      this.#known.add(ids[end - 1], ids[Math.max(start, end - 2)], ~arc);
      // Set last: an arc that is the same backwards is followed forwards.
      this.#known.add(ids[start], ids[second], arc);
    }
    return arc;
  }

  /** The same for a ring without junctions, which may begin at another position than the one that is known. */
  #ring(start: number, end: number): number {
    const lowest = this.#lowest(start, end);
    const id = this.#ids[lowest];
    const found = this.#known.find(id, RING);
    if (found === null) {
      const arc = this.#add(start, end);
      this.#known.add(id, RING, arc);
      return arc;
    }
    if (this.#lengths[found] !== end - start) return this.#add(start, end);
    const other = this.#starts[found];
    const otherLowest = this.#lowest(other, other + end - start);
    return this.#ids[lowest + 1] === this.#ids[otherLowest + 1] ? found : ~found;
  }

  /** The position of a ring with the lowest id; never its last one. */
  #lowest(start: number, end: number): number {
    const ids = this.#ids;
    let lowest = start;
    for (let i = start + 1; i < end - 1; i++) if (ids[i] < ids[lowest]) lowest = i;
    return lowest;
  }

  #add(start: number, end: number): number {
    const arc = this.#arcCount++;
    if (arc === this.#starts.length) {
      this.#starts = doubled(this.#starts);
      this.#lengths = doubled(this.#lengths);
    }
    this.#starts[arc] = start;
    this.#lengths[arc] = end - start;
    return arc;
  }

  #refer(arc: number): void {
    if (this.#referenceCount === this.#references.length) this.#references = doubled(this.#references);
    this.#references[this.#referenceCount++] = arc;
  }
}

/** Arc numbers by two ids: open addressing with linear steps. */
class StepTable {
  #keys = new Int32Array(2048).fill(-1);
  #values = new Int32Array(1024);
  #count = 0;

  find(first: number, second: number): number | null {
    const slot = this.#slotOf(first, second);
    return this.#keys[slot * 2] < 0 ? null : this.#values[slot];
  }

  /** Sets the number, or replaces it. */
  add(first: number, second: number, value: number): void {
    if (this.#count * 2 >= this.#values.length) this.#grow();
    const slot = this.#slotOf(first, second);
    if (this.#keys[slot * 2] < 0) {
      this.#keys[slot * 2] = first;
      this.#keys[slot * 2 + 1] = second;
      this.#count++;
    }
    this.#values[slot] = value;
  }

  /** The slot of the key, or the free one where it belongs. */
  #slotOf(first: number, second: number): number {
    const keys = this.#keys;
    const mask = this.#values.length - 1;
    let hash = Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b);
    hash ^= hash >>> 15;
    let slot = hash & mask;
    while (keys[slot * 2] >= 0 && (keys[slot * 2] !== first || keys[slot * 2 + 1] !== second))
      slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const keys = this.#keys;
    const values = this.#values;
    this.#keys = new Int32Array(keys.length * 2).fill(-1);
    this.#values = new Int32Array(values.length * 2);
    for (let slot = 0; slot < values.length; slot++) {
      if (keys[slot * 2] < 0) continue;
      const target = this.#slotOf(keys[slot * 2], keys[slot * 2 + 1]);
      this.#keys[target * 2] = keys[slot * 2];
      this.#keys[target * 2 + 1] = keys[slot * 2 + 1];
      this.#values[target] = values[slot];
    }
  }
}

function doubled(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
