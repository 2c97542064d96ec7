import { findingTable, info } from '../../catalogue-entries.ts';

export const csvFindings = findingTable({
  ENCODING_DOUBTFUL: info('{file} was read as {requested}, as requested, although its texts are valid UTF-8'),
});
