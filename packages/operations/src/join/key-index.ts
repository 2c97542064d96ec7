/** A hash table of the keys of a table, in shared memory: open addressing, with a chain of the rows of each key. */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import { sharedBuffer } from '../parts/source/shared-columns.ts';
import { KeyWriter } from './keys.ts';

/** Plain data. */
export interface KeyIndex {
  /** First row of a key plus 1; 0: the slot is free. The length is a power of two. */
  readonly slots: Int32Array;
  /** By row: the next row with the same key; -1: it is the last. Rows ascend. */
  readonly next: Int32Array;
  /** Of the hashes. */
  readonly seed: number;
  /** Number of different keys. */
  readonly keyCount: number;
  /** Rows without a key: one of its fields is null. */
  readonly nullRows: number;
}

export const NO_MATCH = -1;

export function indexKeys(columns: readonly AttributeColumn[], rowCount: number): KeyIndex {
  const size = 2 ** Math.ceil(Math.log2(Math.max(2, rowCount * 1.5)));
  const seed = Math.floor(Math.random() * 2 ** 32);
  const slots = new Int32Array(sharedBuffer(size * 4));
  const next = new Int32Array(sharedBuffer(rowCount * 4)).fill(NO_MATCH);
  /** Last row of the chain that begins with a row. */
  const last = new Int32Array(rowCount);
  const writer = new KeyWriter(columns);
  const other = new KeyWriter(columns);
  let keyCount = 0;
  let nullRows = 0;
  for (let row = 0; row < rowCount; row++) {
    last[row] = row;
    if (!writer.write(row)) {
      nullRows++;
      continue;
    }
    const slot = slotOf(slots, seed, writer, other);
    if (slots[slot] === 0) {
      slots[slot] = row + 1;
      keyCount++;
      continue;
    }
    const first = slots[slot] - 1;
    next[last[first]] = row;
    last[first] = row;
  }
  return { slots, next, seed, keyCount, nullRows };
}

/** Looks keys of batches up in the index. `columns` of the table it was made of. */
export class KeyLookup {
  readonly #slots: Int32Array;
  readonly #seed: number;
  readonly #own: KeyWriter;

  constructor({ slots, seed }: KeyIndex, columns: readonly AttributeColumn[]) {
    this.#slots = slots;
    this.#seed = seed;
    this.#own = new KeyWriter(columns);
  }

  /** The first row with the same key, or NO_MATCH. */
  find(writer: KeyWriter, row: number): number {
    if (!writer.write(row)) return NO_MATCH;
    return this.#slots[slotOf(this.#slots, this.#seed, writer, this.#own)] - 1;
  }
}

/** The slot with the key in `writer`, or a free one. `own` writes keys of the table. */
function slotOf(slots: Int32Array, seed: number, writer: KeyWriter, own: KeyWriter): number {
  const mask = slots.length - 1;
  let slot = writer.hash(seed) & mask;
  while (slots[slot] !== 0) {
    own.write(slots[slot] - 1);
    if (writer.equals(own)) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}
