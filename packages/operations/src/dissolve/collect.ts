import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { indexOfField } from '@geomill/core/columns/known-field.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { type FieldAggregate, planAggregates } from '../parts/aggregate.ts';
import { prepareMerge } from '../parts/merge/answer-merge.ts';
import { type Groups, groupsFrom } from '../parts/merge/groups.ts';
import { LayerMerge } from '../parts/merge/layer-merge.ts';
import { uniteGroups } from '../parts/merge/merge-lines.ts';
import { distinctPoints } from '../parts/merge/merge-points.ts';
import { mergePolygons } from '../parts/merge/merge-polygons.ts';
import { PartList } from '../parts/merge/part-list.ts';
import type {
  CollectingHost,
  CollectingTransformation,
  StepParameters,
  StepSetting,
} from '../transformation.ts';
import { keyNumbers } from './key-groups.ts';

export const code: CollectingTransformation = {
  kind: 'collecting',
  readsParts: true,
  outputFields: (fields, parameters) => planDissolve(fields, parameters).aggregates.map(({ to }) => to),
  collect,
  prepare: prepareMerge,
};

function planDissolve(
  fields: readonly Field[],
  parameters: StepParameters,
): { readonly keys: readonly number[]; readonly aggregates: readonly FieldAggregate[] } {
  const by = (parameters.by ?? []) as readonly string[];
  const keys = by.map((name) => indexOfField(fields, name));
  return { keys, aggregates: planAggregates(fields, parameters, by) };
}

async function collect(
  batches: readonly FeatureBatch[],
  parameters: StepParameters,
  setting: StepSetting,
  host: CollectingHost,
): Promise<Iterable<FeatureBatch>> {
  const merge = new LayerMerge(batches, 'dissolve', setting, host);
  const { layer, columns, onChange } = merge;
  if (layer.rowCount === 0) return [];
  const { keys, aggregates } = planDissolve(layer.fields, parameters);
  const keyOf = keyNumbers(layer, keys);
  const groups = groupsFrom(layer.rowCount, (row) => keyOf[row]);
  const { groupOf } = groups;
  const { dimensions } = layer;
  const target = { columns, dimensions };
  const polygons = merge.partsOf(PART_KIND.polygon, true);
  const lines = merge.drawableLines(true);
  const points = merge.partsOf(PART_KIND.point, true);
  const polygonShare = polygons.length / Math.max(polygons.length + lines.length, 1);
  const merged = await mergePolygons(
    polygons,
    { ...target, classOf: groupOf, onLink: () => {}, onChange },
    host,
    (fraction) => host.progress(fraction * polygonShare),
  );
  const isUntouched = merge.untouchedGroups(groups);
  const parts = new PartList(columns);
  takeTouched(merged, groups, isUntouched, parts);
  takeTouched(
    distinctPoints(points, groupOf, () => {}),
    groups,
    isUntouched,
    parts,
  );
  const merging = new PartList(columns);
  takeTouched(lines, groups, isUntouched, merging);
  await uniteParts(merging, groups, 'lines', target, parts, host, (fraction) =>
    host.progress(polygonShare + fraction * (1 - polygonShare)),
  );
  return merge.finish(groups, await uniteKinds(parts, groups, target, host), aggregates);
}

function takeTouched(parts: PartList, groups: Groups, isUntouched: Uint8Array, target: PartList): void {
  for (let i = 0; i < parts.length; i++)
    if (isUntouched[groups.groupOf[parts.row[i]]] === 0) target.pushFrom(parts, i);
}

async function uniteParts(
  parts: PartList,
  { groupOf }: Groups,
  kind: 'lines' | 'unions',
  columns: Parameters<typeof uniteGroups>[4],
  target: PartList,
  host: CollectingHost,
  progress: (fraction: number) => void,
): Promise<void> {
  // Groups without such parts would be empty rows in the calls, so groups with such parts are renumbered.
  const numbers = new Map<number, number>();
  const own = new Uint32Array(parts.length);
  for (let i = 0; i < parts.length; i++) {
    const group = groupOf[parts.row[i]];
    let number = numbers.get(group);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(group, number);
    }
    own[i] = number;
  }
  await uniteGroups(parts, own, numbers.size, kind, columns, target, host, progress);
}

/** In groups with several kinds of parts, removes lines and points within polygons, and points on lines. */
async function uniteKinds(
  parts: PartList,
  groups: Groups,
  target: Parameters<typeof uniteGroups>[4],
  host: CollectingHost,
): Promise<PartList> {
  const kindsOf = new Uint8Array(groups.count);
  for (let i = 0; i < parts.length; i++) kindsOf[groups.groupOf[parts.row[i]]] |= 1 << parts.kind(i);
  if (!kindsOf.some((kinds) => (kinds & (kinds - 1)) !== 0)) return parts;
  const result = new PartList(parts.columns);
  const mixed = new PartList(parts.columns);
  for (let i = 0; i < parts.length; i++) {
    const kinds = kindsOf[groups.groupOf[parts.row[i]]];
    ((kinds & (kinds - 1)) === 0 ? result : mixed).pushFrom(parts, i);
  }
  await uniteParts(mixed, groups, 'unions', target, result, host, () => {});
  return result;
}
