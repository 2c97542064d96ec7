/** Errors and findings of TopoJSON. */
import {
  changed,
  errorTable,
  findingTable,
  info,
  lost,
  user,
} from '@geomill/core/messages/catalogue-entries.ts';

export const topojsonErrors = errorTable({
  TOPOJSON_SYNTAX: user(400, 'TopoJSON byte {offset}: {reason}{position?}'),
  TOPOJSON_STRUCTURE: user(400, 'TopoJSON byte {offset}: {reason}{position?}'),
  TOPOJSON_ARCS_TOO_LARGE: user(
    413,
    'the arcs of {source} do not fit into the memory of {limit} MiB for the coordinates of one topology; convert the objects with topo2geo (topojson-client) and use the GeoJSON, or split the file',
  ),
  TOPOJSON_REUSE_TOO_LARGE: user(
    413,
    "consecutive features of layer '{layer}' of {source} use the same arcs so often that they have more than {limit} positions; simplify the topology, or split the file",
  ),
  TOPOJSON_OUTPUT_TOO_LARGE: user(
    413,
    'a topology is built in memory, and this output has more than {limit} {what}; write several outputs by filter or split, simplify first, or choose another format such as flatgeobuf',
  ),
});

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
