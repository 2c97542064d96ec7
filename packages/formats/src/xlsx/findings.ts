import { changed, findingTable, info, lost } from '@geomill/core/messages/catalogue-entries.ts';
import { tableFindings } from '../tables/findings.ts';
import { withPrefix } from '../tables/words.ts';
import { xlsxWords } from './words.ts';

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
