/** Findings of this module. */
import { findingTable, info } from '../catalogue-entries.ts';

export const httpFindings = findingTable({
  UNKNOWN_PART: info("'{part}' is an unknown form part and was ignored"),
});
