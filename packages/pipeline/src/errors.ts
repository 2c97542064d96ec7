/** Errors of conversions. */
import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const pipelineErrors = errorTable({
  FIELD_REQUIRED: user(
    400,
    '{required:path} for {id}: {format} does not store its CRS (EPSG:4326 for longitude and latitude){advice?}',
  ),
  LAYER_UNKNOWN: user(400, "the input has no layer '{layer}'{hint?}; its layers: {known}"),
  STEP_LAYER_UNKNOWN: user(
    400,
    "'{field:path}' names the layer '{layer}', which the data does not have{hint?}; its layers: {known}",
  ),
  STEP_NEEDS_GEOMETRY: user(
    400,
    "'{field:path}' ({step}) needs geometries, but layer '{layer}' is a table without geometries; remove the step, limit it to other layers, or name the columns with positions in the options of the input",
  ),
  MERGE_NEEDS_ATTRIBUTES: user(
    400,
    'the files are tables without geometries, and a merge keeps only geometries: {set:attributes=union} to merge their rows, or append them',
  ),
  LAYER_NOT_IN_TARGET: user(
    400,
    "layer '{layer}' of '{file}' matches no layer of the target '{target}', which has {known}; rename the layer, or list the layers to append with '{field:input.layer}'",
  ),
  TARGET_CONTENT_LOST: user(
    400,
    "'{file}' was left as it is: the output would replace it without {names}. Write to another file, or {set:output.drop_other_content=true}. A GeoPackage keeps everything if its CRS is kept and no transformation is applied",
  ),
  FORMATS_DIFFER: user(
    400,
    "the target '{target}' is {format} and the other files are {other}: files of other formats can only be appended to a GeoPackage, without transformations and in its own CRS; convert them to {format} first",
  ),
  LAYER_NAME_AMBIGUOUS: user(
    400,
    "'{field:output.layer_name}' '{name}' is for one layer, and the output has {layers}: {known}; choose one with '{field:input.layer}'",
  ),
  CRS_MISSING: user(400, 'the CRS of {source} is unknown ({reason}): {set:path}{extent}{candidates}'),
  CRS_CONFLICT: user(
    400,
    "'{field:path}' is {stated}, but {source} states {found}; remove '{field:path}' or correct the file",
  ),
  CRS_DIFFERENT: user(
    400,
    "layers '{first}' ({firstCrs}) and '{second}' ({secondCrs}) have different CRSs but would be joined in one layer of the output: {set:output.epsg}, or choose one of them with '{field:input.layer}'",
  ),
  CRS_LOCAL_MOVED: user(
    400,
    'the coordinates of a local plan cannot be transformed to {to}, because its position on the Earth is not known. To keep them, {set:output.epsg=local} (for GeoJSON also {set:output.geojson_crs=requested})',
  ),
  COORDINATES_IMPOSSIBLE: user(
    400,
    '{share} of the features of {source} have longitudes beyond 360 or latitudes beyond 90 degrees, which {crs} cannot have, the first at position ({x}, {y}) of {place}: {advice} to convert the positions as they are',
  ),
  FINDINGS_REFUSED: user(
    400,
    "{findings|warning has|warnings have} a severity that '{field:path}' ({severity}) refuses: {found}; correct the input or the request, or leave '{field:path}' out to get the output nevertheless",
  ),
  SPLIT_TOO_MANY_VALUES: user(
    400,
    "'{field}' has at least {count} different values, and an output can be split into at most {limit} parts; split it by something with fewer values, or filter the features first",
  ),
  SPLIT_VALUE_TOO_LONG: user(
    400,
    "'{field}' has a value of {length} characters, and an output can be split by values of at most {limit}; split it by shorter values",
  ),
  SPLIT_FILE_TOO_LARGE: user(
    413,
    "'{file}', a part of the output, has {bytes} bytes; the limit in an archive is {limit}: split it by something with more values, or filter the features first",
  ),
  SIDECAR_FILE_TOO_LARGE: user(
    413,
    "'{file}' has {bytes} bytes, and in an archive with its sidecar it can have at most {limit}: filter the features first, or write it without a sidecar",
  ),
  LAYER_NAME_TOO_LONG: user(
    400,
    'the name of layer {position} has {length} characters (limit {limit}); rename the layer',
  ),
  FIELD_NAME_TOO_LONG: user(
    400,
    "layer '{layer}': the name of field {position} has {length} characters (limit {limit}); rename the field",
  ),
  OUTPUT_FACTOR_EXCEEDED: user(
    413,
    "step {step} ('{field:path}') creates {positions} positions from {input}, more than {factor} for each ({setting}); use a longer length, a longer distance or fewer segments",
  ),
  JOB_OUT_OF_MEMORY: user(400, 'the job needs more memory than a job may use ({limit}); split the data'),
});
