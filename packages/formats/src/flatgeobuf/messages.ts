/** Errors and findings of FlatGeobuf. */
import { errorTable, findingTable, info, lost, user } from '@geomill/core/messages/catalogue-entries.ts';

export const flatgeobufErrors = errorTable({
  FLATGEOBUF_HEADER: user(400, '{source} cannot be read: {reason}'),
  FLATGEOBUF_FEATURE: user(400, '{source}, feature {record} at byte {offset}: {reason}'),
  FLATGEOBUF_TOO_MANY_FIELDS: user(
    400,
    "layer '{layer}' has {fields|field}, and a FlatGeobuf file at most {limit}; write GeoJSON or CSV, or drop fields",
  ),
});

export const flatgeobufFindings = findingTable({
  FEATURES_SORTED: info(
    "features of layer '{layer}' were sorted by their location, which the spatial index needs; to keep their order, {set:output.spatial_index=false}",
    'feature',
  ),
  FEATURE_COUNT_DIFFERS: info('{source} declares {declared|feature} and has {found}; all were read'),
  INDEX_NOT_USED: info('the spatial index of {source} was not used: {reason}'),
  DESCRIPTIONS_DROPPED: lost('metadata in {source} was dropped: that of {names}'),
  TIMES_DROPPED: lost('times of positions (T and TM) were dropped: only X, Y, Z and M are read', 'feature'),
});
