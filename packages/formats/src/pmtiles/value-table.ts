/** The different values of a layer of a tile, found again by their bytes: a hash table in typed arrays, used again for each layer. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';

const LEAST_SLOTS = 1 << 8;

export class ValueTable {
  /** The bytes of the values, one after another. */
  readonly bytes = new ByteWriter();
  count = 0;
  /** Where a value ends in `bytes`, and its slot. */
  #ends = new Uint32Array(LEAST_SLOTS / 2);
  #slotOf = new Uint32Array(LEAST_SLOTS / 2);
  /** Number of a value, counted from 1; 0: none. */
  #slots = new Uint32Array(LEAST_SLOTS);

  start(value: number): number {
    return value === 0 ? 0 : this.#ends[value - 1];
  }

  end(value: number): number {
    return this.#ends[value];
  }

  /** The number of the value `source[start, end)`, which is added if it is new. */
  numberOf(source: Uint8Array, start: number, end: number): number {
    const mask = this.#slots.length - 1;
    let slot = hashOf(source, start, end) & mask;
    for (let found = this.#slots[slot]; found !== 0; found = this.#slots[slot]) {
      if (this.#isValue(found - 1, source, start, end)) return found - 1;
      slot = (slot + 1) & mask;
    }
    const value = this.count++;
    this.bytes.copy(source, start, end);
    this.#ends[value] = this.bytes.length;
    this.#slotOf[value] = slot;
    this.#slots[slot] = value + 1;
    if (this.count === this.#ends.length) this.#grow();
    return value;
  }

  /** Most tiles have few values: only their slots are cleared. */
  reset(): void {
    for (let value = 0; value < this.count; value++) this.#slots[this.#slotOf[value]] = 0;
    this.count = 0;
    this.bytes.reset();
  }

  #isValue(value: number, source: Uint8Array, start: number, end: number): boolean {
    let at = this.start(value);
    if (this.#ends[value] - at !== end - start) return false;
    const { bytes } = this.bytes;
    for (let i = start; i < end; i++) if (bytes[at++] !== source[i]) return false;
    return true;
  }

  #grow(): void {
    const { bytes } = this.bytes;
    const ends = this.#ends;
    const size = this.count * 2;
    this.#ends = new Uint32Array(size);
    this.#ends.set(ends);
    this.#slotOf = new Uint32Array(size);
    this.#slots = new Uint32Array(size * 2);
    const mask = size * 2 - 1;
    for (let value = 0; value < this.count; value++) {
      let slot = hashOf(bytes, this.start(value), ends[value]) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slotOf[value] = slot;
      this.#slots[slot] = value + 1;
    }
  }
}

/** FNV-1a. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return hash ^ (hash >>> 15);
}
