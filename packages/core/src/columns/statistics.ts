/**
 * Statistics that a writer may need about a whole layer before it writes the first byte: field widths, geometry types,
 * ordinates. Computed per batch in the workers, merged by the main thread.
 */
import { type Bounds, positionBounds } from '../geometry/bounds.ts';
import { hasM, hasZ, PART_KIND, PART_KIND_MASK, strideOf } from '../geometry/geometry-column.ts';
import { OPEN_BRACE, OPEN_BRACKET } from '../text/ascii.ts';
import { type AttributeColumn, type BytesColumn, isValid } from './attribute-column.ts';
import type { FeatureBatch } from './feature-batch.ts';
import { type Field, type FieldType, isText, type MixedType, type OpenType, widenType } from './schema.ts';

/** Floats that need more than 15 decimals to be exact. */
export const MORE_DECIMALS = 16;

export interface FieldStatistics {
  readonly name: string;
  /** 'null' if no row has a value. */
  type: OpenType;
  /** Type of the columns, used if no row has a value. Default: text. */
  columnType?: FieldType;
  nonNullCount: number;
  /** Longest text or binary value in bytes; for numbers the longest integer part in characters, including its sign. */
  maxLength: number;
  /** Decimals that hold every float exactly, up to 15, or MORE_DECIMALS. */
  maxDecimals: number;
  /** Every integer is exact as a double. */
  integersExact: boolean;
  /** A value of type json is an object or an array. A json field without such values has scalars of several types. */
  hasNested: boolean;
}

export interface GeometryStatistics {
  /** Number of features by geometry type code, 0 (none) to 7. */
  readonly typeCounts: number[];
  /**
   * Number of features with at least one point, line or polygon part (index 1, 2, 3); collections count for each kind.
   */
  readonly kindCounts: number[];
  /** Features with a geometry type but no part. */
  emptyCount: number;
  hasZ: boolean;
  hasM: boolean;
  /** minX, minY, maxX, maxY; inverted infinities if there is no position. */
  readonly bounds: Bounds;
  positionCount: number;
  /** Of lines and rings, without those of length 0: their number, and the sum of the binary logarithms of their lengths. */
  readonly segments: { count: number; logLength: number };
  /** What the geometries cover: the sum of the areas of the boxes of polygons, and of the lengths of lines along x and y. */
  readonly covered: { area: number; length: number };
}

export interface LayerStatistics {
  rowCount: number;
  readonly fields: FieldStatistics[];
  readonly geometry: GeometryStatistics;
  hasIds: boolean;
  /** Statistics of the ids, as for a field; null if the features have no ids or ids were not requested. */
  ids: FieldStatistics | null;
}

export function emptyStatistics(): LayerStatistics {
  return {
    rowCount: 0,
    fields: [],
    geometry: {
      typeCounts: new Array(8).fill(0),
      kindCounts: new Array(4).fill(0),
      emptyCount: 0,
      hasZ: false,
      hasM: false,
      bounds: [
        Number.POSITIVE_INFINITY,
        Number.POSITIVE_INFINITY,
        Number.NEGATIVE_INFINITY,
        Number.NEGATIVE_INFINITY,
      ],
      positionCount: 0,
      segments: { count: 0, logLength: 0 },
      covered: { area: 0, length: 0 },
    },
    hasIds: false,
    ids: null,
  };
}

/** `depth` 'fields' collects names and types only, 'all' widths and geometry as well; `withIds` includes the ids. */
export function batchStatistics(
  batch: FeatureBatch,
  depth: 'fields' | 'all',
  withIds = false,
): LayerStatistics {
  const statistics = emptyStatistics();
  statistics.rowCount = batch.rowCount;
  const { ids } = batch;
  statistics.hasIds = ids !== null;
  if (withIds && ids !== null)
    statistics.ids = fieldStatistics({ name: 'id', type: ids.type }, ids, batch.rowCount, depth);
  batch.fields.forEach((field, i) => {
    statistics.fields.push(fieldStatistics(field, batch.columns[i], batch.rowCount, depth));
  });
  if (depth === 'all') scanGeometry(batch, statistics.geometry);
  return statistics;
}

