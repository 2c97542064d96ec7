/**
 * Writes a geometry column as ISO WKB (06-103r4 chapter 8), little-endian. An empty point is a point of NaN.
 *
 * Positions of a row are contiguous in the column, so its extent takes one pass over them and the WKB another.
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
} from './geometry-column.ts';
import { rowDimensions } from './row-dimensions.ts';

const WKB_HEADER_BYTES = 5;
const COUNT_BYTES = 4;
/** From this many bytes on, `set` is faster than a loop; for fewer, the view that it needs costs more. */
const COPY_AT_ONCE_BYTES = 512;
const HOST_IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Widens the box of the positions of a row where the feature goes beyond it. */
export interface WiderBoxes {
  widen(row: number, box: Float64Array): void;
}

/** Writes geometries one after another into a buffer, which has room for them (`mostWkbBytes`). */
export class WkbWriter {
  /** Where the next geometry begins; its end, after it was written. */
  length = 0;
  /** minX, minY, maxX, maxY of the row that was measured last, widened; inverted infinities if it has no position. */
  readonly box = new Float64Array(4);
  /** The ordinates of that row. */
  dimensions: Dimensions = 'XY';
  protected readonly column: GeometryColumn;
  protected readonly bytes: Uint8Array<ArrayBuffer>;
  protected readonly view: DataView<ArrayBuffer>;
  readonly #ordinateBytes: Uint8Array<ArrayBuffer>;
  readonly #stride: number;
  readonly #wider: WiderBoxes | null;
  #isoOffset = 0;

  constructor(column: GeometryColumn, bytes: Uint8Array<ArrayBuffer>, wider: WiderBoxes | null = null) {
    const { coordinates } = column;
    this.column = column;
    this.bytes = bytes;
    this.#wider = wider;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#stride = strideOf(column.dimensions);
    this.#ordinateBytes = new Uint8Array(coordinates.buffer, coordinates.byteOffset, coordinates.byteLength);
  }

  /** Sets the box and the ordinates of a row. */
  measureRow(row: number): void {
    const { partOffsets, ringOffsets, coordOffsets, dimensions } = this.column;
    const first = coordOffsets[ringOffsets[partOffsets[row]]];
    this.#measure(first, coordOffsets[ringOffsets[partOffsets[row + 1]]]);
    this.#wider?.widen(row, this.box);
    if (dimensions !== 'XY') this.dimensions = rowDimensions(this.column, row);
  }

  get hasBox(): boolean {
    const { box } = this;
    return box[0] <= box[2] && box[1] <= box[3];
  }

  /** Appends the geometry of the row that was measured last, which must have one. */
  writeGeometry(row: number): void {
    const { types, partOffsets } = this.column;
    const type = types[row];
    const firstPart = partOffsets[row];
    const endPart = partOffsets[row + 1];
    this.#isoOffset = (hasZ(this.dimensions) ? 1000 : 0) + (hasM(this.dimensions) ? 2000 : 0);
    if (type === GEOMETRY_TYPE.geometryCollection) this.#writeCollection(firstPart, endPart);
    else if (type > GEOMETRY_TYPE.polygon) this.#writeMulti(type, firstPart, endPart);
    else if (firstPart < endPart) this.#writePart(firstPart);
    else this.#writeEmpty(type);
  }

  /** Measures the extent of the positions [first, end); NaN ordinates are skipped. */
  #measure(first: number, end: number): void {
    const { coordinates } = this.column;
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
    const { box } = this;
    box[0] = minX;
    box[1] = minY;
    box[2] = maxX;
    box[3] = maxY;
  }

  #writeType(type: number): void {
    this.bytes[this.length] = 1;
    this.view.setUint32(this.length + 1, type + this.#isoOffset, true);
    this.length += WKB_HEADER_BYTES;
  }

  #writeCount(count: number): void {
    this.view.setUint32(this.length, count, true);
    this.length += COUNT_BYTES;
  }

  /** An empty point is a point of NaN, the only form in WKB. */
  #writeEmpty(type: number): void {
    this.#writeType(type);
    if (type !== GEOMETRY_TYPE.point) {
      this.#writeCount(0);
      return;
    }
    for (let i = strideOf(this.dimensions); i > 0; i--, this.length += 8)
      this.view.setFloat64(this.length, Number.NaN, true);
  }

  #writeCollection(first: number, end: number): void {
    const { partKinds, ringOffsets } = this.column;
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
    const { partKinds, ringOffsets } = this.column;
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
    const { coordOffsets, coordinates, dimensions } = this.column;
    const start = coordOffsets[ring] * this.#stride;
    const end = coordOffsets[ring + 1] * this.#stride;
    if (withCount) this.#writeCount((end - start) / this.#stride);
    if (this.dimensions !== dimensions) {
      this.#writeSomeOrdinates(start, end);
      return;
    }
    const byteCount = (end - start) * 8;
    if (byteCount >= COPY_AT_ONCE_BYTES && HOST_IS_LITTLE_ENDIAN) {
      // The doubles have the same layout in memory as in WKB.
      this.bytes.set(this.#ordinateBytes.subarray(start * 8, end * 8), this.length);
    } else {
      const view = this.view;
      for (let i = start, at = this.length; i < end; i++, at += 8) view.setFloat64(at, coordinates[i], true);
    }
    this.length += byteCount;
  }

  /** Writes positions of a row that has fewer ordinates than its batch. */
  #writeSomeOrdinates(start: number, end: number): void {
    const { coordinates } = this.column;
    const stride = this.#stride;
    const zAt = hasZ(this.dimensions) ? 2 : 0;
    const mAt = hasM(this.dimensions) ? stride - 1 : 0;
    for (let i = start; i < end; i += stride) {
      this.#writeOrdinate(coordinates[i]);
      this.#writeOrdinate(coordinates[i + 1]);
      if (zAt !== 0) this.#writeOrdinate(coordinates[i + zAt]);
      if (mAt !== 0) this.#writeOrdinate(coordinates[i + mAt]);
    }
  }

  #writeOrdinate(value: number): void {
    this.view.setFloat64(this.length, value, true);
    this.length += 8;
  }
}

/** An upper bound for the size of the geometries: computing it is cheaper than growing the buffer. */
export function mostWkbBytes(column: GeometryColumn, rowCount: number): number {
  const { types, partOffsets, partKinds, ringOffsets, coordinates, dimensions } = column;
  const emptyBytes = WKB_HEADER_BYTES + strideOf(dimensions) * 8;
  let bytes = coordinates.length * 8 + (ringOffsets[partKinds.length] + partKinds.length) * COUNT_BYTES;
  for (let row = 0; row < rowCount; row++) {
    const partCount = partOffsets[row + 1] - partOffsets[row];
    bytes += WKB_HEADER_BYTES;
    if (types[row] !== GEOMETRY_TYPE.point) bytes += COUNT_BYTES;
    if (types[row] > GEOMETRY_TYPE.polygon) bytes += partCount * (WKB_HEADER_BYTES * 2 + COUNT_BYTES);
    if (partCount === 0) bytes += emptyBytes;
  }
  for (let part = 0; part < partKinds.length; part++)
    if (ringOffsets[part] === ringOffsets[part + 1]) bytes += emptyBytes;
  return bytes;
}
