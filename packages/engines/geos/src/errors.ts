/** Errors of this module. */
import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const geosErrors = errorTable({
  GEOS_FAILED: user(400, '{operation} failed on a geometry: {reason}'),
  GEOS_OUT_OF_MEMORY: user(
    400,
    '{operation} needs more memory than one geometry may use; split or simplify the largest geometries',
  ),
});
