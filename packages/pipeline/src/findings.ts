/** Findings of conversions. */
import {
  changed,
  findingTable,
  info,
  lost,
  single,
  split,
} from '@geomill/core/messages/catalogue-entries.ts';

export const pipelineFindings = findingTable({
  RESULT_EMPTY: info("layer '{layer}' has no features left after the transformations"),
  SAMPLED_FROM_PARTS: info(
    "layer '{layer}' is large: its sample was taken from {read} features in {parts} evenly spaced parts {where}; {total}",
  ),
  READ_NEAR_BOX: info(
    "layer '{layer}' is large: only {read} features in and around the box were read and checked; {total}",
  ),
  READ_WITH_VALUES: info(
    "layer '{layer}' is large: only {read} features with values that the filter keeps were read and checked; {total}",
  ),
  READING_STOPPED: info(
    "layer '{layer}': reading stopped after {read} features, as '{step}' needs no more; errors after these were not found",
  ),
  CRS_FROM_REQUEST: info('{source} does not state its CRS; {crs} was used, as requested'),
  FIELD_FACTS_DIFFER: lost(
    "{what} of field '{field}' of {source} is not kept: layer '{layer}' has another one, or none",
    'field',
  ),
  SIDECAR_WRITTEN: info(
    "'{sidecar}' keeps what the output cannot hold of layer '{layer}': geomill restores its name, CRS, ids and {fields|field|fields} when it reads the file with it",
  ),
  SIDECAR_NOT_WRITTEN: info("there is no sidecar for layer '{layer}': {reason}"),
  SIDECAR_VALUES_OMITTED: info(
    "the sidecar does not restore {what} of layer '{layer}': the file changes more values than the {limit} MiB that a sidecar keeps",
  ),
  SIDECAR_USED: info(
    "'{sidecar}' restored {fields|field|fields} of layer '{layer}' as they were before the file was written",
  ),
  SIDECAR_FIELD_CHANGED: info(
    "{what} of layer '{layer}' differ from what '{sidecar}' was written for, and were read as the file has them",
  ),
  SIDECAR_IGNORED: info("'{sidecar}' was not used: {reason}"),
  CRS_CODE_UNKNOWN: info(
    '{source} states the code {code}, which is not in the database of PROJ; {used} was used',
  ),
  CRS_CONTRADICTED: info(
    "{source} states {found}, but {stated} was used, as '{field:input.epsg}' says; is it the right CRS?",
  ),
  CRS_ASSUMED: info(
    "{source} does not state its CRS: {reason}, so {crs} was assumed; '{field:path}' states another CRS",
  ),
  CRS_OUTPUT_FIXED: changed(
    "{format} is always written in {fixed}, so '{field:output.epsg}' {requested} was ignored{advice}",
  ),
  CRS_OUTPUT_DEFAULT: single(
    info(
      'written in {crs} because the request names no CRS of the output; to keep that of the input ({source}), {set:output.epsg=source}',
    ),
  ),
  CRS_PER_LAYER: info(
    "the layers of the output have different CRSs, each that of its input ('{first}' is in {firstCrs}, '{second}' in {secondCrs}); for one CRS, {set:output.epsg}",
  ),
  CRS_OF_FIRST: info(
    'the files have different CRSs; the output is in that of the first, {crs}; for another one, {set:output.epsg}',
  ),
  COORDINATES_OUT_OF_RANGE: lost(
    'features have longitudes beyond 360 or latitudes beyond 90 degrees, which {crs} cannot have ({share}); is it the right CRS?',
    'feature',
  ),
  COORDINATES_SWAPPED: info(
    '{axes} look swapped: if they are exchanged, all positions fit {crs}; to exchange them, add the step {field:step.swap_xy}',
  ),
  OUTSIDE_AREA_OF_USE: info(
    'features are outside the area of use of {crs} ({share}); is it the right CRS?',
    'feature',
  ),
  BALLPARK_TRANSFORMATION: changed(
    'only a ballpark transformation from {from} to {to} is available: positions can be off by 100 m or more',
  ),
  GRID_MISSING: info(
    "a better transformation from {from} to {to} needs the grid '{grid}', which is not installed (PROJ_GRIDS); the accuracy is {accuracy}",
  ),
  MAP_EDGE_CUT: split(
    'geometries that cross {meridian} degrees of longitude, where the map of {crs} ends, were cut there',
    'feature',
  ),
  POLE_CUT_OFF: lost('features end near a pole that they reach: {crs} cannot show it', 'feature'),
  EDGES_TORN: changed(
    'edges longer than {degrees} degrees could not be followed to {crs}: its map is torn there, or goes to infinity; they are drawn straight between their ends',
    'feature',
  ),
  EDGES_FOLLOWED: info(
    'edges longer than {degrees} degrees, which are bent in {crs}, got positions so that they stay within 1 km of where they were',
    'feature',
  ),
  LAYER_AROUND_EARTH: info(
    'the layer goes around the Earth, so {operation} cut it at 180 degrees: features that only meet there are not merged',
    'feature',
  ),
  ANTIMERIDIAN_IN_PLANE: changed(
    '{operation} took geometries as they are written, though they cross 180 degrees: their rings are not closed, or go around the Earth more than once',
    'feature',
  ),
  FIELDS_NOT_DECLARED: lost(
    "layer '{layer}' has no features, so its {fields|field is|fields are} lost: {format} does not declare fields",
  ),
  IDS_WITHOUT_FIELD: lost(
    "feature ids of layer '{layer}' were dropped: {format} cannot store them, and a field '{field}' exists already",
    'feature',
  ),
  FIELD_NOT_APPENDED: lost(
    "field '{field}' of {files} was dropped: the target layer '{layer}' has no such field",
    'file',
  ),
  FIELD_NOT_COMMON: info(
    "field '{field}' of {files} is not in layer '{layer}': other files do not have it, and only common fields were requested",
    'file',
  ),
  FIELD_MATCHED: changed(
    "field '{from}' of {files} was appended to '{to}' of layer '{layer}': the names differ only in case",
    'file',
  ),
  VALUE_NOT_APPENDED: lost(
    "values of field '{field}' of {source} that are not {type}, the type of the target field, were appended as null",
    'value',
  ),
  IDS_NOT_APPENDED: lost(
    "feature ids of {source} were not kept: they are unique only within that file, and the target has no field 'id' that can hold them",
    'feature',
  ),
  OUTPUT_LINKED: info(
    "'{file}' has {links|other name|other names}, as hard links, which still have the earlier content",
  ),
  ATTRIBUTES_NOT_MERGED: lost(
    'merge keeps geometries only: attributes and ids of {files|file were|files were} dropped; to keep them, {set:attributes=union}',
  ),
  UNIT_CONTRADICTS_CRS: info(
    '{source} states the unit {unit}, but the unit of {crs} is {crsUnit}; is it the right CRS?',
  ),
  LAYERS_JOINED: changed(
    "{count|layer was|layers were} joined; the field '{field}' names the layer of each feature",
  ),
});
