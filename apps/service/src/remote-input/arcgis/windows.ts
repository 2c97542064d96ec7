/** How many object ids the next query asks for: fewer after queries that were too large for the server, and slowly more again. */

/** Pages in a row after which a larger one is tried. */
const PAGES_BEFORE_GROWTH = 16;

export class WindowSize {
  readonly #largest: number;
  #size: number;
  #pages = 0;

  constructor(largest: number) {
    this.#largest = largest;
    this.#size = largest;
  }

  get size(): number {
    return this.#size;
  }

  succeeded(): void {
    if (++this.#pages % PAGES_BEFORE_GROWTH === 0) this.#size = Math.min(this.#largest, this.#size * 2);
  }

  /** After a window that had `asked` ids. */
  halve(asked: number): void {
    this.#size = Math.max(1, Math.floor(Math.min(asked, this.#size) / 2));
    this.#pages = 0;
  }
}

/** The end (exclusive) of the window at `start`: equal ids are never in different windows. */
export function windowEnd(ids: Float64Array, start: number, size: number): number {
  let end = Math.min(ids.length, start + size);
  while (end < ids.length && ids[end] === ids[end - 1]) end++;
  return end;
}
