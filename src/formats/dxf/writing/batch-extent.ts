/** The extent of a batch; looks at every ordinate, so it also finds those that no drawing can hold. */
import { type GeometryColumn, hasZ, strideOf } from '../../../batch/geometry-column.ts';
import { failure } from '../../../errors.ts';

/** See extent.ts. Throws COORDINATE_NOT_FINITE; a z that is NaN is none. */
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
  return failure('COORDINATE_NOT_FINITE', params, { record: row + 1 });
}
