/** Errors and findings of KML. */
import {
  changed,
  errorTable,
  findingTable,
  info,
  lost,
  user,
} from '@geomill/core/messages/catalogue-entries.ts';

export const kmlErrors = errorTable({
  KML_ONLY_LINKS: user(
    400,
    '{source} has no features, only {count|network link|network links} to files that are not in it and are not fetched: {links}; download these and convert them',
  ),
  KMZ_NO_KML: user(400, '{source} is a KMZ without a .kml file; it contains {found}'),
  KMZ_TOO_LARGE: user(400, 'the document of a KMZ has at most 4 GiB; write a .kml, or split the data'),
});

export const kmlFindings = findingTable({
  KML_LINKS_NOT_FOLLOWED: lost('network links to other files were not fetched: {links}', 'link'),
  KML_UPDATES_IGNORED: lost(
    'features of a NetworkLinkControl were not read: they are updates of another file',
    'feature',
  ),
  KML_ELEMENTS_IGNORED: lost("elements '{name}' were ignored: no field or geometry can hold them", 'element'),
  KML_OVERLAY_AS_POLYGON: changed(
    'ground overlays were read as the areas that they cover, without their images',
    'feature',
  ),
  KML_MODEL_AS_POINT: changed(
    'models were read as the points where they stand, without their shapes',
    'feature',
  ),
  KML_STYLES_REDUCED: lost(
    'of styles only the colour and the icon of a feature are read, as fields',
    'style',
  ),
  KML_STYLE_MISSING: info("styles that {file} does not contain were ignored: '{url}'", 'feature'),
  KML_MODES_DIFFER: lost(
    "parts of a geometry differ in '{name}'; the value of the first was read",
    'feature',
  ),
  KML_POSITIONS_IGNORED: lost('points with several positions were read as their first one', 'feature'),
  KML_TRACK_GAPS: lost('empty positions of tracks were left out, with their times and values', 'position'),
  KML_TRACK_TIMES_DROPPED: lost('times of tracks that have no position were left out', 'time'),
  KML_TRACK_TIMES_MISSING: info('positions at the ends of tracks have no time', 'position'),
  KMZ_FILES_IGNORED: info('files of {source} that are not KML were ignored: {names}', 'file'),
  KML_COLOR_INVALID: info(
    "values of field '{field}' that are not a colour (#rrggbb or #rrggbbaa) were written as texts only",
    'feature',
  ),
  KML_CHARACTERS_REPLACED: changed(
    'characters that XML cannot represent, such as control characters, were written as U+FFFD',
    'value',
  ),
});
