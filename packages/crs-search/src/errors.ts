/** Errors of this module. */
import { errorTable, ours } from '@geomill/core/messages/catalogue-entries.ts';

export const crsSearchErrors = errorTable({
  CRS_DATABASE: ours(
    500,
    'the CRS database {path} cannot be searched: {reason}. It is part of the package proj-wasm; reinstall that package',
  ),
});
