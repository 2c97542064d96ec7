/** Output batches of merged features: rows that stayed alone as they were, groups from their parts and aggregated values. */
import { type AttributeColumn, ColumnBuilder, isValid } from '@geomill/core/columns/attribute-column.ts';
import { castColumn } from '@geomill/core/columns/cast.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { type OpenType, widenType } from '@geomill/core/columns/schema.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  hasM,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { stepFindings } from '../../findings.ts';
import type { FieldAggregate } from '../aggregate.ts';
import { aggregateColumn } from '../aggregate-columns.ts';
import { appendValue } from '../aggregate-values.ts';
import { type Groups, sortedByGroup } from './groups.ts';
import type { LayerRows } from './layer-rows.ts';
import { copyRings, type PartList } from './part-list.ts';

/** Maximum features and positions of an output batch for the next steps. */
const BATCH_FEATURES = 16_384;
const BATCH_POSITIONS = 500_000;

export interface MergedLayer {
  readonly layer: LayerRows;
  readonly groups: Groups;
  /** Per group, 1: the geometry of its only row is kept as it is. */
  readonly isUntouched: Uint8Array;
  /** Parts of all other groups, found by their rows; a group without any has no geometry. */
  readonly parts: PartList;
  readonly aggregates: readonly FieldAggregate[];
  /** Notes the fields with differing values of which one was kept, with the number of features. */
  readonly findings: Findings;
}

/** Each batch is used before the next one is made; findings are complete after the last. */
export function* assembleBatches(merged: MergedLayer): Generator<FeatureBatch, void, undefined> {
  const { groups, parts, layer } = merged;
  const groupOfPart = new Uint32Array(parts.length);
  for (let i = 0; i < parts.length; i++) groupOfPart[i] = groups.groupOf[parts.row[i]];
  const order = sortedByGroup(groupOfPart, groups.count);
  const ids = idColumns(layer);
  const fieldColumns = layer.fields.map((_, i) => layer.columns(i));
  const collapsed = new Uint32Array(layer.fields.length);
  for (let start = 0; start < groups.count; ) {
    const { geometry, end } = assembleGeometry(merged, order, start);
    const columns = merged.aggregates.map((aggregate, i) =>
      aggregateColumn(layer, fieldColumns[i], aggregate, groups, start, end, () => collapsed[i]++),
    );
    yield {
      rowCount: end - start,
      geometry,
      fields: merged.aggregates.map(({ to }) => to),
      columns,
      ids: ids === null ? null : firstIds(ids, layer, groups, start, end),
    };
    start = end;
  }
  layer.fields.forEach(({ name }, i) => {
    if (collapsed[i] > 0)
      merged.findings.note(stepFindings.VALUES_COLLAPSED, { field: name }, undefined, collapsed[i]);
  });
}

interface PartOrder {
  readonly offsets: Uint32Array;
  readonly items: Uint32Array;
}

/** The geometries of the groups from `start` on, up to the size of a batch. */
function assembleGeometry(
  { layer, groups, isUntouched, parts }: MergedLayer,
  { offsets, items }: PartOrder,
  start: number,
): { readonly geometry: GeometryColumn; readonly end: number } {
  const builder = new GeometryBuilder(layer.dimensions, Math.min(groups.count - start, BATCH_FEATURES));
  let group = start;
  while (
    group < groups.count &&
    group - start < BATCH_FEATURES &&
    (group === start || builder.positionCount < BATCH_POSITIONS)
  ) {
    if (isUntouched[group] === 1) copyRow(layer, groups.rows[groups.offsets[group]], builder);
    else appendParts(parts, items, offsets[group], offsets[group + 1], builder);
    group++;
  }
  return { geometry: builder.finish(), end: group };
}

function appendParts(
  parts: PartList,
  items: Uint32Array,
  from: number,
  to: number,
  builder: GeometryBuilder,
): void {
  let positions = 0;
  for (let i = from; i < to; i++) positions += parts.positionCount(items[i]);
  // A group can have all positions of the layer: growing step by step would hold them twice.
  builder.reserve(positions * builder.stride);
  let kinds = 0;
  for (let i = from; i < to; i++) {
    parts.appendPart(items[i], builder);
    kinds |= 1 << parts.kind(items[i]);
  }
  if (from === to) builder.endFeature(GEOMETRY_TYPE.none);
  else if ((kinds & (kinds - 1)) !== 0) builder.endFeature(GEOMETRY_TYPE.geometryCollection);
  else builder.endFeature(parts.kind(items[from]) + (to - from > 1 ? 3 : 0));
}

function copyRow(layer: LayerRows, row: number, builder: GeometryBuilder): void {
  const batch = layer.batchOf[row];
  const { geometry } = layer.batches[batch];
  const local = row - layer.firstRows[batch];
  const { partOffsets, partKinds, types, ringOffsets, coordOffsets, coordinates, dimensions } = geometry;
  const keepsM = hasM(dimensions);
  const stride = strideOf(dimensions);
  for (let part = partOffsets[local]; part < partOffsets[local + 1]; part++) {
    const before = builder.coordinateLength;
    copyRings(geometry, part, builder);
    if (keepsM) {
      let from = coordOffsets[ringOffsets[part]] * stride + stride - 1;
      for (let at = before + builder.stride - 1; at < builder.coordinateLength; at += builder.stride) {
        builder.coordinates[at] = coordinates[from];
        from += stride;
      }
    }
    const marks = types[local] === GEOMETRY_TYPE.geometryCollection ? 0xff : PART_KIND_MASK;
    builder.endPart(partKinds[part] & marks);
  }
  builder.endFeature(types[local]);
}

/** Per batch, ids of one type; null: no feature has one. */
function idColumns({ batches }: LayerRows): readonly (AttributeColumn | null)[] | null {
  let type: OpenType = 'null';
  for (const { ids } of batches) if (ids !== null) type = widenType(type, ids.type, 'json', false);
  if (type === 'null') return null;
  const common = type;
  return batches.map(({ ids, rowCount }) => (ids === null ? null : castColumn(ids, common, rowCount)));
}

/** Of each group the id of its first row that has one. */
function firstIds(
  ids: readonly (AttributeColumn | null)[],
  { batchOf, firstRows }: LayerRows,
  { offsets, rows }: Groups,
  start: number,
  end: number,
): AttributeColumn {
  const type = ids.find((column) => column !== null)!.type;
  const builder = new ColumnBuilder(type, end - start);
  for (let group = start; group < end; group++) {
    let i = offsets[group];
    const last = offsets[group + 1];
    for (; i < last; i++) {
      const column = ids[batchOf[rows[i]]];
      const local = rows[i] - firstRows[batchOf[rows[i]]];
      if (column === null || !isValid(column.validity, local)) continue;
      appendValue(column, local, builder);
      break;
    }
    if (i === last) builder.appendNull();
  }
  return builder.finish();
}
