/** Errors and findings of GPX. */
import {
  changed,
  dropped,
  errorTable,
  findingTable,
  info,
  lost,
} from '@geomill/core/messages/catalogue-entries.ts';

export const gpxErrors = errorTable({});

export const gpxFindings = findingTable({
  GPX_METADATA_IGNORED: info("metadata of the file was not read: '{names}'", 'element'),
  GPX_ELEMENTS_IGNORED: lost("elements '{name}' were ignored: no field or geometry can hold them", 'element'),
  GPX_POSITION_MISSING: lost(
    'points without lat and lon were left out of their lines, or have no geometry',
    'point',
  ),
  GPX_POLYGON_AS_TRACK: changed(
    'polygons were written as tracks with a segment for each ring: GPX has no areas',
    'feature',
  ),
  GPX_PARTS_REPEATED: changed(
    'geometries of several points or kinds were written as several elements with the same attributes',
    'feature',
  ),
  GPX_LAYERS_MIXED: info(
    "layer '{layer}' is written as waypoints, routes or tracks by its geometries: GPX has no names of layers",
  ),
  GPX_POINTS_IN_LINES: dropped(
    "points of layer '{layer}' were left out: layer '{lines}' has their positions and times; values of their other fields are lost",
    'feature',
  ),
  GPX_ELE_DIFFERS: changed("values of 'ele' that differ from the Z value were not written", 'value'),
  GPX_TIMES_UNUSED: changed(
    "values of 'times' that do not have a time for each position were written as an extension",
    'feature',
  ),
  GPX_VALUES_AS_EXTENSIONS: info(
    "values of field '{field}' that its element cannot hold were written as an extension",
    'value',
  ),
  GPX_CHARACTERS_REPLACED: changed(
    'characters that XML cannot represent, such as control characters, were written as U+FFFD',
    'value',
  ),
  GPX_POSITION_OUT_OF_RANGE: changed(
    'positions outside the range of longitudes and latitudes were written unchanged, and other programs reject them; was the CRS of the input stated right?',
    'feature',
  ),
  GPX_FIELDS_EMPTY: info(
    "fields of layer '{layer}' without any value are not in the output, as GPX declares no fields: {fields}",
    'field',
  ),
  GPX_LONGITUDE_WRAPPED: changed(
    'longitudes beyond 180 degrees were written in the range of -180 to 180',
    'feature',
  ),
});
