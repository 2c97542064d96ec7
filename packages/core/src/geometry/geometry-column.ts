/**
 * The geometry column: every OGC simple feature geometry of a batch in six typed arrays, in the spirit of GeoArrow's
 * nested offsets but able to mix types.
 *
 *     types        [ Polygon      | null | MultiPoint ]            per feature
 *     partOffsets  [ 0            | 1    | 1          | 3 ]        feature i owns parts  [i] .. [i + 1]
 *     partKinds    [ polygon      | point | point ]                per part
 *     ringOffsets  [ 0            | 2     | 3     | 4 ]            part p owns rings     [p] .. [p + 1]
 *     coordOffsets [ 0      | 5 | 9       | 10    | 11 ]           ring r owns positions [r] .. [r + 1]
 *     coordinates  [ x y x y ...                       ]           stride ordinates per position
 *
 * A point is a part with one ring of one position, a line a part with one ring, a polygon a part whose first ring is
 * the shell and whose other rings are holes. An empty geometry has a type and no parts. x is east, y is north, always.
 *
 * The ordinates of all positions of a batch are XY, XYZ, XYM or XYZM; a position without Z or M in a batch that has
 * them holds NaN there. A feature whose Z (M) ordinates are all NaN has no Z (M).
 *
 * Members of a geometry collection that are multi geometries are marked in partKinds: the first of their parts with
 * MULTI_FIRST, the others with MULTI_NEXT. A member that is empty is a part without rings. Collections inside
 * collections are flattened by readers (and noted as COLLECTION_FLATTENED).
 */
import { trimmed } from '../bytes/trimmed.ts';

export const GEOMETRY_TYPE = {
  none: 0,
  point: 1,
  lineString: 2,
  polygon: 3,
  multiPoint: 4,
  multiLineString: 5,
  multiPolygon: 6,
  geometryCollection: 7,
} as const;

export const GEOMETRY_TYPE_NAMES = [
  'None',
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
] as const;

export const PART_KIND = { point: 1, line: 2, polygon: 3 } as const;
/** The two low bits of a part kind: a PART_KIND. */
export const PART_KIND_MASK = 3;
/** In a collection: first part of a member that is a multi geometry. */
export const PART_MULTI_FIRST = 4;
/** In a collection: further part of the multi geometry that the part before belongs to. */
export const PART_MULTI_NEXT = 8;

export type Dimensions = 'XY' | 'XYZ' | 'XYM' | 'XYZM';

export interface GeometryColumn {
  readonly dimensions: Dimensions;
  readonly types: Uint8Array<ArrayBuffer>;
  readonly partOffsets: Uint32Array<ArrayBuffer>;
  readonly partKinds: Uint8Array<ArrayBuffer>;
  readonly ringOffsets: Uint32Array<ArrayBuffer>;
  readonly coordOffsets: Uint32Array<ArrayBuffer>;
  readonly coordinates: Float64Array<ArrayBuffer>;
  /**
   * Only where the coordinates are in a file: copies ordinates `[from, to)` to `target` from index `at` on. `coordinates` reads all
   * of them, and is valid until those of another such column are read.
   */
  copyOrdinates?(from: number, to: number, target: Float64Array, at: number): void;
}

export function strideOf(dimensions: Dimensions): 2 | 3 | 4 {
  return dimensions === 'XY' ? 2 : dimensions === 'XYZM' ? 4 : 3;
}

export function hasZ(dimensions: Dimensions): boolean {
  return dimensions === 'XYZ' || dimensions === 'XYZM';
}

export function hasM(dimensions: Dimensions): boolean {
  return dimensions === 'XYM' || dimensions === 'XYZM';
}

export function dimensionsOf(z: boolean, m: boolean): Dimensions {
  return z ? (m ? 'XYZM' : 'XYZ') : m ? 'XYM' : 'XY';
}

export function geometryBuffers(column: GeometryColumn): ArrayBuffer[] {
  return [
    column.types.buffer,
    column.partOffsets.buffer,
    column.partKinds.buffer,
    column.ringOffsets.buffer,
    column.coordOffsets.buffer,
    column.coordinates.buffer,
  ];
}

/**
 * Builds a geometry column front to back: push positions, then `endRing`, then `endPart`, then `endFeature`.
 * `coordinates` and `coordinateLength` (in ordinates, not positions) are public for hot loops: `reserve(n)` once, then
 * write `coordinates[coordinateLength++]` up to n times, always whole positions.
 */
export class GeometryBuilder {
  dimensions: Dimensions;
  stride: 2 | 3 | 4;
  coordinates: Float64Array<ArrayBuffer>;
  coordinateLength = 0;
  featureCount = 0;
  partCount = 0;
  ringCount = 0;
  #types: Uint8Array<ArrayBuffer>;
  #partOffsets: Uint32Array<ArrayBuffer>;
  #partKinds: Uint8Array<ArrayBuffer>;
  #ringOffsets: Uint32Array<ArrayBuffer>;
  #coordOffsets: Uint32Array<ArrayBuffer>;

  /** The expected counts avoid reallocation if the reader knows them. */
  constructor(dimensions: Dimensions = 'XY', expectedFeatures = 1 << 10, expectedPositions = 1 << 13) {
    this.dimensions = dimensions;
    this.stride = strideOf(dimensions);
    const features = Math.max(expectedFeatures, 8);
    this.coordinates = new Float64Array(Math.max(expectedPositions, 8) * this.stride);
    this.#types = new Uint8Array(features);
    this.#partOffsets = new Uint32Array(features + 1);
    this.#partKinds = new Uint8Array(features);
    this.#ringOffsets = new Uint32Array(features + 1);
    this.#coordOffsets = new Uint32Array(features + 1);
  }

