/** Reports what a sheet has that the values of its cells do not show. */
import type { Findings } from '@geomill/core/messages/findings.ts';
import { CellNotes } from './cell-notes.ts';
import { MAX_CHARACTERS } from './cell-text.ts';
import { xlsxFindings } from './messages.ts';

/** Merged ranges that are named. */
const SHOWN_RANGES = 5;

export class SheetNotes {
  readonly cells = new CellNotes();
  readonly #ranges: string[] = [];
  #rangeCount = 0;

  addMerged(range: string): void {
    this.#rangeCount++;
    if (this.#ranges.length < SHOWN_RANGES) this.#ranges.push(range.slice(0, 30));
  }

  note(sheet: string, findings: Findings): void {
    const at = { layer: sheet };
    const { errors, formulas, invalidDates, cutTexts, ignoredValues } = this.cells;
    for (const [error, count] of errors)
      findings.note(xlsxFindings.XLSX_ERRORS_AS_NULL, { sheet, error }, at, count);
    if (formulas > 0) findings.note(xlsxFindings.XLSX_FORMULAS_WITHOUT_VALUE, { sheet }, at, formulas);
    if (ignoredValues > 0) findings.note(xlsxFindings.XLSX_VALUES_IGNORED, { sheet }, at, ignoredValues);
    if (invalidDates > 0) findings.note(xlsxFindings.XLSX_DATES_INVALID, { sheet }, at, invalidDates);
    if (cutTexts > 0)
      findings.note(xlsxFindings.XLSX_TEXT_CUT, { sheet, limit: MAX_CHARACTERS }, at, cutTexts);
    if (this.#rangeCount === 0) return;
    const more = this.#rangeCount > SHOWN_RANGES ? ` and ${this.#rangeCount - SHOWN_RANGES} more` : '';
    findings.note(
      xlsxFindings.XLSX_MERGED_CELLS,
      { sheet, ranges: this.#ranges.join(', ') + more },
      at,
      this.#rangeCount,
    );
  }
}
