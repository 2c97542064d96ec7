/**
 * The 100 bytes that begin a .shp and a .shx, after the ESRI Shapefile Technical Description (July 1998):
 *
 *      0  int32 BE   file code 9994
 *     24  int32 BE   file length in 16-bit words, header included
 *     28  int32 LE   version 1000
 *     32  int32 LE   shape type
 *     36  float64 LE xmin, ymin, xmax, ymax, zmin, zmax, mmin, mmax
 *
 * Index records (.shx) are 8 bytes: offset and content length of a record, both int32 BE in words.
 */
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { shpErrors } from './messages.ts';

export const HEADER_BYTES = 100;
export const INDEX_RECORD_BYTES = 8;
export const RECORD_HEADER_BYTES = 8;
const FILE_CODE = 9994;
const VERSION = 1000;

/** Shape types without Z and M; Z types are 10 more, M types 20 more. */
export const SHAPE_TYPE = {
  null: 0,
  point: 1,
  polyLine: 3,
  polygon: 5,
  multiPoint: 8,
  multiPatch: 31,
} as const;
export const Z_TYPE = 10;
export const M_TYPE = 20;
/** Measures below this mean "no data". */
export const NO_DATA_LIMIT = -1e38;
export const NO_DATA_MEASURE = -1e39;

const KNOWN_TYPES = new Set([0, 1, 3, 5, 8, 11, 13, 15, 18, 21, 23, 25, 28, 31]);

export const SHAPE_TYPE_NAMES: ReadonlyMap<number, string> = new Map([
  [0, 'Null'],
  [1, 'Point'],
  [3, 'PolyLine'],
  [5, 'Polygon'],
  [8, 'MultiPoint'],
  [11, 'PointZ'],
  [13, 'PolyLineZ'],
  [15, 'PolygonZ'],
  [18, 'MultiPointZ'],
  [21, 'PointM'],
  [23, 'PolyLineM'],
  [25, 'PolygonM'],
  [28, 'MultiPointM'],
  [31, 'MultiPatch'],
]);

/** The type without Z and M: Point for PointZ and PointM. MultiPatch stays as it is. */
export function baseType(shapeType: number): number {
  return shapeType === SHAPE_TYPE.multiPatch ? shapeType : shapeType % 10;
}

export function typeHasZ(shapeType: number): boolean {
  return shapeType === SHAPE_TYPE.multiPatch || (shapeType > Z_TYPE && shapeType < M_TYPE);
}

interface ShpHeader {
  readonly shapeType: number;
  /** Length declared in the header, in bytes. */
  readonly byteLength: number;
  /** xmin, ymin, xmax, ymax as declared in the header. */
  readonly extent: Bounds;
}

/** Reads and checks the header of a .shp. Throws SHP_HEADER. */
export function readShpHeader(bytes: Uint8Array, fileBytes: number, file: string): ShpHeader {
  const refuse = (reason: string): never => {
    throw failure(shpErrors.SHP_HEADER, { file, reason });
  };
  if (bytes.length < HEADER_BYTES)
    refuse(`a .shp begins with a header of ${HEADER_BYTES} bytes, but the file has only ${fileBytes}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fileCode = view.getInt32(0);
  if (fileCode !== FILE_CODE)
    refuse(`this is not a shapefile: it begins with ${fileCode} instead of the file code ${FILE_CODE}`);
  const version = view.getInt32(28, true);
  if (version !== VERSION) refuse(`version ${version} is not known, only ${VERSION} is`);
  const shapeType = view.getInt32(32, true);
  if (!KNOWN_TYPES.has(shapeType)) refuse(`shape type ${shapeType} is not known`);
  const byteLength = view.getUint32(24) * 2;
  if (byteLength > fileBytes)
    refuse(`the header declares ${byteLength} bytes, but the file has ${fileBytes}: it was cut off`);
  if (byteLength < HEADER_BYTES) refuse(`the header declares a length of only ${byteLength} bytes`);
  const extent: Bounds = [36, 44, 52, 60].map((at) => view.getFloat64(at, true)) as Bounds;
  return { shapeType, byteLength, extent };
}

/**
 * Writes a header. `bounds` is [xmin, ymin, xmax, ymax, zmin, zmax, mmin, mmax]; empty ranges (min > max) are written
 * as zeros, as the specification requires for files without shapes.
 */
export function makeShpHeader(
  shapeType: number,
  fileBytes: number,
  bounds: Float64Array,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, FILE_CODE);
  view.setUint32(24, fileBytes / 2);
  view.setInt32(28, VERSION, true);
  view.setInt32(32, shapeType, true);
  const empty = [bounds[0] > bounds[2], bounds[4] > bounds[5], bounds[6] > bounds[7]];
  for (let i = 0; i < 8; i++) {
    const isEmpty = empty[i < 4 ? 0 : i < 6 ? 1 : 2];
    view.setFloat64(36 + i * 8, isEmpty ? 0 : bounds[i], true);
  }
  return bytes;
}

/** Empty bounds in the order of `makeShpHeader`. */
export function emptyBounds(): Float64Array<ArrayBuffer> {
  const low = Number.POSITIVE_INFINITY;
  const high = Number.NEGATIVE_INFINITY;
  return Float64Array.of(low, low, high, high, low, high, low, high);
}

export function mergeBounds(target: Float64Array, other: Float64Array): void {
  for (const i of [0, 1, 4, 6]) target[i] = Math.min(target[i], other[i]);
  for (const i of [2, 3, 5, 7]) target[i] = Math.max(target[i], other[i]);
}
