/**
 * Reads well-known binary (ISO 19125-1, OGC 06-103r4 chapter 8) directly into a GeometryBuilder.
 *
 *     byte order  u8   0 big-endian, 1 little-endian; every member of a multi geometry has its own
 *     type        u32  1 to 7, curves 8 to 12, +1000 with Z, +2000 with M, +3000 with both
 *     EWKB             the same with flags instead: 0x80000000 Z, 0x40000000 M, 0x20000000 an SRID (u32) follows
 *
 * Counts are checked against the remaining bytes before anything is allocated.
 */
import { ArcStroker, DEFAULT_STROKING, type Stroking } from './arc.ts';
import {
  CURVE_TYPE,
  isArcPositionCount,
  isMemberType,
  joinMember,
  LINEAR_TYPES,
  memberReason,
} from './curve.ts';
import {
  type Dimensions,
  dimensionsOf,
  GEOMETRY_TYPE,
  type GeometryBuilder,
  hasM,
  hasZ,
  PART_KIND,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
  strideOf,
} from './geometry-column.ts';
import { GEOMETRY_NOTE } from './geometry-notes.ts';
import { closeRing } from './rings.ts';
import { WkbScanner } from './wkb-scanner.ts';

const MAX_DEPTH = 32;
const EWKB_Z = 0x80000000;
const EWKB_M = 0x40000000;
const EWKB_SRID = 0x20000000;
/** Byte order, type and a count: the shortest member of a multi geometry (points are longer). */
const LEAST_MEMBER_BYTES = 9;

/** ISO type codes after 7 of surfaces with straight edges. */
const POLYHEDRAL_SURFACE = 15; // and 16, the TIN
const TRIANGLE = 17;
const ABSTRACT_NAMES: Readonly<Record<number, string>> = { 13: 'Curve', 14: 'Surface' };

/** Reads one geometry per call; reuse one instance. */
export class WkbReader extends WkbScanner {
  /** SRID of the last geometry's EWKB header; 0 if it has none. */
  srid = 0;
  /** Bits of GEOMETRY_NOTE for the last geometry. */
  notes = 0;
  #builder!: GeometryBuilder;
  #depth = 0;
  readonly #stroker: ArcStroker;
  // The current header.
  #type = 0;
  #dimensions: Dimensions = 'XY';

  constructor(stroking: Stroking = DEFAULT_STROKING) {
    super();
    this.#stroker = new ArcStroker(stroking);
  }

  /**
   * Appends the geometry at `bytes[start]` to the builder as one feature; returns the offset after it, at most `end`.
   * Throws WKB_SYNTAX with the offset from `start`; then call the builder's `rollback()`.
   */
  read(bytes: Uint8Array, start: number, end: number, builder: GeometryBuilder): number {
    builder.endFeature(this.readParts(bytes, start, end, builder));
    return this.at;
  }

  /**
   * Appends the parts of the geometry at `bytes[start]`; the caller checks what follows it (see `end`). Returns its
   * GEOMETRY_TYPE, for the builder's `endFeature`. Throws as `read` does.
   */
  readParts(bytes: Uint8Array, start: number, end: number, builder: GeometryBuilder): number {
    this.open(bytes, start, end);
    this.#builder = builder;
    this.#depth = 0;
    this.srid = 0;
    this.notes = 0;
    this.#readHeader();
    const type = this.#type;
    this.#readBody(false);
    return LINEAR_TYPES[type];
  }

  /** Offset of the first byte after the last geometry. */
  get end(): number {
    return this.at;
  }

