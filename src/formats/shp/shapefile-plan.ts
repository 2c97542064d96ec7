/** Plans the shapefiles for a layer: one per geometry kind with its shape type, and the features of each. */
import { PART_KIND } from '../../batch/geometry-column.ts';
import type { GeometryStatistics } from '../../batch/statistics.ts';
import { hasMultiPoints, type KindPlan, planKinds } from '../single-kind.ts';
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

/**
 * Base names of the files of layers: no separators or characters that file systems reject. Each file, the base name with one of the
 * suffixes of its layer, has a name of its own, ignoring case.
 */
export function fileNames(names: readonly string[], suffixes: readonly (readonly string[])[]): string[] {
  const taken = new Set<string>();
  return names.map((name, layer) => {
    const safe = name.replace(/[\p{Cc}<>:"/\\|?*]/gu, '_').replace(/^[. ]+|[. ]+$/g, '') || 'layer';
    const filesOf = (base: string): string[] =>
      suffixes[layer].map((suffix) => (base + suffix).toLowerCase());
    let unique = safe;
    for (let n = 1; filesOf(unique).some((file) => taken.has(file)); n++) unique = `${safe}_${n}`;
    for (const file of filesOf(unique)) taken.add(file);
    return unique;
  });
}
