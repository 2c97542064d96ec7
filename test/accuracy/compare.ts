/** Compares approximated positions with those of PROJ in random cells of the areas of use of random pairs of systems. */
import { DatabaseSync } from 'node:sqlite';
import { plainTransformer } from '../../packages/engines/proj/src/plain-transformer.ts';
import type { Proj, Transformer } from '../../packages/engines/proj/src/proj.ts';
import { projDatabasePath } from '../../packages/platform/src/node/proj-files.ts';

/** A projected system of EPSG and its area of use in degrees. */
export interface System {
  readonly definition: string;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export interface Comparison {
  readonly from: string;
  readonly to: string;
  /** Positions that polynomials transformed, and others. */
  readonly approximated: number;
  readonly others: number;
  /** Largest distance to PROJ's position, in metres on the ground or in the plane. */
  readonly errorMeters: number;
  /** Largest difference at the points of a fit, as reported. */
  readonly reportedMeters: number;
}

/** Larger than any threshold: approximations are used for every pair that may have one. */
const ANY_INPUT = Number.MAX_SAFE_INTEGER;
/** Beyond the area of use on each side. */
const MARGIN_DEGREES = 2.5;
/** A few cells with many positions each: fitting takes as long as 61 positions. */
const POSITIONS_PER_SPOT = 200;
const METERS_PER_DEGREE = 111_320;

export function allSystems(): System[] {
  using database = new DatabaseSync(projDatabasePath(), { readOnly: true });
  const rows = database
    .prepare(
      `SELECT 'EPSG:' || p.code AS definition, e.west_lon AS west, e.south_lat AS south, e.east_lon AS east, e.north_lat AS north
       FROM projected_crs p
       JOIN usage u ON u.object_table_name = 'projected_crs' AND u.object_auth_name = p.auth_name AND u.object_code = p.code
       JOIN extent e ON e.auth_name = u.extent_auth_name AND e.code = u.extent_code
       WHERE p.auth_name = 'EPSG' AND p.deprecated = 0 GROUP BY p.code ORDER BY p.code`,
    )
    .all();
  return rows.map((row) => ({ ...row }) as unknown as System);
}

/** Numbers from 0 to 1; the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** From `base` to the system and back, `count` positions each. Null: PROJ rejects the pair. */
export function compareBothWays(
  proj: Proj,
  base: string,
  system: System,
  count: number,
  random: () => number,
): Comparison[] | null {
  let forward: Transformer;
  let back: Transformer;
  try {
    forward = proj.transformer(base, system.definition);
    back = proj.transformer(system.definition, base);
  } catch {
    return null;
  }
  if (forward.isIdentity) return [];
  const degrees = spots(system, count, random);
  const projected = degrees.slice();
  forward.transform(projected, 'XY');
  const inside = Float64Array.from(projected.filter((_, i) => isMoved(degrees, projected, i)));
  return [compare(proj, forward, degrees, system), compare(proj, back, inside, system)];
}

function compare(proj: Proj, transformer: Transformer, source: Float64Array, system: System): Comparison {
  const { from, to } = transformer;
  const exact = source.slice();
  transformer.transform(exact, 'XY');
  // As in a conversion.
  const used = plainTransformer(transformer.recipe) ?? proj.transformerOf(transformer.recipe);
  const ours = source.slice();
  const { approximated } = used.transform(ours, 'XY', undefined, undefined, used.approximation(ANY_INPUT));
  const isForward = to === system.definition;
  let errorMeters = 0;
  for (let i = 0; i < exact.length; i += 2) {
    const dx = ours[i] - exact[i];
    const dy = ours[i + 1] - exact[i + 1];
    if (Object.is(dx, 0) && Object.is(dy, 0)) continue;
    const shrink = isForward ? 1 : Math.cos((exact[i + 1] * Math.PI) / 180);
    const error = Math.hypot(dx * shrink, dy) * (isForward ? 1 : METERS_PER_DEGREE);
    // NaN, too, is an error.
    if (!(error <= errorMeters)) errorMeters = error;
  }
  return {
    from,
    to,
    approximated: approximated?.positions ?? 0,
    others: source.length / 2 - (approximated?.positions ?? 0),
    errorMeters,
    reportedMeters: approximated?.largestDifferenceMeters ?? 0,
  };
}

/** Longitudes and latitudes around random places of the area of use and a margin. */
function spots(area: System, count: number, random: () => number): Float64Array {
  const east = area.east < area.west ? area.east + 360 : area.east;
  const width = east - area.west + 2 * MARGIN_DEGREES;
  const height = area.north - area.south + 2 * MARGIN_DEGREES;
  const positions = new Float64Array(2 * count);
  let longitude = 0;
  let latitude = 0;
  for (let i = 0; i < count; i++) {
    if (i % POSITIONS_PER_SPOT === 0) {
      longitude = area.west - MARGIN_DEGREES + random() * width;
      latitude = area.south - MARGIN_DEGREES + random() * height;
    }
    const x = longitude + (random() - 0.5) * 1.5;
    positions[2 * i] = x > 180 ? x - 360 : x < -180 ? x + 360 : x;
    positions[2 * i + 1] = Math.max(-90, Math.min(90, latitude + (random() - 0.5) * 1.5));
  }
  return positions;
}

/** Whether PROJ transformed the position of this ordinate: it leaves those that it cannot transform as they are. */
function isMoved(source: Float64Array, result: Float64Array, ordinate: number): boolean {
  const at = ordinate & ~1;
  return source[at] !== result[at] || source[at + 1] !== result[at + 1];
}
