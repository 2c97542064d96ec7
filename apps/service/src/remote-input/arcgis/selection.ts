/** How queries select the features of a page: by what the server allows. */
import { GeomillError } from '@geomill/core/messages/errors.ts';

/** In the order in which they are tried: by a condition on the ids, by a list of ids, by the place among all features. */
const KINDS = ['range', 'ids', 'offset'] as const;
/** A list of ids is part of the URL. */
const MOST_LISTED = 100;

interface Wanted {
  readonly idField: string;
  /** Condition of the URL; empty: none. */
  readonly where: string;
  /** Sorted. */
  readonly wanted: Float64Array;
  /** Number of the first one among all ids. */
  readonly start: number;
}

export class Selection {
  #kind = 0;
  /** Whether a page was read in this way: later failures then have other reasons. */
  #isProven = false;
  #isExhausted = false;
  /** Why the first way failed. */
  #first: Error | null = null;

  /** Of a window of ids. */
  atMost(size: number): number {
    return KINDS[this.#kind] === 'ids' ? Math.min(size, MOST_LISTED) : size;
  }

  parameters({ idField, where, wanted, start }: Wanted): Readonly<Record<string, string>> {
    switch (KINDS[this.#kind]) {
      case 'ids':
        return { objectIds: wanted.join(',') };
      case 'offset':
        return { resultOffset: String(start), resultRecordCount: String(wanted.length) };
      default: {
        const range = `${idField} >= ${wanted[0]} AND ${idField} <= ${wanted[wanted.length - 1]}`;
        return { where: where === '' ? range : `(${where}) AND ${range}` };
      }
    }
  }

  succeeded(): void {
    this.#isProven = true;
  }

  /**
   * Whether the query is tried again in another way: the server returned other features than it was asked for, or refused the first query of
   * this kind. Throws the first error if no way is left, unless it is of a query that may have been too large.
   */
  fallsBack(error: Error): boolean {
    const isOther = error instanceof GeomillError && error.code === 'SERVICE_INCOMPLETE';
    if (!isOther && (this.#isProven || !isFailedQuery(error))) return false;
    if (this.#isExhausted) return false;
    this.#first ??= error;
    this.#isProven = false;
    if (this.#kind < KINDS.length - 1) {
      this.#kind++;
      return true;
    }
    if (!isFailedQuery(this.#first)) throw this.#first;
    // They may have been refused because they were too large.
    this.#isExhausted = true;
    this.#kind = 0;
    return true;
  }
}

/** Servers answer so to queries that are wrong or too large. */
export function isFailedQuery(error: unknown): boolean {
  return error instanceof GeomillError && error.code === 'SERVICE_ERROR' && error.params.status === 400;
}
