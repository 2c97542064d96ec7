/** Errors and findings of Shapefile. */
import {
  changed,
  errorTable,
  findingTable,
  info,
  lost,
  removed,
  user,
} from '@geomill/core/messages/catalogue-entries.ts';

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

export const shpFindings = findingTable({
  BLANKS_NOT_KEPT: changed(
    "texts of field '{field}' are empty or begin or end with blanks: {format} does not keep such blanks, and stores an empty text as null",
    'value',
  ),
  ATTRIBUTES_MISSING: info(
    '{file} has {found|row} for {expected|shape}; the remaining shapes have null attributes',
  ),
  SHAPES_MISSING: info('{file} has {found|shape} for {expected|row}; the remaining rows have no geometry'),
  RECORD_LENGTHS_CORRECTED: info(
    'records of {file} state a length that contradicts the .shx and the length of the file; they were read with the length of the .shx',
    'record',
  ),
  INDEX_REBUILT: info('{file}: {reason}; the positions of records were determined by reading the .shp'),
  TEXT_CUT: lost("texts of field '{field}' were truncated to {bytes} bytes, the limit of {format}", 'value'),
  RECORD_DELETED: removed('records marked as deleted were skipped', 'record'),
  ENCODING_GUESSED: info('{file} does not state its text encoding; {encoding} was assumed'),
  ENCODING_OVERRIDDEN: info(
    '{file} states the encoding {encoding}, but was read as {requested}, as requested',
  ),
  FILE_SPLIT: info("layer '{layer}' is written as several files: {files}"),
});
