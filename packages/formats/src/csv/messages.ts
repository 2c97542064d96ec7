/** Errors and findings of CSV. */

import { errorTable, findingTable, info } from '@geomill/core/messages/catalogue-entries.ts';
import { tableErrors } from '../tables/errors.ts';
import { tableFindings } from '../tables/findings.ts';
import { tableMessages } from '../tables/messages.ts';
import { type TableWords, withoutPrefix, withPrefix } from '../tables/words.ts';

export const csvWords = {
  table: 'the CSV',
  lead: '',
  row: 'CSV line {line}',
  line: 'line',
  holder: 'the file',
  blank:
    '{source} has only blank lines where its header is expected ({bytes} bytes); was the upload or export interrupted?',
  options: 'csv_options',
  header: 'csv_options.header_line',
  expected: 'a CSV file',
} as const satisfies TableWords;

export const csvErrors = errorTable(withPrefix('CSV_', tableErrors(csvWords)));

const { NO_POSITION, NO_NAMES, ...others } = tableFindings(csvWords);

export const csvFindings = findingTable({
  ENCODING_DOUBTFUL: info('{file} was read as {requested}, as requested, although its texts are valid UTF-8'),
  CSV_NO_POSITION: NO_POSITION,
  CSV_NO_NAMES: NO_NAMES,
  DELIMITER_FOUND: info(
    "the columns of {source} are separated by {delimiter}, not by a comma; '{field:csv_options.delimiter}' states the separator",
  ),
  ...others,
});

export const csvMessages = tableMessages({
  words: csvWords,
  errors: withoutPrefix('CSV_', csvErrors),
  findings: { ...csvFindings, ...withoutPrefix('CSV_', csvFindings) },
  params: {},
});
