/** Counts values that do not match the declared type of their field, by field. */
import type { Location } from '../messages/errors.ts';
import { type FindingRows, MAX_LISTED, RowList, type RowTally } from '../messages/finding-rows.ts';
import { type ListedRows, listedRows } from '../messages/findings.ts';

/** Plain data: sent by worker threads. */
export interface FieldMisfits {
  readonly field: string;
  /** The type as the file declares it. */
  readonly declared: string;
  readonly count: number;
  /** The first few locations, at most MAX_LOCATIONS. */
  readonly locations: readonly Location[];
  /** Within one batch. Default: see `listed`. */
  readonly rows?: FindingRows;
  /** Of all batches. */
  readonly listed?: readonly ListedRows[];
}

interface Entry extends FieldMisfits {
  count: number;
  readonly locations: Location[];
  readonly own: RowList;
  readonly listed: ListedRows[];
}

const MAX_LOCATIONS = 5;

export class MisfitList {
  readonly #byField = new Map<string, Entry>();
  readonly #quota = { left: MAX_LISTED };

  /** `tally`: the rows that `count` covers. Default: the row of the location's record. */
  note(field: string, declared: string, location: Location, count = 1, tally?: RowTally): void {
    const { own } = this.#add(field, declared, count, [location]);
    if (tally !== undefined) own.addTally(tally);
    else if (location.record !== undefined) own.add(location.record - 1, location.record);
  }

  /** Adds what another list holds; `locate` maps its locations into the layer. `crs`: of its boxes. */
  merge(others: readonly FieldMisfits[], locate: (location: Location) => Location, crs = ''): void {
    for (const { field, declared, count, locations, rows } of others) {
      const { listed } = this.#add(field, declared, count, locations.map(locate));
      if (rows === undefined || this.#quota.left <= 0) continue;
      this.#quota.left -= rows.rows.length;
      listed.push(listedRows(rows, locate, crs));
    }
  }

  list(): FieldMisfits[] {
    return [...this.#byField.values()].map(({ own, listed, ...misfits }) => ({
      ...misfits,
      ...(own.isEmpty ? {} : { rows: own.list() }),
      ...(listed.length === 0 ? {} : { listed }),
    }));
  }

  #add(field: string, declared: string, count: number, locations: readonly Location[]): Entry {
    let entry = this.#byField.get(field);
    if (entry === undefined) {
      entry = { field, declared, count: 0, locations: [], own: new RowList(this.#quota), listed: [] };
      this.#byField.set(field, entry);
    }
    entry.count += count;
    for (const location of locations)
      if (entry.locations.length < MAX_LOCATIONS) entry.locations.push(location);
    return entry;
  }
}
