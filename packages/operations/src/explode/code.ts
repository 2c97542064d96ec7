/** Makes parts features: coordinates and rings stay unchanged, only the offsets above them change. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import {
  GEOMETRY_TYPE,
  type GeometryColumn,
  PART_KIND_MASK,
} from '@geomill/core/geometry/geometry-column.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { stepFindings } from '../findings.ts';
import { idsOfFirst } from '../parts/ids-of-first.ts';
import { takeRows } from '../parts/take-rows.ts';
import type { StreamingTransformation } from '../transformation.ts';

export const code: StreamingTransformation = {
  kind: 'streaming',
  prepare: async () => explodeBatch,
};

/** Notes PARTS_SEPARATED. */
export function explodeBatch(batch: FeatureBatch, findings: Findings): FeatureBatch {
  const { types } = batch.geometry;
  let isSingle = true;
  for (let row = 0; row < types.length && isSingle; row++) isSingle = types[row] < GEOMETRY_TYPE.multiPoint;
  if (isSingle) return batch;
  const { geometry, rows } = separateParts(batch.geometry);
  const split = new RowTally();
  for (let i = 1; i < rows.length; i++) {
    if (rows[i] === rows[i - 1] && (i === 1 || rows[i] !== rows[i - 2])) split.add(rows[i]);
  }
  findings.noteTally(stepFindings.PARTS_SEPARATED, {}, split);
  if (split.count === 0 && rows.length === batch.rowCount) return { ...batch, geometry };
  return {
    rowCount: rows.length,
    geometry,
    fields: batch.fields,
    columns: batch.columns.map((column) => takeRows(column, rows)),
    ids: batch.ids === null ? null : idsOfFirst(batch.ids, rows),
  };
}

interface Separated {
  readonly geometry: GeometryColumn;
  /** The row that each new row is a part of. */
  readonly rows: Uint32Array<ArrayBuffer>;
}

function separateParts(column: GeometryColumn): Separated {
  const { types, partOffsets, partKinds, ringOffsets } = column;
  const most = partKinds.length + types.length;
  const rows = new Uint32Array(most);
  const newTypes = new Uint8Array(most);
  const newPartOffsets = new Uint32Array(most + 1);
  const newPartKinds = new Uint8Array(partKinds.length);
  const newRingOffsets = new Uint32Array(partKinds.length + 1);
  let count = 0;
  let partCount = 0;
  for (let row = 0; row < types.length; row++) {
    const before = count;
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      // An empty member of a collection has no rings, so it has no entries in the arrays below.
      if (ringOffsets[part] === ringOffsets[part + 1]) continue;
      const kind = partKinds[part] & PART_KIND_MASK;
      newPartKinds[partCount] = kind;
      newRingOffsets[++partCount] = ringOffsets[part + 1];
      rows[count] = row;
      newTypes[count] = kind;
      newPartOffsets[++count] = partCount;
    }
    if (count > before) continue;
    rows[count] = row;
    newTypes[count] = singleType(types[row]);
    newPartOffsets[++count] = partCount;
  }
  const geometry = {
    ...column,
    types: newTypes.slice(0, count),
    partOffsets: newPartOffsets.slice(0, count + 1),
    partKinds: newPartKinds.slice(0, partCount),
    ringOffsets: newRingOffsets.slice(0, partCount + 1),
  };
  return { geometry, rows: rows.slice(0, count) };
}

/** The single type of an empty multi geometry; a collection has none. */
function singleType(type: number): number {
  const { multiPoint, multiPolygon } = GEOMETRY_TYPE;
  return type >= multiPoint && type <= multiPolygon ? type - 3 : type;
}
