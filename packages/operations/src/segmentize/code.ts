/** Adds positions on long segments. Not with GEOS, which would lose M, and has no lengths on the ellipsoid. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import {
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { metersOf } from '../parts/lengths.ts';
import type { ApplyStep, StepParameters, StepSetting, StreamingTransformation } from '../transformation.ts';

export const code: StreamingTransformation = { kind: 'streaming', prepare };

/** WGS 84; other ellipsoids differ by less than anybody asks for. */
const SEMI_MAJOR_METERS = 6378137;
const ECCENTRICITY_SQUARED = 0.0066943799901413165;
/** Of latitudes of 90 degrees in other units, in radians. */
const ROUNDING = 1e-9;

async function prepare(parameters: StepParameters, setting: StepSetting): Promise<ApplyStep> {
  const maxMeters = metersOf(parameters.max_length, parameters.units);
  return (batch) => segmentize(batch, maxMeters, setting);
}

function segmentize(
  batch: FeatureBatch,
  maxMeters: number,
  { crs, checkPositions }: Pick<StepSetting, 'crs' | 'checkPositions'>,
): FeatureBatch {
  const { geometry, rowCount } = batch;
  const { dimensions, types, partOffsets, partKinds, ringOffsets, coordOffsets } = geometry;
  const positionCount = geometry.coordinates.length / strideOf(dimensions);
  const builder = new GeometryBuilder(dimensions, rowCount, positionCount);
  const piecesOf = crs.kind === 'geographic' ? geodesicPieces : planarPieces;
  for (let row = 0; row < rowCount; row++) {
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      const isPoint = (partKinds[part] & PART_KIND_MASK) === PART_KIND.point;
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
        const limit = isPoint ? Number.POSITIVE_INFINITY : maxMeters;
        const start = coordOffsets[ring];
        const end = coordOffsets[ring + 1];
        appendRing(builder, geometry, start, end, piecesOf, limit, crs.unitFactor, checkPositions);
        builder.endRing();
      }
      builder.endPart(partKinds[part]);
    }
    builder.endFeature(types[row]);
  }
  if (builder.positionCount === positionCount) return batch;
  return { ...batch, geometry: builder.finish() };
}

/** How many pieces a segment becomes. `unitFactor` as in a CrsDescription. */
type PiecesOf = (
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  maxMeters: number,
  unitFactor: number,
) => number;

function planarPieces(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  maxMeters: number,
  unitFactor: number,
): number {
  return Math.ceil((Math.hypot(x2 - x1, y2 - y1) * unitFactor) / maxMeters);
}

/** By the longest degrees that the segment meets: of longitude where it is nearest to the equator, of latitude farthest. */
function geodesicPieces(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  maxMeters: number,
  unitFactor: number,
): number {
  const phi1 = Math.abs(y1) * unitFactor;
  const phi2 = Math.abs(y2) * unitFactor;
  const nearest = y1 * y2 <= 0 ? 0 : Math.min(phi1, phi2);
  const farthest = Math.max(phi1, phi2);
  // Not on the ellipsoid, so it has no length: such data is mostly in metres and would give millions of pieces.
  if (farthest > Math.PI / 2 + ROUNDING) return 1;
  const parallel =
    (SEMI_MAJOR_METERS * Math.cos(nearest)) / Math.sqrt(1 - ECCENTRICITY_SQUARED * Math.sin(nearest) ** 2);
  const meridian =
    (SEMI_MAJOR_METERS * (1 - ECCENTRICITY_SQUARED)) /
    (1 - ECCENTRICITY_SQUARED * Math.sin(farthest) ** 2) ** 1.5;
  const meters = Math.hypot((x2 - x1) * parallel, (y2 - y1) * meridian) * unitFactor;
  return Math.ceil(meters / maxMeters);
}

/** Positions `[start, end)` and those between them. A length that is too short ends in words, not in the end of the memory. */
function appendRing(
  builder: GeometryBuilder,
  { coordinates, dimensions }: GeometryColumn,
  start: number,
  end: number,
  piecesOf: PiecesOf,
  maxMeters: number,
  unitFactor: number,
  checkPositions: StepSetting['checkPositions'],
): void {
  const stride = strideOf(dimensions);
  const last = (end - 1) * stride;
  for (let at = start * stride; at <= last; at += stride) {
    const next = at + stride;
    // NaN, of positions that are no numbers, and 0, of positions that come twice, are one piece.
    const pieces =
      at === last || !Number.isFinite(maxMeters)
        ? 1
        : piecesOf(coordinates[at], coordinates[at + 1], coordinates[next], coordinates[next + 1], maxMeters, unitFactor) || 1; // biome-ignore format: one line
    if (pieces > 1) checkPositions(builder.positionCount + pieces);
    builder.reserve(pieces * stride);
    const target = builder.coordinates;
    let to = builder.coordinateLength;
    for (let i = 0; i < stride; i++) target[to++] = coordinates[at + i];
    for (let piece = 1; piece < pieces; piece++) {
      const share = piece / pieces;
      for (let i = 0; i < stride; i++) {
        target[to++] = coordinates[at + i] + (coordinates[next + i] - coordinates[at + i]) * share;
      }
    }
    builder.coordinateLength = to;
  }
}