/** Merges `other` into `target`; fields are matched by name, new ones are appended. */
export function mergeStatistics(target: LayerStatistics, other: LayerStatistics, mixed: MixedType): void {
  target.rowCount += other.rowCount;
  target.hasIds ||= other.hasIds;
  if (target.ids === null) target.ids = other.ids === null ? null : { ...other.ids };
  else if (other.ids !== null) mergeField(target.ids, other.ids, mixed);
  const known = new Map(target.fields.map((field) => [field.name, field]));
  for (const field of other.fields) {
    const own = known.get(field.name);
    if (own === undefined) {
      target.fields.push({ ...field });
      continue;
    }
    mergeField(own, field, mixed);
  }
  const a = target.geometry;
  const b = other.geometry;
  for (let i = 0; i < 8; i++) a.typeCounts[i] += b.typeCounts[i];
  for (let i = 0; i < 4; i++) a.kindCounts[i] += b.kindCounts[i];
  a.emptyCount += b.emptyCount;
  a.positionCount += b.positionCount;
  a.segments.count += b.segments.count;
  a.segments.logLength += b.segments.logLength;
  a.covered.area += b.covered.area;
  a.covered.length += b.covered.length;
  a.hasZ ||= b.hasZ;
  a.hasM ||= b.hasM;
  extend(a.bounds, b.bounds);
}

/** Characters of the longest number as text, such as "-1.2345678901234567e-300", and of "false". */
const TEXT_LENGTH: Readonly<Partial<Record<OpenType, number>>> = { float64: 24, boolean: 5 };

function mergeField(own: FieldStatistics, field: FieldStatistics, mixed: MixedType): void {
  const type = widenType(own.type, field.type, mixed, own.integersExact && field.integersExact);
  if (isText(type))
    for (const side of [own, field])
      if (side.nonNullCount > 0) own.maxLength = Math.max(own.maxLength, TEXT_LENGTH[side.type] ?? 0);
  own.type = type;
  if (own.columnType !== field.columnType) delete own.columnType;
  own.nonNullCount += field.nonNullCount;
  own.maxLength = Math.max(own.maxLength, field.maxLength);
  own.maxDecimals = Math.max(own.maxDecimals, field.maxDecimals);
  own.integersExact &&= field.integersExact;
  own.hasNested ||= field.hasNested;
}

/** The fields for these statistics; a field without values has the type of its columns, or text if they differ. */
export function fieldsOf(statistics: LayerStatistics): Field[] {
  return statistics.fields.map(({ name, type, columnType }) => ({
    name,
    type: type === 'null' ? (columnType ?? 'string') : type,
  }));
}

function fieldStatistics(
  field: Field,
  column: AttributeColumn,
  rowCount: number,
  depth: 'fields' | 'all',
): FieldStatistics {
  const result: FieldStatistics = {
    name: field.name,
    type: field.type,
    columnType: field.type,
    nonNullCount: 0,
    maxLength: 0,
    maxDecimals: 0,
    integersExact: true,
    hasNested: column.type === 'json' && hasNestedValue(column, rowCount),
  };
  const { validity } = column;
  let nonNull = 0;
  if (validity === null) nonNull = rowCount;
  else for (let row = 0; row < rowCount; row++) if (isValid(validity, row)) nonNull++;
  result.nonNullCount = nonNull;
  if (nonNull === 0) result.type = 'null';
  if (column.type === 'int64') {
    for (const value of column.values) {
      if (value > 9_007_199_254_740_992n || value < -9_007_199_254_740_992n) result.integersExact = false;
    }
  }
  if (depth === 'all' && nonNull > 0) scanWidths(column, result, rowCount);
  return result;
}

