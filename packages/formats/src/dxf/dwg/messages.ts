/** Errors and findings of DWG. */
import { errorTable, findingTable, lost, user } from '@geomill/core/messages/catalogue-entries.ts';

export const dwgErrors = errorTable({
  DWG_VERSION: user(
    400,
    '{source} is a drawing of {version}; DWG is read from R14 to AutoCAD 2018 (AC1014 to AC1032). Save it as DXF, or as a DWG of AutoCAD 2018 or 2013',
  ),
  DWG_TOO_LARGE: user(
    400,
    '{source} has {actual} {what}; a DWG is read into memory, and may have {limit} at most. Save it as DXF, which is read in parts at any size, or split the drawing',
  ),
  DWG_TRUNCATED: user(
    400,
    '{source} has {actual} bytes, but {part} ends at byte {end}: the file is incomplete; send the whole file',
  ),
  DWG_DAMAGED: user(
    400,
    '{source} cannot be read as a drawing of {version}: {part} is damaged ({reason}). Open it in a CAD program, use RECOVER or AUDIT, and save it again',
  ),
});

export const dwgFindings = findingTable({
  DWG_OBJECTS_UNREAD: lost(
    '{type} objects are in the drawing, but could not be read: they are damaged or of an unknown form, and are missing in the output',
    'object',
  ),
});
