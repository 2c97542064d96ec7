/** Errors and findings of XLSX. */

import {
  changed,
  errorTable,
  findingTable,
  info,
  lost,
  user,
} from '@geomill/core/messages/catalogue-entries.ts';
import { tableErrors } from '../tables/errors.ts';
import { tableFindings } from '../tables/findings.ts';
import { type TableMessages, tableMessages } from '../tables/messages.ts';
import { type TableWords, withoutPrefix, withPrefix } from '../tables/words.ts';

export const xlsxWords = {
  table: "sheet '{sheet}'",
  lead: "sheet '{sheet}': ",
  row: "sheet '{sheet}', row {line}",
  line: 'row',
  holder: 'the sheet',
  blank: "sheet '{sheet}' of {source} has only blank rows where its header is expected",
  options: 'xlsx_options',
  header: 'xlsx_options.header_row',
  // The text of a sheet is written by geomill: a brace in its first cell is a value.
  expected: null,
} as const satisfies TableWords;

export const xlsxErrors = errorTable({
  XLSX_INVALID: user(
    400,
    '{source} is not a valid workbook: {reason}; open and save it with a spreadsheet program',
  ),
  XLSX_ENCRYPTED: user(
    400,
    '{source} is protected with a password; open it with a spreadsheet program, remove the password and save it again',
  ),
  XLSX_NO_SHEETS: user(400, '{source} has no sheet with cells{skipped}; was the right file sent?'),
  XLSX_NO_VALUES: user(
    400,
    '{source} has no cell with a value: each cell of {sheets} is an error, or a formula without a stored value; open it with a spreadsheet program, correct the formulas and save it again',
  ),
  ...withPrefix('XLSX_', tableErrors(xlsxWords)),
  XLSX_TOO_MANY_ROWS: user(
    400,
    "sheet '{sheet}' would have {actual} rows, but a sheet has at most {limit}; write another format, or split the layer with '{field:output.split_by}'",
  ),
  XLSX_TOO_MANY_COLUMNS: user(
    400,
    "sheet '{sheet}' would have {actual} columns, but a sheet has at most {limit}; keep fewer fields with a step select",
  ),
  XLSX_TEXT_TOO_LONG: user(400, 'a cell has at most {limit} characters, but {what} has {actual}: {advice}'),
  XLSX_TOO_LARGE: user(
    400,
    "sheet '{sheet}' has 4 GiB of XML or more; split the data, or write another format",
  ),
});

export const xlsxFindings = findingTable({
  ...withPrefix('XLSX_', tableFindings(xlsxWords)),
  XLSX_SHEETS_SKIPPED: info('sheets of {source} that have no cells were skipped: {names}', 'sheet'),
  XLSX_HIDDEN_READ: info('hidden sheets of {source} were read as well: {names}', 'sheet'),
  XLSX_ERRORS_AS_NULL: lost("sheet '{sheet}': cells with the error {error} were read as null", 'cell'),
  XLSX_FORMULAS_WITHOUT_VALUE: lost(
    "sheet '{sheet}': formulas were read as null, because the file has no computed values for them; open and save it with a spreadsheet program",
    'formula',
  ),
  XLSX_TEXT_CUT: lost(
    "sheet '{sheet}': texts were read up to {limit} characters, the most that a cell can have",
    'cell',
  ),
  XLSX_VALUES_IGNORED: lost(
    "sheet '{sheet}': cells have both an inline text and a value; the one that the type of the cell names was read, as spreadsheet programs do",
    'cell',
  ),
  XLSX_SHEET_WITHOUT_VALUES: lost(
    "sheet '{sheet}' was skipped: each of its cells is an error, or a formula without a stored value",
  ),
  XLSX_MERGED_CELLS: info(
    "sheet '{sheet}' has merged cells ({ranges}): the value is in the first cell, the others are null",
    'range',
  ),
  XLSX_DATES_INVALID: changed(
    "sheet '{sheet}': numbers with a date format that are not a date (before 1900, 29 February 1900, after 9999) were read as numbers",
    'cell',
  ),
  XLSX_NOTES_NOT_READ: info("sheet '{sheet}': the notes at the names of its columns were not read: {reason}"),
  XLSX_SHEET_RENAMED: changed("layer '{from}' was written as sheet '{to}'"),
  XLSX_NUMBERS_AS_TEXT: changed(
    "values of field '{field}' were written as text: a cell has only finite numbers, and integers up to 2^53 exactly",
    'value',
  ),
  XLSX_DATES_AS_TEXT: changed(
    "dates of field '{field}' were written as text: a cell has none before March 1900 or after 9999, no time zone, and times to the millisecond",
    'value',
  ),
});

const entries = {
  words: xlsxWords,
  errors: withoutPrefix('XLSX_', xlsxErrors),
  findings: withoutPrefix('XLSX_', xlsxFindings),
};

/** The messages about a sheet. */
export function sheetMessages(sheet: string): TableMessages {
  return tableMessages({ ...entries, params: { sheet }, location: { layer: sheet }, hasTypes: true });
}
