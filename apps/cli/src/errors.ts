/** Errors of this module. */
import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const cliErrors = errorTable({
  SUBMISSION_FAILED: user(400, 'the service {service} did not convert the file: {reason}'),
});
