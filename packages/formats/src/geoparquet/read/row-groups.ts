/** Where the columns of each row group are in the file, and the bounding boxes of row groups. */
import { type CompactReader, T } from '../bytes/compact-reader.ts';
import { damaged, unsupported } from '../fault.ts';
import type { Chunk as ColumnChunk } from './chunk-reader.ts';
import { type FileMetadata, PHYSICAL } from './metadata.ts';
import type { SchemaNode } from './schema.ts';

/** Tables with an entry for each leaf of each row group, at `group * leafCount + leaf`. Plain data. */
export interface RowGroups {
  readonly leafCount: number;
  /** Number of the first row of each group, and the number of all rows. */
  readonly firstRows: Float64Array<ArrayBuffer>;
  readonly starts: Float64Array<ArrayBuffer>;
  readonly lengths: Float64Array<ArrayBuffer>;
  readonly valueCounts: Float64Array<ArrayBuffer>;
  /** Bytes of the pages before compression. */
  readonly unpackedBytes: Float64Array<ArrayBuffer>;
  readonly codecs: Uint8Array<ArrayBuffer>;
  /** minX, minY, maxX, maxY of each row group; NaN: not known. */
  readonly boxes: Float64Array<ArrayBuffer>;
}

/** Leaves whose statistics are boxes: of a column of boxes in that order, or of the geometries themselves. */
export interface BoxLeaves {
  readonly geometry: number;
  readonly box: readonly [minX: number, minY: number, maxX: number, maxY: number] | null;
}

/** Least and largest value of a column in a row group, in the bytes of PLAIN, and the number of nulls; null: not stated. */
export interface ColumnStatistics {
  readonly min: Uint8Array | null;
  readonly max: Uint8Array | null;
  readonly nullCount: number | null;
  readonly valueCount: number;
}

interface Chunk {
  type: number;
  codec: number;
  valueCount: number;
  unpackedBytes: number;
  length: number;
  dataAt: number;
  dictionaryAt: number;
  min: Uint8Array | null;
  max: Uint8Array | null;
  nullCount: number | null;
  box: number[] | null;
}

/** Largest distance between two numbers of float32, relative to them. */
const FLOAT32_STEP = 2 ** -23;
const MAX_ROWS = Number.MAX_SAFE_INTEGER;
/** Length of 'PAR1', with which a file begins. */
const MAGIC_BYTES = 4;

/** `visit`: called for each column of each row group. Throws ParquetFault. */
export function readRowGroups(
  metadata: FileMetadata,
  leaves: readonly SchemaNode[],
  boxLeaves: BoxLeaves,
  visit?: (group: number, leaf: number, statistics: ColumnStatistics) => void,
): RowGroups {
  const firstRows: number[] = [0];
  const starts: number[] = [];
  const lengths: number[] = [];
  const valueCounts: number[] = [];
  const unpackedBytes: number[] = [];
  const codecs: number[] = [];
  const boxes: number[] = [];
  metadata.rowGroups((reader) => {
    let rowCount = -1;
    let leaf = 0;
    const box = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];
    const innerX: [mostMinX: number, leastMaxX: number] = [Number.NaN, Number.NaN];
    reader.struct((id, type) => {
      if (id === 1) {
        reader.list(type, () => {
          const node = leaves[leaf];
          if (node === undefined) throw damaged('a row group has more columns than the schema');
          const chunk = readChunk(reader, node.name);
          const [start, length] = placeOf(chunk, node, metadata.dataEnd);
          starts.push(start);
          lengths.push(length);
          valueCounts.push(chunk.valueCount);
          unpackedBytes.push(chunk.unpackedBytes);
          codecs.push(chunk.codec);
          addBox(box, innerX, chunk, node, leaf, boxLeaves);
          visit?.(firstRows.length - 1, leaf, chunk);
          leaf++;
        });
        return true;
      }
      if (id === 3) {
        rowCount = reader.int();
        return true;
      }
      return false;
    });
    if (leaf !== leaves.length) throw damaged('a row group has fewer columns than the schema');
    const total = firstRows[firstRows.length - 1] + rowCount;
    if (rowCount < 0 || total > MAX_ROWS) throw damaged(`a row group has ${rowCount} rows`);
    for (const [i, { repetition }] of leaves.entries())
      if (repetition === 0 && valueCounts[valueCounts.length - leaves.length + i] !== rowCount)
        throw damaged(`column '${leaves[i].name}' has not as many values as its row group has rows`);
    firstRows.push(total);
    // A box that crosses the antimeridian has its least x after its largest: those of the group do not contain it.
    if (innerX[0] > box[2] || innerX[1] < box[0]) box.fill(Number.NaN);
    for (const side of box) boxes.push(side);
  });
  const total = firstRows[firstRows.length - 1];
  if (metadata.rowCount !== total)
    throw damaged(`its row groups have ${total} rows, and its metadata says ${metadata.rowCount}`);
  return {
    leafCount: leaves.length,
    firstRows: Float64Array.from(firstRows),
    starts: Float64Array.from(starts),
    lengths: Float64Array.from(lengths),
    valueCounts: Float64Array.from(valueCounts),
    unpackedBytes: Float64Array.from(unpackedBytes),
    codecs: Uint8Array.from(codecs),
    boxes: Float64Array.from(boxes),
  };
}

