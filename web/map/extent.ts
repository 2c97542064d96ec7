/** Extents of GeoJSON in longitude and latitude. */
import type { FeatureCollection } from '../../src/client/client.ts';

/** West, south, east, north in degrees; east may exceed 180 if the box crosses the antimeridian. */
export type LonLatBox = readonly [number, number, number, number];

/** The box of all positions; null without any. Across the antimeridian it is the narrower of both possible boxes. */
export function extentOf(collections: readonly FeatureCollection[]): LonLatBox | null {
  let [south, north] = [Infinity, -Infinity];
  // West and east of the longitudes as they are, and as if the map began at 0 degrees.
  let [west, east, westFrom0, eastFrom0] = [Infinity, -Infinity, Infinity, -Infinity];
  const visit = (x: number, y: number) => {
    south = Math.min(south, y);
    north = Math.max(north, y);
    west = Math.min(west, x);
    east = Math.max(east, x);
    const turned = x < 0 ? x + 360 : x;
    westFrom0 = Math.min(westFrom0, turned);
    eastFrom0 = Math.max(eastFrom0, turned);
  };
  for (const { features } of collections) for (const { geometry } of features) positionsOf(geometry, visit);
  if (south > north) return null;
  const isAcross = eastFrom0 - westFrom0 < east - west;
  return isAcross ? [westFrom0, south, eastFrom0, north] : [west, south, east, north];
}

type GeometryLike =
  | { readonly type: string; readonly coordinates?: unknown; readonly geometries?: readonly GeometryLike[] }
  | null
  | undefined;

function positionsOf(geometry: unknown, visit: (x: number, y: number) => void): void {
  const { coordinates, geometries } = (geometry as GeometryLike) ?? {};
  for (const member of geometries ?? []) positionsOf(member, visit);
  // A list instead of recursion: rings can have hundreds of thousands of positions, but arrays nest only four deep.
  const open: unknown[] = [coordinates];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (!Array.isArray(value)) continue;
    if (typeof value[0] === 'number') visit(value[0], value[1] as number);
    else for (const member of value) open.push(member);
  }
}
