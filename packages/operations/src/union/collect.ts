import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { DisjointSets } from '@geomill/planar/disjoint-sets.ts';
import { stepFindings } from '../findings.ts';
import { planAggregates } from '../parts/aggregate.ts';
import { prepareMerge } from '../parts/merge/answer-merge.ts';
import { type Groups, groupsFrom } from '../parts/merge/groups.ts';
import { LayerMerge } from '../parts/merge/layer-merge.ts';
import { MIXED_KINDS } from '../parts/merge/layer-rows.ts';
import { uniteEnds, uniteGroups, uniteOverlaps } from '../parts/merge/merge-lines.ts';
import { distinctPoints, uniteEqualPoints } from '../parts/merge/merge-points.ts';
import { mergePolygons } from '../parts/merge/merge-polygons.ts';
import { PartList } from '../parts/merge/part-list.ts';
import type {
  CollectingHost,
  CollectingTransformation,
  StepParameters,
  StepSetting,
} from '../transformation.ts';

export const code: CollectingTransformation = {
  kind: 'collecting',
  readsParts: true,
  outputFields: (fields, parameters) => planAggregates(fields, parameters).map(({ to }) => to),
  collect,
  prepare: prepareMerge,
};

async function collect(
  batches: readonly FeatureBatch[],
  parameters: StepParameters,
  setting: StepSetting,
  host: CollectingHost,
): Promise<Iterable<FeatureBatch>> {
  const merge = new LayerMerge(batches, 'union', setting, host);
  const { layer, columns, kinds, onChange } = merge;
  if (layer.rowCount === 0) return [];
  const aggregates = planAggregates(layer.fields, parameters);
  const rows = new DisjointSets(layer.rowCount);
  const points = merge.partsOf(PART_KIND.point, false);
  uniteEqualPoints(points, rows);
  const lines = merge.drawableLines(false);
  uniteEnds(lines, rows);
  const polygons = merge.partsOf(PART_KIND.polygon, false);
  // Lines are taken one by one where polygons are: their share of the work is about that of their number.
  const lineShare = lines.length / Math.max(lines.length + polygons.length, 1);
  await uniteOverlaps(lines, rows, host, (fraction) => host.progress(fraction * lineShare * 0.5));
  const merged = await mergePolygons(
    polygons,
    {
      columns,
      dimensions: layer.dimensions,
      classOf: null,
      onLink: (rowA, rowB) => rows.unite(rowA, rowB),
      onChange,
    },
    host,
    (fraction) => host.progress(lineShare * 0.5 + fraction * (1 - lineShare)),
  );
  const groups = groupsFrom(layer.rowCount, (row) => rows.find(row));
  const result = new PartList(columns);
  const isUntouched = merge.untouchedGroups(groups);
  takeTouched(merged, groups, isUntouched, result);
  takeTouched(
    distinctPoints(points, groups.groupOf, () => {}),
    groups,
    isUntouched,
    result,
  );
  await takeLines(lines, groups, isUntouched, merge, result, host, (fraction) =>
    host.progress(1 - lineShare * 0.5 * (1 - fraction)),
  );
  noteMixed(kinds, setting, host);
  return merge.finish(groups, result, aggregates);
}

/** Unmerged and unchanged rows are copied at the end; their parts are not needed. */
function takeTouched(parts: PartList, groups: Groups, isUntouched: Uint8Array, target: PartList): void {
  for (let i = 0; i < parts.length; i++)
    if (isUntouched[groups.groupOf[parts.row[i]]] === 0) target.pushFrom(parts, i);
}

async function takeLines(
  lines: PartList,
  groups: Groups,
  isUntouched: Uint8Array,
  { columns, layer }: LayerMerge,
  target: PartList,
  host: CollectingHost,
  progress: (fraction: number) => void,
): Promise<void> {
  const { groupOf, offsets } = groups;
  const merging = new PartList(columns);
  const numbers = new Map<number, number>();
  const mergingGroupOf: number[] = [];
  for (let i = 0; i < lines.length; i++) {
    const group = groupOf[lines.row[i]];
    if (isUntouched[group] === 1) continue;
    if (offsets[group + 1] - offsets[group] === 1) {
      target.pushFrom(lines, i);
      continue;
    }
    if (!numbers.has(group)) numbers.set(group, numbers.size);
    mergingGroupOf.push(numbers.get(group)!);
    merging.pushFrom(lines, i);
  }
  const { dimensions } = layer;
  const perPart = Uint32Array.from(mergingGroupOf);
  await uniteGroups(merging, perPart, numbers.size, 'lines', { columns, dimensions }, target, host, progress);
}

function noteMixed(kinds: Uint8Array, { layerName }: StepSetting, { findings }: CollectingHost): void {
  for (let row = 0; row < kinds.length; row++)
    if (kinds[row] === MIXED_KINDS)
      findings.note(stepFindings.COLLECTION_NOT_MERGED, {}, { layer: layerName, record: row + 1 });
}
