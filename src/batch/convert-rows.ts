/** What a conversion leaves of the rows of a column: which have a value, and which lost theirs. */
import { isValid, type Validity } from './attribute-column.ts';

/** How many of the rows that lost their value are told by number; the rest is counted. */
const TOLD_ROWS = 5;

export class ConvertedRows {
  readonly rowCount: number;
  /** Rows whose value the new type cannot hold. */
  failures = 0;
  /** The first of them, at most five, counted from 0. */
  readonly firstFailedRows: number[] = [];
  readonly #before: Validity;
  #after: Validity;

  constructor(validity: Validity, rowCount: number) {
    this.rowCount = rowCount;
    this.#before = validity;
    this.#after = validity;
  }

  /** The source's own bitmap as long as no row became null, a copy of it since then. */
  get validity(): Validity {
    return this.#after;
  }

  /** Whether the source has a value there. */
  hasValue(row: number): boolean {
    return isValid(this.#before, row);
  }

  /** The row becomes null, and its value is lost. */
  fail(row: number): void {
    if (this.failures++ < TOLD_ROWS) this.firstFailedRows.push(row);
    this.clear(row);
  }

  /** The row becomes null without a loss: what it held says nothing, as an empty text does to a number. */
  clear(row: number): void {
    if (this.#after === this.#before) this.#after = copied(this.#before, this.rowCount);
    this.#after![row >> 3] &= ~(1 << (row & 7));
  }

  failAll(): void {
    for (let row = 0; row < this.rowCount; row++) if (this.hasValue(row)) this.fail(row);
  }
}

function copied(validity: Validity, rowCount: number): Uint8Array<ArrayBuffer> {
  if (validity !== null) return validity.slice();
  const bits = new Uint8Array((rowCount + 7) >> 3).fill(0xff);
  // Bits behind the last row are 0 in every other bitmap, and castColumn asks whether all bits of one are.
  if ((rowCount & 7) !== 0) bits[bits.length - 1] = (1 << (rowCount & 7)) - 1;
  return bits;
}
