/** Judges a chain without Python: by PROJ's positions and by GEOS in the plane, in which no map ends. */
import { GeoJsonGeometryReader } from '../../packages/core/src/geometry/geojson-geometry.ts';
import { GeometryBuilder, type GeometryColumn } from '../../packages/core/src/geometry/geometry-column.ts';
import { WktReader } from '../../packages/core/src/geometry/wkt.ts';
import type { GeosGeometry } from '../../packages/engines/geos/src/geometry.ts';
import { Geos } from '../../packages/engines/geos/src/geos.ts';
import { Proj } from '../../packages/engines/proj/src/proj.ts';
import type { Chain, ChainResult } from './chains.ts';
import type { LawGeometry } from './turned.ts';

const [geos, proj] = await Promise.all([Geos.load(), Proj.load({ gridDirectory: null })]);
const ROUND = { quadrantSegments: 16, endCap: 'round', join: 'round', mitreLimit: 5 } as const;
/** Degrees: edges are straight in longitudes and latitudes, not in the plane. */
const STEP = 0.05;
const MAX_STEPS = 400;

export interface Judgement {
  readonly isValid: boolean;
  /** All positions are longitudes and latitudes. */
  readonly isWithin: boolean;
  /** How far the result is from its place, in metres; of areas the mean distance of their outlines. */
  readonly off: number;
}

export function judged(chain: Chain, { geometries }: ChainResult): Judgement {
  using owned = new DisposableStack();
  const columns = geometries.map(columnOf);
  const parts = columns.map((column) => owned.use(geos.read(column, 0)));
  const isWithin = columns.every(({ coordinates }) =>
    coordinates.every((value, i) => Math.abs(value) <= (i % 2 === 0 ? 180 : 90)),
  );
  const placed = geometries.map((geometry) => {
    const column = columnOf(densified(geometry));
    proj.transformer('EPSG:4326', chain.plane).transform(column.coordinates, column.dimensions);
    return owned.use(owned.use(geos.read(column, 0)).makeValid());
  });
  const got = owned.use(owned.use(geos.collection(placed.map((one) => one.clone()))).unaryUnion());
  const wanted = owned.use(stepped(owned.use(readWkt(chain.wkt)), chain, owned));
  return { isValid: parts.every((one) => one.isValid), isWithin, off: apart(wanted, got, chain, owned) };
}

function readWkt(wkt: string): GeosGeometry {
  const builder = new GeometryBuilder();
  const bytes = new TextEncoder().encode(wkt);
  new WktReader().read(bytes, 0, bytes.length, builder);
  return geos.read(builder.finish(), 0);
}

function columnOf(geometry: LawGeometry): GeometryColumn {
  const builder = new GeometryBuilder('XY', 1, 64);
  builder.endFeature(new GeoJsonGeometryReader().readParts(JSON.stringify(geometry), builder));
  return builder.finish();
}

function densified(geometry: LawGeometry): LawGeometry {
  const isList = (value: unknown): value is readonly (readonly number[])[] =>
    Array.isArray(value) && Array.isArray(value[0]) && typeof value[0][0] === 'number';
  const dense = (value: unknown): unknown => {
    if (isList(value)) return value.flatMap((one, i) => stepsFrom(one, value[i + 1] ?? null));
    return Array.isArray(value) && Array.isArray(value[0]) ? value.map(dense) : value;
  };
  if (/Point/.test(geometry.type)) return geometry;
  return { ...geometry, coordinates: dense(geometry.coordinates) };
}

function stepsFrom(from: readonly number[], to: readonly number[] | null): number[][] {
  if (to === null) return [[...from]];
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const count = Math.min(MAX_STEPS, 1 + Math.floor(Math.max(Math.abs(dx), Math.abs(dy)) / STEP));
  return Array.from({ length: count }, (_, i) => [from[0] + (dx * i) / count, from[1] + (dy * i) / count]);
}

function stepped(
  geometry: GeosGeometry,
  { planar: [step, argument] }: Chain,
  owned: DisposableStack,
): GeosGeometry {
  if (step === 'buffer') return geometry.buffer(argument ?? 0, ROUND);
  if (step === 'simplify') return geometry.topologyPreserveSimplify(argument ?? 0);
  if (step === 'centroid') return geometry.centroid();
  const hull = geometry.convexHull();
  if (step === 'convex_hull') return hull;
  const builder = new GeometryBuilder('XY', 1, 64);
  owned.use(hull).appendTo(builder);
  const { coordinates } = builder.finish();
  const [xs, ys] = [0, 1].map((axis) => coordinates.filter((_, i) => i % 2 === axis));
  return geos.rectangle(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
}

function apart(want: GeosGeometry, got: GeosGeometry, { tolerance }: Chain, owned: DisposableStack): number {
  if (got.isEmpty) return Number.POSITIVE_INFINITY;
  if (want.area > 0) return owned.use(want.symmetricDifference(got)).area / want.length;
  const outside = (one: GeosGeometry, other: GeosGeometry): GeosGeometry =>
    owned.use(one.difference(owned.use(other.buffer(tolerance, ROUND))));
  if (want.length === 0) return want.distance(got);
  const missing = outside(want, got).length + outside(got, want).length;
  return Math.max(missing, Math.abs(got.length - want.length) / 20);
}
