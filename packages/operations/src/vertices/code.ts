/** Makes points of positions. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import {
  GEOMETRY_TYPE,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { stepFindings } from '../findings.ts';
import { idsOfFirst } from '../parts/ids-of-first.ts';
import { withNewField } from '../parts/new-fields.ts';
import { withRows } from '../parts/take-rows.ts';
import type { StepSetting, StreamingTransformation } from '../transformation.ts';

export const code: StreamingTransformation = {
  kind: 'streaming',
  outputFields: (fields, { index_field: name }) => fieldsWith(fields, name as string | undefined),
  prepare:
    async ({ index_field: name }, setting) =>
    (batch, findings) =>
      verticesOf(batch, name as string | undefined, findings, setting),
};

function fieldsWith(fields: readonly Field[], name: string | undefined): readonly Field[] {
  if (name === undefined) return fields;
  return withNewField(fields, { name, type: 'int32' }, 'index_field');
}

function verticesOf(
  batch: FeatureBatch,
  indexField: string | undefined,
  findings: Findings,
  { checkPositions }: StepSetting,
): FeatureBatch {
  const { geometry, rowCount } = batch;
  const { partOffsets, partKinds, ringOffsets, coordOffsets, coordinates, dimensions } = geometry;
  const stride = strideOf(dimensions);
  const most = coordinates.length / stride;
  checkPositions(most);
  const rows = new Uint32Array(most);
  const positions = new Uint32Array(most);
  const numbers = new Int32Array(most);
  const dropped = new RowTally();
  let count = 0;
  for (let row = 0; row < rowCount; row++) {
    let number = 0;
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      const isPolygon = (partKinds[part] & PART_KIND_MASK) === PART_KIND.polygon;
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
        const end = coordOffsets[ring + 1] - (isPolygon ? 1 : 0);
        for (let position = coordOffsets[ring]; position < end; position++) {
          rows[count] = row;
          positions[count] = position;
          numbers[count++] = ++number;
        }
      }
    }
    if (number === 0) dropped.add(row);
  }
  findings.noteTally(stepFindings.GEOMETRY_DROPPED, { operation: 'vertices' }, dropped);
  const kept = rows.slice(0, count);
  const points = withRows(batch, kept, pointsAt(geometry, positions.subarray(0, count)));
  const result = { ...points, ids: batch.ids === null ? null : idsOfFirst(batch.ids, kept) };
  if (indexField === undefined) return result;
  return {
    ...result,
    fields: fieldsWith(batch.fields, indexField),
    columns: [...result.columns, { type: 'int32', values: numbers.slice(0, count), validity: null }],
  };
}

function pointsAt({ coordinates, dimensions }: GeometryColumn, positions: Uint32Array): GeometryColumn {
  const stride = strideOf(dimensions);
  const count = positions.length;
  const moved = new Float64Array(count * stride);
  for (let i = 0; i < count; i++)
    for (let k = 0; k < stride; k++) moved[i * stride + k] = coordinates[positions[i] * stride + k];
  const offsets = (): Uint32Array<ArrayBuffer> => Uint32Array.from({ length: count + 1 }, (_, i) => i);
  return {
    dimensions,
    types: new Uint8Array(count).fill(GEOMETRY_TYPE.point),
    partOffsets: offsets(),
    partKinds: new Uint8Array(count).fill(PART_KIND.point),
    ringOffsets: offsets(),
    coordOffsets: offsets(),
    coordinates: moved,
  };
}
