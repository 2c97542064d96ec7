import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

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
