/** Errors of steps. */
import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const stepErrors = errorTable({
  TRANSFORMATION_UNKNOWN: user(
    400,
    "'{field:path}': unknown transformation '{type}'{hint?}; supported: {known}",
  ),
  FIELD_NAME_TAKEN: user(
    400,
    "fields '{first}' and '{second}' would both be named '{name}'; rename or drop one of them",
  ),
  AGGREGATE_TYPE: user(
    400,
    "cannot compute {function} of field '{field}': its type is {type}, and {function} needs {possible}; choose another function with '{field:step.aggregate}', such as first, count or distinct",
  ),
  AGGREGATE_OVERFLOW: user(
    400,
    "the sum of field '{field}' is {sum}, which does not fit in a 64-bit integer; choose mean with '{field:step.aggregate}'",
  ),
  COORDINATE_OUTSIDE_DOMAIN: user(
    400,
    '{place}: position ({x}, {y}) cannot be transformed from {from} to {to}: {reason}. Correct the position, or the CRS of the input',
  ),
  COORDINATE_OUT_OF_RANGE: user(
    400,
    "{place}: position ({x}, {y}) is outside the range of longitude and latitude; {reading}; state the CRS of the data with '{field:path}'",
  ),
  EDGE_LONGER_THAN_EARTH: user(
    400,
    "{place}: an edge is {kilometres} km long, longer than the circumference of the Earth; the coordinates are probably wrong or not in {crs}; state the CRS of the data with '{field:path}'",
  ),
});
