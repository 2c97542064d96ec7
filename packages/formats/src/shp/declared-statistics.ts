/**
 * Bounds declared in the headers of a .shp and .dbf, which no record exceeds. With them a shapefile is converted to
 * another shapefile in one pass and keeps the widths of its fields.
 */
import { UTF8 } from '@geomill/core/bytes/utf8.ts';
import {
  emptyStatistics,
  type FieldStatistics,
  type LayerStatistics,
} from '@geomill/core/columns/statistics.ts';
import { GEOMETRY_TYPE, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import type { DbfColumn } from './dbf-columns.ts';
import { M_TYPE, SHAPE_TYPE, Z_TYPE } from './shp-header.ts';

const KINDS: ReadonlyMap<number, { readonly type: number; readonly kind: number }> = new Map([
  [SHAPE_TYPE.point, { type: GEOMETRY_TYPE.point, kind: PART_KIND.point }],
  [SHAPE_TYPE.multiPoint, { type: GEOMETRY_TYPE.multiPoint, kind: PART_KIND.point }],
  [SHAPE_TYPE.polyLine, { type: GEOMETRY_TYPE.lineString, kind: PART_KIND.line }],
  [SHAPE_TYPE.polygon, { type: GEOMETRY_TYPE.polygon, kind: PART_KIND.polygon }],
]);

/**
 * Null if the headers give no useful bounds: Z types, which may or may not have M; texts in other encodings, whose
 * length in UTF-8 is unknown; cells that are not text.
 */
export function declaredStatistics(
  shapeType: number,
  featureCount: number,
  table: { readonly columns: readonly DbfColumn[]; readonly encoding: string } | null,
): LayerStatistics | null {
  if (shapeType > Z_TYPE && shapeType < M_TYPE) return null;
  const kind = KINDS.get(shapeType > M_TYPE ? shapeType - M_TYPE : shapeType);
  if (kind === undefined) return null;
  const statistics = emptyStatistics();
  statistics.rowCount = featureCount;
  statistics.geometry.typeCounts[kind.type] = featureCount;
  statistics.geometry.kindCounts[kind.kind] = featureCount;
  statistics.geometry.hasM = shapeType > M_TYPE;
  for (const column of table?.columns ?? []) {
    const field = declaredField(column, featureCount, table?.encoding ?? UTF8);
    if (field === null) return null;
    statistics.fields.push(field);
  }
  return statistics;
}

function declaredField(column: DbfColumn, featureCount: number, encoding: string): FieldStatistics | null {
  const { name, type, cell, width, decimals } = column;
  const common = {
    name,
    type,
    nonNullCount: featureCount,
    maxDecimals: 0,
    integersExact: true,
    hasNested: false,
  };
  if (cell === 'logical') return { ...common, maxLength: 1 };
  if (cell === 'date') return { ...common, maxLength: 10 };
  if (cell === 'text') return encoding === UTF8 ? { ...common, maxLength: width } : null;
  if (cell !== 'number') return null;
  if (type !== 'float64') return { ...common, maxLength: width };
  // Space for the digits before the point; a value that needs more decimals than declared is written in full.
  return decimals > 0 && decimals <= 15 && width > decimals + 1
    ? { ...common, maxLength: width - decimals - 1, maxDecimals: decimals }
    : null;
}
