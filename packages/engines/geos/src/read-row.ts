/** Makes a geometry of GEOS from a row of a geometry column: coordinates are copied through the scratch block, without objects per vertex. */
import {
  GEOMETRY_TYPE,
  type GeometryColumn,
  hasZ,
  PART_KIND,
  PART_KIND_MASK,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import type { GeosModule } from './module.ts';
import { GEOS_TYPE, type Pointer } from './native.ts';

/** The minimum for GEOS; shorter ones are padded with their last position, so that they are invalid instead of errors. */
const LINE_POSITIONS = 2;
const RING_POSITIONS = 4;

/** The multi type of GEOS for a PART_KIND. */
const MULTI_OF_KIND = [0, GEOS_TYPE.multiPoint, GEOS_TYPE.multiLineString, GEOS_TYPE.multiPolygon] as const;

export class RowReader {
  readonly #module: GeosModule;
  /** Geometries that no other one owns yet; they are freed after an error. */
  readonly #pending: Pointer[] = [];
  #column!: GeometryColumn;
  #stride = 2;
  #withZ = false;

  constructor(module: GeosModule) {
    this.#module = module;
  }

  /** A geometry that the caller owns. Rings are closed, M is left out; null rows are empty collections. */
  read(column: GeometryColumn, row: number): Pointer {
    this.#begin(column);
    try {
      this.#withZ = this.#hasZ(row, row + 1);
      this.#geometry(row);
      return this.#pending.pop()!;
    } catch (thrown) {
      throw this.#abandon(thrown);
    }
  }

  /** The parts of many rows as the members of one collection, for a union; no member is a multi geometry. */
  readParts(column: GeometryColumn, rows: ArrayLike<number>): Pointer {
    this.#begin(column);
    try {
      for (let i = 0; i < rows.length; i++) {
        const row = rows[i];
        this.#withZ = this.#hasZ(row, row + 1);
        for (let part = column.partOffsets[row]; part < column.partOffsets[row + 1]; part++) this.#part(part);
      }
      this.#collect(GEOS_TYPE.geometryCollection, 0);
      return this.#pending.pop()!;
    } catch (thrown) {
      throw this.#abandon(thrown);
    }
  }

  /** A polygon of closed rings, the first its shell: ring i has positions `[ringEnds[i - 1], ringEnds[i])`, XY. */
  polygon(coordinates: Float64Array, ringEnds: ArrayLike<number>): Pointer {
    try {
      let start = 0;
      for (let i = 0; i < ringEnds.length; i++) {
        this.#ring(coordinates, 2, start, ringEnds[i], false);
        start = ringEnds[i];
      }
      this.#closePolygon(0);
      return this.#pending.pop()!;
    } catch (thrown) {
      throw this.#abandon(thrown);
    }
  }

  /** A line through the positions, XY. */
  line(coordinates: Float64Array): Pointer {
    try {
      this.#line(coordinates, 2, 0, coordinates.length / 2, false);
      return this.#pending.pop()!;
    } catch (thrown) {
      throw this.#abandon(thrown);
    }
  }

  #begin(column: GeometryColumn): void {
    this.#column = column;
    this.#stride = strideOf(column.dimensions);
  }

  #abandon(thrown: unknown): unknown {
    const error = this.#module.trapped('reading a geometry', thrown);
    const { native, context, isBroken } = this.#module;
    if (!isBroken) for (const pointer of this.#pending) native.GEOSGeom_destroy_r(context, pointer);
    this.#pending.length = 0;
    return error;
  }

  #hasZ(rowStart: number, rowEnd: number): boolean {
    const { dimensions, partOffsets, ringOffsets, coordOffsets, coordinates } = this.#column;
    if (!hasZ(dimensions)) return false;
    const stride = this.#stride;
    const end = coordOffsets[ringOffsets[partOffsets[rowEnd]]] * stride;
    for (let at = coordOffsets[ringOffsets[partOffsets[rowStart]]] * stride + 2; at < end; at += stride)
      if (!Number.isNaN(coordinates[at])) return true;
    return false;
  }

  #geometry(row: number): void {
    const { types, partOffsets } = this.#column;
    const type = types[row];
    const partStart = partOffsets[row];
    const partEnd = partOffsets[row + 1];
    const { native, context } = this.#module;
    if (type === GEOMETRY_TYPE.geometryCollection || type === GEOMETRY_TYPE.none) {
      this.#members(partStart, partEnd);
    } else if (type >= GEOMETRY_TYPE.multiPoint) {
      const first = this.#pending.length;
      for (let part = partStart; part < partEnd; part++) this.#part(part);
      this.#collect(MULTI_OF_KIND[type - 3], first);
    } else if (partStart < partEnd) this.#part(partStart);
    else if (type === GEOMETRY_TYPE.point) this.#push(native.GEOSGeom_createEmptyPoint_r(context));
    else if (type === GEOMETRY_TYPE.lineString) this.#push(native.GEOSGeom_createEmptyLineString_r(context));
    else this.#push(native.GEOSGeom_createEmptyPolygon_r(context));
  }

  #members(partStart: number, partEnd: number): void {
    const { partKinds } = this.#column;
    const first = this.#pending.length;
    for (let part = partStart; part < partEnd; ) {
      if ((partKinds[part] & PART_MULTI_FIRST) === 0) {
        this.#part(part++);
        continue;
      }
      const member = this.#pending.length;
      const kind = partKinds[part] & PART_KIND_MASK;
      do this.#part(part++);
      while (part < partEnd && (partKinds[part] & PART_MULTI_NEXT) !== 0);
      this.#collect(MULTI_OF_KIND[kind], member);
    }
    this.#collect(GEOS_TYPE.geometryCollection, first);
  }

  #part(part: number): void {
    const { partKinds, ringOffsets, coordOffsets, coordinates } = this.#column;
    const kind = partKinds[part] & PART_KIND_MASK;
    const ringStart = ringOffsets[part];
    const ringEnd = ringOffsets[part + 1];
    if (kind === PART_KIND.polygon) {
      const first = this.#pending.length;
      for (let ring = ringStart; ring < ringEnd; ring++)
        this.#ring(coordinates, this.#stride, coordOffsets[ring], coordOffsets[ring + 1], this.#withZ);
      this.#closePolygon(first);
      return;
    }
    const start = coordOffsets[ringStart];
    const end = ringStart < ringEnd ? coordOffsets[ringStart + 1] : start;
    if (kind === PART_KIND.line) this.#line(coordinates, this.#stride, start, end, this.#withZ);
    else this.#point(coordinates, start, end);
  }

  #point(coordinates: Float64Array, start: number, end: number): void {
    const { native, context } = this.#module;
    const sequence = this.#sequence(
      coordinates,
      this.#stride,
      start,
      Math.min(end, start + 1),
      this.#withZ,
      0,
    );
    this.#push(native.GEOSGeom_createPoint_r(context, sequence));
  }

  #line(coordinates: Float64Array, stride: number, start: number, end: number, withZ: boolean): void {
    const { native, context } = this.#module;
    const least = start < end ? LINE_POSITIONS : 0;
    const sequence = this.#sequence(coordinates, stride, start, end, withZ, least);
    this.#push(native.GEOSGeom_createLineString_r(context, sequence));
  }

  #ring(coordinates: Float64Array, stride: number, start: number, end: number, withZ: boolean): void {
    const { native, context } = this.#module;
    const least = start < end ? RING_POSITIONS : 0;
    const sequence = this.#sequence(coordinates, stride, start, end, withZ, least);
    this.#push(native.GEOSGeom_createLinearRing_r(context, sequence));
  }

  /** A new sequence of the positions; with `least` RING_POSITIONS it is closed. */
  #sequence(
    coordinates: Float64Array,
    stride: number,
    start: number,
    end: number,
    withZ: boolean,
    least: number,
  ): Pointer {
    const module = this.#module;
    const count = end - start;
    const width = withZ ? 3 : 2;
    const scratch = module.scratch((count + RING_POSITIONS) * width);
    const target = module.doubles;
    const first = scratch / 8;
    let to = first;
    for (let at = start * stride, last = end * stride; at < last; at += stride) {
      target[to++] = coordinates[at];
      target[to++] = coordinates[at + 1];
      if (withZ) target[to++] = coordinates[at + 2];
    }
    let written = count;
    if (least === RING_POSITIONS) {
      const last = to - width;
      if (target[first] !== target[last] || target[first + 1] !== target[last + 1]) {
        target.copyWithin(to, first, first + width);
        to += width;
        written++;
      }
    }
    for (; written < least; written++, to += width) target.copyWithin(to, to - width, to);
    const { native, context } = module;
    const sequence = native.GEOSCoordSeq_copyFromBuffer_r(context, scratch, written, withZ ? 1 : 0, 0);
    if (sequence === 0) throw module.refusal('reading a geometry');
    return sequence;
  }

  /** The pending rings from `first` on become a polygon. */
  #closePolygon(first: number): void {
    const { native, context } = this.#module;
    const pending = this.#pending;
    if (pending.length === first) {
      this.#push(native.GEOSGeom_createEmptyPolygon_r(context));
      return;
    }
    const holeCount = pending.length - first - 1;
    const holes = holeCount === 0 ? 0 : this.#pointers(first + 1);
    const shell = pending[first];
    pending.length = first;
    this.#push(native.GEOSGeom_createPolygon_r(context, shell, holes, holeCount));
  }

  /** The pending geometries from `first` on become the members of a collection of the type. */
  #collect(type: number, first: number): void {
    const { native, context } = this.#module;
    const count = this.#pending.length - first;
    const members = this.#pointers(first);
    this.#pending.length = first;
    this.#push(native.GEOSGeom_createCollection_r(context, type, members, count));
  }

  /** The pending pointers from `first` on as a C array in the scratch block. */
  #pointers(first: number): Pointer {
    const pending = this.#pending;
    const scratch = this.#module.scratch((pending.length - first + 1) >> 1);
    const { words } = this.#module;
    for (let i = first, to = scratch / 4; i < pending.length; i++) words[to++] = pending[i];
    return scratch;
  }

  #push(geometry: Pointer): void {
    if (geometry === 0) throw this.#module.refusal('reading a geometry');
    this.#pending.push(geometry);
  }
}
