/** Where the geometry of a row is, and what reads it from there. */
import type { GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { AngleCells, columnsOf } from './angle-cells.ts';
import { PairCells, PointCells } from './coordinate-cells.ts';
import { GeometryCells } from './geometry-cells.ts';
import type { GeometryPlace } from './geometry-place.ts';
import { NoGeometry, type RowGeometry } from './row-reader.ts';

/** The columns that the geometry is read from. */
export function geometryColumns(place: GeometryPlace): number[] {
  if (place.kind === 'none') return [];
  if (place.kind === 'column' || place.kind === 'point') return [place.index];
  const { x, y, z } = place;
  const columns = place.kind === 'angles' ? [...columnsOf(place.x), ...columnsOf(place.y)] : [x, y];
  return [...columns, z].filter((column): column is number => typeof column === 'number' && column >= 0);
}

export function rowGeometry(place: GeometryPlace, builder: GeometryBuilder): RowGeometry {
  switch (place.kind) {
    case 'none':
      return new NoGeometry(builder);
    case 'column':
      return new GeometryCells(place.index, builder);
    case 'pair':
      return new PairCells(place, builder);
    case 'angles':
      return new AngleCells(place, builder);
    case 'point':
      return new PointCells(place, builder);
  }
}
