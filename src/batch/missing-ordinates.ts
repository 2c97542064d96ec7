/** Geometries of which some positions have a Z or M and others have none, for formats that must write one at each. */
import { type GeometryColumn, hasM, hasZ, strideOf } from './geometry-column.ts';

interface FilledOrdinates {
  readonly geometry: GeometryColumn;
  /** Rows that had some Z (M), but not everywhere. */
  readonly rowsFilledZ: number;
  readonly rowsFilledM: number;
}

/**
 * The column with 0 for each Z (M) that is missing at some positions of a row but not at all of them; the column
 * itself where there is none. Rows wholly without Z (M) stay without. O(positions), a copy only where something is
 * filled.
 */
export function fillMissingOrdinates(geometry: GeometryColumn): FilledOrdinates {
  const stride = strideOf(geometry.dimensions);
  let filled = { geometry, rowCount: 0 };
  if (hasZ(geometry.dimensions)) filled = fillOrdinate(geometry, 2);
  const rowsFilledZ = filled.rowCount;
  if (hasM(geometry.dimensions)) filled = fillOrdinate(filled.geometry, stride - 1);
  else filled = { geometry: filled.geometry, rowCount: 0 };
  return { geometry: filled.geometry, rowsFilledZ, rowsFilledM: filled.rowCount };
}

function fillOrdinate(
  geometry: GeometryColumn,
  ordinate: number,
): { readonly geometry: GeometryColumn; readonly rowCount: number } {
  const stride = strideOf(geometry.dimensions);
  let { coordinates } = geometry;
  let rowCount = 0;
  for (let row = 0; row < geometry.types.length; row++) {
    const first = firstPosition(geometry, row) * stride + ordinate;
    const end = firstPosition(geometry, row + 1) * stride;
    let missing = 0;
    for (let i = first; i < end; i += stride) if (Number.isNaN(coordinates[i])) missing++;
    if (missing === 0 || missing * stride === end - first + ordinate) continue;
    if (rowCount++ === 0) coordinates = coordinates.slice();
    for (let i = first; i < end; i += stride) if (Number.isNaN(coordinates[i])) coordinates[i] = 0;
  }
  return { geometry: rowCount === 0 ? geometry : { ...geometry, coordinates }, rowCount };
}

/** Rows with a position that has no Z while the target gives every position one; `hasZ` of the batch may be false. */
export function countRowsWithoutZ(geometry: GeometryColumn): number {
  const stride = strideOf(geometry.dimensions);
  const isFlat = !hasZ(geometry.dimensions);
  const { coordinates } = geometry;
  let count = 0;
  for (let row = 0; row < geometry.types.length; row++) {
    const end = firstPosition(geometry, row + 1) * stride;
    for (let i = firstPosition(geometry, row) * stride; i < end; i += stride) {
      if (!isFlat && !Number.isNaN(coordinates[i + 2])) continue;
      count++;
      break;
    }
  }
  return count;
}

function firstPosition({ partOffsets, ringOffsets, coordOffsets }: GeometryColumn, row: number): number {
  return coordOffsets[ringOffsets[partOffsets[row]]];
}
