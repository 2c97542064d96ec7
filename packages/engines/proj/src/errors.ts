/** Errors of this module. */
import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const projErrors = errorTable({
  CRS_NO_OPERATION: user(
    400,
    "cannot transform {from} to {to}: {reason}. Use the same CRS for the output, or state the real CRS of the input with '{field:path}'",
  ),
});
