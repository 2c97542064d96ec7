/** Writes geometries as records of a .shp (layouts in shp-records-read.ts) with their entries of the .shx. */
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import {
  type GeometryColumn,
  hasZ as hasHeights,
  hasM as hasMeasures,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { signedArea } from '@geomill/core/geometry/rings.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { SphereBoxes } from '@geomill/core/sphere/sphere-boxes.ts';
import type { ShapefilePlan } from './shapefile-plan.ts';
import {
  emptyBounds,
  INDEX_RECORD_BYTES,
  NO_DATA_MEASURE,
  RECORD_HEADER_BYTES,
  SHAPE_TYPE,
} from './shp-header.ts';

interface ShapeRecords {
  /** Records, numbered from 1; the sink adds the number of earlier records. */
  readonly shp: Uint8Array<ArrayBuffer>;
  /** Index entries with offsets in words from the first of these records; the sink adds its offset. */
  readonly shx: Uint8Array<ArrayBuffer>;
  /** In the order of `makeShpHeader`. */
  readonly bounds: Float64Array<ArrayBuffer>;
  readonly ringsClosed: RowTally;
}

/**
 * Writes the shapes of `rows` (row numbers of the column; null: all of `rowCount`). `wider`: of features in degrees; null: in a plane.
 */
export function encodeShapes(
  geometry: GeometryColumn,
  wider: SphereBoxes | null,
  rows: Uint32Array | null,
  rowCount: number,
  plan: ShapefilePlan,
): ShapeRecords {
  const writer = new ShapeWriter(geometry, wider, plan, rowCount);
  for (let i = 0; i < rowCount; i++) writer.write(rows === null ? i : rows[i], i);
  return writer.finish();
}

class ShapeWriter {
  readonly #geometry: GeometryColumn;
  readonly #wider: SphereBoxes | null;
  readonly #box: Bounds = [0, 0, 0, 0];
  readonly #plan: ShapefilePlan;
  readonly #stride: number;
  /** Offset of z (m) in a position of the column; -1 if it has none. */
  readonly #zIndex: number;
  readonly #mIndex: number;
  /** Bytes of a position: 16 for x y, 8 more for z and for m. */
  readonly #positionBytes: number;
  readonly #bounds = emptyBounds();
  readonly #shx: Uint8Array<ArrayBuffer>;
  readonly #index: DataView;
  #view: DataView<ArrayBuffer>;
  #length = 0;
  readonly #ringsClosed = new RowTally();
  // Rings of the current record: start in the column, number of positions, and whether to reverse it.
  #ringStarts = new Uint32Array(64);
  #ringLengths = new Uint32Array(64);
  /** 1: the ring is reversed; 2: its first position is repeated at the end. */
  #ringFlags = new Uint8Array(64);

  constructor(geometry: GeometryColumn, wider: SphereBoxes | null, plan: ShapefilePlan, rowCount: number) {
    this.#wider = wider;
    this.#geometry = geometry;
    this.#plan = plan;
    this.#stride = strideOf(geometry.dimensions);
    this.#zIndex = hasHeights(geometry.dimensions) ? 2 : -1;
    this.#mIndex = hasMeasures(geometry.dimensions) ? this.#stride - 1 : -1;
    this.#positionBytes = 16 + (plan.hasZ ? 8 : 0) + (plan.hasM ? 8 : 0);
    this.#shx = new Uint8Array(rowCount * INDEX_RECORD_BYTES);
    this.#index = new DataView(this.#shx.buffer);
    const positions = geometry.coordinates.length / this.#stride;
    this.#view = new DataView(new ArrayBuffer(rowCount * 56 + positions * this.#positionBytes + 1024));
  }

  finish(): ShapeRecords {
    return {
      shp: new Uint8Array(this.#view.buffer, 0, this.#length),
      shx: this.#shx,
      bounds: this.#bounds,
      ringsClosed: this.#ringsClosed,
    };
  }

  /** Writes the parts of a row that match the plan's kind, as the record with this index. */
  write(row: number, record: number): void {
    const { partOffsets, partKinds } = this.#geometry;
    const { kind, shapeType } = this.#plan;
    const start = this.#length;
    let ringCount = 0;
    let positions = 0;
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      if ((partKinds[part] & PART_KIND_MASK) !== kind) continue;
      const before = ringCount;
      ringCount =
        kind === PART_KIND.polygon ? this.#addPolygon(row, part, ringCount) : this.#addRings(part, ringCount);
      for (let ring = before; ring < ringCount; ring++)
        positions += this.#ringLengths[ring] + (this.#ringFlags[ring] >> 1);
    }
    const isPoint = shapeType % 10 === SHAPE_TYPE.point;
    this.#reserve(RECORD_HEADER_BYTES + 44 + 32 + ringCount * 4 + positions * this.#positionBytes);
    const view = this.#view;
    let at = start + RECORD_HEADER_BYTES;
    if (positions === 0) {
      view.setInt32(at, SHAPE_TYPE.null, true);
      at += 4;
    } else {
      view.setInt32(at, shapeType, true);
      at = isPoint ? this.#writePoint(at + 4) : this.#writeMulti(row, at + 4, ringCount, positions);
    }
    const words = (at - start - RECORD_HEADER_BYTES) / 2;
    view.setUint32(start, record + 1);
    view.setUint32(start + 4, words);
    this.#index.setUint32(record * INDEX_RECORD_BYTES, start / 2);
    this.#index.setUint32(record * INDEX_RECORD_BYTES + 4, words);
    this.#length = at;
  }

  #addRings(part: number, ringCount: number): number {
    const { ringOffsets, coordOffsets } = this.#geometry;
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      const length = coordOffsets[ring + 1] - coordOffsets[ring];
      if (length > 0) this.#addRing(ringCount++, coordOffsets[ring], length, 0);
    }
    return ringCount;
  }

  /** Shells clockwise, holes counter-clockwise, all closed, whatever their orientation in the batch. */
  #addPolygon(row: number, part: number, ringCount: number): number {
    const { ringOffsets, coordOffsets, coordinates } = this.#geometry;
    const stride = this.#stride;
    const shell = ringOffsets[part];
    for (let ring = shell; ring < ringOffsets[part + 1]; ring++) {
      const start = coordOffsets[ring];
      const end = coordOffsets[ring + 1];
      if (start === end) continue;
      const area = signedArea(coordinates, stride, start, end);
      const reversed = ring === shell ? area > 0 : area < 0;
      const first = start * stride;
      const last = (end - 1) * stride;
      const isOpen =
        coordinates[first] !== coordinates[last] || coordinates[first + 1] !== coordinates[last + 1];
      if (isOpen) this.#ringsClosed.add(row);
      this.#addRing(ringCount++, start, end - start, (reversed ? 1 : 0) | (isOpen ? 2 : 0));
    }
    return ringCount;
  }

  #addRing(index: number, start: number, length: number, flags: number): void {
    if (index >= this.#ringStarts.length) {
      const size = index * 2;
      const starts = new Uint32Array(size);
      const lengths = new Uint32Array(size);
      const allFlags = new Uint8Array(size);
      starts.set(this.#ringStarts);
      lengths.set(this.#ringLengths);
      allFlags.set(this.#ringFlags);
      this.#ringStarts = starts;
      this.#ringLengths = lengths;
      this.#ringFlags = allFlags;
    }
    this.#ringStarts[index] = start;
    this.#ringLengths[index] = length;
    this.#ringFlags[index] = flags;
  }

  #writePoint(at: number): number {
    const { coordinates } = this.#geometry;
    const view = this.#view;
    const from = this.#ringStarts[0] * this.#stride;
    const x = coordinates[from];
    const y = coordinates[from + 1];
    view.setFloat64(at, x, true);
    view.setFloat64(at + 8, y, true);
    this.#includeXy(x, y, x, y);
    let next = at + 16;
    if (this.#plan.hasZ) {
      const z = this.#zIndex < 0 ? 0 : heightOf(coordinates[from + this.#zIndex]);
      view.setFloat64(next, z, true);
      this.#include(4, z, z);
      next += 8;
    }
    if (this.#plan.hasM) {
      const m = this.#mIndex < 0 ? NO_DATA_MEASURE : measureOf(coordinates[from + this.#mIndex]);
      view.setFloat64(next, m, true);
      if (m !== NO_DATA_MEASURE) this.#include(6, m, m);
      next += 8;
    }
    return next;
  }

  /** Writes a MultiPoint, PolyLine or Polygon after the type; returns the offset of the record's end. */
  #writeMulti(row: number, at: number, ringCount: number, positions: number): number {
    const view = this.#view;
    const boundsAt = at;
    let next = at + 32;
    if (this.#plan.kind !== PART_KIND.point) {
      view.setInt32(next, ringCount, true);
      next += 4;
    }
    view.setInt32(next, positions, true);
    next += 4;
    if (this.#plan.kind !== PART_KIND.point) {
      let start = 0;
      for (let ring = 0; ring < ringCount; ring++) {
        view.setInt32(next, start, true);
        next += 4;
        start += this.#ringLengths[ring] + (this.#ringFlags[ring] >> 1);
      }
    }
    next = this.#writeXy(next, ringCount);
    this.#writeBox(row, boundsAt);
    if (this.#plan.hasZ) next = this.#writeOrdinates(next, ringCount, this.#zIndex, 4);
    if (this.#plan.hasM) next = this.#writeOrdinates(next, ringCount, this.#mIndex, 6);
    return next;
  }

  /** Sets the box of the positions. */
  #writeXy(at: number, ringCount: number): number {
    const { coordinates } = this.#geometry;
    const stride = this.#stride;
    const view = this.#view;
    let next = at;
    let minX = Number.POSITIVE_INFINITY;
    let minY = Number.POSITIVE_INFINITY;
    let maxX = Number.NEGATIVE_INFINITY;
    let maxY = Number.NEGATIVE_INFINITY;
    for (let ring = 0; ring < ringCount; ring++) {
      const flags = this.#ringFlags[ring];
      const first = this.#ringStarts[ring] * stride;
      const last = first + (this.#ringLengths[ring] - 1) * stride;
      const step = (flags & 1) === 0 ? stride : -stride;
      const from = (flags & 1) === 0 ? first : last;
      const end = (flags & 1) === 0 ? last + stride : first - stride;
      for (let i = from; i !== end; i += step) {
        const x = coordinates[i];
        const y = coordinates[i + 1];
        view.setFloat64(next, x, true);
        view.setFloat64(next + 8, y, true);
        next += 16;
        if (x < minX) minX = x;
        if (x > maxX) maxX = x;
        if (y < minY) minY = y;
        if (y > maxY) maxY = y;
      }
      if ((flags & 2) !== 0) {
        view.setFloat64(next, coordinates[from], true);
        view.setFloat64(next + 8, coordinates[from + 1], true);
        next += 16;
      }
    }
    const box = this.#box;
    box[0] = minX;
    box[1] = minY;
    box[2] = maxX;
    box[3] = maxY;
    return next;
  }

  #writeBox(row: number, at: number): void {
    const box = this.#box;
    this.#wider?.widen(row, box);
    for (let i = 0; i < 4; i++) this.#view.setFloat64(at + 8 * i, box[i], true);
    this.#includeXy(box[0], box[1], box[2], box[3]);
  }

  /** Writes the range and values of z or m; `boundsIndex` is the index of its minimum in `bounds`. */
  #writeOrdinates(at: number, ringCount: number, ordinate: number, boundsIndex: 4 | 6): number {
    const { coordinates } = this.#geometry;
    const stride = this.#stride;
    const view = this.#view;
    const isZ = boundsIndex === 4;
    let next = at + 16;
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (let ring = 0; ring < ringCount; ring++) {
      const flags = this.#ringFlags[ring];
      const start = this.#ringStarts[ring];
      const length = this.#ringLengths[ring];
      const total = length + (flags >> 1);
      for (let i = 0; i < total; i++) {
        const step = i === length ? 0 : i;
        const position = (flags & 1) === 0 ? start + step : start + length - 1 - step;
        const raw = ordinate < 0 ? Number.NaN : coordinates[position * stride + ordinate];
        const value = isZ ? heightOf(raw) : measureOf(raw);
        view.setFloat64(next, value, true);
        next += 8;
        if (value === NO_DATA_MEASURE) continue;
        if (value < min) min = value;
        if (value > max) max = value;
      }
    }
    view.setFloat64(at, min > max ? NO_DATA_MEASURE : min, true);
    view.setFloat64(at + 8, min > max ? NO_DATA_MEASURE : max, true);
    this.#include(boundsIndex, min, max);
    return next;
  }

  #includeXy(minX: number, minY: number, maxX: number, maxY: number): void {
    const bounds = this.#bounds;
    if (minX < bounds[0]) bounds[0] = minX;
    if (minY < bounds[1]) bounds[1] = minY;
    if (maxX > bounds[2]) bounds[2] = maxX;
    if (maxY > bounds[3]) bounds[3] = maxY;
  }

  #include(index: 4 | 6, min: number, max: number): void {
    const bounds = this.#bounds;
    if (min < bounds[index]) bounds[index] = min;
    if (max > bounds[index + 1]) bounds[index + 1] = max;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#view.byteLength) return;
    const grown = new Uint8Array(Math.max(this.#length + count, this.#view.byteLength * 2));
    grown.set(new Uint8Array(this.#view.buffer, 0, this.#length));
    this.#view = new DataView(grown.buffer);
  }
}

/** A .shp cannot store a missing Z; other writers use 0. */
function heightOf(z: number): number {
  return Number.isNaN(z) ? 0 : z;
}

function measureOf(m: number): number {
  return Number.isNaN(m) ? NO_DATA_MEASURE : m;
}