  #readHeader(): void {
    const start = this.at;
    this.need(5, 'a geometry header');
    const order = this.bytes[start];
    if (order > 1) throw this.fail(start, `the byte order is ${order}; it is 0 or 1`);
    this.littleEndian = order === 1;
    this.at++;
    const code = this.uint32();
    const plain = code & 0x1fffffff;
    const iso = Math.floor(plain / 1000);
    let type = plain % 1000;
    if (iso > 3 || type < 1 || type > TRIANGLE) throw this.fail(start + 1, `${code} is not a geometry type`);
    if (type >= POLYHEDRAL_SURFACE) {
      this.notes |= GEOMETRY_NOTE.surface;
      type = type === TRIANGLE ? GEOMETRY_TYPE.polygon : GEOMETRY_TYPE.multiPolygon;
    } else if (type > CURVE_TYPE.multiSurface)
      throw this.fail(start + 1, `${ABSTRACT_NAMES[type]} is an abstract type: no geometry has it`);
    this.#type = type;
    this.#dimensions = dimensionsOf(
      (code & EWKB_Z) !== 0 || iso === 1 || iso === 3,
      (code & EWKB_M) !== 0 || iso >= 2,
    );
    if ((code & EWKB_SRID) !== 0) {
      this.need(4, 'an SRID');
      this.srid = this.uint32();
    }
  }

  /** Reads what follows the current header. Part kinds and the type codes of single geometries are the same numbers. */
  #readBody(isMember: boolean): void {
    const type = this.#type;
    const linear = LINEAR_TYPES[type];
    if (type === GEOMETRY_TYPE.geometryCollection) this.#readCollection(isMember);
    else if (linear >= GEOMETRY_TYPE.multiPoint) this.#readMulti(type, isMember);
    else if (!this.#readPart(type, linear) && isMember) this.#builder.endPart(linear);
  }

  /** Reads a point, line, polygon or curve as one part; returns false if it is empty and so has no part. */
  #readPart(type: number, marks: number): boolean {
    const builder = this.#builder;
    const kind = LINEAR_TYPES[type];
    if (kind === PART_KIND.polygon) {
      const isCurved = type === CURVE_TYPE.curvePolygon;
      const ringCount = this.count(isCurved ? LEAST_MEMBER_BYTES : 4, 'rings');
      const before = builder.ringCount;
      for (let ring = 0; ring < ringCount; ring++) this.#readRing(isCurved);
      if (builder.ringCount === before) return false;
    } else if (kind === PART_KIND.line) {
      const firstPosition = builder.positionCount;
      this.#readLine(type);
      const count = builder.positionCount - firstPosition;
      if (count === 0) return false;
      if (count === 1) this.notes |= GEOMETRY_NOTE.degenerate;
      builder.endRing();
    } else {
      if (!this.#readPositions(1, true)) return false;
      builder.endRing();
    }
    builder.endPart(marks);
    return true;
  }

  #readRing(isCurved: boolean): void {
    const builder = this.#builder;
    const firstPosition = builder.positionCount;
    if (isCurved) this.#readLine(this.#readMemberHeader(CURVE_TYPE.curvePolygon));
    else this.#readPositions(this.#positionCount(), false);
    let count = builder.positionCount - firstPosition;
    if (count === 0) {
      this.notes |= GEOMETRY_NOTE.emptyMember;
      return;
    }
    if (closeRing(builder, firstPosition)) {
      count++;
      this.notes |= GEOMETRY_NOTE.ringClosed;
    }
    if (count < 4) this.notes |= GEOMETRY_NOTE.degenerate;
    builder.endRing();
  }

  /** Appends only the positions of a line, arcs or a compound curve. */
  #readLine(type: number): void {
    if (type === CURVE_TYPE.compoundCurve) {
      this.#readCompound();
      return;
    }
    const at = this.at;
    const firstPosition = this.#builder.positionCount;
    const count = this.#positionCount();
    const isArcs = type === CURVE_TYPE.circularString;
    if (isArcs && !isArcPositionCount(count))
      throw this.fail(at, `a circular string has 3, 5, 7, ... positions, this one has ${count}`);
    this.#readPositions(count, false);
    if (!isArcs) return;
    if (this.#stroker.replaceControls(this.#builder, firstPosition)) this.notes |= GEOMETRY_NOTE.curve;
  }

  #readCompound(): void {
    const builder = this.#builder;
    const count = this.count(LEAST_MEMBER_BYTES, 'members');
    const firstPosition = builder.positionCount;
    for (let i = 0; i < count; i++) {
      const type = this.#readMemberHeader(CURVE_TYPE.compoundCurve);
      const memberPosition = builder.positionCount;
      this.#readLine(type);
      if (builder.positionCount === memberPosition) this.notes |= GEOMETRY_NOTE.emptyMember;
      else if (memberPosition > firstPosition && joinMember(builder, memberPosition))
        this.notes |= GEOMETRY_NOTE.curveGap;
    }
  }

  /** `type` is that of the multi geometry. */
  #readMulti(type: number, isMember: boolean): void {
    const count = this.count(LEAST_MEMBER_BYTES, 'members');
    const kind = LINEAR_TYPES[type] - GEOMETRY_TYPE.multiPoint + 1;
    let parts = 0;
    for (let i = 0; i < count; i++) {
      const member = this.#readMemberHeader(type);
      const marks = !isMember ? kind : kind | (parts === 0 ? PART_MULTI_FIRST : PART_MULTI_NEXT);
      if (this.#readPart(member, marks)) parts++;
      else this.notes |= GEOMETRY_NOTE.emptyMember;
    }
    if (parts === 0 && isMember) this.#builder.endPart(kind | PART_MULTI_FIRST);
  }

  /** Reads the header of a member of a geometry of type `parent`; returns its type. */
  #readMemberHeader(parent: number): number {
    const at = this.at;
    this.#readHeader();
    const type = this.#type;
    if (!isMemberType(parent, type)) throw this.fail(at, memberReason(parent, type));
    return type;
  }

  #readCollection(isMember: boolean): void {
    if (isMember) this.notes |= GEOMETRY_NOTE.flattened;
    if (++this.#depth > MAX_DEPTH)
      throw this.fail(this.at, `collections are nested deeper than ${MAX_DEPTH} levels`);
    const count = this.count(LEAST_MEMBER_BYTES, 'members');
    for (let i = 0; i < count; i++) {
      this.#readHeader();
      this.#readBody(true);
    }
    this.#depth--;
  }

  /** Reads `count` positions. A point with NaN as x and y is empty: returns false and appends nothing. */
  #readPositions(count: number, isPoint: boolean): boolean {
    const builder = this.#builder;
    const dimensions = this.#dimensions;
    if (isPoint) this.need(strideOf(dimensions) * 8, 'a position');
    if (dimensions !== builder.dimensions) builder.widen(dimensions);
    builder.reserve(count * builder.stride);
    // Nearly all positions are XY, little-endian.
    if (builder.stride === 2 && this.littleEndian && this.#readPlainPositions(count)) return true;
    const stride = strideOf(dimensions);
    const view = this.view;
    const littleEndian = this.littleEndian;
    const { coordinates } = builder;
    const z = hasZ(dimensions) ? 16 : 0;
    const m = hasM(dimensions) ? stride * 8 - 8 : 0;
    const zWanted = hasZ(builder.dimensions);
    const mWanted = hasM(builder.dimensions);
    let length = builder.coordinateLength;
    let at = this.at;
    for (let i = 0; i < count; i++, at += stride * 8) {
      const x = view.getFloat64(at, littleEndian);
      const y = view.getFloat64(at + 8, littleEndian);
      if (!Number.isFinite(x) || !Number.isFinite(y)) {
        if (isPoint && Number.isNaN(x) && Number.isNaN(y)) {
          this.at = at + stride * 8;
          return false;
        }
        throw this.fail(at, 'x and y must be finite numbers');
      }
      coordinates[length++] = x;
      coordinates[length++] = y;
      if (zWanted) coordinates[length++] = z === 0 ? Number.NaN : view.getFloat64(at + z, littleEndian);
      if (mWanted) coordinates[length++] = m === 0 ? Number.NaN : view.getFloat64(at + m, littleEndian);
    }
    builder.coordinateLength = length;
    this.at = at;
    return true;
  }

  /** The hot loop: little-endian XY. Returns false and appends nothing if one of them is not finite. */
  #readPlainPositions(count: number): boolean {
    const builder = this.#builder;
    const { coordinates } = builder;
    const view = this.view;
    let length = builder.coordinateLength;
    let at = this.at;
    // Faster here than copying the bytes and checking afterwards, for lists of any length.
    for (let i = 0; i < count; i++, at += 16) {
      const x = view.getFloat64(at, true);
      const y = view.getFloat64(at + 8, true);
      if (!Number.isFinite(x) || !Number.isFinite(y)) return false;
      coordinates[length++] = x;
      coordinates[length++] = y;
    }
    builder.coordinateLength = length;
    this.at = at;
    return true;
  }

  #positionCount(): number {
    return this.count(strideOf(this.#dimensions) * 8, 'positions');
  }
}
