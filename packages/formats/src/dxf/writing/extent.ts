import { type GeometryColumn, hasZ, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { formatErrors } from '../../errors.ts';

/** The extent of a drawing is minX, minY, minZ, maxX, maxY, maxZ. This value in the head means "no extent". */
const NOWHERE = 1e20;
/** Width of a view divided by its height: that of a screen. */
export const VIEW_ASPECT = 1.34;
/** Margin around the content of a view. */
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

/** The corners of the extent, or the values for "no extent"; a drawing without z is at 0. */
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
  // A single point would give a view of height 0, which no program can show; the largest doubles one of infinite
  // height.
  return {
    x: minX / 2 + maxX / 2,
    y: minY / 2 + maxY / 2,
    height: height > 0 ? Math.min(height, NOWHERE) : 1,
  };
}

/** The extent of a batch. Checks every ordinate: throws COORDINATE_NOT_FINITE; a z of NaN means no z. */
export function measuredExtent(geometry: GeometryColumn): Float64Array<ArrayBuffer> {
  const { coordinates, dimensions } = geometry;
  const stride = strideOf(dimensions);
  let minX = Number.POSITIVE_INFINITY;
  let minY = Number.POSITIVE_INFINITY;
  let minZ = Number.POSITIVE_INFINITY;
  let maxX = Number.NEGATIVE_INFINITY;
  let maxY = Number.NEGATIVE_INFINITY;
  let maxZ = Number.NEGATIVE_INFINITY;
  const withZ = hasZ(dimensions);
  for (let at = 0; at < coordinates.length; at += stride) {
    const x = coordinates[at];
    const y = coordinates[at + 1];
    if (x - x !== 0) throw notFinite(geometry, at, x);
    if (y - y !== 0) throw notFinite(geometry, at, y);
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
    if (!withZ) continue;
    const z = coordinates[at + 2];
    if (z === Number.POSITIVE_INFINITY || z === Number.NEGATIVE_INFINITY) throw notFinite(geometry, at, z);
    if (z < minZ) minZ = z;
    if (z > maxZ) maxZ = z;
  }
  return Float64Array.of(minX, minY, minZ, maxX, maxY, maxZ);
}

function notFinite(geometry: GeometryColumn, ordinate: number, value: number): Error {
  const { partOffsets, ringOffsets, coordOffsets, dimensions } = geometry;
  const position = ordinate / strideOf(dimensions);
  let row = 0;
  while (coordOffsets[ringOffsets[partOffsets[row + 1]]] <= position) row++;
  const params = { place: `feature ${row + 1}`, format: 'DXF', value: String(value) };
  return failure(formatErrors.COORDINATE_NOT_FINITE, params, { record: row + 1 });
}
