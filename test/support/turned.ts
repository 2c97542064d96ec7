/**
 * The law of the sphere for steps: the result for data turned by some degrees of longitude is the turned result for the data. Data and
 * results are GeoJSON; how a geometry is cut at 180 degrees makes no difference.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GeoJsonGeometryReader } from '../../packages/core/src/geometry/geojson-geometry.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
} from '../../packages/core/src/geometry/geometry-column.ts';
import { cutAtAntimeridian } from '../../packages/core/src/sphere/cut.ts';
import type { GeosGeometry } from '../../packages/engines/geos/src/geometry.ts';
import { Geos } from '../../packages/engines/geos/src/geos.ts';
import { transformations } from '../../packages/operations/src/registry.ts';
import { checkedStep } from '../../packages/operations/src/requested-steps.ts';
import { convertFile, makeWorkspace } from './convert.ts';

export interface LawGeometry {
  readonly type: string;
  readonly coordinates?: unknown;
  readonly geometries?: readonly LawGeometry[];
}
export interface LawFeature {
  readonly type: 'Feature';
  readonly id?: number;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly geometry: LawGeometry | null;
}

/** How turned longitudes are written: up to 180, so that edges jump; on over 180; or as parts that were cut at 180. */
export type Writing = 'jumps' | 'goes on' | 'cut';

export function turnedLongitude(x: number, by: number, writing: Writing = 'jumps'): number {
  const moved = Number((x + by).toFixed(9));
  if (writing === 'goes on') return moved;
  return Number((moved - 360 * Math.floor((moved + 180) / 360)).toFixed(9));
}

export function mapPositions(value: unknown, map: (position: readonly number[]) => number[]): unknown {
  if (!Array.isArray(value)) return value;
  return typeof value[0] === 'number' ? map(value as number[]) : value.map((one) => mapPositions(one, map));
}

export function turnedGeometry(geometry: LawGeometry, by: number, writing: Writing): LawGeometry {
  if (writing === 'cut') return cutGeometry(turnedGeometry(geometry, by, 'jumps'));
  const turn = ([x, ...others]: readonly number[]): number[] => [turnedLongitude(x, by, writing), ...others];
  if (geometry.geometries !== undefined)
    return { ...geometry, geometries: geometry.geometries.map((one) => turnedGeometry(one, by, writing)) };
  return { ...geometry, coordinates: mapPositions(geometry.coordinates, turn) };
}

function columnOf(geometry: LawGeometry): GeometryColumn {
  const builder = new GeometryBuilder('XY', 1, 64);
  builder.endFeature(new GeoJsonGeometryReader().readParts(JSON.stringify(geometry), builder));
  return builder.finish();
}

function cutGeometry(geometry: LawGeometry): LawGeometry {
  const column = cutAtAntimeridian(columnOf(geometry)).geometry;
  const { types, partKinds, ringOffsets, coordOffsets, coordinates } = column;
  if (types[0] !== GEOMETRY_TYPE.multiPolygon && types[0] !== GEOMETRY_TYPE.multiLineString) return geometry;
  const parts = Array.from(partKinds, (_, part) => {
    const rings: number[][][] = [];
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      const positions: number[][] = [];
      for (let i = coordOffsets[ring]; i < coordOffsets[ring + 1]; i++)
        positions.push([coordinates[2 * i], coordinates[2 * i + 1]]);
      rings.push(positions);
    }
    return rings;
  });
  return types[0] === GEOMETRY_TYPE.multiPolygon
    ? { type: 'MultiPolygon', coordinates: parts }
    : { type: 'MultiLineString', coordinates: parts.flat() };
}

export function turnedFeatures(
  features: readonly LawFeature[],
  by: number,
  writing: Writing,
): readonly LawFeature[] {
  return features.map((one) => ({
    ...one,
    geometry: one.geometry === null ? null : turnedGeometry(one.geometry, by, writing),
  }));
}

/** A step for data that is turned by so many degrees. */
export interface LawStep {
  readonly type: string;
  readonly params?: (by: number) => Readonly<Record<string, unknown>>;
  /** The second source. */
  readonly source?: readonly LawFeature[];
}

/** Runs the step on the turned data, and returns its features. */
export async function runTurned(
  step: LawStep,
  features: readonly LawFeature[],
  by: number,
  writing: Writing = 'jumps',
): Promise<{ readonly features: readonly LawFeature[]; readonly codes: readonly string[] }> {
  using workspace = makeWorkspace();
  const write = (name: string, data: readonly LawFeature[]): string => {
    const path = join(workspace.path, name);
    writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features: data }));
    return path;
  };
  const input = write('in.geojson', turnedFeatures(features, by, writing));
  const params: Record<string, unknown> = { ...step.params?.(by) };
  const stepInputs: Record<string, { path: string; name: string }> = {};
  if (step.source !== undefined) {
    const path = write('source.geojson', turnedFeatures(step.source, by, writing));
    stepInputs[path] = { path, name: 'source.geojson' };
    params[step.type === 'clip' || step.type === 'erase' ? 'mask' : 'source'] = path;
  }
  const record = transformations.find(({ id }) => id === step.type);
  assert.ok(record);
  const { report, outputPath } = await convertFile(input, workspace.path, {
    from: 'geojson',
    to: 'geojson',
    threads: 1,
    transformations: [checkedStep(record, params, 'step', transformations)],
    stepInputs,
  });
  const parsed = JSON.parse(readFileSync(outputPath, 'utf8')) as { features: LawFeature[] };
  return { features: parsed.features, codes: report.warnings.map(({ code }) => code) };
}

