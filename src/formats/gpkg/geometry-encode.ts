/**
 * Writes a geometry column as GeoPackageBinary blobs (clause 2.1.3): a header, an XY envelope except for points and
 * empty geometries, and ISO WKB; all little-endian.
 *
 *     'G' 'P' version flags | srs_id | minX maxX minY maxY | WKB
 *      1   1     1      1   |   4    |    0 or 4 x 8       |
 *
 * Positions of a row are contiguous in the column, so the envelope takes one pass over them and the WKB another.
 */
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
} from '../../batch/geometry-column.ts';
import { rowDimensions } from '../../batch/row-dimensions.ts';
import { emptyFacts } from './geometry-facts.ts';
import { roundedDown, roundedUp } from './rtree-rounding.ts';

export const HEADER_BYTES = 8;
export const ENVELOPE_BYTES = 32;
const WKB_HEADER_BYTES = 5;
const COUNT_BYTES = 4;
/** 'G', 'P' and version 0. */
const MAGIC_BIG_ENDIAN = 0x47500000;
const FLAG_LITTLE_ENDIAN = 1;
export const FLAG_ENVELOPE_XY = 1 << 1;
const FLAG_EMPTY = 1 << 4;
/** From this many bytes on, `set` is faster than a loop; for fewer, the view that it needs costs more. */
const COPY_AT_ONCE_BYTES = 512;
const HOST_IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Writes blobs one after another into a buffer, which has room for them (`mostGeometryBytes`). */
export class GeometryEncoder {
  /** Where the next blob begins; its end, after it was written. */
  length = 0;
  /** minX, maxX, minY, maxY per row in the order of SQLite's RTree, rounded outward; NaN: not in the index. */
  readonly boxes: Float32Array<ArrayBuffer>;
  readonly facts = emptyFacts();
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView<ArrayBuffer>;
  readonly #column: GeometryColumn;
  readonly #srsId: number;
  readonly #ordinateBytes: Uint8Array<ArrayBuffer>;
  readonly #stride: number;
  /** Of the current row. */
  #dimensions: Dimensions = 'XY';
  #isoOffset = 0;
  #minX = 0;
  #minY = 0;
  #maxX = 0;
  #maxY = 0;

