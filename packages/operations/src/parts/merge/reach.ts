/** Which polygons of a level may still merge: those of the same class and of another origin whose bounds meet. */
import Flatbush from 'flatbush';
import type { PartList } from './part-list.ts';

export class Reach {
  readonly #tree: Flatbush;
  readonly #list: PartList;
  readonly #origins: Uint32Array;
  readonly #classOf: Uint32Array | null;

  /** `origins`: chunk by polygon; `classOf`: class by row, null where all are of one. The list has polygons. */
  constructor(list: PartList, origins: Uint32Array, classOf: Uint32Array | null) {
    const { length, bounds } = list;
    this.#list = list;
    this.#origins = origins;
    this.#classOf = classOf;
    this.#tree = new Flatbush(length);
    for (let i = 0; i < length; i++)
      this.#tree.add(bounds[i * 4], bounds[i * 4 + 1], bounds[i * 4 + 2], bounds[i * 4 + 3]);
    this.#tree.finish();
  }

  /** Visits the polygons that may merge with one. */
  each(index: number, visit: (other: number) => void): void {
    const { bounds } = this.#list;
    const at = index * 4;
    this.#tree.search(bounds[at], bounds[at + 1], bounds[at + 2], bounds[at + 3], (other) => {
      if (this.#isOpen(index, other)) visit(other);
      return false;
    });
  }

  /** Whether a polygon that may merge with `index` meets the bounds `[at .. at + 3]`. */
  meets(index: number, bounds: Float64Array, at: number): boolean {
    return this.#tree.collides(bounds[at], bounds[at + 1], bounds[at + 2], bounds[at + 3], (other) =>
      this.#isOpen(index, other),
    );
  }

  #isOpen(index: number, other: number): boolean {
    if (this.#origins[index] === this.#origins[other]) return false;
    const { row } = this.#list;
    return this.#classOf === null || this.#classOf[row[index]] === this.#classOf[row[other]];
  }
}
