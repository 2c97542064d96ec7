/** Facts about geometries for the registration of a layer: computed per chunk, merged by the sink. */

export interface GeometryFacts {
  /** Number of features by geometry type code. */
  readonly typeCounts: number[];
  /** Number of geometries written: all, with Z, with M. */
  count: number;
  countZ: number;
  countM: number;
  /** minX, minY, maxX, maxY; inverted infinities if there is no position. */
  readonly bounds: [number, number, number, number];
}

export function emptyFacts(): GeometryFacts {
  const most = Number.POSITIVE_INFINITY;
  return {
    typeCounts: new Array(8).fill(0),
    count: 0,
    countZ: 0,
    countM: 0,
    bounds: [most, most, -most, -most],
  };
}

export function mergeFacts(target: GeometryFacts, other: GeometryFacts): void {
  for (let i = 0; i < 8; i++) target.typeCounts[i] += other.typeCounts[i];
  target.count += other.count;
  target.countZ += other.countZ;
  target.countM += other.countM;
  for (let i = 0; i < 2; i++) target.bounds[i] = Math.min(target.bounds[i], other.bounds[i]);
  for (let i = 2; i < 4; i++) target.bounds[i] = Math.max(target.bounds[i], other.bounds[i]);
}
