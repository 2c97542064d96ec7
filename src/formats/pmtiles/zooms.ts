/** The zooms of an archive: as requested, or by the size of the details in the data. */
import type { GeometryStatistics } from '../../batch/statistics.ts';
import { failure } from '../../errors.ts';
import type { OutputLayer } from '../format.ts';
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
    if (minZoom > max) throw failure('PMTILES_ZOOMS', { min: minZoom, max });
    return { minZoom, maxZoom: max };
  }
  const measured = layers.flatMap(({ statistics }) => (statistics === null ? [] : [statistics.geometry]));
  let maxZoom = measured.reduce((most, geometry) => Math.max(most, guess(geometry)), minZoom);
  // Small features of one layer may be beside polygons that cover the world.
  const positions = measured.reduce((sum, { positionCount }) => sum + positionCount, 0);
  const mostTiles = Math.max(LEAST_TILES, TILES_PER_POSITION * positions);
  const tilesAt = (zoom: number) => measured.reduce((sum, geometry) => sum + coveredTiles(geometry, zoom), 0);
  while (maxZoom > minZoom && tilesAt(maxZoom) > mostTiles) maxZoom--;
  return { minZoom, maxZoom };
}

/** About as many tiles as the lines and polygons of a layer cover at a zoom. */
function coveredTiles({ bounds, covered }: GeometryStatistics, zoom: number): number {
  const [south, north] = [bounds[1], bounds[3]].map((y) =>
    Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, y)),
  );
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
