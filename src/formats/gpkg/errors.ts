import { type ErrorEntries, user } from '../../catalogue-entries.ts';

export const errors = {
  GPKG_NO_FEATURES: user(400, '{source} is a GeoPackage without a feature layer; it contains {found}'),
  GPKG_TOO_MANY_FIELDS: user(
    400,
    "layer '{layer}' has {fields} fields, and a GeoPackage table at most {limit}; write GeoJSON or CSV, or drop fields",
  ),
  GPKG_ROW: user(400, "table '{table}', row {row}: {reason}"),
} as const satisfies ErrorEntries;
