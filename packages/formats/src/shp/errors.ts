import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const shpErrors = errorTable({
  SHP_MEMBER_MISSING: user(400, '{source} contains no {member}; it contains {found}'),
  SHP_HEADER: user(400, '{file}: {reason}'),
  SHP_RECORD: user(400, '{file}, record {record}: {reason}'),
  DBF_HEADER: user(400, '{file}: {reason}'),
  SHP_TOO_LARGE: user(
    400,
    "layer '{layer}': a Shapefile cannot be larger than 2 GB, and its {member} would have {bytes} bytes; write GeoPackage or GeoJSON, or split the data",
  ),
  SHP_TOO_MANY_FIELDS: user(
    400,
    "layer '{layer}' has {fields|field}, and a Shapefile at most 255; write GeoPackage or GeoJSON, or drop fields",
  ),
});
