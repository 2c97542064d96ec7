import { type TableMessages, tableMessages } from '../tables/messages.ts';
import { withoutPrefix } from '../tables/words.ts';
import { xlsxErrors } from './errors.ts';
import { xlsxFindings } from './findings.ts';
import { xlsxWords } from './words.ts';

const entries = {
  words: xlsxWords,
  errors: withoutPrefix('XLSX_', xlsxErrors),
  findings: withoutPrefix('XLSX_', xlsxFindings),
};

/** The messages about a sheet. */
export function sheetMessages(sheet: string): TableMessages {
  return tableMessages({ ...entries, params: { sheet }, location: { layer: sheet } });
}
