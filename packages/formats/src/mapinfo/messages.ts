/** Errors and findings of MapInfo tables and MIF/MID. */
import {
  changed,
  errorTable,
  findingTable,
  info,
  lost,
  user,
} from '@geomill/core/messages/catalogue-entries.ts';

export const mapInfoErrors = errorTable({
  MAPINFO_MEMBER_MISSING: user(400, '{source} contains no {member}; it contains {found}'),
  MAPINFO_FILE: user(400, '{file}: {reason}'),
  MAPINFO_TABLE_KIND: user(400, '{file} is {kind}, which cannot be read; {advice}'),
});

export const mapInfoFindings = findingTable({
  MAPINFO_COUNTS_DIFFER: lost(
    "layer '{layer}' has {objects|object} and {rows|row} of attributes; those without a partner got none",
  ),
  MAPINFO_ROW_DELETED: info('rows that are marked as deleted in the file were left out', 'row'),
  MAPINFO_TEXT_AS_POINT: changed(
    "texts on the map were read as points; what they say is in the field '{field}'",
    'feature',
  ),
  MAPINFO_STYLES_DROPPED: info(
    'pens, brushes and symbols of objects were not read; to have them as fields, set {field:styles}',
  ),
});

/** Only MIF and MID. */
export const mifFindings = findingTable({
  MIF_TEXT_LONG: info(
    "texts of field '{field}' of layer '{layer}' have up to {bytes|byte}: they are written whole, but MapInfo keeps 254 bytes of a text",
  ),
  MIF_ZONE_DROPPED: changed(
    "times of field '{field}' with a time zone were written as times in UTC: MIF has no time zones",
    'value',
  ),
  MIF_CELLS_EXTRA: lost('rows have more values than the table has columns: these were ignored', 'row'),
});
