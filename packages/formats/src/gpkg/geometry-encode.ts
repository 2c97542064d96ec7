/**
 * Writes a geometry column as GeoPackageBinary blobs (clause 2.1.3): a header, an XY envelope except for points and
 * empty geometries, and ISO WKB; all little-endian.
 *
 *     'G' 'P' version flags | srs_id | minX maxX minY maxY | WKB
 *      1   1     1      1   |   4    |    0 or 4 x 8       |
 *
 * Positions of a row are contiguous in the column, so the envelope takes one pass over them and the WKB another.
 */
import { GEOMETRY_TYPE, type GeometryColumn, hasM, hasZ } from '@geomill/core/geometry/geometry-column.ts';
import { mostWkbBytes, type WiderBoxes, WkbWriter } from '@geomill/core/geometry/wkb-write.ts';
import { emptyFacts } from './geometry-facts.ts';
import { roundOutward } from './rtree-rounding.ts';

export const HEADER_BYTES = 8;
export const ENVELOPE_BYTES = 32;
/** 'G', 'P' and version 0. */
const MAGIC_BIG_ENDIAN = 0x47500000;
export const FLAGS_AT = 3;
const FLAG_LITTLE_ENDIAN = 1;
export const FLAG_ENVELOPE_XY = 1 << 1;
const FLAG_EMPTY = 1 << 4;

/** Writes blobs one after another into a buffer, which has room for them (`mostGeometryBytes`). */
export class GeometryEncoder extends WkbWriter {
  /** minX, maxX, minY, maxY per row in the order of SQLite's RTree, rounded outward; NaN: not in the index. */
  readonly boxes: Float32Array<ArrayBuffer>;
  readonly facts = emptyFacts();
  readonly #srsId: number;

  constructor(
    column: GeometryColumn,
    rowCount: number,
    srsId: number,
    bytes: Uint8Array<ArrayBuffer>,
    wider: WiderBoxes | null = null,
  ) {
    super(column, bytes, wider);
    this.#srsId = srsId;
    this.boxes = new Float32Array(rowCount * 4);
  }

  /** Writes no bytes for a null geometry. Rows are written in order, each once. */
  writeRow(row: number): void {
    this.facts.typeCounts[this.column.types[row]]++;
    this.#writeBlob(row);
    this.#writeBox(row * 4);
  }

  #writeBlob(row: number): void {
    const { facts } = this;
    const { types, partOffsets, ringOffsets, coordOffsets } = this.column;
    const type = types[row];
    this.measureRow(row);
    if (type === GEOMETRY_TYPE.none) return;
    facts.count++;
    if (hasZ(this.dimensions)) facts.countZ++;
    if (hasM(this.dimensions)) facts.countM++;
    const { hasBox } = this;
    const isPoint = type === GEOMETRY_TYPE.point;
    const hasPositions =
      coordOffsets[ringOffsets[partOffsets[row]]] < coordOffsets[ringOffsets[partOffsets[row + 1]]];
    this.#writeHeader(hasBox && !isPoint, !hasPositions || (isPoint && !hasBox));
    this.writeGeometry(row);
  }

  /** Writes the box of the last row and extends the bounds. */
  #writeBox(at: number): void {
    const { box, boxes } = this;
    const { bounds } = this.facts;
    if (!this.hasBox) {
      boxes[at] = Number.NaN;
      return;
    }
    for (let i = 0; i < 2; i++) {
      if (box[i] < bounds[i]) bounds[i] = box[i];
      if (box[i + 2] > bounds[i + 2]) bounds[i + 2] = box[i + 2];
    }
    roundOutward(box, boxes, at);
  }

  #writeHeader(hasEnvelope: boolean, isEmpty: boolean): void {
    const view = this.view;
    const at = this.length;
    const flags = FLAG_LITTLE_ENDIAN | (hasEnvelope ? FLAG_ENVELOPE_XY : 0) | (isEmpty ? FLAG_EMPTY : 0);
    view.setUint32(at, MAGIC_BIG_ENDIAN | flags, false);
    view.setInt32(at + 4, this.#srsId, true);
    this.length = at + HEADER_BYTES;
    if (!hasEnvelope) return;
    const { box } = this;
    view.setFloat64(at + 8, box[0], true);
    view.setFloat64(at + 16, box[2], true);
    view.setFloat64(at + 24, box[1], true);
    view.setFloat64(at + 32, box[3], true);
    this.length += ENVELOPE_BYTES;
  }
}

/** As `boxes` has it, the box of a blob of `GeometryEncoder`; returns whether it has one. */
export function writeBlobBox(blob: Uint8Array, boxes: Float32Array, at: number): boolean {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  const flags = view.getUint8(FLAGS_AT);
  const float = (offset: number): number => view.getFloat64(offset, true);
  if ((flags & FLAG_ENVELOPE_XY) !== 0)
    roundOutward(Float64Array.of(float(8), float(24), float(16), float(32)), boxes, at);
  else {
    // Only points have a box without an envelope; an empty point has NaN.
    const isPoint = view.getUint32(HEADER_BYTES + 1, true) % 1000 === GEOMETRY_TYPE.point;
    if ((flags & FLAG_EMPTY) !== 0 || !isPoint) return false;
    const [x, y] = [float(HEADER_BYTES + 5), float(HEADER_BYTES + 13)];
    roundOutward(Float64Array.of(x, y, x, y), boxes, at);
  }
  return true;
}

/** An upper bound for the size of the blobs. */
export function mostGeometryBytes(column: GeometryColumn, rowCount: number): number {
  return mostWkbBytes(column, rowCount) + rowCount * (HEADER_BYTES + ENVELOPE_BYTES);
}
