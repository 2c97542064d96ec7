/** Findings of this module. */
import { findingTable, info } from '@geomill/core/messages/catalogue-entries.ts';

export const httpFindings = findingTable({
  UNKNOWN_PART: info("'{part}' is an unknown form part and was ignored"),
});
