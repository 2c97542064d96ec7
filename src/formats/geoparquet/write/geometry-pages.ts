/** Encodes geometries as WKB, with the boxes and facts of ranges of rows. Runs in the workers. */
import { GEOMETRY_TYPE, type GeometryColumn, hasM, hasZ, strideOf } from '../../../batch/geometry-column.ts';
import { mostWkbBytes, WkbWriter } from '../../../batch/wkb-write.ts';

/** Bytes of a length in front of each value. */
const LENGTH_BYTES = 4;
/** minX, minY, maxX, maxY, minZ, maxZ, minM, maxM. */
const RANGES = 8;

export interface EncodedGeometries {
  /** Plain values: each with its length in front. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the value of a row begins, and the end of all; a row without geometry has no bytes. */
  readonly offsets: Float64Array;
  /** 1: the row has a geometry. */
  readonly present: Uint8Array;
  /** minX, minY, maxX, maxY of each row, as float32 rounded outward. */
  readonly boxes: Float32Array;
  /** 1: the row has a box. */
  readonly boxed: Uint8Array;
  facts(from: number, to: number): GeometryFacts;
}

/** Facts about a range of rows. Plain data. */
export interface GeometryFacts {
  /** minX, minY, maxX, maxY, minZ, maxZ, minM, maxM; inverted infinities where there is none. */
  readonly ranges: Float64Array<ArrayBuffer>;
  /** Bit `type + 8 * (1 with Z, 2 with M, 3 with both)`. */
  readonly types: number;
}

export function emptyGeometryFacts(): GeometryFacts {
  const most = Number.POSITIVE_INFINITY;
  return { ranges: Float64Array.of(most, most, -most, -most, most, -most, most, -most), types: 0 };
}

/** Whether a number of the ranges is a minimum. */
const isMinimum = (i: number): boolean => i < 2 || i === 4 || i === 6;

export function mergeGeometryFacts(a: GeometryFacts, b: GeometryFacts): GeometryFacts {
  const ranges = a.ranges.map((value, i) => (isMinimum(i) ? Math.min : Math.max)(value, b.ranges[i]));
  return { ranges, types: a.types | b.types };
}

export function encodeGeometries(column: GeometryColumn, rowCount: number): EncodedGeometries {
  const bytes = new Uint8Array(mostWkbBytes(column, rowCount) + LENGTH_BYTES * rowCount);
  const view = new DataView(bytes.buffer);
  const writer = new WkbWriter(column, bytes);
  const offsets = new Float64Array(rowCount + 1);
  const present = new Uint8Array(rowCount);
  const boxes = new Float32Array(rowCount * 4);
  const boxed = new Uint8Array(rowCount);
  const ranges = new Float64Array(rowCount * 4);
  const types = new Uint8Array(rowCount);
  for (let row = 0; row < rowCount; row++) {
    const type = column.types[row];
    if (type !== GEOMETRY_TYPE.none) {
      const start = writer.length;
      writer.length += LENGTH_BYTES;
      writer.measureRow(row);
      writer.writeGeometry(row);
      view.setUint32(start, writer.length - start - LENGTH_BYTES, true);
      present[row] = 1;
      types[row] = type + 8 * ((hasZ(writer.dimensions) ? 1 : 0) + (hasM(writer.dimensions) ? 2 : 0));
      if (writer.hasBox) {
        boxed[row] = 1;
        const at = row * 4;
        ranges[at] = writer.minX;
        ranges[at + 1] = writer.minY;
        ranges[at + 2] = writer.maxX;
        ranges[at + 3] = writer.maxY;
        boxes[at] = floatBelow(writer.minX);
        boxes[at + 1] = floatBelow(writer.minY);
        boxes[at + 2] = -floatBelow(-writer.maxX);
        boxes[at + 3] = -floatBelow(-writer.maxY);
      }
    }
    offsets[row + 1] = writer.length;
  }
  return {
    bytes,
    offsets,
    present,
    boxes,
    boxed,
    facts: (from, to) => factsOf(column, ranges, boxed, types, from, to),
  };
}

function factsOf(
  column: GeometryColumn,
  boxes: Float64Array,
  boxed: Uint8Array,
  rowTypes: Uint8Array,
  from: number,
  to: number,
): GeometryFacts {
  const { ranges } = emptyGeometryFacts();
  let types = 0;
  for (let row = from; row < to; row++) {
    // Type 0 is no geometry.
    if ((rowTypes[row] & 7) !== 0) types |= 1 << rowTypes[row];
    if (boxed[row] === 0) continue;
    for (let i = 0; i < 4; i++) {
      const value = boxes[row * 4 + i];
      if (isMinimum(i) ? value < ranges[i] : value > ranges[i]) ranges[i] = value;
    }
  }
  const { dimensions, partOffsets, ringOffsets, coordOffsets, coordinates } = column;
  const stride = strideOf(dimensions);
  const first = coordOffsets[ringOffsets[partOffsets[from]]] * stride;
  const end = coordOffsets[ringOffsets[partOffsets[to]]] * stride;
  const extend = (at: number, range: number): void => {
    for (let i = first + at; i < end; i += stride) {
      const value = coordinates[i];
      if (value < ranges[range]) ranges[range] = value;
      if (value > ranges[range + 1]) ranges[range + 1] = value;
    }
  };
  if (hasZ(dimensions)) extend(2, RANGES - 4);
  if (hasM(dimensions)) extend(stride - 1, RANGES - 2);
  return { ranges, types };
}

const float = new Float32Array(1);
const floatBits = new Int32Array(float.buffer);

/** The largest float32 that is at most the value. */
function floatBelow(value: number): number {
  float[0] = value;
  if (float[0] > value) {
    // The next one down: bits count up away from zero.
    if (float[0] === 0) return -(2 ** -149);
    floatBits[0] += float[0] > 0 ? -1 : 1;
  }
  return float[0];
}
