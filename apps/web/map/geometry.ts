/** Walks over GeoJSON geometries. Pure. */
import type { FeatureCollection } from '@geomill/client/client.ts';

export type MapFeature = FeatureCollection['features'][number];
/** Kinds of geometry that the map draws with a symbol of their own; "none": no geometry, or an empty one. */
export type GeometryKind = 'point' | 'line' | 'polygon' | 'collection' | 'none';
/** Number of features of each kind. */
export type KindCounts = Readonly<Record<GeometryKind, number>>;

interface GeometryLike {
  readonly type?: string;
  readonly coordinates?: unknown;
  readonly geometries?: readonly unknown[];
}

const KINDS: Readonly<Record<string, GeometryKind>> = {
  Point: 'point',
  MultiPoint: 'point',
  LineString: 'line',
  MultiLineString: 'line',
  Polygon: 'polygon',
  MultiPolygon: 'polygon',
  GeometryCollection: 'collection',
};

export function kindOf(geometry: unknown): GeometryKind {
  const { type = '' } = (geometry as GeometryLike | null) ?? {};
  return isEmpty(geometry) ? 'none' : (KINDS[type] ?? 'none');
}

export function countKinds(features: Iterable<MapFeature>): KindCounts {
  const counts = { point: 0, line: 0, polygon: 0, collection: 0, none: 0 };
  for (const { geometry } of features) counts[kindOf(geometry)] += 1;
  return counts;
}

/** Whether the geometry has no position. */
function isEmpty(geometry: unknown): boolean {
  const { coordinates, geometries } = (geometry as GeometryLike | null) ?? {};
  if (geometries !== undefined) return geometries.every(isEmpty);
  return !hasNumber(coordinates);
}

function hasNumber(value: unknown): boolean {
  return Array.isArray(value) && (typeof value[0] === 'number' || value.some(hasNumber));
}

/** Calls `visit` with each list of positions: a line, a ring, or the position of a point. */
export function eachPath(geometry: unknown, visit: (path: readonly (readonly number[])[]) => void): void {
  const { coordinates, geometries } = (geometry as GeometryLike | null) ?? {};
  for (const member of geometries ?? []) eachPath(member, visit);
  walk(coordinates, visit);
}

function walk(value: unknown, visit: (path: readonly (readonly number[])[]) => void): void {
  if (!Array.isArray(value) || value.length === 0) return;
  if (typeof value[0] === 'number') visit([value as number[]]);
  else if (typeof value[0][0] === 'number') visit(value as number[][]);
  else for (const member of value) walk(member, visit);
}

/** The collection with each position changed. Geometries without a position become null; indices of features stay. */
export function mapPositions(
  { features }: FeatureCollection,
  change: (x: number, y: number) => readonly [number, number],
): FeatureCollection {
  const changed = features.map((feature) => ({
    ...feature,
    geometry: isEmpty(feature.geometry) ? null : changedGeometry(feature.geometry, change),
  }));
  return { type: 'FeatureCollection', features: changed as FeatureCollection['features'] };
}

function changedGeometry(
  geometry: unknown,
  change: (x: number, y: number) => readonly [number, number],
): GeometryLike {
  const { type, coordinates, geometries } = geometry as GeometryLike;
  if (geometries !== undefined)
    return { type, geometries: geometries.map((member) => changedGeometry(member, change)) };
  const changed = (value: unknown): unknown =>
    Array.isArray(value) && typeof value[0] === 'number'
      ? change(value[0], value[1] as number)
      : (value as unknown[]).map(changed);
  return { type, coordinates: changed(coordinates) };
}
