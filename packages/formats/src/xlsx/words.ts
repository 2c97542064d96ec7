import type { TableWords } from '../tables/words.ts';

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
