/** Runs of consecutive rows by their first and last keys, which ascend: mostly two bytes a run, as a layer can have millions of them. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { Key } from '@geomill/sqlite/table-tree.ts';

export class KeyRuns {
  /** Of each run: the distance of its first key from the last one before, and of its last key from its first. */
  readonly #distances = new ByteWriter(64);
  /** The first key of all. */
  #first: Key | null = null;
  #last: Key = 0;

  /** The first key; null: there are no runs. */
  get first(): bigint | null {
    return this.#first === null ? null : BigInt(this.#first);
  }

  get byteLength(): number {
    return this.#distances.length;
  }

  add(first: Key, last: Key): void {
    if (this.#first === null) {
      this.#first = first;
      this.#last = first;
    }
    this.#append(distance(this.#last, first));
    this.#append(distance(first, last));
    this.#last = last;
  }

  clear(): void {
    this.#first = null;
    this.#distances.reset();
  }

  *[Symbol.iterator](): Generator<readonly [first: bigint, last: bigint]> {
    const { bytes, length } = this.#distances;
    let key = this.first ?? 0n;
    for (let at = 0; at < length; ) {
      const ends: bigint[] = [];
      for (let i = 0; i < 2; i++) {
        for (let shift = 0n; ; shift += 7n) {
          key += BigInt(bytes[at] & 0x7f) << shift;
          if (bytes[at++] < 0x80) break;
        }
        ends.push(key);
      }
      yield [ends[0], ends[1]];
    }
  }

  /** Seven bits a byte, the lowest first. */
  #append(value: Key): void {
    let rest = value;
    while (rest >= 0x80) {
      if (typeof rest === 'bigint') {
        this.#distances.uint8(Number(rest & 0x7fn) | 0x80);
        rest >>= 7n;
      } else {
        this.#distances.uint8((rest % 0x80) | 0x80);
        rest = Math.floor(rest / 0x80);
      }
    }
    this.#distances.uint8(Number(rest));
  }
}

function distance(from: Key, to: Key): Key {
  const value = typeof from === 'number' && typeof to === 'number' ? to - from : Number.NaN;
  return Number.isSafeInteger(value) ? value : BigInt(to) - BigInt(from);
}
