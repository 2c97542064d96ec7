/** The row of a geometry column that a position belongs to. */
import type { GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import type { PositionRows } from '@geomill/proj/area.ts';

/** The row of each position; for ascending positions the search is needed once per row. */
export function rowsOf(geometry: GeometryColumn, count: number): PositionRows {
  let row = -1;
  let end = 0;
  const at = (position: number): number => {
    if (row < 0 || position >= end) {
      row = rowOfPosition(geometry, position);
      end = geometry.coordOffsets[geometry.ringOffsets[geometry.partOffsets[row + 1]]];
    }
    return row;
  };
  return { count, at };
}

/** The row that a position belongs to, by binary search through the three levels of offsets. */
export function rowOfPosition(geometry: GeometryColumn, position: number): number {
  const ring = lastAtMost(geometry.coordOffsets, position);
  const part = lastAtMost(geometry.ringOffsets, ring);
  return lastAtMost(geometry.partOffsets, part);
}

/** Index of the last entry that is at most `value`, in ascending offsets; skips empty slots. */
function lastAtMost(offsets: Uint32Array, value: number): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
