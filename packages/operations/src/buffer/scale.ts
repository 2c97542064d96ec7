/** Whether a distance in the plane of a projected CRS is one on the ground: samples of the local scale. */
import { type GeometryColumn, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import type { StepSetting } from '../transformation.ts';

const SAMPLE_ROWS = 8;
/** WGS 84. The scale is needed to a tenth of a percent, so the ellipsoid of the CRS does not matter. */
const SEMI_MAJOR_METERS = 6378137;
const ECCENTRICITY_SQUARED = 0.0066943799901413165;
/** Half length of a sample line: long enough for the digits of a coordinate, short against any projection. */
const SAMPLE_METERS = 10;
/** Rounded, so that batches with nearly the same scale make one finding. */
const STEPS_PERCENT = [100, 50, 20, 10, 5, 2, 1];

/**
 * By how many percent, rounded down to one of few steps, distances in the CRS differ from those on the ground at the
 * worst of some rows; 0 below 1 %. Positions that cannot be transformed are left out.
 */
export function scaleErrorPercent(column: GeometryColumn, setting: StepSetting): number {
  const { partOffsets, ringOffsets, coordOffsets, coordinates } = column;
  const rowCount = column.types.length;
  const stride = strideOf(column.dimensions);
  const rowStep = Math.max(1, Math.floor(rowCount / SAMPLE_ROWS));
  let worst = 0;
  for (let row = 0; row < rowCount; row += rowStep) {
    const at = coordOffsets[ringOffsets[partOffsets[row]]] * stride;
    const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
    if (at < end) worst = Math.max(worst, scaleErrorAt(coordinates[at], coordinates[at + 1], setting));
  }
  return STEPS_PERCENT.find((percent) => worst * 100 > percent) ?? 0;
}

function scaleErrorAt(x: number, y: number, { crs, toWgs84 }: StepSetting): number {
  const h = SAMPLE_METERS / crs.unitFactor;
  const cross = Float64Array.of(x - h, y, x + h, y, x, y - h, x, y + h);
  try {
    toWgs84(cross, 'XY');
  } catch {
    return 0;
  }
  let worst = 0;
  for (let at = 0; at < 8; at += 4) {
    const ground = groundMeters(cross[at], cross[at + 1], cross[at + 2], cross[at + 3]);
    const error = Math.abs(ground / (2 * SAMPLE_METERS) - 1);
    if (error > worst) worst = error;
  }
  return worst;
}

/** Length of a short line between two positions in degrees, by the radii of curvature at its middle. */
function groundMeters(lon1: number, lat1: number, lon2: number, lat2: number): number {
  const degree = Math.PI / 180;
  const latitude = ((lat1 + lat2) / 2) * degree;
  const w = 1 - ECCENTRICITY_SQUARED * Math.sin(latitude) ** 2;
  const alongMeridian = (SEMI_MAJOR_METERS * (1 - ECCENTRICITY_SQUARED)) / w ** 1.5;
  const alongParallel = (SEMI_MAJOR_METERS / Math.sqrt(w)) * Math.cos(latitude);
  const turn = ((((lon2 - lon1 + 180) % 360) + 360) % 360) - 180;
  return Math.hypot((lat2 - lat1) * degree * alongMeridian, turn * degree * alongParallel);
}
