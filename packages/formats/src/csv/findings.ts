import { findingTable, info } from '@geomill/core/messages/catalogue-entries.ts';

export const csvFindings = findingTable({
  ENCODING_DOUBTFUL: info('{file} was read as {requested}, as requested, although its texts are valid UTF-8'),
});
