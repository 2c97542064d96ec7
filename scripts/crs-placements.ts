/**
 * Writes packages/crs-search/src/placements.txt, with PROJ: `node scripts/crs-placements.ts`, after each update of PROJ. Takes half a minute.
 * The systems that are left out, and the largest errors, are printed.
 */
import { writeFileSync } from 'node:fs';
import { stderr } from 'node:process';
import { parseEpsg } from '../packages/core/src/crs/crs.ts';
import {
  forward,
  inverse,
  lineOf,
  MAX_TERMS,
  type Placement,
  type Polynomial,
  parseLine,
  polynomial,
} from '../packages/crs-search/src/placement.ts';
import { type CrsRecord, readCrsRecords } from '../packages/crs-search/src/read-database.ts';
import { ProjContext } from '../packages/engines/proj/src/context.ts';
import { createCrs } from '../packages/engines/proj/src/definition.ts';
import { DegreesView } from '../packages/engines/proj/src/degrees.ts';
import { projDatabasePath } from '../packages/platform/src/node/proj-files.ts';
import { dataFile } from '../packages/platform/src/program-files.ts';

/** Terms along each side, smallest first; the first that is exact enough is taken. */
const SIZES = [6, 10, 16, 24, 36, MAX_TERMS];
/** Coefficients are multiples of this part of the size of the area, which is also the error that is aimed at. */
const UNIT = 1e-5;
/** Where PROJ cannot compute a position, the area is reduced to this share of it, and further. */
const SHARES = [1, 0.99, 0.95, 0.9, 0.8, 0.65, 0.5];
/** Part of the area. Systems with a larger error are left out. */
const MAX_ERROR = 1e-3;
/** Positions along each side at which a polynomial is compared with PROJ, and the bounds are taken. */
const CHECKS = 23;

type Area = Placement['area'];

interface Fit {
  readonly line: string;
  /** Part of the size of the area. */
  readonly error: number;
}

function positionsOf(
  view: DegreesView,
  area: Area,
  us: readonly number[],
  vs: readonly number[],
): Float64Array | null {
  const positions = new Float64Array(2 * us.length * vs.length);
  let at = 0;
  for (const u of us)
    for (const v of vs) {
      positions[at++] = (area.west + area.east + u * (area.east - area.west)) / 2;
      positions[at++] = (area.south + area.north + v * (area.north - area.south)) / 2;
    }
  view.fromDegrees(positions);
  return positions.every(Number.isFinite) ? positions : null;
}

const steps = (count: number): number[] => Array.from({ length: count }, (_, i) => (2 * i) / (count - 1) - 1);

function fit(record: CrsRecord, view: DegreesView, area: Area): Fit | null {
  const side = steps(CHECKS);
  const checks = positionsOf(view, area, side, side);
  if (checks === null) return null;
  const bounds: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < checks.length; at++) {
    bounds[at % 2] = Math.min(bounds[at % 2], checks[at]);
    bounds[2 + (at % 2)] = Math.max(bounds[2 + (at % 2)], checks[at]);
  }
  const size = Math.max(bounds[2] - bounds[0], bounds[3] - bounds[1]);
  const unit = Number((size * UNIT).toPrecision(2));
  let best: Fit | null = null;
  for (const count of SIZES) {
    const nodes = Array.from({ length: count }, (_, k) => Math.cos((Math.PI * (k + 0.5)) / count));
    const values = positionsOf(view, area, nodes, nodes);
    if (values === null) continue;
    const line = lineOf(
      {
        code: record.code,
        isDeprecated: record.isDeprecated,
        isGeographic: record.kind === 'geographic',
        area,
        bounds: bounds.map((value) => Number(value.toPrecision(9))) as never,
        x: coefficientsOf(values, 0, count, unit),
        y: coefficientsOf(values, 1, count, unit),
      },
      unit,
    );
    const error = errorOf(parseLine(line), checks, side) / size;
    if (best === null || error < best.error) best = { line, error };
    if (error < 5 * UNIT) break;
  }
  return best;
}