  constructor(column: GeometryColumn, rowCount: number, srsId: number, bytes: Uint8Array<ArrayBuffer>) {
    const { coordinates } = column;
    this.#column = column;
    this.#srsId = srsId;
    this.#stride = strideOf(column.dimensions);
    this.#ordinateBytes = new Uint8Array(coordinates.buffer, coordinates.byteOffset, coordinates.byteLength);
    this.boxes = new Float32Array(rowCount * 4);
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Writes no bytes for a null geometry. Rows are written in order, each once. */
  writeRow(row: number): void {
    this.facts.typeCounts[this.#column.types[row]]++;
    this.#writeBlob(row);
    this.#writeBox(row * 4);
  }

  #writeBlob(row: number): void {
    const { facts } = this;
    const { types, partOffsets, ringOffsets, coordOffsets, dimensions } = this.#column;
    const type = types[row];
    const firstPart = partOffsets[row];
    const endPart = partOffsets[row + 1];
    const first = coordOffsets[ringOffsets[firstPart]];
    const end = coordOffsets[ringOffsets[endPart]];
    this.#measure(first, end);
    if (type === GEOMETRY_TYPE.none) return;
    if (dimensions !== 'XY') this.#dimensions = rowDimensions(this.#column, row);
    const z = hasZ(this.#dimensions);
    const m = hasM(this.#dimensions);
    this.#isoOffset = (z ? 1000 : 0) + (m ? 2000 : 0);
    facts.count++;
    if (z) facts.countZ++;
    if (m) facts.countM++;
    const hasBox = this.#minX <= this.#maxX && this.#minY <= this.#maxY;
    const hasEnvelope = hasBox && type !== GEOMETRY_TYPE.point;
    const isEmpty = first === end || (type === GEOMETRY_TYPE.point && !hasBox);
    this.#writeHeader(hasEnvelope, isEmpty);
    if (type === GEOMETRY_TYPE.geometryCollection) this.#writeCollection(firstPart, endPart);
    else if (type > GEOMETRY_TYPE.polygon) this.#writeMulti(type, firstPart, endPart);
    else if (firstPart < endPart) this.#writePart(firstPart);
    else this.#writeEmpty(type);
  }

  /** Writes the box of the last row and extends the bounds. */
  #writeBox(at: number): void {
    const { boxes } = this;
    const { bounds } = this.facts;
    if (!(this.#minX <= this.#maxX && this.#minY <= this.#maxY)) {
      boxes[at] = Number.NaN;
      return;
    }
    if (this.#minX < bounds[0]) bounds[0] = this.#minX;
    if (this.#minY < bounds[1]) bounds[1] = this.#minY;
    if (this.#maxX > bounds[2]) bounds[2] = this.#maxX;
    if (this.#maxY > bounds[3]) bounds[3] = this.#maxY;
    boxes[at] = roundedDown(this.#minX);
    boxes[at + 1] = roundedUp(this.#maxX);
    boxes[at + 2] = roundedDown(this.#minY);
    boxes[at + 3] = roundedUp(this.#maxY);
  }

  /** Measures the extent of the positions [first, end); NaN ordinates are skipped. */
  #measure(first: number, end: number): void {
    const { coordinates } = this.#column;
    const stride = this.#stride;
    let minX = Number.POSITIVE_INFINITY;
    let minY = Number.POSITIVE_INFINITY;
    let maxX = Number.NEGATIVE_INFINITY;
    let maxY = Number.NEGATIVE_INFINITY;
    for (let i = first * stride, stop = end * stride; i < stop; i += stride) {
      const x = coordinates[i];
      const y = coordinates[i + 1];
      if (x < minX) minX = x;
      if (x > maxX) maxX = x;
      if (y < minY) minY = y;
      if (y > maxY) maxY = y;
    }
    this.#minX = minX;
    this.#minY = minY;
    this.#maxX = maxX;
    this.#maxY = maxY;
  }

  #writeHeader(hasEnvelope: boolean, isEmpty: boolean): void {
    const view = this.#view;
    const at = this.length;
    const flags = FLAG_LITTLE_ENDIAN | (hasEnvelope ? FLAG_ENVELOPE_XY : 0) | (isEmpty ? FLAG_EMPTY : 0);
    view.setUint32(at, MAGIC_BIG_ENDIAN | flags, false);
    view.setInt32(at + 4, this.#srsId, true);
    this.length = at + HEADER_BYTES;
    if (!hasEnvelope) return;
    view.setFloat64(at + 8, this.#minX, true);
    view.setFloat64(at + 16, this.#maxX, true);
    view.setFloat64(at + 24, this.#minY, true);
    view.setFloat64(at + 32, this.#maxY, true);
    this.length += ENVELOPE_BYTES;
  }

  #writeType(type: number): void {
    this.#bytes[this.length] = 1;
    this.#view.setUint32(this.length + 1, type + this.#isoOffset, true);
    this.length += WKB_HEADER_BYTES;
  }

  #writeCount(count: number): void {
    this.#view.setUint32(this.length, count, true);
    this.length += COUNT_BYTES;
  }

  /** An empty point is a point of NaN, the only form in WKB. */
  #writeEmpty(type: number): void {
    this.#writeType(type);
    if (type !== GEOMETRY_TYPE.point) {
      this.#writeCount(0);
      return;
    }
    for (let i = strideOf(this.#dimensions); i > 0; i--, this.length += 8)
      this.#view.setFloat64(this.length, Number.NaN, true);
  }

  #writeCollection(first: number, end: number): void {
    const { partKinds, ringOffsets } = this.#column;
    this.#writeType(GEOMETRY_TYPE.geometryCollection);
    let members = 0;
    for (let part = first; part < end; part++) if ((partKinds[part] & PART_MULTI_NEXT) === 0) members++;
    this.#writeCount(members);
    for (let part = first; part < end; ) {
      const marks = partKinds[part];
      let next = part + 1;
      if ((marks & PART_MULTI_FIRST) === 0) this.#writePart(part);
      else {
        while (next < end && (partKinds[next] & PART_MULTI_NEXT) !== 0) next++;
        const isEmpty = ringOffsets[part] === ringOffsets[part + 1];
        const type = (marks & PART_KIND_MASK) + GEOMETRY_TYPE.multiPoint - 1;
        this.#writeMulti(type, part, isEmpty ? part : next);
      }
      part = next;
    }
  }

  #writeMulti(type: number, first: number, end: number): void {
    this.#writeType(type);
    this.#writeCount(end - first);
    for (let part = first; part < end; part++) this.#writePart(part);
  }

  /** Part kinds and the type codes of single geometries are the same numbers. */
  #writePart(part: number): void {
    const { partKinds, ringOffsets } = this.#column;
    const kind = partKinds[part] & PART_KIND_MASK;
    const firstRing = ringOffsets[part];
    const endRing = ringOffsets[part + 1];
    if (firstRing === endRing) {
      this.#writeEmpty(kind);
      return;
    }
    this.#writeType(kind);
    if (kind === GEOMETRY_TYPE.polygon) this.#writeCount(endRing - firstRing);
    for (let ring = firstRing; ring < endRing; ring++) this.#writeRing(ring, kind !== GEOMETRY_TYPE.point);
  }

  #writeRing(ring: number, withCount: boolean): void {
    const { coordOffsets, coordinates, dimensions } = this.#column;
    const start = coordOffsets[ring] * this.#stride;
    const end = coordOffsets[ring + 1] * this.#stride;
    if (withCount) this.#writeCount((end - start) / this.#stride);
    if (this.#dimensions !== dimensions) {
      this.#writeSomeOrdinates(start, end);
      return;
    }
    const byteCount = (end - start) * 8;
    if (byteCount >= COPY_AT_ONCE_BYTES && HOST_IS_LITTLE_ENDIAN) {
      // The doubles have the same layout in memory as in WKB.
      this.#bytes.set(this.#ordinateBytes.subarray(start * 8, end * 8), this.length);
    } else {
      const view = this.#view;
      for (let i = start, at = this.length; i < end; i++, at += 8) view.setFloat64(at, coordinates[i], true);
    }
    this.length += byteCount;
  }

  /** Writes positions of a row that has fewer ordinates than its batch. */
  #writeSomeOrdinates(start: number, end: number): void {
    const { coordinates } = this.#column;
    const stride = this.#stride;
    const zAt = hasZ(this.#dimensions) ? 2 : 0;
    const mAt = hasM(this.#dimensions) ? stride - 1 : 0;
    for (let i = start; i < end; i += stride) {
      this.#writeOrdinate(coordinates[i]);
      this.#writeOrdinate(coordinates[i + 1]);
      if (zAt !== 0) this.#writeOrdinate(coordinates[i + zAt]);
      if (mAt !== 0) this.#writeOrdinate(coordinates[i + mAt]);
    }
  }

  #writeOrdinate(value: number): void {
    this.#view.setFloat64(this.length, value, true);
    this.length += 8;
  }
}

/** An upper bound for the size of the blobs: computing it is cheaper than growing the buffer. */
export function mostGeometryBytes(column: GeometryColumn, rowCount: number): number {
  const { types, partOffsets, partKinds, ringOffsets, coordinates, dimensions } = column;
  const emptyBytes = WKB_HEADER_BYTES + strideOf(dimensions) * 8;
  let bytes = coordinates.length * 8 + (ringOffsets[partKinds.length] + partKinds.length) * COUNT_BYTES;
  for (let row = 0; row < rowCount; row++) {
    const partCount = partOffsets[row + 1] - partOffsets[row];
    bytes += HEADER_BYTES + WKB_HEADER_BYTES;
    if (types[row] !== GEOMETRY_TYPE.point) bytes += ENVELOPE_BYTES + COUNT_BYTES;
    if (types[row] > GEOMETRY_TYPE.polygon) bytes += partCount * (WKB_HEADER_BYTES * 2 + COUNT_BYTES);
    if (partCount === 0) bytes += emptyBytes;
  }
  for (let part = 0; part < partKinds.length; part++)
    if (ringOffsets[part] === ringOffsets[part + 1]) bytes += emptyBytes;
  return bytes;
}
