/** Errors of this module. */
import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const storageErrors = errorTable({
  STORAGE_UNAVAILABLE: user(
    503,
    'the storage of the service is not available at the moment ({reason}); try again in {seconds} s',
  ),
});