function errorOf(placement: Placement, checks: Float64Array, side: readonly number[]): number {
  const { area } = placement;
  let error = 0;
  let at = 0;
  for (const u of side)
    for (const v of side) {
      const longitude = (area.west + area.east + u * (area.east - area.west)) / 2;
      const latitude = (area.south + area.north + v * (area.north - area.south)) / 2;
      const [x, y] = forward(placement, longitude, latitude);
      error = Math.max(error, Math.hypot(x - checks[at], y - checks[at + 1]));
      at += 2;
    }
  return error;
}

function coefficientsOf(values: Float64Array, ordinate: number, count: number, unit: number): Polynomial {
  const cosines = Array.from({ length: count }, (_, i) =>
    Array.from(
      { length: count },
      (_, k) => ((i === 0 ? 1 : 2) / count) * Math.cos((i * Math.PI * (k + 0.5)) / count),
    ),
  );
  const terms: [i: number, j: number, value: number][] = [];
  // First along v, then along u.
  const rows = Array.from({ length: count }, (_, k) =>
    cosines.map((weights) =>
      weights.reduce((sum, weight, l) => sum + weight * values[2 * (k * count + l) + ordinate], 0),
    ),
  );
  for (let i = 0; i < count; i++)
    for (let j = 0; j < count; j++) {
      const value = cosines[i].reduce((sum, weight, k) => sum + weight * rows[k][j], 0);
      if (Math.abs(value) > unit / 2) terms.push([i, j, value]);
    }
  return polynomial(
    Uint8Array.from(terms, ([i]) => i),
    Uint8Array.from(terms, ([, j]) => j),
    Float64Array.from(terms, ([, , value]) => value),
  );
}

function shrunk({ west, south, east, north }: Area, share: number): Area {
  const rounded = (value: number): number => Number(value.toFixed(3));
  const [x, y] = [((east - west) * (1 - share)) / 2, ((north - south) * (1 - share)) / 2];
  return {
    west: rounded(west + x),
    south: rounded(south + y),
    east: rounded(east - x),
    north: rounded(north - y),
  };
}

const context = await ProjContext.load(null);
const lines: string[] = [];
const leftOut: string[] = [];
let worst = 0;
for (const record of readCrsRecords(projDatabasePath())) {
  const { area, kind, code, name } = record;
  if (area === null || (kind !== 'projected' && kind !== 'geographic')) continue;
  try {
    using crs = createCrs(context, parseEpsg(code, 'code'), 'code');
    using view = new DegreesView(context, crs);
    const whole = {
      west: area.west,
      south: area.south,
      east: area.east + (area.west > area.east ? 360 : 0),
      north: area.north,
    };
    let found: Fit | null = null;
    if (view.isPossible)
      for (const share of SHARES) {
        const tried = fit(record, view, shrunk(whole, share));
        if (tried !== null && (found === null || tried.error < found.error)) found = tried;
        if (found !== null && found.error <= MAX_ERROR) break;
      }
    if (found === null || found.error > MAX_ERROR) {
      leftOut.push(
        `EPSG:${code} ${name}: ${found === null ? 'no positions' : `error ${found.error.toExponential(1)}`}`,
      );
      continue;
    }
    const placement = parseLine(found.line);
    const { west, south, east, north } = placement.area;
    for (const u of [0.13, 0.5, 0.9])
      for (const v of [0.11, 0.5, 0.93]) {
        const [longitude, latitude] = [west + u * (east - west), south + v * (north - south)];
        const [x, y] = forward(placement, longitude, latitude);
        const back = inverse(placement, x, y);
        if (back === null || Math.abs(back[0] - longitude) + Math.abs(back[1] - latitude) > 1e-3)
          stderr.write(`EPSG:${code} ${name}: ${longitude},${latitude} is not found again: ${back}\n`);
      }
    if (found.error > worst) worst = found.error;
    lines.push(found.line);
  } catch (error) {
    leftOut.push(`EPSG:${code} ${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
writeFileSync(dataFile('packages/crs-search/src/placements.txt'), `${lines.join('\n')}\n`);
stderr.write(
  `${lines.length} systems, largest error ${worst.toExponential(1)} of the area; left out:\n${leftOut.join('\n')}\n`,
);
