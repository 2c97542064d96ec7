/** Errors that several formats raise. */
import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const formatErrors = errorTable({
  FORMAT_UNKNOWN: user(400, "'{field:path}': unknown format '{value}'{hint?}; supported: {known}"),
  LAYER_EXISTS: user(
    400,
    "'{file}' already has a layer '{layer}': {set:output.replace_layers=true} to replace that layer, or choose another name with '{field:output.layer_name}'",
  ),
  LAYER_NAME_TAKEN: user(
    400,
    "'{file}' already has a table '{table}' that is not a layer, so layer '{layer}' needs another name: '{field:output.layer_name}'",
  ),
  COORDINATE_NOT_FINITE: user(
    400,
    '{place}: a coordinate is {value}, which {format} cannot store; repair the geometry',
  ),
  SPLIT_NOT_POSSIBLE: user(400, "'{field:output.split_by}': {reason}; {advice}"),
  TEXT_ENCODING_UNKNOWN: user(
    400,
    "unknown text encoding '{encoding}'; use an IANA name such as UTF-8 or windows-1252",
  ),
});
