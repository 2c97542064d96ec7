import { type FindingEntries, reported } from '../../catalogue-entries.ts';

export const findings = {
  MULTIPATCH_TO_POLYGONS: reported('MultiPatch shapes were read as polygons', 'feature'),
  BLANKS_NOT_KEPT: reported(
    "texts of field '{field}' are empty or begin or end with blanks: {format} does not keep such blanks, and stores an empty text as null",
    'value',
  ),
  ATTRIBUTES_MISSING: reported(
    '{file} has {found|row} for {expected|shape}; the remaining shapes have null attributes',
  ),
  SHAPES_MISSING: reported(
    '{file} has {found|shape} for {expected|row}; the remaining rows have no geometry',
  ),
  INDEX_REBUILT: reported('{file}: {reason}; the positions of records were determined by reading the .shp'),
} as const satisfies FindingEntries;
