/** Plans the shapefiles for a layer: one per geometry kind with its shape type, and the features of each. */
import { GEOMETRY_TYPE, PART_KIND } from '../../batch/geometry-column.ts';
import type { GeometryStatistics } from '../../batch/statistics.ts';
import { M_TYPE, SHAPE_TYPE, Z_TYPE } from './shp-header.ts';

/** A shapefile to be written. Plain data. */
export interface ShapefilePlan {
  /** Base name of its files, without ending. */
  readonly name: string;
  /** PART_KIND of its geometries. */
  readonly kind: number;
  /** With Z or M if the layer has them. */
  readonly shapeType: number;
  readonly hasZ: boolean;
  readonly hasM: boolean;
  /** Features without a geometry are written here as null shapes. */
  readonly takesNulls: boolean;
  /** All features of the layer are written here whole; otherwise parts are selected by kind. */
  readonly takesAll: boolean;
}

const KINDS = [
  { kind: PART_KIND.point, suffix: '_points' },
  { kind: PART_KIND.line, suffix: '_lines' },
  { kind: PART_KIND.polygon, suffix: '_polygons' },
] as const;

/** Plans without names; `suffix` is empty if the layer needs only one shapefile. */
export function planShapefiles(
  geometry: GeometryStatistics,
): (Omit<ShapefilePlan, 'name'> & { readonly suffix: string })[] {
  const present = KINDS.filter(({ kind }) => geometry.kindCounts[kind] > 0);
  const kinds = present.length > 0 ? present : [KINDS[kindOfEmpties(geometry) - 1]];
  return kinds.map(({ kind, suffix }, i) => ({
    suffix: kinds.length > 1 ? suffix : '',
    kind,
    shapeType: baseShapeType(kind, geometry) + (geometry.hasZ ? Z_TYPE : geometry.hasM ? M_TYPE : 0),
    hasZ: geometry.hasZ,
    hasM: geometry.hasM,
    takesNulls: i === 0,
    takesAll: kinds.length === 1,
  }));
}

/** The kind for a layer without positions: that of its empty geometries, or points. */
function kindOfEmpties({ typeCounts }: GeometryStatistics): number {
  const { polygon, multiPolygon, lineString, multiLineString } = GEOMETRY_TYPE;
  if (typeCounts[polygon] + typeCounts[multiPolygon] > 0) return PART_KIND.polygon;
  if (typeCounts[lineString] + typeCounts[multiLineString] > 0) return PART_KIND.line;
  return PART_KIND.point;
}

function baseShapeType(kind: number, { typeCounts, kindCounts }: GeometryStatistics): number {
  if (kind === PART_KIND.polygon) return SHAPE_TYPE.polygon;
  if (kind === PART_KIND.line) return SHAPE_TYPE.polyLine;
  const { point, multiPoint, geometryCollection } = GEOMETRY_TYPE;
  // A collection may contain several points, which only a MultiPoint can hold in one feature.
  const fromCollections = typeCounts[geometryCollection] > 0 && kindCounts[point] > 0;
  return typeCounts[multiPoint] > 0 || fromCollections ? SHAPE_TYPE.multiPoint : SHAPE_TYPE.point;
}

/** File names for layers: no separators or characters that file systems reject, unique ignoring case. */
export function fileNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const safe = name.replace(/[\p{Cc}<>:"/\\|?*]/gu, '_').replace(/^[. ]+|[. ]+$/g, '') || 'layer';
    let unique = safe;
    for (let n = 1; taken.has(unique.toLowerCase()); n++) unique = `${safe}_${n}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}
