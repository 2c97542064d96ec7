/** Errors of this module. */
import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const maintenanceErrors = errorTable({
  MIGRATION_INVALID: user(400, 'the data directory {path} cannot be moved: {reason}'),
  BACKUP_INVALID: user(400, 'the backup {path} cannot be restored: {reason}'),
});
