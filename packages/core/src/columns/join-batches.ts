/** Joins batches with the same fields to one. */
import {
  type Dimensions,
  dimensionsOf,
  type GeometryColumn,
  hasM,
  hasZ,
  restride,
  strideOf,
} from '../geometry/geometry-column.ts';
import { type AttributeColumn, type BytesColumn, nullColumn, type Validity } from './attribute-column.ts';
import { castColumn } from './cast.ts';
import type { FeatureBatch } from './feature-batch.ts';
import { type FieldType, type OpenType, widenType } from './schema.ts';

/** At least one batch. Positions without a Z or M that others have get NaN; ids of several types become JSON values. */
export function joinBatches(batches: readonly FeatureBatch[]): FeatureBatch {
  if (batches.length === 1) return batches[0];
  const [{ fields }] = batches;
  const counts = batches.map(({ rowCount }) => rowCount);
  return {
    rowCount: counts.reduce((sum, count) => sum + count, 0),
    geometry: joinGeometries(batches.map(({ geometry }) => geometry)),
    fields,
    columns: fields.map((_, i) =>
      joinColumns(
        batches.map(({ columns }) => columns[i]),
        counts,
      ),
    ),
    ids: joinIds(batches, counts),
  };
}

function joinIds(batches: readonly FeatureBatch[], counts: readonly number[]): AttributeColumn | null {
  const types = batches.map(({ ids }): OpenType => ids?.type ?? 'null');
  const type = types.reduce((a, b) => widenType(a, b, 'json'));
  if (type === 'null') return null;
  return joinColumns(
    batches.map(({ ids, rowCount }) =>
      ids === null ? nullColumn(type, rowCount) : castColumn(ids, type, rowCount),
    ),
    counts,
  );
}

/** Of one type. */
function joinColumns(columns: readonly AttributeColumn[], counts: readonly number[]): AttributeColumn {
  const rowCount = counts.reduce((sum, count) => sum + count, 0);
  const validity = joinValidities(columns, counts, rowCount);
  const [{ type }] = columns;
  if ('offsets' in columns[0]) {
    return { type: type as BytesColumn['type'], validity, ...joinBytes(columns as BytesColumn[], rowCount) };
  }
  const joined = nullColumn(type as Exclude<FieldType, BytesColumn['type']>, rowCount);
  if ('offsets' in joined) throw new TypeError('columns of different types cannot be joined');
  let at = 0;
  columns.forEach((column, i) => {
    if ('offsets' in column || column.type !== type)
      throw new TypeError('columns of different types cannot be joined');
    (joined.values as Float64Array).set(column.values as Float64Array, at);
    at += counts[i];
  });
  return { ...joined, validity };
}

function joinBytes(
  columns: readonly BytesColumn[],
  rowCount: number,
): Pick<BytesColumn, 'bytes' | 'offsets'> {
  const total = columns.reduce((sum, { offsets }) => sum + offsets[offsets.length - 1] - offsets[0], 0);
  const bytes = new Uint8Array(total);
  const offsets = new Uint32Array(rowCount + 1);
  let row = 0;
  let at = 0;
  for (const column of columns) {
    const own = column.offsets;
    const last = own.length - 1;
    bytes.set(column.bytes.subarray(own[0], own[last]), at);
    for (let i = 1; i <= last; i++) offsets[row + i] = own[i] - own[0] + at;
    row += last;
    at += own[last] - own[0];
  }
  return { bytes, offsets };
}

function joinValidities(
  columns: readonly AttributeColumn[],
  counts: readonly number[],
  rowCount: number,
): Validity {
  if (columns.every(({ validity }) => validity === null)) return null;
  const joined = new Uint8Array((rowCount + 7) >> 3);
  let at = 0;
  columns.forEach(({ validity }, i) => {
    for (let row = 0; row < counts[i]; row++, at++)
      if (validity === null || (validity[row >> 3] & (1 << (row & 7))) !== 0)
        joined[at >> 3] |= 1 << (at & 7);
  });
  return joined;
}

function joinGeometries(columns: readonly GeometryColumn[]): GeometryColumn {
  const dimensions = columns.map((column) => column.dimensions).reduce(widest);
  const stride = strideOf(dimensions);
  const sum = (count: (column: GeometryColumn) => number): number =>
    columns.reduce((total, column) => total + count(column), 0);
  const positions = ({ coordinates, dimensions: own }: GeometryColumn): number =>
    coordinates.length / strideOf(own);
  const joined = {
    dimensions,
    types: new Uint8Array(sum(({ types }) => types.length)),
    partOffsets: new Uint32Array(sum(({ types }) => types.length) + 1),
    partKinds: new Uint8Array(sum(({ partKinds }) => partKinds.length)),
    ringOffsets: new Uint32Array(sum(({ partKinds }) => partKinds.length) + 1),
    coordOffsets: new Uint32Array(sum(({ coordOffsets }) => coordOffsets.length - 1) + 1),
    coordinates: new Float64Array(sum(positions) * stride),
  };
  let rows = 0;
  let parts = 0;
  let rings = 0;
  let at = 0;
  for (const column of columns) {
    joined.types.set(column.types, rows);
    joined.partKinds.set(column.partKinds, parts);
    appendOffsets(joined.partOffsets, column.partOffsets, rows, parts);
    appendOffsets(joined.ringOffsets, column.ringOffsets, parts, rings);
    appendOffsets(joined.coordOffsets, column.coordOffsets, rings, at);
    const { coordinates } = column;
    joined.coordinates.set(
      column.dimensions === dimensions ? coordinates : restride(coordinates, column.dimensions, dimensions),
      at * stride,
    );
    rows += column.types.length;
    parts += column.partKinds.length;
    rings += column.coordOffsets.length - 1;
    at += positions(column);
  }
  return joined;
}

function widest(a: Dimensions, b: Dimensions): Dimensions {
  return dimensionsOf(hasZ(a) || hasZ(b), hasM(a) || hasM(b));
}

function appendOffsets(target: Uint32Array, own: Uint32Array, at: number, base: number): void {
  for (let i = 1; i < own.length; i++) target[at + i] = own[i] + base;
}
