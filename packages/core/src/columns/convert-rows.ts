/** The rows of a column after a conversion: which have a value and which lost theirs. */
import { isValid, type Validity } from './attribute-column.ts';

/** Number of rows that lost their value to list; the others are only counted. */
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

  /** The source's bitmap until a row becomes null, then a copy of it. */
  get validity(): Validity {
    return this.#after;
  }

  /** Whether the source has a value in this row. */
  hasValue(row: number): boolean {
    return isValid(this.#before, row);
  }

  /** Makes the row null and counts its value as lost. */
  fail(row: number): void {
    if (this.failures++ < TOLD_ROWS) this.firstFailedRows.push(row);
    this.clear(row);
  }

  /** Makes the row null without a loss, such as an empty text converted to a number. */
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
  // All other bitmaps have 0 in the bits after the last row, and castColumn checks whether all bits are 1.
  if ((rowCount & 7) !== 0) bits[bits.length - 1] = (1 << (rowCount & 7)) - 1;
  return bits;
}
