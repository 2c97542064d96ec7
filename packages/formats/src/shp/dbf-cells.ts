/** What reads the cells of a .dbf, column by column: rows, and the validity and problems of a column. */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { STAR } from '@geomill/core/text/ascii.ts';
import type { DbfColumn } from './dbf-columns.ts';

export interface DbfRows {
  readonly bytes: Uint8Array;
  /** Offsets of the rows that are not deleted, in `bytes`. */
  readonly rowStarts: Uint32Array;
  /** Number of these rows; `rowStarts` may be longer. */
  readonly rowCount: number;
  /** Record number of each of these rows, from 1 in the partition. */
  readonly records: Uint32Array;
  /** Features after the last row; their attributes are null. */
  readonly missingRows: number;
}

export type CellReader = (
  column: DbfColumn,
  rows: DbfRows,
  problems: Problems,
  validity: ValidityBits,
) => AttributeColumn;

export class Problems {
  readonly tally = new RowTally();
  readonly #rows: DbfRows;

  constructor(rows: DbfRows) {
    this.#rows = rows;
  }

  add(row: number): void {
    this.tally.add(row, this.#rows.records[row]);
  }
}

/** The validity bitmap of a column with a known row count. */
export class ValidityBits {
  readonly rowCount: number;
  readonly bits: Uint8Array<ArrayBuffer>;
  validCount = 0;

  constructor(rowCount: number) {
    this.rowCount = rowCount;
    this.bits = new Uint8Array((rowCount + 7) >> 3);
  }

  set(row: number): void {
    this.bits[row >> 3] |= 1 << (row & 7);
    this.validCount++;
  }

  finish(): AttributeColumn['validity'] {
    return this.validCount === this.rowCount ? null : this.bits;
  }
}

/** Deletion marks: '*' is a deleted row; anything else is not, as some writers put 0 there. */
export const DELETED_ROW = STAR;