  /** Reserves memory for `ordinateCount` more ordinates. Invalidates earlier references to `coordinates`. */
  reserve(ordinateCount: number): void {
    const needed = this.coordinateLength + ordinateCount;
    if (needed <= this.coordinates.length) return;
    const grown = new Float64Array(Math.max(needed, this.coordinates.length * 2));
    grown.set(this.coordinates.subarray(0, this.coordinateLength));
    this.coordinates = grown;
  }

  /** Adds Z and/or M ordinates to all past and future positions; those of past positions become NaN. */
  widen(dimensions: Dimensions): void {
    const z = hasZ(this.dimensions) || hasZ(dimensions);
    const m = hasM(this.dimensions) || hasM(dimensions);
    const widened = dimensionsOf(z, m);
    if (widened === this.dimensions) return;
    const free = (this.coordinates.length - this.coordinateLength) / this.stride;
    this.coordinates = restride(
      this.coordinates.subarray(0, this.coordinateLength),
      this.dimensions,
      widened,
    );
    this.coordinateLength = this.coordinates.length;
    this.dimensions = widened;
    this.stride = strideOf(widened);
    this.reserve(Math.max(free * this.stride, 1 << 12));
  }

  /** Appends a position; `z` and `m` are written if the batch has them. */
  position(x: number, y: number, z = Number.NaN, m = Number.NaN): void {
    this.reserve(4);
    const { coordinates } = this;
    let at = this.coordinateLength;
    coordinates[at++] = x;
    coordinates[at++] = y;
    if (hasZ(this.dimensions)) coordinates[at++] = z;
    if (hasM(this.dimensions)) coordinates[at++] = m;
    this.coordinateLength = at;
  }

  get positionCount(): number {
    return this.coordinateLength / this.stride;
  }

  endRing(): void {
    const ring = ++this.ringCount;
    if (ring >= this.#coordOffsets.length) this.#coordOffsets = doubled32(this.#coordOffsets);
    this.#coordOffsets[ring] = this.coordinateLength / this.stride;
  }

  /** `kind` is a PART_KIND, in collections with a MULTI mark. */
  endPart(kind: number): void {
    const part = this.partCount++;
    if (part >= this.#partKinds.length) this.#partKinds = doubled8(this.#partKinds);
    if (part + 1 >= this.#ringOffsets.length) this.#ringOffsets = doubled32(this.#ringOffsets);
    this.#partKinds[part] = kind;
    this.#ringOffsets[part + 1] = this.ringCount;
  }

  /** Changes the kind of a part: for readers that know only after its members whether a geometry is a collection. */
  markPart(part: number, kind: number): void {
    this.#partKinds[part] = kind;
  }

  /** `type` is a GEOMETRY_TYPE; the feature consists of the parts ended since the previous feature. */
  endFeature(type: number): void {
    const feature = this.featureCount++;
    if (feature >= this.#types.length) this.#types = doubled8(this.#types);
    if (feature + 1 >= this.#partOffsets.length) this.#partOffsets = doubled32(this.#partOffsets);
    this.#types[feature] = type;
    this.#partOffsets[feature + 1] = this.partCount;
  }

  /** Discards everything since the last `endFeature`: for readers that find an invalid geometry halfway. */
  rollback(): void {
    this.rewind(this.#partOffsets[this.featureCount]);
  }

  /** Discards all parts from `partCount` on and the unfinished part. */
  rewind(partCount: number): void {
    this.partCount = partCount;
    this.ringCount = this.#ringOffsets[this.partCount];
    this.coordinateLength = this.#coordOffsets[this.ringCount] * this.stride;
  }

  finish(): GeometryColumn {
    return {
      dimensions: this.dimensions,
      types: trimmed(this.#types, this.featureCount),
      partOffsets: trimmed(this.#partOffsets, this.featureCount + 1),
      partKinds: trimmed(this.#partKinds, this.partCount),
      ringOffsets: trimmed(this.#ringOffsets, this.partCount + 1),
      coordOffsets: trimmed(this.#coordOffsets, this.ringCount + 1),
      coordinates: trimmed(this.coordinates, this.coordinateLength),
    };
  }

  /**
   * As `finish`, but frees reserved memory that the column does not use, instead of leaving it to a collection of garbage: V8 collects
   * more often the more such memory there is. The builder is unusable afterwards.
   */
  take(): GeometryColumn {
    const column = this.finish();
    if (this.coordinates.buffer !== column.coordinates.buffer) this.coordinates.buffer.transfer(0);
    return column;
  }
}

/** The same positions with other dimensions: new ordinates are NaN, ordinates missing in the target are dropped. */
export function restride(
  coordinates: Float64Array,
  from: Dimensions,
  to: Dimensions,
): Float64Array<ArrayBuffer> {
  const fromStride = strideOf(from);
  const toStride = strideOf(to);
  const count = coordinates.length / fromStride;
  const result = new Float64Array(count * toStride);
  const zFrom = hasZ(from) ? 2 : -1;
  const mFrom = hasM(from) ? fromStride - 1 : -1;
  const zTo = hasZ(to) ? 2 : -1;
  const mTo = hasM(to) ? toStride - 1 : -1;
  for (let i = 0, s = 0, t = 0; i < count; i++, s += fromStride, t += toStride) {
    result[t] = coordinates[s];
    result[t + 1] = coordinates[s + 1];
    if (zTo > 0) result[t + zTo] = zFrom > 0 ? coordinates[s + zFrom] : Number.NaN;
    if (mTo > 0) result[t + mTo] = mFrom > 0 ? coordinates[s + mFrom] : Number.NaN;
  }
  return result;
}

function doubled8(array: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(array.length * 2);
  grown.set(array);
  return grown;
}

function doubled32(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(array.length * 2);
  grown.set(array);
  return grown;
}
