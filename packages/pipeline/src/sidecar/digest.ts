/**
 * Digests of columns and of geometries, row by row, so that the same rows give the same digest however they are divided into batches. They show that
 * a file was changed after its sidecar was written; they are no protection against somebody who wants two files to have the same digest.
 */
import { type AttributeColumn, isValid } from '@geomill/core/columns/attribute-column.ts';
import type { GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';

const NULL_ROW = 0x4e554c4c;

export class Digest {
  #first = 0x811c9dc5;
  #second = 0x2545f491;

  /** Adds rows `[start, end)`. */
  addColumn(column: AttributeColumn, start: number, end: number): void {
    const { validity } = column;
    const words = 'offsets' in column ? null : wordsOf(column);
    for (let row = start; row < end; row++) {
      if (!isValid(validity, row)) this.#word(NULL_ROW);
      else if (words !== null) {
        for (let i = 0; i < words.perRow; i++) this.#word(words.words[row * words.perRow + i]);
      } else if ('offsets' in column) {
        const { bytes, offsets } = column;
        this.#word(offsets[row + 1] - offsets[row]);
        for (let i = offsets[row]; i < offsets[row + 1]; i++) this.#word(bytes[i]);
      }
    }
  }

  /** Adds all rows of the batch: the types to one half, the positions to the other, so that neither depends on where batches end. */
  addGeometry({ types, coordinates }: GeometryColumn): void {
    for (const type of types) this.#firstWord(type);
    const words = new Uint32Array(coordinates.buffer, coordinates.byteOffset, coordinates.length * 2);
    for (const word of words) this.#secondWord(word);
  }

  toString(): string {
    return [this.#first, this.#second].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
  }

  #word(word: number): void {
    this.#firstWord(word);
    this.#secondWord(word);
  }

  #firstWord(word: number): void {
    this.#first = Math.imul(this.#first ^ word, 0x01000193);
    this.#first ^= this.#first >>> 15;
  }

  #secondWord(word: number): void {
    this.#second = Math.imul(this.#second ^ word, 0x85ebca6b);
    this.#second = (this.#second << 13) | (this.#second >>> 19);
  }
}

function wordsOf(column: Exclude<AttributeColumn, { readonly offsets: unknown }>): {
  readonly words: Uint8Array | Int32Array | Uint32Array;
  readonly perRow: number;
} {
  const { values } = column;
  if (values instanceof Uint8Array || values instanceof Int32Array) return { words: values, perRow: 1 };
  return {
    words: new Uint32Array(values.buffer, values.byteOffset, values.byteLength / 4),
    perRow: 2,
  };
}
