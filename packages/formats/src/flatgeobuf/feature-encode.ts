/**
 * Encodes the features of a batch, each as a flatbuffer after its size. The tables are written where they are first referred to,
 * so that a feature is written front to back in one pass:
 *
 *     0   u32 bytes of the rest | u32 offset of the feature table
 *     8   vtable and table of the feature: geometry, properties
 *     28  vtable and table of the geometry, its lists or its parts; the vector of properties
 *
 * Lists of numbers are aligned to 8 bytes, counted from the size, as is the length of a feature.
 */
import { type AttributeColumn, isValid } from '@geomill/core/columns/attribute-column.ts';
import { type FeatureBatch, freeBuffers } from '@geomill/core/columns/feature-batch.ts';
import {
  type Dimensions,
  GEOMETRY_TYPE,
  type GeometryColumn,
  hasM,
  hasZ,
  PART_KIND_MASK,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import type { SphereBoxes } from '@geomill/core/sphere/sphere-boxes.ts';
import { ReusedMemory } from '@geomill/io/byte-source.ts';

/** The features of a batch. Structured-clonable. */
export interface EncodedFeatures {
  /** One after another. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of each feature. */
  readonly lengths: Uint32Array<ArrayBuffer>;
  /** minX, minY, maxX, maxY of each; inverted infinities without a position. */
  readonly boxes: Float64Array<ArrayBuffer>;
  /** The ordinates that all positions have; those that are missing are NaN. */
  readonly dimensions: Dimensions;
  /** A bit for each GEOMETRY_TYPE that occurs. */
  readonly types: number;
}

/** Head of a feature, its tables, padding. */
const FEATURE_BYTES = 96;
const GEOMETRY_AT = 28;
/** Vtable and table of a geometry with all lists, their lengths, padding. */
const GEOMETRY_BYTES = 96;
const VTABLE_BYTES = 20;
/** Number of a column and length of a value. */
const VALUE_BYTES = 6;

/** For the batch that is encoded. */
const memory = new ReusedMemory();
const MOST_KEPT_BYTES = 1 << 24;

/** Properties as they are in features: row i has `bytes[starts[i], ends[i])`. */
export interface RawProperties {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/**
 * `wider`: of features in degrees; null: in a plane. `dimensions`: those of the positions that are written. `raw`: properties that replace the columns. `spent`: buffers of the geometry that
 * are freed before the last properties are written.
 */
export function encodeFeatures(
  batch: Pick<FeatureBatch, 'rowCount' | 'geometry' | 'columns'>,
  dimensions: Dimensions,
  wider: SphereBoxes | null,
  raw: RawProperties | null = null,
  spent: readonly ArrayBuffer[] = [],
): EncodedFeatures {
  return new FeatureEncoder(batch, dimensions, wider, raw, spent).encode();
}

class FeatureEncoder {
  readonly #batch: Pick<FeatureBatch, 'rowCount' | 'geometry' | 'columns'>;
  readonly #wider: SphereBoxes | null;
  readonly #raw: RawProperties | null;
  readonly #spent: readonly ArrayBuffer[];
  readonly #geometry: GeometryColumn;
  readonly #dimensions: Dimensions;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  /** The bytes are those of `memory`. */
  readonly #isKept: boolean;
  readonly #view: DataView<ArrayBuffer>;
  readonly #boxes: Float64Array<ArrayBuffer>;
  /** Offset of the current feature. */
  #start = 0;
  #at = 0;
  /** Offset in `boxes` of the current feature's box. */
  #box = 0;

  constructor(
    batch: Pick<FeatureBatch, 'rowCount' | 'geometry' | 'columns'>,
    dimensions: Dimensions,
    wider: SphereBoxes | null,
    raw: RawProperties | null,
    spent: readonly ArrayBuffer[],
  ) {
    this.#wider = wider;
    this.#spent = spent;
    this.#batch = batch;
    this.#raw = raw;
    this.#geometry = batch.geometry;
    this.#dimensions = dimensions;
    const most = mostBytes(batch, dimensions) + (raw?.bytes.length ?? 0);
    // Bytes between tables and lists are not written.
    this.#isKept = most <= MOST_KEPT_BYTES;
    this.#bytes = this.#isKept ? memory.take(most).fill(0, 0, most) : new Uint8Array(most);
    this.#view = new DataView(this.#bytes.buffer);
    this.#boxes = new Float64Array(batch.rowCount * 4);
  }

  encode(): EncodedFeatures {
    const { rowCount, columns } = this.#batch;
    const view = this.#view;
    const lengths = new Uint32Array(rowCount);
    let types = 0;
    for (let row = 0; row < rowCount; row++) {
      const start = this.#at;
      this.#start = start;
      this.#box = row * 4;
      this.#boxes[row * 4] = Number.POSITIVE_INFINITY;
      this.#boxes[row * 4 + 1] = Number.POSITIVE_INFINITY;
      this.#boxes[row * 4 + 2] = Number.NEGATIVE_INFINITY;
      this.#boxes[row * 4 + 3] = Number.NEGATIVE_INFINITY;
      view.setUint32(start + 4, 12, true); // the table, from here
      view.setUint16(start + 8, 8, true); // bytes of the vtable
      view.setUint16(start + 10, 12, true); // bytes of the table
      view.setInt32(start + 16, 8, true); // the vtable, backwards
      this.#at = start + GEOMETRY_AT;
      const type = this.#geometry.types[row];
      types |= 1 << type;
      if (type !== GEOMETRY_TYPE.none) {
        view.setUint16(start + 12, 4, true);
        const { partOffsets } = this.#geometry;
        this.#refer(start + 20, this.#writeGeometry(type, partOffsets[row], partOffsets[row + 1]));
      }
      this.#wider?.widen(row, this.#boxes, this.#box);
      if (row === rowCount - 1) freeBuffers(this.#spent);
      if (columns.length > 0 || this.#raw !== null) this.#writeProperties(row);
      this.#at = (this.#at + 7) & ~7;
      lengths[row] = this.#at - start;
      view.setUint32(start, lengths[row] - 4, true);
    }
    const bytes = this.#isKept ? this.#bytes.slice(0, this.#at) : this.#bytes.subarray(0, this.#at);
    return { bytes, lengths, boxes: this.#boxes, dimensions: this.#dimensions, types };
  }

  /** Writes the offset of a table or vector into the field that refers to it. */
  #refer(field: number, target: number): void {
    this.#view.setUint32(field, target - field, true);
  }

  /** Writes a geometry of the parts `[first, end)`; returns the position of its table. */
  #writeGeometry(type: number, first: number, end: number): number {
    switch (type) {
      case GEOMETRY_TYPE.multiPolygon:
        return this.#writeNested(type, first, end, (part) =>
          this.#writeLists(GEOMETRY_TYPE.polygon, part, part + 1),
        );
      case GEOMETRY_TYPE.geometryCollection:
        return this.#writeCollection(first, end);
      default:
        return this.#writeLists(type, first, end);
    }
  }

  #writeCollection(first: number, end: number): number {
    const { partKinds } = this.#geometry;
    const starts: number[] = [];
    for (let part = first; part < end; part++)
      if ((partKinds[part] & PART_MULTI_NEXT) === 0) starts.push(part);
    return this.#writeNested(GEOMETRY_TYPE.geometryCollection, 0, starts.length, (i) => {
      const part = starts[i];
      const isMulti = (partKinds[part] & PART_MULTI_FIRST) !== 0;
      const kind = partKinds[part] & PART_KIND_MASK;
      const type = isMulti ? kind + GEOMETRY_TYPE.multiPoint - 1 : kind;
      const memberEnd = starts[i + 1] ?? end;
      // The only part of an empty multi geometry has no rings.
      return this.#writeGeometry(type, part, isMulti && this.#isEmpty(part) ? part : memberEnd);
    });
  }

  #isEmpty(part: number): boolean {
    const { ringOffsets } = this.#geometry;
    return ringOffsets[part] === ringOffsets[part + 1];
  }

  /** Writes a geometry whose members are geometries. */
  #writeNested(type: number, first: number, end: number, writeMember: (member: number) => number): number {
    const table = this.#writeTable(type);
    this.#setField(table, 7, 8);
    const members = this.#beginVector(table + 8, end - first, 4);
    this.#at = members + 4 * (end - first);
    for (let i = first; i < end; i++) this.#refer(members + 4 * (i - first), writeMember(i));
    return table;
  }

  /** Vtable and table of a geometry; no field is set but the type. Lists are at 8, 12, 16, 20 of the table. */
  #writeTable(type: number): number {
    const view = this.#view;
    const vtable = (this.#at + 3) & ~3;
    const table = vtable + VTABLE_BYTES;
    view.setUint16(vtable, VTABLE_BYTES, true);
    view.setUint16(vtable + 2, 8, true);
    view.setUint16(vtable + 16, 4, true); // the type
    view.setInt32(table, VTABLE_BYTES, true);
    view.setUint8(table + 4, type);
    this.#at = table + 8;
    return table;
  }

  /** Appends a field of 4 bytes to the table, which must be the end of what is written. */
  #setField(table: number, slot: number, offset: number): void {
    const vtable = table - VTABLE_BYTES;
    this.#view.setUint16(vtable + 4 + 2 * slot, offset, true);
    this.#view.setUint16(vtable + 2, offset + 4, true);
    this.#at = table + offset + 4;
  }

  /** Writes a geometry of the positions of its parts. */
  #writeLists(type: number, first: number, end: number): number {
    const { ringOffsets, coordOffsets } = this.#geometry;
    const firstRing = ringOffsets[first];
    const endRing = ringOffsets[end];
    const from = coordOffsets[firstRing];
    const count = coordOffsets[endRing] - from;
    // The format has no empty point; in well-known binary, it has no numbers.
    const isEmptyPoint = type === GEOMETRY_TYPE.point && count === 0;
    const ringCount = endRing - firstRing;
    // One line or ring needs no ends, but GDAL before 3.7 reads no multi line without them.
    const isMultiLine = type === GEOMETRY_TYPE.multiLineString;
    const hasEnds = isMultiLine || (type === GEOMETRY_TYPE.polygon && ringCount > 1);
    const table = this.#writeTable(type);
    let offset = 8;
    const field = (slot: number): number => {
      this.#setField(table, slot, offset);
      offset += 4;
      return table + offset - 4;
    };
    const xy = field(1);
    const z = hasZ(this.#dimensions) ? field(2) : 0;
    const m = hasM(this.#dimensions) ? field(3) : 0;
    if (hasEnds) {
      const ends = this.#beginVector(field(0), ringCount, 4);
      for (let i = 0; i < ringCount; i++)
        this.#view.setUint32(ends + 4 * i, coordOffsets[firstRing + i + 1] - from, true);
      this.#at = ends + 4 * ringCount;
    }
    if (isEmptyPoint) this.#writeEmptyPoint(xy, z, m);
    else {
      this.#writeXy(xy, from, count);
      if (z !== 0) this.#writeOrdinates(z, from, count, hasZ(this.#geometry.dimensions) ? 2 : -1);
      const { dimensions } = this.#geometry;
      if (m !== 0) this.#writeOrdinates(m, from, count, hasM(dimensions) ? strideOf(dimensions) - 1 : -1);
    }
    return table;
  }

  #writeEmptyPoint(xy: number, z: number, m: number): void {
    for (const [field, numbers] of [
      [xy, 2],
      [z, 1],
      [m, 1],
    ]) {
      if (field === 0) continue;
      const at = this.#beginVector(field, numbers, 8);
      for (let i = 0; i < numbers; i++) this.#view.setFloat64(at + 8 * i, Number.NaN, true);
      this.#at = at + 8 * numbers;
    }
  }

  #writeXy(field: number, from: number, count: number): void {
    const { coordinates, dimensions } = this.#geometry;
    const stride = strideOf(dimensions);
    const view = this.#view;
    const boxes = this.#boxes;
    const box = this.#box;
    let minX = boxes[box];
    let minY = boxes[box + 1];
    let maxX = boxes[box + 2];
    let maxY = boxes[box + 3];
    let at = this.#beginVector(field, count * 2, 8);
    for (let i = from * stride, end = (from + count) * stride; i < end; i += stride, at += 16) {
      const x = coordinates[i];
      const y = coordinates[i + 1];
      view.setFloat64(at, x, true);
      view.setFloat64(at + 8, y, true);
      if (x < minX) minX = x;
      if (y < minY) minY = y;
      if (x > maxX) maxX = x;
      if (y > maxY) maxY = y;
    }
    boxes[box] = minX;
    boxes[box + 1] = minY;
    boxes[box + 2] = maxX;
    boxes[box + 3] = maxY;
    this.#at = at;
  }

  /** `ordinate`: its place in a position; -1: positions of the batch do not have it. */
  #writeOrdinates(field: number, from: number, count: number, ordinate: number): void {
    const { coordinates, dimensions } = this.#geometry;
    const stride = strideOf(dimensions);
    const view = this.#view;
    let at = this.#beginVector(field, count, 8);
    for (let i = from; i < from + count; i++, at += 8)
      view.setFloat64(at, ordinate < 0 ? Number.NaN : coordinates[i * stride + ordinate], true);
    this.#at = at;
  }

  /** Writes the length of a vector to which a field refers; returns the position of its first element. */
  #beginVector(field: number, count: number, elementBytes: 4 | 8): number {
    // Its length precedes the first element. Features begin at multiples of 8.
    const start = (this.#at + 4 + elementBytes - 1) & -elementBytes;
    this.#refer(field, start - 4);
    this.#view.setUint32(start - 4, count, true);
    return start;
  }

  #writeProperties(row: number): void {
    const { columns } = this.#batch;
    const start = ((this.#at + 3) & ~3) + 4;
    this.#at = start;
    if (this.#raw !== null) {
      const { bytes, starts, ends } = this.#raw;
      this.#bytes.set(bytes.subarray(starts[row], ends[row]), start);
      this.#at = start + ends[row] - starts[row];
    } else
      for (let i = 0; i < columns.length; i++)
        if (isValid(columns[i].validity, row)) this.#writeValue(i, columns[i], row);
    if (this.#at === start) {
      this.#at = start - 4;
      return;
    }
    this.#view.setUint16(this.#start + 14, 8, true);
    this.#refer(this.#start + 24, start - 4);
    this.#view.setUint32(start - 4, this.#at - start, true);
  }

  #writeValue(number: number, column: AttributeColumn, row: number): void {
    const view = this.#view;
    const at = this.#at;
    view.setUint16(at, number, true);
    switch (column.type) {
      case 'boolean':
        view.setUint8(at + 2, column.values[row]);
        this.#at = at + 3;
        return;
      case 'int32':
        view.setInt32(at + 2, column.values[row], true);
        this.#at = at + 6;
        return;
      case 'int64':
        view.setBigInt64(at + 2, column.values[row], true);
        this.#at = at + 10;
        return;
      case 'float64':
        view.setFloat64(at + 2, column.values[row], true);
        this.#at = at + 10;
        return;
      default: {
        const { bytes, offsets } = column;
        const count = offsets[row + 1] - offsets[row];
        view.setUint32(at + 2, count, true);
        const own = this.#bytes;
        let to = at + VALUE_BYTES;
        // Short ranges are copied in a loop: `set` with a subarray allocates an object.
        if (count < 48) for (let i = offsets[row]; i < offsets[row + 1]; i++) own[to++] = bytes[i];
        else {
          own.set(bytes.subarray(offsets[row], offsets[row + 1]), to);
          to += count;
        }
        this.#at = to;
      }
    }
  }
}

/** At least as many bytes as the features take. */
function mostBytes(
  { rowCount, columns, geometry }: Pick<FeatureBatch, 'rowCount' | 'geometry' | 'columns'>,
  dimensions: Dimensions,
): number {
  const { partKinds, ringOffsets, coordinates } = geometry;
  const parts = partKinds.length;
  const positions = coordinates.length / strideOf(geometry.dimensions);
  let bytes = rowCount * (FEATURE_BYTES + GEOMETRY_BYTES) + parts * GEOMETRY_BYTES * 2;
  bytes += ringOffsets[parts] * 4 + (positions + rowCount + parts) * strideOf(dimensions) * 8;
  for (const column of columns)
    bytes += 'offsets' in column ? rowCount * VALUE_BYTES + column.bytes.length : rowCount * (2 + 8);
  return bytes;
}