/** Throws unless the features are those of the unturned data, within the tolerance in degrees. `longitudes`: fields that are longitudes. */
export async function assertTurned(
  expected: readonly LawFeature[],
  actual: readonly LawFeature[],
  by: number,
  {
    tolerance,
    longitudes = [],
    isOrdered = true,
  }: {
    readonly tolerance: number;
    readonly longitudes?: readonly string[];
    readonly isOrdered?: boolean;
  },
): Promise<void> {
  assert.equal(actual.length, expected.length, 'number of features');
  const geos = await Geos.load();
  const back = actual.map((one) => ({
    ...one,
    geometry: one.geometry === null ? null : turnedGeometry(one.geometry, -by, 'jumps'),
    properties: Object.fromEntries(
      Object.entries(one.properties).map(([name, value]) => [
        name,
        typeof value === 'number' && longitudes.includes(name) ? turnedLongitude(value, -by) : value,
      ]),
    ),
  }));
  const left = [...back];
  for (const [i, one] of expected.entries()) {
    const at = isOrdered ? 0 : left.findIndex((other) => difference(geos, one, other, tolerance) === null);
    // Texts of all features take a minute if they are made for each of some thousand.
    if (at < 0)
      assert.fail(
        `feature ${i + 1} is missing: ${JSON.stringify(one.geometry)}; there are ${JSON.stringify(left.map(({ geometry }) => geometry))}`,
      );
    const [other] = left.splice(at, 1);
    const differs = difference(geos, one, other, tolerance);
    if (differs !== null)
      assert.fail(`feature ${i + 1}, ${differs}: ${JSON.stringify(one)} and ${JSON.stringify(other)}`);
  }
}

/** How two features differ; null: they are the same. */
function difference(geos: Geos, a: LawFeature, b: LawFeature, tolerance: number): string | null {
  const names = [...new Set([...Object.keys(a.properties), ...Object.keys(b.properties)])];
  for (const name of names) {
    const [x, y] = [a.properties[name], b.properties[name]];
    const isSame =
      typeof x === 'number' && typeof y === 'number'
        ? Math.abs(x - y) <= Math.max(tolerance, Math.abs(x) * 1e-9)
        : x === y;
    if (!isSame) return `${name}: ${x} and ${y}`;
  }
  if (a.geometry === null || b.geometry === null)
    return a.geometry === b.geometry ? null : 'one has no geometry';
  using owned = new DisposableStack();
  const [first, second] = [a.geometry, b.geometry].map((one) => read(geos, one, owned));
  for (const kind of ['points', 'lines', 'area'] as const) {
    const [x, y] = [first, second].map((one) => of(geos, one, kind, owned));
    if (x.isEmpty !== y.isEmpty) return `${kind} of one alone`;
    if (x.isEmpty) continue;
    // Whatever is outside of the other by more than the tolerance.
    for (const [one, other] of [
      [x, y],
      [y, x],
    ]) {
      const around = owned.use(other.buffer(tolerance, BUFFER));
      const outside = owned.use(one.difference(around));
      if (!outside.isEmpty) return `${kind} differ`;
    }
    if (kind === 'area' && Math.abs(x.area - y.area) > tolerance * (x.length + 1)) return 'areas differ';
    if (kind === 'lines' && Math.abs(x.length - y.length) > tolerance * (x.positionCount + 1))
      return 'lengths differ';
  }
  return null;
}

const BUFFER = { quadrantSegments: 4, endCap: 'round', join: 'round', mitreLimit: 5 } as const;

function read(geos: Geos, geometry: LawGeometry, owned: DisposableStack): GeosGeometry {
  const made = owned.use(geos.read(columnOf(geometry), 0));
  return made.isValid ? made : owned.use(made.makeValid());
}

/** The parts of one dimension, united. */
function of(
  geos: Geos,
  geometry: GeosGeometry,
  kind: 'points' | 'lines' | 'area',
  owned: DisposableStack,
): GeosGeometry {
  const builder = new GeometryBuilder('XY', 1, 64);
  geometry.appendTo(builder, kind === 'points' ? 0 : kind === 'lines' ? 1 : 2);
  const column = builder.finish();
  if (column.types.length === 0) return owned.use(geos.collection([]));
  const own = owned.use(geos.read(column, 0));
  return owned.use(own.unaryUnion());
}
