/**
 * Encodes batches as records by the compiled functions of wasm/write-rows.c, with the same bytes as record-encode.ts in JavaScript. That one is
 * left for what is rare or large: geometries with Z or M, collections, and batches that the memory of the functions would have to grow for.
 */
import type { AttributeColumn, BytesColumn } from '@geomill/core/columns/attribute-column.ts';
import { GEOMETRY_TYPE, type GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import { CompiledRows, type Place } from '@geomill/sqlite/compiled-rows.ts';
import type { EncodedRecords } from './encoded-records.ts';
import { ENVELOPE_BYTES, HEADER_BYTES } from './geometry-encode.ts';

const MOST_BYTES = 16 << 20;
/** Of a row besides its positions, parts, rings and columns: header and key, serial type of the geometry, its headers, an empty point. */
const ROW_BYTES = 5 + 1 + 5 + HEADER_BYTES + ENVELOPE_BYTES + 9 + 21;
/** The header of a part, its number of rings, an empty point. */
const PART_BYTES = 5 + 4 + 16;
/** The serial type of a value, and a number. */
const VALUE_BYTES = 5 + 8;

/** Room for the records of a batch, at least. */
function mostBytes(geometry: GeometryColumn, columns: readonly AttributeColumn[], rowCount: number): number {
  let bytes = geometry.coordinates.byteLength + geometry.coordOffsets.length * 4;
  bytes += geometry.partKinds.length * PART_BYTES + rowCount * (ROW_BYTES + columns.length * VALUE_BYTES);
  for (const column of columns) if ('offsets' in column) bytes += column.bytes.length;
  return bytes;
}

type NumberType = Exclude<AttributeColumn['type'], BytesColumn['type']>;

const NUMBERS = {
  boolean: { measure: 'measure_booleans', write: 'write_booleans' },
  int32: { measure: 'measure_integers', write: 'write_integers' },
  int64: { measure: 'measure_longs', write: 'write_longs' },
  float64: { measure: 'measure_floats', write: 'write_floats' },
} as const;

/** A column in the memory. */
interface PutColumn {
  readonly type: AttributeColumn['type'];
  /** Values, or offsets of texts. */
  readonly values: Place;
  /** 0: it has no texts. */
  readonly texts: Place;
  readonly serials: Place;
}

/** Null if the batch is not plain. */
export function encodePlainRecords(
  geometry: GeometryColumn,
  columns: readonly AttributeColumn[],
  rowCount: number,
  srsId: number,
): EncodedRecords | null {
  if (geometry.dimensions !== 'XY' || geometry.types.includes(GEOMETRY_TYPE.geometryCollection)) return null;
  const byteCount = mostBytes(geometry, columns, rowCount);
  if (byteCount > MOST_BYTES) return null;
  const memory = CompiledRows.start();
  const headers = memory.takeZeros(rowCount * 4);
  const sizes = memory.takeZeros(rowCount * 4);
  const put = columns.map((column) => putColumn(memory, column, rowCount, headers, sizes));
  const headerAt = memory.take(rowCount * 4);
  const valueAt = memory.take(rowCount * 4);
  const offsets = memory.take((rowCount + 1) * 4);
  const boxes = memory.take(rowCount * 16);
  const bounds = memory.take(4 * 8);
  const bytes = memory.take(byteCount);
  const { functions } = memory;
  functions.write_geometries(
    putGeometries(memory, geometry),
    rowCount,
    srsId,
    headers,
    sizes,
    bytes,
    headerAt,
    valueAt,
    offsets,
    boxes,
    bounds,
  );
  for (const column of put) writeColumn(memory, column, rowCount, bytes, headerAt, valueAt);
  const ends = memory.copyOfUint32(offsets, rowCount + 1);
  const [minX, minY, maxX, maxY] = memory.copyOfFloat64(bounds, 4);
  const typeCounts = new Array<number>(8).fill(0);
  for (let row = 0; row < rowCount; row++) typeCounts[geometry.types[row]]++;
  const count = rowCount - typeCounts[GEOMETRY_TYPE.none];
  return {
    records: { bytes: memory.copyOfBytes(bytes, ends[rowCount]), offsets: ends },
    boxes: memory.copyOfFloat32(boxes, rowCount * 4),
    facts: { typeCounts, count, countZ: 0, countM: 0, bounds: [minX, minY, maxX, maxY] },
  };
}

function putGeometries(memory: CompiledRows, geometry: GeometryColumn): Place {
  const { types, partOffsets, partKinds, ringOffsets, coordOffsets, coordinates } = geometry;
  const arrays = [types, partOffsets, partKinds, ringOffsets, coordOffsets, coordinates];
  return memory.put(Uint32Array.from(arrays.map((array) => memory.put(array))));
}

/** Copies a column, and measures its values. */
function putColumn(
  memory: CompiledRows,
  column: AttributeColumn,
  rowCount: number,
  headers: Place,
  sizes: Place,
): PutColumn {
  const { type } = column;
  const { functions } = memory;
  const serials = memory.take(rowCount * 4);
  const validity = column.validity === null ? 0 : memory.put(column.validity);
  const values = memory.put('offsets' in column ? column.offsets : column.values);
  const texts = 'offsets' in column ? memory.put(column.bytes) : 0;
  const textBit = type === 'binary' ? 0 : 1;
  if (texts !== 0) functions.measure_strings(values, validity, rowCount, serials, headers, sizes, textBit);
  else functions[NUMBERS[type as NumberType].measure](values, validity, rowCount, serials, headers, sizes);
  return { type, values, texts, serials };
}

function writeColumn(
  { functions }: CompiledRows,
  { type, values, texts, serials }: PutColumn,
  rowCount: number,
  bytes: Place,
  headerAt: Place,
  valueAt: Place,
): void {
  if (texts !== 0) functions.write_strings(values, rowCount, serials, bytes, headerAt, valueAt, texts);
  else functions[NUMBERS[type as NumberType].write](values, rowCount, serials, bytes, headerAt, valueAt);
}
