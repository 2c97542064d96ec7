import { changed, findingTable, info, lost } from '@geomill/core/messages/catalogue-entries.ts';

export const topojsonFindings = findingTable({
  TOPOJSON_MEMBERS_DROPPED: lost('members that TopoJSON does not name were dropped: {names}'),
  TOPOJSON_COLLECTION_MEMBERS_DROPPED: lost(
    "'{names}' of the object '{object}' were dropped: its geometries are the features, and a layer has neither",
  ),
  TOPOJSON_INNER_MEMBERS_DROPPED: lost(
    'ids and properties of geometries inside a geometry collection were dropped',
    'feature',
  ),
  TOPOJSON_ARCS_APART: info('consecutive arcs that do not touch were joined by a straight line', 'feature'),
  TOPOJSON_FILLED_UP: changed(
    'lines of one position and rings of fewer than four, which simplification leaves, were filled up with their first position',
    'feature',
  ),
  TOPOJSON_QUANTIZED: info(
    'coordinates were rounded to a grid of {count} by {count} points, by at most {x} in x and {y} in y, as requested',
  ),
  TOPOJSON_COLLAPSED: changed(
    'lines and rings that are a single point of the grid were kept as repeated positions',
    'feature',
  ),
});
