/** Points: equal ones are one. No geometry engine is needed for that. */
import { strideOf } from '@geomill/core/geometry/geometry-column.ts';
import type { DisjointSets } from '@geomill/planar/disjoint-sets.ts';
import { PositionIndex } from '@geomill/planar/position-index.ts';
import { PartList } from './part-list.ts';

/** Unites the rows that have a position in common. */
export function uniteEqualPoints(points: PartList, rows: DisjointSets): void {
  distinctPoints(points, null, (rowA, rowB) => rows.unite(rowA, rowB));
}

/** The first of each set of equal points, of each class. `onEqual` is called with the rows of the others. */
export function distinctPoints(
  points: PartList,
  classOf: Uint32Array | null,
  onEqual: (firstRow: number, row: number) => void,
): PartList {
  const distinct = new PartList(points.columns, Math.max(points.length, 8));
  const index = new PositionIndex();
  const firstRow: number[] = [];
  for (let i = 0; i < points.length; i++) {
    const { ringOffsets, coordOffsets, coordinates, dimensions } = points.columns[points.column[i]];
    const at = coordOffsets[ringOffsets[points.part[i]]] * strideOf(dimensions);
    const x = coordinates[at];
    const y = coordinates[at + 1];
    if (Number.isFinite(x) && Number.isFinite(y)) {
      const position = index.add(x, y, classOf === null ? 0 : classOf[points.row[i]]);
      if (position < firstRow.length) {
        onEqual(firstRow[position], points.row[i]);
        continue;
      }
      firstRow.push(points.row[i]);
    }
    distinct.pushFrom(points, i);
  }
  return distinct;
}
