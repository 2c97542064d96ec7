/** Counts what the cells of a sheet have that their values do not show. */
import type { Findings } from '../../findings.ts';

/** Kinds of errors and merged ranges that are named. */
const MAX_ERRORS = 20;
const SHOWN_RANGES = 5;

export interface Mark {
  readonly formulas: number;
  readonly invalidDates: number;
  readonly errors: ReadonlyMap<string, number>;
}

export class SheetNotes {
  formulas = 0;
  invalidDates = 0;
  #errors = new Map<string, number>();
  readonly #ranges: string[] = [];
  #rangeCount = 0;

  addError(text: string): void {
    const known = this.#errors.has(text) || this.#errors.size < MAX_ERRORS ? text : 'another error';
    // A copy: `mark` keeps the map of before.
    this.#errors = new Map(this.#errors).set(known, (this.#errors.get(known) ?? 0) + 1);
  }

  addMerged(range: string): void {
    this.#rangeCount++;
    if (this.#ranges.length < SHOWN_RANGES) this.#ranges.push(range.slice(0, 30));
  }

  /** For `reset`, if the row is read again. */
  mark(): Mark {
    return { formulas: this.formulas, invalidDates: this.invalidDates, errors: this.#errors };
  }

  reset({ formulas, invalidDates, errors }: Mark): void {
    this.formulas = formulas;
    this.invalidDates = invalidDates;
    this.#errors = new Map(errors);
  }

  note(sheet: string, findings: Findings): void {
    const at = { layer: sheet };
    for (const [error, count] of this.#errors)
      findings.note('XLSX_ERRORS_AS_NULL', { sheet, error }, at, count);
    if (this.formulas > 0) findings.note('XLSX_FORMULAS_WITHOUT_VALUE', { sheet }, at, this.formulas);
    if (this.invalidDates > 0) findings.note('XLSX_DATES_INVALID', { sheet }, at, this.invalidDates);
    if (this.#rangeCount === 0) return;
    const more = this.#rangeCount > SHOWN_RANGES ? ` and ${this.#rangeCount - SHOWN_RANGES} more` : '';
    findings.note(
      'XLSX_MERGED_CELLS',
      { sheet, ranges: this.#ranges.join(', ') + more },
      at,
      this.#rangeCount,
    );
  }
}
