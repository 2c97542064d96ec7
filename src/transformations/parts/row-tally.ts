/** Counts rows that something happened to, so that a finding is noted once per batch and not once per feature. */
import type { FindingCode, FindingParams, Findings } from '../../findings.ts';

/** As many places as a finding shows. */
const MAX_ROWS = 5;

export class RowTally {
  count = 0;
  readonly #rows: number[] = [];

  /** `row` counts from 0, as rows of a batch do. */
  add(row: number): void {
    this.count++;
    if (this.#rows.length < MAX_ROWS) this.#rows.push(row);
  }

  /** Notes the counted rows, if any, with the first locations. */
  note<Code extends FindingCode>(findings: Findings, code: Code, params: FindingParams<Code>): void {
    for (const row of this.#rows) findings.note(code, params, { record: row + 1 });
    const rest = this.count - this.#rows.length;
    if (rest > 0) findings.note(code, params, undefined, rest);
  }
}
