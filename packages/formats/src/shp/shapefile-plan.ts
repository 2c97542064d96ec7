/** Plans the shapefiles for a layer: one per geometry kind with its shape type, and the features of each. */
import type { GeometryStatistics } from '@geomill/core/columns/statistics.ts';
import { PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { hasMultiPoints, type KindPlan, partNames, planKinds } from '../single-kind.ts';
import { M_TYPE, SHAPE_TYPE, Z_TYPE } from './shp-header.ts';

/** A shapefile to be written. Plain data. */
export interface ShapefilePlan extends Omit<KindPlan, 'suffix'> {
  /** Base name of its files, without ending. */
  readonly name: string;
  /** With Z or M if the layer has them. */
  readonly shapeType: number;
  readonly hasZ: boolean;
  readonly hasM: boolean;
}

/** The only file of a layer that is a table, without a name. */
export const TABLE_PLAN: Omit<ShapefilePlan, 'name'> & { readonly suffix: string } = {
  kind: PART_KIND.point,
  takesNulls: true,
  takesAll: true,
  suffix: '',
  shapeType: SHAPE_TYPE.null,
  hasZ: false,
  hasM: false,
};

/** Plans without names. */
export function planShapefiles(
  geometry: GeometryStatistics,
): (Omit<ShapefilePlan, 'name'> & { readonly suffix: string })[] {
  return planKinds(geometry).map((plan) => ({
    ...plan,
    shapeType: baseShapeType(plan.kind, geometry) + (geometry.hasZ ? Z_TYPE : geometry.hasM ? M_TYPE : 0),
    hasZ: geometry.hasZ,
    hasM: geometry.hasM,
  }));
}

function baseShapeType(kind: number, geometry: GeometryStatistics): number {
  if (kind === PART_KIND.polygon) return SHAPE_TYPE.polygon;
  if (kind === PART_KIND.line) return SHAPE_TYPE.polyLine;
  return hasMultiPoints(geometry) ? SHAPE_TYPE.multiPoint : SHAPE_TYPE.point;
}

/** Base names of the files of layers: no separators or characters that file systems reject, and unique as in `partNames`, ignoring case. */
export function fileNames(names: readonly string[], suffixes: readonly (readonly string[])[]): string[] {
  const safe = (name: string): string =>
    name.replace(/[\p{Cc}<>:"/\\|?*]/gu, '_').replace(/^[. ]+|[. ]+$/g, '') || 'layer';
  return partNames(names.map(safe), suffixes, (name) => name.toLowerCase());
}
