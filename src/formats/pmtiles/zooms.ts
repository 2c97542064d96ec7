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
  const guessed = layers.map(({ statistics }) => (statistics === null ? 0 : guess(statistics.geometry)));
  return { minZoom, maxZoom: guessed.reduce((most, zoom) => Math.max(most, zoom), minZoom) };
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