function hasNestedValue({ bytes, offsets }: BytesColumn, rowCount: number): boolean {
  for (let row = 0; row < rowCount; row++) {
    const first = offsets[row] < offsets[row + 1] ? bytes[offsets[row]] : 0;
    if (first === OPEN_BRACE || first === OPEN_BRACKET) return true;
  }
  return false;
}

function scanWidths(column: AttributeColumn, result: FieldStatistics, rowCount: number): void {
  switch (column.type) {
    case 'boolean':
      result.maxLength = 1;
      return;
    case 'int32':
    case 'int64': {
      let least = column.values[0];
      let most = column.values[0];
      for (const value of column.values) {
        if (value < least) least = value;
        if (value > most) most = value;
      }
      result.maxLength = Math.max(String(least).length, String(most).length);
      return;
    }
    case 'float64': {
      let decimals = 0;
      let integerLength = 1;
      for (let row = 0; row < rowCount; row++) {
        const value = column.values[row];
        if (!Number.isFinite(value)) continue;
        decimals = decimalsToHold(value, decimals);
        const whole = Math.abs(Math.trunc(value));
        if (whole >= 10 || value < 0) {
          const length =
            (whole < 1e15 ? String(whole).length : Math.ceil(Math.log10(whole)) + 1) + (value < 0 ? 1 : 0);
          if (length > integerLength) integerLength = length;
        }
      }
      result.maxLength = integerLength;
      result.maxDecimals = decimals;
      return;
    }
    default: {
      const { offsets } = column;
      let longest = 0;
      for (let row = 0; row < rowCount; row++) {
        const length = offsets[row + 1] - offsets[row];
        if (length > longest) longest = length;
      }
      result.maxLength = longest;
    }
  }
}

const POWERS = Float64Array.from({ length: 16 }, (_, i) => 10 ** i);

/** The smallest number of decimals, at least `atLeast`, that reproduces the value when it is rounded to them. */
function decimalsToHold(value: number, atLeast: number): number {
  for (let decimals = atLeast; decimals <= 15; decimals++) {
    const scaled = Math.round(value * POWERS[decimals]);
    if (Math.abs(scaled) > 9_007_199_254_740_992) return MORE_DECIMALS;
    if (scaled / POWERS[decimals] === value) return decimals;
  }
  return MORE_DECIMALS;
}

function scanGeometry(batch: FeatureBatch, result: GeometryStatistics): void {
  const { types, partOffsets, partKinds, coordinates, dimensions } = batch.geometry;
  for (let row = 0; row < batch.rowCount; row++) {
    result.typeCounts[types[row]]++;
    const firstPart = partOffsets[row];
    const endPart = partOffsets[row + 1];
    if (types[row] !== 0 && firstPart === endPart) result.emptyCount++;
    let kinds = 0;
    for (let part = firstPart; part < endPart; part++) kinds |= 1 << (partKinds[part] & PART_KIND_MASK);
    for (let kind = 1; kind <= 3; kind++) if ((kinds & (1 << kind)) !== 0) result.kindCounts[kind]++;
  }
  const stride = strideOf(dimensions);
  extend(result.bounds, positionBounds(batch.geometry));
  result.positionCount = coordinates.length / stride;
  measureSegments(batch.geometry, result.segments);
  measureCovered(batch.geometry, result.covered);
  if (hasZ(dimensions)) result.hasZ = anyPresent(coordinates, 2, stride);
  if (hasM(dimensions)) result.hasM = anyPresent(coordinates, stride - 1, stride);
}

function measureSegments(
  { coordOffsets, coordinates, dimensions }: FeatureBatch['geometry'],
  result: GeometryStatistics['segments'],
): void {
  const stride = strideOf(dimensions);
  for (let ring = 0; ring + 1 < coordOffsets.length; ring++) {
    const end = coordOffsets[ring + 1] * stride;
    for (let at = (coordOffsets[ring] + 1) * stride; at < end; at += stride) {
      const dx = coordinates[at] - coordinates[at - stride];
      const dy = coordinates[at + 1] - coordinates[at + 1 - stride];
      const square = dx * dx + dy * dy;
      if (!(square > 0 && square < Number.POSITIVE_INFINITY)) continue;
      result.count++;
      result.logLength += Math.log2(square) / 2;
    }
  }
}

