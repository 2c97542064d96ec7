import { findingTable, info } from '@geomill/core/messages/catalogue-entries.ts';
import { tableFindings } from '../tables/findings.ts';
import { csvWords } from './words.ts';

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
