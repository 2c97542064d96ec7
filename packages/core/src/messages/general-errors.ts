/** Errors that several modules raise. */
import { errorTable, ours, user } from './catalogue-entries.ts';

export const generalErrors = errorTable({
  CONFIG_INVALID: user(400, '{detail}'),
  TRANSFORMATION_INVALID: user(400, "'{field:path}' {reason}"),
  FIELD_UNKNOWN: user(400, "{where} has no field '{field}'{hint?}; its fields: {known}"),
  CRS_UNKNOWN: user(
    400,
    "'{field:path}': unknown coordinate reference system '{definition}'{hint?}: {reason}",
  ),
  INPUT_EMPTY: user(400, '{source} is empty (0 bytes); was the upload or export interrupted?'),
  INPUT_WRONG_FORMAT: user(400, '{source} is not {expected}: it looks like {found}'),
  LIMIT_EXCEEDED: user(413, '{what} is {actual}; the limit is {limit} ({setting})'),
  WKT_SYNTAX: user(400, 'WKT character {offset}: {reason}'),
  WKB_SYNTAX: user(400, 'WKB byte {offset}: {reason}'),
  STORAGE_FULL: user(507, 'no disk space left for {what}; free some space, or try again later'),
  CANCELLED: user(400, 'the job was cancelled'),
  USAGE: user(400, '{detail}'),
  SETTING_INVALID: ours(500, "invalid setting {name}='{value}': {reason}"),
  SERVICE_DATABASE_UNUSABLE: ours(500, 'the database {path} cannot be used: {reason}'),
  INTERNAL: ours(500, 'internal error: {reason}'),
});
