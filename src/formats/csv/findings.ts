import { type FindingEntries, info } from '../../catalogue-entries.ts';

export const findings = {
  DELIMITER_FOUND: info(
    "the columns of {source} are separated by {delimiter}, not by a comma; '{field:csv_options.delimiter}' states the separator",
  ),
} as const satisfies FindingEntries;
