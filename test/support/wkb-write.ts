/** Writes geometry as well-known binary: ISO (type + 1000 with Z, + 2000 with M), little-endian. */
import type { ByteWriter } from '../../packages/core/src/bytes/byte-writer.ts';
import {
  type Dimensions,
  GEOMETRY_TYPE,
  type GeometryColumn,
  hasM,
  hasZ,
  PART_KIND,
  PART_KIND_MASK,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
  strideOf,
} from '../../packages/core/src/geometry/geometry-column.ts';
import { rowDimensions } from '../../packages/core/src/geometry/row-dimensions.ts';

const HOST_IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** The current geometry: its column and its ordinates, which may be fewer than its batch has. */
interface Source {
  readonly column: GeometryColumn;
  readonly dimensions: Dimensions;
  /** Added to every type code. */
  readonly isoOffset: number;
}

/**
 * Appends the geometry of a row, or nothing for a null geometry. An empty point is a point of NaN (the standard has no
 * other form); other empty geometries have a count of 0.
 */
export function writeWkb(writer: ByteWriter, column: GeometryColumn, row: number): void {
  const type = column.types[row];
  if (type === GEOMETRY_TYPE.none) return;
  const dimensions = rowDimensions(column, row);
  const isoOffset = (hasZ(dimensions) ? 1000 : 0) + (hasM(dimensions) ? 2000 : 0);
  const source: Source = { column, dimensions, isoOffset };
  const first = column.partOffsets[row];
  const end = column.partOffsets[row + 1];
  if (type === GEOMETRY_TYPE.geometryCollection) writeCollection(writer, source, first, end);
  else if (type > GEOMETRY_TYPE.polygon) writeMulti(writer, source, type, first, end);
  else if (first < end) writePart(writer, source, first);
  else writeEmpty(writer, source, type);
}

function writeHeader(writer: ByteWriter, source: Source, type: number): void {
  writer.uint8(1);
  writer.uint32(type + source.isoOffset, true);
}

/** An empty point, line or polygon. */
function writeEmpty(writer: ByteWriter, source: Source, type: number): void {
  writeHeader(writer, source, type);
  if (type !== GEOMETRY_TYPE.point) writer.uint32(0, true);
  else for (let i = strideOf(source.dimensions); i > 0; i--) writer.float64(Number.NaN, true);
}

function writeCollection(writer: ByteWriter, source: Source, first: number, end: number): void {
  const { partKinds, ringOffsets } = source.column;
  writeHeader(writer, source, GEOMETRY_TYPE.geometryCollection);
  let members = 0;
  for (let part = first; part < end; part++) if ((partKinds[part] & PART_MULTI_NEXT) === 0) members++;
  writer.uint32(members, true);
  for (let part = first; part < end; ) {
    const marks = partKinds[part];
    let next = part + 1;
    if ((marks & PART_MULTI_FIRST) === 0) writePart(writer, source, part);
    else {
      while (next < end && (partKinds[next] & PART_MULTI_NEXT) !== 0) next++;
      const isEmpty = ringOffsets[part] === ringOffsets[part + 1];
      const type = (marks & PART_KIND_MASK) + GEOMETRY_TYPE.multiPoint - 1;
      writeMulti(writer, source, type, part, isEmpty ? part : next);
    }
    part = next;
  }
}

function writeMulti(writer: ByteWriter, source: Source, type: number, first: number, end: number): void {
  writeHeader(writer, source, type);
  writer.uint32(end - first, true);
  for (let part = first; part < end; part++) writePart(writer, source, part);
}

/** Part kinds and the type codes of single geometries are the same numbers. */
function writePart(writer: ByteWriter, source: Source, part: number): void {
  const { partKinds, ringOffsets } = source.column;
  const kind = partKinds[part] & PART_KIND_MASK;
  const firstRing = ringOffsets[part];
  const endRing = ringOffsets[part + 1];
  if (firstRing === endRing) {
    writeEmpty(writer, source, kind);
    return;
  }
  writeHeader(writer, source, kind);
  if (kind === PART_KIND.polygon) {
    writer.uint32(endRing - firstRing, true);
    for (let ring = firstRing; ring < endRing; ring++) writePositions(writer, source, ring, true);
  } else writePositions(writer, source, firstRing, kind === PART_KIND.line);
}

function writePositions(writer: ByteWriter, source: Source, ring: number, withCount: boolean): void {
  const { column, dimensions } = source;
  const { coordOffsets, coordinates } = column;
  const stride = strideOf(column.dimensions);
  const start = coordOffsets[ring] * stride;
  const end = coordOffsets[ring + 1] * stride;
  if (withCount) writer.uint32((end - start) / stride, true);
  if (HOST_IS_LITTLE_ENDIAN && dimensions === column.dimensions) {
    // The doubles have the same layout in memory as in WKB.
    writer.copy(new Uint8Array(coordinates.buffer, coordinates.byteOffset + start * 8, (end - start) * 8));
    return;
  }
  const zAt = hasZ(dimensions) ? 2 : 0;
  const mAt = hasM(dimensions) ? stride - 1 : 0;
  for (let i = start; i < end; i += stride) {
    writer.float64(coordinates[i], true);
    writer.float64(coordinates[i + 1], true);
    if (zAt !== 0) writer.float64(coordinates[i + zAt], true);
    if (mAt !== 0) writer.float64(coordinates[i + mAt], true);
  }
}
