/** Values that the declaration of their field does not admit, by field. */
import type { Place } from '../errors.ts';

/** Plain data: it comes from worker threads. */
export interface FieldMisfits {
  readonly field: string;
  /** The type as the file declares it. */
  readonly declared: string;
  readonly count: number;
  /** The first few places, at most MAX_PLACES. */
  readonly places: readonly Place[];
}

const MAX_PLACES = 5;

export class MisfitList {
  readonly #byField = new Map<string, { field: string; declared: string; count: number; places: Place[] }>();

  note(field: string, declared: string, place: Place, count = 1): void {
    this.#add({ field, declared, count, places: [place] });
  }

  /** Adds what another list holds; `locate` maps its places into the layer. */
  merge(others: readonly FieldMisfits[], locate: (place: Place) => Place): void {
    for (const other of others) this.#add({ ...other, places: other.places.map(locate) });
  }

  list(): FieldMisfits[] {
    return [...this.#byField.values()];
  }

  #add({ field, declared, count, places }: FieldMisfits): void {
    const known = this.#byField.get(field);
    if (known === undefined) {
      this.#byField.set(field, { field, declared, count, places: [...places] });
      return;
    }
    known.count += count;
    for (const place of places) if (known.places.length < MAX_PLACES) known.places.push(place);
  }
}
