import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const gpkgErrors = errorTable({
  GPKG_NO_FEATURES: user(400, '{source} is a GeoPackage without a feature layer; it contains {found}'),
  GPKG_TOO_MANY_FIELDS: user(
    400,
    "layer '{layer}' has {fields|field}, and a GeoPackage table at most {limit}; write GeoJSON or CSV, or drop fields",
  ),
  GPKG_LAYER_READ_ONLY: user(
    400,
    "layer '{layer}' of the target cannot get features: it is a view or a table without row numbers; append to the table behind it",
  ),
  GPKG_ROW_NOT_ADDED: user(
    400,
    "a feature cannot be added to layer '{layer}': table '{table}' of the target refuses it ({reason})",
  ),
  GPKG_ROW: user(400, "table '{table}', row {row}: {reason}"),
  OUTPUT_NOT_EXTENDED: user(400, "'{file}' cannot be extended: {reason}; write to a new file"),
  OUTPUT_IN_USE: user(
    400,
    "'{file}' is open in another program, which keeps its last changes in '{beside}'; close it there",
  ),
  OUTPUT_LOCKED: user(
    400,
    "'{file}' is being changed by another program; wait until that program has saved it, or close it there",
  ),
});
