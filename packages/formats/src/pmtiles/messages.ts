/** Errors and findings of PMTiles. */
import {
  changed,
  dropped,
  errorTable,
  findingTable,
  info,
  lost,
  single,
  user,
} from '@geomill/core/messages/catalogue-entries.ts';

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

export const pmtilesFindings = findingTable({
  PMTILES_SMALL_AS_POINTS: info(
    'zoom {zoom}: features smaller than a pixel were written as points',
    'feature',
  ),
  PMTILES_SMALL_DROPPED: info('zoom {zoom}: features smaller than a pixel were left out', 'feature'),
  PMTILES_POINTS_THINNED: info(
    'zoom {zoom}: points on the same pixel as a point before them were left out',
    'feature',
  ),
  PMTILES_TILE_LIMIT: lost(
    "zoom {zoom}: pieces of features were left out of tiles that would be larger than {limit} bytes; for larger tiles, {set:output.tile_size_limit}, or for more detail a larger '{field:output.max_zoom}'",
    'piece',
  ),
  PMTILES_ZOOM_RANGE: single(
    info(
      'the tiles have the zooms {min} to {max}; the grid of zoom {max} moved positions by up to {displacement}',
    ),
  ),
  PMTILES_POSITIONS_MOVED: single(
    changed(
      'positions were moved by up to {displacement} to the grid of zoom {max}, the largest; for more detail, {set:output.max_zoom}',
    ),
  ),
  PMTILES_CLIPPED: changed(
    'features were cut at 85.0511 degrees north or south, where Web Mercator tiles end',
    'feature',
  ),
  PMTILES_OUTSIDE: dropped(
    'features were dropped because they are entirely beyond 85.0511 degrees north or south, or their positions are not longitudes and latitudes',
    'feature',
  ),
  PMTILES_RINGS_COLLAPSED: changed(
    'parts of features at zoom {zoom}, the largest, were left out because they are smaller than the grid of the tiles',
    'feature',
  ),
});
