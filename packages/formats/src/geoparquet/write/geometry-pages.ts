/** Encodes geometries as WKB, with the boxes and facts of ranges of rows. Runs in the workers. */
import { isValid } from '@geomill/core/columns/attribute-column.ts';
import {
  GEOMETRY_TYPE,
  type GeometryColumn,
  hasM,
  hasZ,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { mostWkbBytes, type WiderBoxes, WkbWriter } from '@geomill/core/geometry/wkb-write.ts';
import { ReusedMemory } from '@geomill/io/byte-source.ts';

/** Bytes of a length in front of each value. */
const LENGTH_BYTES = 4;
/** minX, minY, maxX, maxY, minZ, maxZ, minM, maxM. */
const RANGES = 8;

export interface EncodedGeometries {
  /** Plain values, each with its length in front; valid until the next batch. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the value of a row begins, and the end of all; a row without geometry has no bytes. */
  readonly offsets: Float64Array;
  /** Rows with a geometry. */
  readonly present: Uint8Array<ArrayBuffer>;
  /** minX, minY, maxX, maxY by row, as float32 rounded outward. */
  readonly sides: readonly Float32Array[];
  /** Rows with a box. */
  readonly boxed: Uint8Array<ArrayBuffer>;
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

const memory = new ReusedMemory();

/** `wider`: of features in degrees; null: in a plane. */
export function encodeGeometries(
  column: GeometryColumn,
  rowCount: number,
  wider: WiderBoxes | null,
): EncodedGeometries {
  const bytes = memory.take(mostWkbBytes(column, rowCount) + LENGTH_BYTES * rowCount);
  const view = new DataView(bytes.buffer);
  const writer = new WkbWriter(column, bytes, wider);
  const { box } = writer;
  const offsets = new Float64Array(rowCount + 1);
  const present = new Uint8Array((rowCount + 7) >> 3);
  const sides = Array.from({ length: 4 }, () => new Float32Array(rowCount));
  const [minXs, minYs, maxXs, maxYs] = sides;
  const boxed = new Uint8Array((rowCount + 7) >> 3);
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
      present[row >> 3] |= 1 << (row & 7);
      types[row] = type + 8 * ((hasZ(writer.dimensions) ? 1 : 0) + (hasM(writer.dimensions) ? 2 : 0));
      if (writer.hasBox) {
        boxed[row >> 3] |= 1 << (row & 7);
        const at = row * 4;
        for (let i = 0; i < 4; i++) ranges[at + i] = box[i];
        minXs[row] = floatBelow(box[0]);
        minYs[row] = floatBelow(box[1]);
        maxXs[row] = -floatBelow(-box[2]);
        maxYs[row] = -floatBelow(-box[3]);
      }
    }
    offsets[row + 1] = writer.length;
  }
  return {
    bytes,
    offsets,
    present,
    sides,
    boxed,
    facts: (from, to) => factsOf(column, ranges, boxed, types, from, to),
  };
}

function factsOf(
  column: GeometryColumn,
  boxes: Float64Array,
  boxed: Uint8Array<ArrayBuffer>,
  rowTypes: Uint8Array,
  from: number,
  to: number,
): GeometryFacts {
  const { ranges } = emptyGeometryFacts();
  let types = 0;
  for (let row = from; row < to; row++) {
    // Type 0 is no geometry.
    if ((rowTypes[row] & 7) !== 0) types |= 1 << rowTypes[row];
    if (!isValid(boxed, row)) continue;
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
  const nearest = Math.fround(value);
  if (nearest <= value) return nearest;
  // The next one down: bits count up away from zero.
  if (nearest === 0) return -(2 ** -149);
  float[0] = nearest;
  floatBits[0] += nearest > 0 ? -1 : 1;
  return float[0];
}
