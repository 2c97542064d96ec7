/** Copies the geometries of chosen rows run by run: consecutive rows are contiguous in every array of the column. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { type GeometryColumn, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { withRows } from './take-rows.ts';

/** The batch of rows `rows[0]`, `rows[1]`, ... with geometries, attributes and ids. */
export function takeFeatures(batch: FeatureBatch, rows: Uint32Array<ArrayBuffer>): FeatureBatch {
  return withRows(batch, rows, takeGeometry(batch.geometry, rows));
}

/** A column of the rows `rows[0]`, `rows[1]`, ... of another; rows may be in any order and repeated. */
export function takeGeometry(column: GeometryColumn, rows: Uint32Array<ArrayBuffer>): GeometryColumn {
  const { dimensions, partOffsets, ringOffsets, coordOffsets } = column;
  const stride = strideOf(dimensions);
  let parts = 0;
  let rings = 0;
  let positions = 0;
  for (let i = 0; i < rows.length; i++) {
    const first = partOffsets[rows[i]];
    const end = partOffsets[rows[i] + 1];
    parts += end - first;
    rings += ringOffsets[end] - ringOffsets[first];
    positions += coordOffsets[ringOffsets[end]] - coordOffsets[ringOffsets[first]];
  }
  const taken = {
    dimensions,
    types: new Uint8Array(rows.length),
    partOffsets: new Uint32Array(rows.length + 1),
    partKinds: new Uint8Array(parts),
    ringOffsets: new Uint32Array(parts + 1),
    coordOffsets: new Uint32Array(rings + 1),
    coordinates: new Float64Array(positions * stride),
  };
  for (let start = 0; start < rows.length; ) {
    let end = start + 1;
    while (end < rows.length && rows[end] === rows[end - 1] + 1) end++;
    copyRun(column, rows[start], end - start, taken, start, stride);
    start = end;
  }
  return taken;
}

/** Copies `count` rows from `row` on to the rows of `target` from `at` on; all before `at` is there. */
function copyRun(
  source: GeometryColumn,
  row: number,
  count: number,
  target: GeometryColumn,
  at: number,
  stride: number,
): void {
  const firstPart = source.partOffsets[row];
  const endPart = source.partOffsets[row + count];
  const firstRing = source.ringOffsets[firstPart];
  const endRing = source.ringOffsets[endPart];
  const firstPosition = source.coordOffsets[firstRing];
  const endPosition = source.coordOffsets[endRing];
  const partAt = target.partOffsets[at];
  const ringAt = target.ringOffsets[partAt];
  const positionAt = target.coordOffsets[ringAt];
  target.types.set(source.types.subarray(row, row + count), at);
  target.partKinds.set(source.partKinds.subarray(firstPart, endPart), partAt);
  for (let i = 1; i <= count; i++)
    target.partOffsets[at + i] = source.partOffsets[row + i] - firstPart + partAt;
  for (let i = 1; i <= endPart - firstPart; i++)
    target.ringOffsets[partAt + i] = source.ringOffsets[firstPart + i] - firstRing + ringAt;
  for (let i = 1; i <= endRing - firstRing; i++)
    target.coordOffsets[ringAt + i] = source.coordOffsets[firstRing + i] - firstPosition + positionAt;
  const ordinates = source.coordinates.subarray(firstPosition * stride, endPosition * stride);
  target.coordinates.set(ordinates, positionAt * stride);
}
