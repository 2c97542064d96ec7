/** Counts values that do not match the declared type of their field, by field. */
import type { Location } from '../errors.ts';

/** Plain data: sent by worker threads. */
export interface FieldMisfits {
  readonly field: string;
  /** The type as the file declares it. */
  readonly declared: string;
  readonly count: number;
  /** The first few locations, at most MAX_LOCATIONS. */
  readonly locations: readonly Location[];
}

const MAX_LOCATIONS = 5;

export class MisfitList {
  readonly #byField = new Map<
    string,
    { field: string; declared: string; count: number; locations: Location[] }
  >();

  note(field: string, declared: string, location: Location, count = 1): void {
    this.#add({ field, declared, count, locations: [location] });
  }

  /** Adds what another list holds; `locate` maps its locations into the layer. */
  merge(others: readonly FieldMisfits[], locate: (location: Location) => Location): void {
    for (const other of others) this.#add({ ...other, locations: other.locations.map(locate) });
  }

  list(): FieldMisfits[] {
    return [...this.#byField.values()];
  }

  #add({ field, declared, count, locations }: FieldMisfits): void {
    const known = this.#byField.get(field);
    if (known === undefined) {
      this.#byField.set(field, { field, declared, count, locations: [...locations] });
      return;
    }
    known.count += count;
    for (const location of locations)
      if (known.locations.length < MAX_LOCATIONS) known.locations.push(location);
  }
}
