/** The zooms of an archive: as requested, or by the size of the details in the data. */
import type { GeometryStatistics } from '@geomill/core/columns/statistics.ts';
import { PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { OutputLayer } from '../writer.ts';
import { pmtilesErrors } from './messages.ts';
import { EXTENT } from './state.ts';

export interface Zooms {
  readonly minZoom: number;
  readonly maxZoom: number;
}

const MOST_GUESSED = 14;
/** Units of a tile that a usual segment of a line has at the largest zoom. */
const UNITS_OF_SEGMENT = 64;
/** Units between points at the largest zoom. */
const UNITS_BETWEEN_POINTS = 1024;
/** Tiles of lines and polygons at a guessed largest zoom: for each position, but at least so many. */
const TILES_PER_POSITION = 4;
const LEAST_TILES = 2 ** 14;
/** Positions of data of which the largest zoom is at least SMALL_ZOOM, if its lines and polygons do not cover too many tiles. */
const SMALL_POSITIONS = 2 ** 16;
const SMALL_ZOOM = 12;
/** Metres around the Earth along the equator. */
const EQUATOR_METRES = 40_075_016.686;
/** Degrees; the edge of Web Mercator. */
const MAX_LATITUDE = 85.0511;
/** Of data across the antimeridian. */
const MAX_LONGITUDE = 540;

/** Throws PMTILES_ZOOMS. */
export function zoomsFor(
  layers: readonly OutputLayer[],
  { min_zoom: min, max_zoom: max }: Readonly<Record<string, unknown>>,
): Zooms {
  const minZoom = typeof min === 'number' ? min : 0;
  if (typeof max === 'number') {
    if (minZoom > max) throw failure(pmtilesErrors.PMTILES_ZOOMS, { min: minZoom, max });
    return { minZoom, maxZoom: max };
  }
  const measured = layers.flatMap(({ statistics }) => (statistics === null ? [] : [statistics.geometry]));
  let maxZoom = measured.reduce((most, geometry) => Math.max(most, guess(geometry)), minZoom);
  maxZoom = Math.max(maxZoom, floorOf(measured));
  // Small features of one layer may be beside polygons that cover the world.
  const positions = measured.reduce((sum, { positionCount }) => sum + positionCount, 0);
  const mostTiles = Math.max(LEAST_TILES, TILES_PER_POSITION * positions);
  const tilesAt = (zoom: number) => measured.reduce((sum, geometry) => sum + coveredTiles(geometry, zoom), 0);
  while (maxZoom > minZoom && tilesAt(maxZoom) > mostTiles) maxZoom--;
  return { minZoom, maxZoom };
}

/**
 * The smallest of the largest zooms, whatever the distances between features are: one with units of at most a metre if its tiles are few,
 * else 12 if the data is small, else one of which the tiles are as many as those of small data may be.
 */
function floorOf(measured: readonly GeometryStatistics[]): number {
  const drawn = measured.filter(({ positionCount }) => positionCount > 0);
  const tilesAt = (zoom: number): number =>
    drawn.reduce((sum, geometry) => sum + coveredTiles(geometry, zoom) + tilesOfPoints(geometry, zoom), 0);
  const metre = drawn.reduce((most, geometry) => Math.max(most, metreZoom(geometry)), 0);
  if (tilesAt(metre) <= LEAST_TILES) return metre;
  const positions = drawn.reduce((sum, { positionCount }) => sum + positionCount, 0);
  if (positions <= SMALL_POSITIONS) return SMALL_ZOOM;
  for (let zoom = SMALL_ZOOM; zoom > 0; zoom--) if (tilesAt(zoom) <= SMALL_POSITIONS) return zoom;
  return 0;
}

/** The first zoom whose units have at most a metre on the ground where the layer is nearest to the equator; at most the largest that is guessed. */
function metreZoom({ bounds }: GeometryStatistics): number {
  const [, south, , north] = bounds;
  const latitude = south <= 0 && north >= 0 ? 0 : Math.min(Math.abs(south), Math.abs(north), MAX_LATITUDE);
  const metres = (EQUATOR_METRES * Math.cos((latitude * Math.PI) / 180)) / EXTENT;
  return Math.min(MOST_GUESSED, Math.max(0, Math.ceil(Math.log2(metres))));
}

/** Tiles that the points of a layer are in, at most: one each, and no more than there are within its bounds. */
function tilesOfPoints({ bounds, kindCounts, positionCount }: GeometryStatistics, zoom: number): number {
  if (kindCounts[PART_KIND.point] === 0) return 0;
  const width = 360 / 2 ** zoom;
  const [west, south, east, north] = bounds;
  const rows = (mercator(clamped(north)) - mercator(clamped(south))) / width + 1;
  return Math.min(positionCount, ((east - west) / width + 1) * rows, 4 ** zoom);
}

/** About as many tiles as the lines and polygons of a layer cover at a zoom. */
function coveredTiles({ bounds, covered }: GeometryStatistics, zoom: number): number {
  const [south, north] = [bounds[1], bounds[3]].map(clamped);
  // A degree of latitude is longer than one of longitude in Web Mercator.
  const stretch = south < north ? (mercator(north) - mercator(south)) / (north - south) : 1;
  const width = 360 / 2 ** zoom;
  const tiles = (covered.area / width ** 2 + covered.length / width) * stretch;
  const [minX, minY, maxX, maxY] = bounds;
  const isOnEarth = minX >= -MAX_LONGITUDE && maxX <= MAX_LONGITUDE && minY >= -90 && maxY <= 90;
  // One wrong number must not hide all other features: no feature covers more than the world.
  const world = 4 ** zoom;
  return isOnEarth || tiles < world ? tiles : world;
}

const clamped = (latitude: number): number => Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, latitude));

/** In degrees of the equator. */
function mercator(latitude: number): number {
  const radians = (latitude * Math.PI) / 180;
  return (Math.log(Math.tan(Math.PI / 4 + radians / 2)) * 180) / Math.PI;
}

/** The smallest zoom, of at most 14, whose units show the details of a layer. */
function guess({ bounds, positionCount, segments }: GeometryStatistics): number {
  const [minX, minY, maxX, maxY] = bounds;
  if (!(minX <= maxX)) return 0;
  const between = Math.sqrt(((maxX - minX) * (maxY - minY)) / Math.max(positionCount - 1, 1));
  const degrees =
    segments.count > 0
      ? 2 ** (segments.logLength / segments.count) / UNITS_OF_SEGMENT
      : between / UNITS_BETWEEN_POINTS;
  // One point, or points on a line, have no distance.
  if (!(degrees > 0 && Number.isFinite(degrees))) return MOST_GUESSED;
  const zoom = Math.ceil(Math.log2(360 / EXTENT / degrees));
  return Math.min(MOST_GUESSED, Math.max(0, zoom));
}
