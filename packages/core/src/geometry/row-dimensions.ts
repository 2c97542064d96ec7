import {
  type Dimensions,
  dimensionsOf,
  type GeometryColumn,
  hasM,
  hasZ,
  strideOf,
} from './geometry-column.ts';

/** The ordinates that one row has: those of the batch except any that are NaN at every position of the row. */
export function rowDimensions(column: GeometryColumn, row: number): Dimensions {
  const { dimensions, partOffsets, ringOffsets, coordOffsets, coordinates } = column;
  if (dimensions === 'XY') return 'XY';
  const stride = strideOf(dimensions);
  const start = coordOffsets[ringOffsets[partOffsets[row]]] * stride;
  const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
  return dimensionsOf(
    hasZ(dimensions) && anyNumber(coordinates, start + 2, end, stride),
    hasM(dimensions) && anyNumber(coordinates, start + stride - 1, end, stride),
  );
}

function anyNumber(coordinates: Float64Array, first: number, end: number, stride: number): boolean {
  for (let i = first; i < end; i += stride) if (!Number.isNaN(coordinates[i])) return true;
  return false;
}
