import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';
import { tableErrors } from '../tables/errors.ts';
import { withPrefix } from '../tables/words.ts';
import { xlsxWords } from './words.ts';

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
