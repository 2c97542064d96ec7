/**
 * Fills in Z or M where only some positions of a geometry have them, for formats that require them at each position.
 */
import { RowTally } from '../messages/finding-rows.ts';
import { type GeometryColumn, hasM, hasZ, strideOf } from './geometry-column.ts';

interface FilledOrdinates {
  readonly geometry: GeometryColumn;
  /** Rows that had Z (M) at some positions only. */
  readonly rowsFilledZ: RowTally;
  readonly rowsFilledM: RowTally;
}

/**
 * Returns the column with 0 for each Z (M) that is missing at some but not all positions of a row; returns the column
 * itself if none is missing. Rows entirely without Z (M) stay without. O(positions); copies only if something is filled
 * in.
 */
export function fillMissingOrdinates(geometry: GeometryColumn): FilledOrdinates {
  const stride = strideOf(geometry.dimensions);
  const rowsFilledZ = new RowTally();
  const rowsFilledM = new RowTally();
  let filled = geometry;
  if (hasZ(geometry.dimensions)) filled = fillOrdinate(filled, 2, rowsFilledZ);
  if (hasM(geometry.dimensions)) filled = fillOrdinate(filled, stride - 1, rowsFilledM);
  return { geometry: filled, rowsFilledZ, rowsFilledM };
}

function fillOrdinate(geometry: GeometryColumn, ordinate: number, filled: RowTally): GeometryColumn {
  const stride = strideOf(geometry.dimensions);
  let { coordinates } = geometry;
  for (let row = 0; row < geometry.types.length; row++) {
    const first = firstPosition(geometry, row) * stride + ordinate;
    const end = firstPosition(geometry, row + 1) * stride;
    let missing = 0;
    for (let i = first; i < end; i += stride) if (Number.isNaN(coordinates[i])) missing++;
    if (missing === 0 || missing * stride === end - first + ordinate) continue;
    if (filled.count === 0) coordinates = coordinates.slice();
    filled.add(row);
    for (let i = first; i < end; i += stride) if (Number.isNaN(coordinates[i])) coordinates[i] = 0;
  }
  return filled.count === 0 ? geometry : { ...geometry, coordinates };
}

/**
 * The rows with a position that has no Z, for targets that store Z at every position; the batch may have no Z at
 * all.
 */
export function rowsWithoutZ(geometry: GeometryColumn): RowTally {
  const stride = strideOf(geometry.dimensions);
  const isFlat = !hasZ(geometry.dimensions);
  const { coordinates } = geometry;
  const rows = new RowTally();
  for (let row = 0; row < geometry.types.length; row++) {
    const end = firstPosition(geometry, row + 1) * stride;
    for (let i = firstPosition(geometry, row) * stride; i < end; i += stride) {
      if (!isFlat && !Number.isNaN(coordinates[i + 2])) continue;
      rows.add(row);
      break;
    }
  }
  return rows;
}

function firstPosition({ partOffsets, ringOffsets, coordOffsets }: GeometryColumn, row: number): number {
  return coordOffsets[ringOffsets[partOffsets[row]]];
}
