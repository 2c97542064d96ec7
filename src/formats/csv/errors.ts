import { type ErrorEntries, user } from '../../catalogue-entries.ts';

export const errors = {
  CSV_SYNTAX: user(400, 'CSV line {line}: {reason}'),
  CSV_COLUMN_MISSING: user(
    400,
    "the CSV has no geometry column '{column}'; its columns: {found}. Name the geometry column with '{field:csv_options.geometry_column}'",
  ),
  CSV_GEOMETRY: user(400, "CSV line {line}, column '{column}': {reason} in '{value}'"),
} as const satisfies ErrorEntries;
