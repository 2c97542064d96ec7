import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const flatgeobufErrors = errorTable({
  FLATGEOBUF_HEADER: user(400, '{source} cannot be read: {reason}'),
  FLATGEOBUF_FEATURE: user(400, '{source}, feature {record} at byte {offset}: {reason}'),
  FLATGEOBUF_TOO_MANY_FIELDS: user(
    400,
    "layer '{layer}' has {fields|field}, and a FlatGeobuf file at most {limit}; write GeoJSON or CSV, or drop fields",
  ),
});
