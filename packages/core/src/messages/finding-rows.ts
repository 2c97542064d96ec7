/**
 * Which features a finding concerns: their rows, and, once they are known, their boxes. Kept beside the count of the
 * finding, as columns and bounded, so that a finding of every feature of a large file costs little.
 */

/** Most features that are listed per code; those beyond are only counted. */
export const MAX_LISTED = 10_000;

/** A row of a finding whose feature is not in the batch: its place is not known. */
export const NO_ROW = -1;

/** Plain data: it crosses threads. The columns have one entry per listed feature, or per value of it. */
export interface FindingRows {
  /** From 0 in the batch, or NO_ROW. */
  readonly rows: Int32Array;
  /** Number of the record, from 1; 0: not known. */
  readonly records: Uint32Array;
  /** From 1; 0: not known. Null: of none. */
  readonly lines: Uint32Array | null;
  /** Feature ids, or handles of a DXF; null: not known, or of none. */
  readonly ids: readonly (string | null)[] | null;
  /** minX, minY, maxX, maxY of each feature in the CRS of the batch; NaN: not known. Null: not located yet. */
  readonly boxes: Float64Array | null;
}

/** Counts rows that something happened to, and lists the first of them. */
export class RowTally {
  count = 0;
  readonly rows: number[] = [];
  readonly records: number[] = [];
  readonly lines: number[] = [];
  readonly ids: (string | null)[] = [];

  /** `row` counts from 0, as rows of a batch do; `record` and `line` from 1 in the partition, or 0. */
  add(row: number, record = row + 1, line = 0, id: string | null = null): void {
    this.count++;
    if (this.isFull) return;
    this.rows.push(row);
    this.records.push(record);
    this.lines.push(line);
    this.ids.push(id);
  }

  /** Further rows are only counted. */
  get isFull(): boolean {
    return this.rows.length >= MAX_LISTED;
  }

  /** 0: none. */
  get firstRecord(): number {
    return this.records.at(0) ?? 0;
  }
}

/** What is left of the MAX_LISTED of one code. */
export interface RowQuota {
  left: number;
}

/** Lists the features of one finding. */
export class RowList {
  readonly #rows: number[] = [];
  readonly #records: number[] = [];
  readonly #lines: number[] = [];
  readonly #ids: (string | null)[] = [];
  #hasLines = false;
  #hasIds = false;
  readonly #quota: RowQuota;

  constructor(quota: RowQuota = { left: MAX_LISTED }) {
    this.#quota = quota;
  }

  add(row: number, record = 0, line = 0, id: string | null = null): void {
    if (this.#quota.left <= 0) return;
    this.#quota.left--;
    this.#rows.push(row);
    this.#records.push(record);
    this.#lines.push(line);
    this.#ids.push(id);
    if (line > 0) this.#hasLines = true;
    if (id !== null) this.#hasIds = true;
  }

  addTally({ rows, records, lines, ids }: RowTally): void {
    for (let i = 0; i < rows.length && this.#quota.left > 0; i++)
      this.add(rows[i], records[i], lines[i], ids[i]);
  }

  /** Adds rows of a part of a batch, of which `rowOf` gives the rows of the batch. */
  addMapped(part: FindingRows, rowOf: ArrayLike<number>): void {
    for (let i = 0; i < part.rows.length; i++) {
      const row = part.rows[i] < 0 ? NO_ROW : rowOf[part.rows[i]];
      this.add(row, row < 0 ? part.records[i] : row + 1, part.lines?.[i], part.ids?.[i]);
    }
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  list(): FindingRows {
    return {
      rows: Int32Array.from(this.#rows),
      records: Uint32Array.from(this.#records),
      lines: this.#hasLines ? Uint32Array.from(this.#lines) : null,
      ids: this.#hasIds ? [...this.#ids] : null,
      boxes: null,
    };
  }
}

/** The first `count` entries. */
export function firstRows({ rows, records, lines, ids, boxes }: FindingRows, count: number): FindingRows {
  return {
    rows: rows.slice(0, count),
    records: records.slice(0, count),
    lines: lines?.slice(0, count) ?? null,
    ids: ids?.slice(0, count) ?? null,
    boxes: boxes?.slice(0, count * 4) ?? null,
  };
}
