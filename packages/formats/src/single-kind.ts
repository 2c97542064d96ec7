/** Splits layers by kind of geometry, for formats whose layers or files have only one. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { GeometryStatistics } from '@geomill/core/columns/statistics.ts';
import { GEOMETRY_TYPE, PART_KIND, PART_KIND_MASK } from '@geomill/core/geometry/geometry-column.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { formatFindings } from './findings.ts';

/** A part of a layer with one kind of geometry. Plain data. */
export interface KindPlan {
  /** Of its name; empty if the layer has only one. */
  readonly suffix: string;
  /** PART_KIND of its geometries. */
  readonly kind: number;
  /** Features without a geometry are written here. */
  readonly takesNulls: boolean;
  /** All features of the layer are written here whole; otherwise parts are selected by kind. */
  readonly takesAll: boolean;
}

const KINDS = [
  { kind: PART_KIND.point, suffix: '_points' },
  { kind: PART_KIND.line, suffix: '_lines' },
  { kind: PART_KIND.polygon, suffix: '_polygons' },
] as const;

export function planKinds(geometry: GeometryStatistics): KindPlan[] {
  const present = KINDS.filter(({ kind }) => geometry.kindCounts[kind] > 0);
  const kinds = present.length > 0 ? present : [KINDS[kindOfEmpties(geometry) - 1]];
  return kinds.map(({ kind, suffix }, i) => ({
    suffix: kinds.length > 1 ? suffix : '',
    kind,
    takesNulls: i === 0,
    takesAll: kinds.length === 1,
  }));
}

/**
 * Names of layers such that each part, the name with one of the suffixes of its layer, has a name of its own: a layer can have the name of
 * a part of another one. Two names are equal if `fold` maps them to the same text.
 */
export function partNames(
  names: readonly string[],
  suffixes: readonly (readonly string[])[],
  fold = (name: string): string => name,
): string[] {
  const taken = new Set<string>();
  return names.map((name, layer) => {
    const partsOf = (base: string): string[] => suffixes[layer].map((suffix) => fold(base + suffix));
    let unique = name;
    for (let n = 1; partsOf(unique).some((part) => taken.has(part)); n++) unique = `${name}_${n}`;
    for (const part of partsOf(unique)) taken.add(part);
    return unique;
  });
}

/** The kind for a layer without positions: that of its empty geometries, or points. */
function kindOfEmpties({ typeCounts }: GeometryStatistics): number {
  const { polygon, multiPolygon, lineString, multiLineString } = GEOMETRY_TYPE;
  if (typeCounts[polygon] + typeCounts[multiPolygon] > 0) return PART_KIND.polygon;
  if (typeCounts[lineString] + typeCounts[multiLineString] > 0) return PART_KIND.line;
  return PART_KIND.point;
}

/** Whether a feature of points can have several. */
export function hasMultiPoints({ typeCounts, kindCounts }: GeometryStatistics): boolean {
  const { multiPoint, geometryCollection } = GEOMETRY_TYPE;
  // A collection may contain several points, which only a MultiPoint can hold in one feature.
  const fromCollections = typeCounts[geometryCollection] > 0 && kindCounts[PART_KIND.point] > 0;
  return typeCounts[multiPoint] > 0 || fromCollections;
}

/** Rows with a part of the kind, and rows without any part if the plan takes them. */
export function rowsOfKind(batch: FeatureBatch, plan: Pick<KindPlan, 'kind' | 'takesNulls'>): Uint32Array {
  const { partOffsets, partKinds } = batch.geometry;
  const rows = new Uint32Array(batch.rowCount);
  let count = 0;
  for (let row = 0; row < batch.rowCount; row++) {
    const end = partOffsets[row + 1];
    let part = partOffsets[row];
    let isWanted = part === end && plan.takesNulls;
    for (; part < end && !isWanted; part++) isWanted = (partKinds[part] & PART_KIND_MASK) === plan.kind;
    if (isWanted) rows[count++] = row;
  }
  return rows.subarray(0, count);
}

/** Notes the collections whose members are written as several features. */
export function noteSplitCollections({ geometry, rowCount }: FeatureBatch, findings: Findings): void {
  const { types, partOffsets, partKinds } = geometry;
  for (let row = 0; row < rowCount; row++) {
    if (types[row] !== GEOMETRY_TYPE.geometryCollection) continue;
    let kinds = 0;
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++)
      kinds |= 1 << (partKinds[part] & PART_KIND_MASK);
    // More than one bit set.
    if ((kinds & (kinds - 1)) !== 0) findings.note(formatFindings.COLLECTION_SPLIT, {}, { record: row + 1 });
  }
}
