/** Errors of this module. */
import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const postgresErrors = errorTable({
  DATABASE_UNAVAILABLE: user(
    503,
    'the database of the service is not available at the moment; try again in {seconds} s',
  ),
});