function measureCovered(
  { partKinds, ringOffsets, coordOffsets, coordinates, dimensions }: FeatureBatch['geometry'],
  result: GeometryStatistics['covered'],
): void {
  const stride = strideOf(dimensions);
  for (let part = 0; part + 1 < ringOffsets.length; part++) {
    const kind = partKinds[part] & PART_KIND_MASK;
    const first = ringOffsets[part];
    if (kind === PART_KIND.point || first === ringOffsets[part + 1]) continue;
    // Holes cover nothing.
    const start = coordOffsets[first] * stride;
    const end = coordOffsets[first + 1] * stride;
    if (kind === PART_KIND.line)
      for (let at = start + stride; at < end; at += stride)
        result.length +=
          widthOf(coordinates[at] - coordinates[at - stride], coordinates[at + 1]) +
          Math.abs(coordinates[at + 1] - coordinates[at + 1 - stride]);
    else result.area += boxArea(coordinates, start, end, stride);
  }
}

function boxArea(coordinates: Float64Array, start: number, end: number, stride: number): number {
  if (start === end) return 0;
  let minX = coordinates[start];
  let maxX = minX;
  let minY = coordinates[start + 1];
  let maxY = minY;
  for (let at = start + stride; at < end; at += stride) {
    const x = coordinates[at];
    const y = coordinates[at + 1];
    if (x < minX) minX = x;
    else if (x > maxX) maxX = x;
    if (y < minY) minY = y;
    else if (y > maxY) maxY = y;
  }
  const mayTurn = maxX - minX > 180 && minX >= -540 && maxX <= 540 && minY >= -90 && maxY <= 90;
  if (mayTurn) return turnedBoxArea(coordinates, start, end, stride);
  return (maxX - minX) * (maxY - minY);
}

/** The width of an edge; degrees of longitude are the short way. */
function widthOf(dx: number, y: number): number {
  const width = Math.abs(dx);
  return width > 180 && width < 360 && Math.abs(y) <= 90 ? 360 - width : width;
}

/** As `boxArea`, of a ring in degrees that may be across 180 degrees, or around a pole, up to which it then covers all. */
function turnedBoxArea(coordinates: Float64Array, start: number, end: number, stride: number): number {
  let x = 0;
  let minX = 0;
  let maxX = 0;
  let minY = coordinates[start + 1];
  let maxY = minY;
  for (let at = start + stride; at < end; at += stride) {
    const dx = coordinates[at] - coordinates[at - stride];
    // An edge around the Earth is one of a box of the whole map.
    x += Math.abs(dx) < 360 ? dx - 360 * Math.round(dx / 360) : dx;
    if (x < minX) minX = x;
    if (x > maxX) maxX = x;
    const y = coordinates[at + 1];
    if (y < minY) minY = y;
    if (y > maxY) maxY = y;
  }
  const isAroundPole = Math.abs(x) > 180;
  if (isAroundPole) return 360 * (minY + maxY >= 0 ? 90 - minY : maxY + 90);
  return (maxX - minX) * (maxY - minY);
}

function anyPresent(coordinates: Float64Array, first: number, stride: number): boolean {
  for (let i = first; i < coordinates.length; i += stride) if (!Number.isNaN(coordinates[i])) return true;
  return false;
}

function extend(bounds: Bounds, other: Bounds): void {
  for (let i = 0; i < 2; i++) bounds[i] = Math.min(bounds[i], other[i]);
  for (let i = 2; i < 4; i++) bounds[i] = Math.max(bounds[i], other[i]);
}
