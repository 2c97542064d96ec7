import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const pmtilesErrors = errorTable({
  PMTILES_ZOOMS: user(
    400,
    "'{field:output.min_zoom}' is {min} and '{field:output.max_zoom}' is {max}; the smallest zoom must not be larger than the largest",
  ),
  PMTILES_TOO_MANY_TILES: user(
    400,
    "layer '{layer}': the features around feature {record} cover more than {limit} tiles at zoom {zoom}; set a smaller '{field:output.max_zoom}'",
  ),
});
