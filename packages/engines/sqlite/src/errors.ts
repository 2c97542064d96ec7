/** Errors of this module. */
import { errorTable, ours, user } from '@geomill/core/messages/catalogue-entries.ts';

export const sqliteErrors = errorTable({
  DATABASE_DAMAGED: user(
    400,
    "{source}, table '{table}': the database is damaged ({reason}); use an undamaged copy, or recover it with the .recover command of sqlite3",
  ),
  DATABASE_UNREADABLE: user(400, "{source}, table '{table}' cannot be read: {reason}"),
  DATABASE_REFUSED: user(
    400,
    "{source}, table '{table}' was not read: {reason} is not allowed in input files",
  ),
  SERVICE_DATABASE_DAMAGED: ours(
    500,
    "the database {path} is damaged ({reason}); check the data directory with 'geomill doctor', and restore a backup with 'geomill restore'",
  ),
});
