/** Which polygons of a call may merge, as far as their bounds show: those of one class, and of different origins. */
import Flatbush from 'flatbush';
import type { PolygonsCall } from './calls.ts';
import { PartList } from './part-list.ts';

export class NearPolygons {
  readonly #parts: PartList;
  readonly #tree: Flatbush | null;
  readonly #classes: Uint32Array | null;
  readonly #origins: Uint32Array | null;

  constructor({ geometry, classes, origins }: PolygonsCall) {
    const count = geometry.types.length;
    this.#parts = new PartList([geometry], Math.max(count, 1));
    this.#tree = count === 0 ? null : new Flatbush(count);
    this.#classes = classes;
    this.#origins = origins;
    const { bounds } = this.#parts;
    for (let i = 0; i < count; i++) {
      this.#parts.push(0, i, i);
      this.#tree!.add(bounds[i * 4], bounds[i * 4 + 1], bounds[i * 4 + 2], bounds[i * 4 + 3]);
    }
    this.#tree?.finish();
  }

  positionCount(polygon: number): number {
    return this.#parts.positionCount(polygon);
  }

  /** Whether there are others near a polygon. */
  hasOthers(polygon: number): boolean {
    return this.#any(polygon, () => true);
  }

  /** Visits the others near a polygon. */
  each(polygon: number, visit: (other: number) => void): void {
    this.#any(polygon, (other) => {
      visit(other);
      return false;
    });
  }

  #any(polygon: number, isWanted: (other: number) => boolean): boolean {
    const { bounds } = this.#parts;
    const classes = this.#classes;
    const origins = this.#origins;
    const at = polygon * 4;
    return this.#tree!.collides(bounds[at], bounds[at + 1], bounds[at + 2], bounds[at + 3], (other) => {
      if (other === polygon || (classes !== null && classes[other] !== classes[polygon])) return false;
      return (origins === null || origins[other] !== origins[polygon]) && isWanted(other);
    });
  }
}
