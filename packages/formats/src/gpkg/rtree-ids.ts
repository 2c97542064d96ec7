/** Ids of the entries of an RTree in the order in which they were added. */
import type { Key } from '@geomill/sqlite/table-tree.ts';

const TWO_TO_32 = 2 ** 32;
const FIRST_CAPACITY = 1 << 10;

export class EntryIds {
  count = 0;
  /** Consecutive numbers from here on, the usual case, take no memory. */
  #first = 0;
  /** Low and high half of each id; null while they are consecutive. */
  #halves: Int32Array | null = null;

  add(id: Key): void {
    if (this.#halves === null) {
      if (this.count === 0 && typeof id === 'number') this.#first = id;
      if (id === this.#first + this.count) {
        this.count++;
        return;
      }
      this.#halves = this.#separate();
    }
    if (this.count * 2 === this.#halves.length) this.#halves = grown(this.#halves, this.#halves.length * 2);
    const value = BigInt(id);
    this.#halves[this.count * 2] = Number(BigInt.asIntN(32, value));
    this.#halves[this.count * 2 + 1] = Number(value >> 32n);
    this.count++;
  }

  clear(): void {
    this.count = 0;
    this.#halves = null;
  }

  /** The 32 low bits, signed. */
  lowOf(entry: number): number {
    return this.#halves === null ? (this.#first + entry) | 0 : this.#halves[entry * 2];
  }

  highOf(entry: number): number {
    if (this.#halves !== null) return this.#halves[entry * 2 + 1];
    const id = this.#first + entry;
    return id >= 0 && id < TWO_TO_32 ? 0 : Math.floor(id / TWO_TO_32);
  }

  idOf(entry: number): Key {
    if (this.#halves === null) return this.#first + entry;
    const high = this.#halves[entry * 2 + 1];
    const low = this.#halves[entry * 2] >>> 0;
    const id = high * TWO_TO_32 + low;
    return Number.isSafeInteger(id) ? id : (BigInt(high) << 32n) | BigInt(low);
  }

  #separate(): Int32Array {
    let capacity = FIRST_CAPACITY;
    while (capacity <= this.count) capacity *= 2;
    const halves = new Int32Array(capacity * 2);
    for (let entry = 0; entry < this.count; entry++) {
      halves[entry * 2] = this.lowOf(entry);
      halves[entry * 2 + 1] = this.highOf(entry);
    }
    return halves;
  }
}

function grown(from: Int32Array, length: number): Int32Array {
  const to = new Int32Array(length);
  to.set(from);
  return to;
}
