/** The extent of a drawing, as its head tells it: minX, minY, minZ, maxX, maxY, maxZ. */

/** What stands for "no extent". */
const NOWHERE = 1e20;
/** Width of a view by its height: that of a screen. */
export const VIEW_ASPECT = 1.34;
/** Room around what a view shows. */
const MARGIN = 1.05;

export function emptyExtent(): Float64Array<ArrayBuffer> {
  const most = Number.POSITIVE_INFINITY;
  return Float64Array.of(most, most, most, -most, -most, -most);
}

export function extendExtent(extent: Float64Array, other: Float64Array): void {
  for (let i = 0; i < 3; i++) {
    if (other[i] < extent[i]) extent[i] = other[i];
    if (other[i + 3] > extent[i + 3]) extent[i + 3] = other[i + 3];
  }
}

type Corner = readonly [x: number, y: number, z: number];

/** The corners of the extent, or what stands for none; a drawing without z lies at 0. */
export function extentCorners(extent: Float64Array): { readonly min: Corner; readonly max: Corner } {
  const [minX, minY, minZ, maxX, maxY, maxZ] = extent;
  if (!(minX <= maxX)) return { min: [NOWHERE, NOWHERE, NOWHERE], max: [-NOWHERE, -NOWHERE, -NOWHERE] };
  const isFlat = !(minZ <= maxZ);
  return { min: [minX, minY, isFlat ? 0 : minZ], max: [maxX, maxY, isFlat ? 0 : maxZ] };
}

/** The view that shows the whole extent: its centre and its height. */
export function wholeView(extent: Float64Array): {
  readonly x: number;
  readonly y: number;
  readonly height: number;
} {
  const [minX, minY, , maxX, maxY] = extent;
  if (!(minX <= maxX)) return { x: 0, y: 0, height: 1000 };
  const height = Math.max(maxY - minY, (maxX - minX) / VIEW_ASPECT) * MARGIN;
  // A single point would give a view of no height, which no program can show; the largest doubles one without end.
  return {
    x: minX / 2 + maxX / 2,
    y: minY / 2 + maxY / 2,
    height: height > 0 ? Math.min(height, NOWHERE) : 1,
  };
}
