/** Extents of GeoJSON. Pure. */
import type { FeatureCollection } from '@geomill/client/client.ts';
import { eachPath } from './geometry.ts';

/** West, south, east, north in degrees; east may exceed 180 if the box crosses the antimeridian. */
export type LonLatBox = readonly [number, number, number, number];

/** Least x, least y, greatest x, greatest y. */
export type Box = readonly [number, number, number, number];

/** The box of all positions as they are; null without any. */
export function plainExtentOf(collections: readonly FeatureCollection[]): Box | null {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { features } of collections)
    for (const { geometry } of features)
      eachPath(geometry, (path) => {
        for (const [x, y] of path) {
          west = Math.min(west, x);
          south = Math.min(south, y);
          east = Math.max(east, x);
          north = Math.max(north, y);
        }
      });
  return west > east ? null : [west, south, east, north];
}

/**
 * The box of all positions in longitude and latitude; null without any. It crosses the antimeridian if the data leaves its
 * widest gap elsewhere and the box is then at most half of the globe wide.
 */
export function extentOf(collections: readonly FeatureCollection[]): LonLatBox | null {
  const plain = plainExtentOf(collections);
  if (plain === null) return null;
  const [west, south, east, north] = plain;
  if (east - west <= 180) return plain;
  const spans: [number, number][] = [];
  for (const { features } of collections)
    for (const { geometry } of features)
      eachPath(geometry, (path) => {
        let [least, greatest] = [Infinity, -Infinity];
        for (const [x] of path) {
          least = Math.min(least, x);
          greatest = Math.max(greatest, x);
        }
        spans.push([least, greatest]);
      });
  spans.sort(([one], [other]) => one - other);
  let [gap, before, after] = [0, 0, 0];
  let reached = spans[0][1];
  for (const [least, greatest] of spans) {
    if (least - reached > gap) [gap, before, after] = [least - reached, reached, least];
    reached = Math.max(reached, greatest);
  }
  return 360 - gap <= 180 ? [after, south, before + 360, north] : plain;
}

/** Web Mercator ends there: what is nearer to a pole is drawn at the edge. */
const EDGE = 85.051129;

/** The south-west and the north-east corner of what a map can show of the box. */
export function boundsOf([west, south, east, north]: LonLatBox): [[number, number], [number, number]] {
  const within = (latitude: number) => Math.min(Math.max(latitude, -EDGE), EDGE);
  return [
    [west, within(south)],
    [east, within(north)],
  ];
}
