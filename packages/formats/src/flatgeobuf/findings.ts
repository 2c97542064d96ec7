import { findingTable, info, lost } from '@geomill/core/messages/catalogue-entries.ts';

export const flatgeobufFindings = findingTable({
  FEATURES_SORTED: info(
    "features of layer '{layer}' were sorted by their location, which the spatial index needs; to keep their order, {set:output.spatial_index=false}",
    'feature',
  ),
  FEATURE_COUNT_DIFFERS: info('{source} declares {declared|feature} and has {found}; all were read'),
  INDEX_NOT_USED: info('the spatial index of {source} was not used: {reason}'),
  DESCRIPTIONS_DROPPED: lost('titles, descriptions and metadata in {source} were dropped: those of {names}'),
  TIMES_DROPPED: lost('times of positions (T and TM) were dropped: only X, Y, Z and M are read', 'feature'),
});