/** ColumnChunk. */
function readChunk(reader: CompactReader, name: string): Chunk {
  let chunk: Chunk | null = null;
  reader.struct((id, type) => {
    if (id === 1)
      throw unsupported(`the data of column '${name}' is in another file, '${reader.text(type)}'`);
    if (id === 8 || id === 9) throw unsupported(`column '${name}' is encrypted; write it without encryption`);
    if (id !== 3 || type !== T.struct) return false;
    chunk = readChunkMetadata(reader);
    return true;
  });
  if (chunk === null) throw damaged(`column '${name}' has no metadata`);
  return chunk;
}

/** ColumnMetaData. */
function readChunkMetadata(reader: CompactReader): Chunk {
  const chunk: Chunk = {
    type: -1,
    codec: -1,
    valueCount: -1,
    unpackedBytes: 0,
    length: -1,
    dataAt: -1,
    dictionaryAt: 0,
    min: null,
    max: null,
    nullCount: null,
    box: null,
  };
  reader.struct((id, type) => {
    switch (id) {
      case 1:
        chunk.type = reader.int();
        return true;
      case 4:
        chunk.codec = reader.int();
        return true;
      case 5:
        chunk.valueCount = reader.int();
        return true;
      case 6:
        chunk.unpackedBytes = reader.int();
        return true;
      case 7:
        chunk.length = reader.int();
        return true;
      case 9:
        chunk.dataAt = reader.int();
        return true;
      case 11:
        chunk.dictionaryAt = reader.int();
        return true;
      case 12:
        if (type !== T.struct) return false;
        reader.struct((field, fieldType) => {
          if (field === 3) chunk.nullCount = reader.int();
          else if (field === 5) chunk.max = reader.binary(fieldType);
          else if (field === 6) chunk.min = reader.binary(fieldType);
          else return false;
          return true;
        });
        return true;
      case 17:
        if (type !== T.struct) return false;
        chunk.box = readGeospatialBox(reader);
        return true;
      default:
        return false;
    }
  });
  return chunk;
}

/** minX, minY, maxX, maxY of GeospatialStatistics, or null. */
function readGeospatialBox(reader: CompactReader): number[] | null {
  const found: number[] = [];
  reader.struct((id, type) => {
    if (id !== 1 || type !== T.struct) return false;
    reader.struct((field, fieldType) => {
      if (fieldType !== T.double) return false;
      found[field] = reader.double();
      return true;
    });
    return true;
  });
  const box = [found[1], found[3], found[2], found[4]];
  // A box that crosses the antimeridian has its least x after its largest.
  return box.every(Number.isFinite) && box[0] <= box[2] ? box : null;
}

/** Offset and length of the pages of a chunk. Throws ParquetFault if they are not within the file. */
function placeOf(chunk: Chunk, node: SchemaNode, dataEnd: number): readonly [start: number, length: number] {
  const { type, valueCount, length, dataAt, dictionaryAt, unpackedBytes } = chunk;
  if (type !== node.type) throw damaged(`column '${node.name}' has another type than in the schema`);
  // A chunk without values has no pages. Arrow states offset 0 for it, so the offset of such a chunk is not used.
  if (valueCount === 0) return [MAGIC_BYTES, 0];
  // Some writers state 0 for a dictionary that is missing.
  const start = dictionaryAt > 0 && dictionaryAt < dataAt ? dictionaryAt : dataAt;
  const isInside = start >= MAGIC_BYTES && length >= 0 && start + length <= dataEnd;
  if (!isInside || valueCount < 0 || unpackedBytes < 0)
    throw damaged(`column '${node.name}' is not within the file`);
  return [start, length];
}

function addBox(
  box: number[],
  innerX: [mostMinX: number, leastMaxX: number],
  { min, max, box: own }: Chunk,
  { type }: SchemaNode,
  leaf: number,
  { geometry, box: leaves }: BoxLeaves,
): void {
  if (leaf === geometry && own !== null) for (const [i, value] of own.entries()) box[i] = value;
  const side = leaves?.indexOf(leaf) ?? -1;
  if (side < 0) return;
  const [outer, inner] = (side < 2 ? [min, max] : [max, min]).map((bytes) => boxNumber(bytes, type));
  if (side % 2 === 0) innerX[side / 2] = inner ?? Number.NaN;
  if (outer === null) return;
  // Not every writer rounds outward.
  const rounding = type === PHYSICAL.double ? 0 : Math.abs(outer) * FLOAT32_STEP;
  box[side] = outer + (side < 2 ? -rounding : rounding);
}

/** A least or largest value of a column of boxes. */
function boxNumber(bytes: Uint8Array | null, type: number | null): number | null {
  if (bytes?.length !== (type === PHYSICAL.double ? 8 : 4)) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return type === PHYSICAL.double ? view.getFloat64(0, true) : view.getFloat32(0, true);
}

export function chunkOf(groups: RowGroups, group: number, { firstLeaf }: SchemaNode): ColumnChunk {
  const { leafCount, firstRows, starts, lengths, valueCounts, codecs } = groups;
  const at = group * leafCount + firstLeaf;
  return {
    start: starts[at],
    length: lengths[at],
    valueCount: valueCounts[at],
    codec: codecs[at],
    rowCount: firstRows[group + 1] - firstRows[group],
  };
}

/** The group of a row, by binary search. */
export function groupOf(firstRows: Float64Array, row: number): number {
  let low = 0;
  let high = firstRows.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (firstRows[middle] <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}
