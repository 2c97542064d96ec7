/** Counts what cells have that their values do not show. */

/** Kinds of errors that are named. */
const MAX_ERRORS = 20;

/** Plain data. */
export interface CellCounts {
  /** Formulas without a value. */
  readonly formulas: number;
  readonly invalidDates: number;
  /** Texts that are longer than a cell can be. */
  readonly cutTexts: number;
  /** Second values of cells that have both an inline text and a value. */
  readonly ignoredValues: number;
  readonly errors: ReadonlyMap<string, number>;
}

export class CellNotes implements CellCounts {
  formulas = 0;
  invalidDates = 0;
  cutTexts = 0;
  ignoredValues = 0;
  errors = new Map<string, number>();

  addError(text: string, count = 1): void {
    const known = this.errors.has(text) || this.errors.size < MAX_ERRORS ? text : 'another error';
    // A copy: `mark` keeps the map of before.
    this.errors = new Map(this.errors).set(known, (this.errors.get(known) ?? 0) + count);
  }

  add({ formulas, invalidDates, cutTexts, ignoredValues, errors }: CellCounts): void {
    this.formulas += formulas;
    this.invalidDates += invalidDates;
    this.cutTexts += cutTexts;
    this.ignoredValues += ignoredValues;
    for (const [text, count] of errors) this.addError(text, count);
  }

  /** For `reset`, if the row is read again. */
  mark(): CellCounts {
    const { formulas, invalidDates, cutTexts, ignoredValues, errors } = this;
    return { formulas, invalidDates, cutTexts, ignoredValues, errors };
  }

  reset({ formulas, invalidDates, cutTexts, ignoredValues, errors }: CellCounts): void {
    this.formulas = formulas;
    this.invalidDates = invalidDates;
    this.cutTexts = cutTexts;
    this.ignoredValues = ignoredValues;
    this.errors = new Map(errors);
  }

  /** Whether any cell is counted whose value is null. */
  get hasLostValues(): boolean {
    return this.formulas > 0 || this.errors.size > 0;
  }
}
