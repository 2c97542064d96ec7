import { changed, type FindingEntries, info } from '../../catalogue-entries.ts';

export const findings = {
  MULTIPATCH_TO_POLYGONS: changed('MultiPatch shapes were read as polygons', 'feature'),
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
} as const satisfies FindingEntries;
