/**
 * Reads the geometry of a feature into a GeometryBuilder.
 *
 *     ends    [u32]   where each line or ring ends in the positions; missing if there is only one
 *     xy      [f64]   positions; z, m: one number for each; t, tm: times, which are not read
 *     type    u8      as in well-known binary. Default: that of the layer
 *     parts   members of a multi polygon, a collection, or a geometry with curves
 */
import { ArcStroker, DEFAULT_STROKING } from '@geomill/core/geometry/arc.ts';
import {
  CURVE_TYPE,
  isArcPositionCount,
  isMemberType,
  joinMember,
  LINEAR_TYPES,
  memberReason,
} from '@geomill/core/geometry/curve.ts';
import {
  dimensionsOf,
  GEOMETRY_TYPE,
  GEOMETRY_TYPE_NAMES,
  type GeometryBuilder,
  PART_KIND,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
} from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE } from '@geomill/core/geometry/geometry-notes.ts';
import { closeRing } from '@geomill/core/geometry/rings.ts';
import { FlatFault, type FlatTables } from './flat-tables.ts';

export const GEOMETRY = { ends: 0, xy: 1, z: 2, m: 3, t: 4, tm: 5, type: 6, parts: 7 } as const;

const MAX_DEPTH = 32;
/** Type codes of surfaces with straight edges. */
const POLYHEDRAL_SURFACE = 15;
const TIN = 16;
const TRIANGLE = 17;

/** Reads one geometry per call; reuse one instance. */
export class GeometryReader {
  /** Bits of GEOMETRY_NOTE for the last geometry. */
  notes = 0;
  /** The last geometry has times. */
  hasTimes = false;
  readonly #tables: FlatTables;
  readonly #builder: GeometryBuilder;
  readonly #stroker = new ArcStroker(DEFAULT_STROKING);
  // Of the table that was loaded last: positions of the vectors, 0 if they are not set, and their lengths.
  #type = 0;
  #ends = 0;
  #endCount = 0;
  #xy = 0;
  #z = 0;
  #m = 0;
  #positionCount = 0;
  #parts = 0;
  #partCount = 0;

  constructor(tables: FlatTables, builder: GeometryBuilder) {
    this.#tables = tables;
    this.#builder = builder;
  }

  /** Appends the geometry as one feature. `layerType`: its type if it states none. Throws FlatFault. */
  read(table: number, layerType: number): void {
    this.notes = 0;
    this.hasTimes = false;
    this.#builder.endFeature(this.#readGeometry(table, layerType, false, 0));
  }

  /** Appends the parts of a geometry; returns its GEOMETRY_TYPE. */
  #readGeometry(table: number, otherwise: number, isMember: boolean, depth: number): number {
    if (depth > MAX_DEPTH) throw new FlatFault(`its geometries are nested deeper than ${MAX_DEPTH} levels`);
    this.#load(table, otherwise);
    const type = this.#type;
    switch (type) {
      case GEOMETRY_TYPE.multiPoint:
      case GEOMETRY_TYPE.multiLineString:
      case TIN:
        return this.#readLists(type, isMember);
      case GEOMETRY_TYPE.multiPolygon:
      case CURVE_TYPE.multiCurve:
      case CURVE_TYPE.multiSurface:
      case POLYHEDRAL_SURFACE:
        return this.#readMulti(type, isMember, depth);
      case GEOMETRY_TYPE.geometryCollection:
        return this.#readCollection(isMember, depth);
      default: {
        const kind = this.#linearType();
        if (!this.#readPart(kind, depth) && isMember) this.#builder.endPart(kind);
        return kind;
      }
    }
  }

  /** Reads the slots of a geometry table. Throws if its lists do not fit together. */
  #load(table: number, otherwise: number): void {
    const tables = this.#tables;
    tables.enter(table);
    this.#type = tables.uint8(GEOMETRY.type) || otherwise;
    const ends = tables.slot(GEOMETRY.ends, 4);
    const xy = tables.slot(GEOMETRY.xy, 4);
    const z = tables.slot(GEOMETRY.z, 4);
    const m = tables.slot(GEOMETRY.m, 4);
    const parts = tables.slot(GEOMETRY.parts, 4);
    if (tables.slot(GEOMETRY.t, 4) !== 0 || tables.slot(GEOMETRY.tm, 4) !== 0) this.hasTimes = true;
    this.#xy = xy === 0 ? 0 : tables.vectorAt(xy, 8);
    const ordinates = xy === 0 ? 0 : tables.count;
    if (ordinates % 2 !== 0) throw new FlatFault(`its positions have ${ordinates} ordinates, an odd number`);
    this.#positionCount = ordinates / 2;
    this.#z = z === 0 ? 0 : this.#ordinates(z, 'Z');
    this.#m = m === 0 ? 0 : this.#ordinates(m, 'M');
    this.#ends = ends === 0 ? 0 : tables.vectorAt(ends, 4);
    this.#endCount = ends === 0 ? 0 : tables.count;
    this.#parts = parts === 0 ? 0 : tables.vectorAt(parts, 4);
    this.#partCount = parts === 0 ? 0 : tables.count;
    if (ordinates > 0 && this.#partCount > 0) throw new FlatFault('a geometry has both positions and parts');
  }

  /** An empty list is as good as none. */
  #ordinates(slot: number, name: string): number {
    const start = this.#tables.vectorAt(slot, 8);
    const { count } = this.#tables;
    if (count === 0) return 0;
    if (count !== this.#positionCount)
      throw new FlatFault(`it has ${count} ${name} values for ${this.#positionCount} positions`);
    return start;
  }

  /** The point, line or polygon that the loaded geometry becomes. */
  #linearType(): number {
    const type = this.#type;
    if (type === TRIANGLE) {
      this.notes |= GEOMETRY_NOTE.surface;
      return GEOMETRY_TYPE.polygon;
    }
    const linear = type === 0 ? undefined : LINEAR_TYPES[type];
    if (linear === undefined || linear > GEOMETRY_TYPE.polygon)
      throw new FlatFault(
        type === 0
          ? 'neither a geometry nor its layer has a type'
          : `${type} is no geometry type that it can have`,
      );
    return linear;
  }

  /** Reads the loaded point, line, polygon or curve as one part; returns false if it is empty and so has no part. */
  #readPart(marks: number, depth: number): boolean {
    const builder = this.#builder;
    const type = this.#type;
    const kind = type === TRIANGLE ? PART_KIND.polygon : LINEAR_TYPES[type];
    if (kind === PART_KIND.polygon) {
      const before = builder.ringCount;
      if (type === CURVE_TYPE.curvePolygon) this.#readCurvedRings(depth);
      else this.#readRings();
      if (builder.ringCount === before) return false;
    } else {
      const first = builder.positionCount;
      if (kind === PART_KIND.line) this.#readLine(depth);
      else this.#readPoint();
      const count = builder.positionCount - first;
      if (count === 0) return false;
      if (count === 1 && kind === PART_KIND.line) this.notes |= GEOMETRY_NOTE.degenerate;
      builder.endRing();
    }
    builder.endPart(marks);
    return true;
  }

  /** A point without numbers is empty, as in well-known binary. */
  #readPoint(): void {
    const count = this.#positionCount;
    this.#refuseParts();
    if (count > 1) throw new FlatFault(`a point has ${count} positions`);
    if (count === 1 && !this.#isNoPosition(0)) this.#appendPositions(0, 1);
  }

  #isNoPosition(index: number): boolean {
    const at = this.#xy + index * 16;
    const { view } = this.#tables;
    return Number.isNaN(view.getFloat64(at, true)) && Number.isNaN(view.getFloat64(at + 8, true));
  }

  #readRings(): void {
    this.#refuseParts();
    for (let ring = 0, start = 0; ring < this.#listCount(); ring++) {
      const end = this.#listEnd(ring, start);
      const first = this.#builder.positionCount;
      this.#appendPositions(start, end);
      this.#endRing(first);
      start = end;
    }
  }

  /** Ends the ring that begins at the position `first` of the builder. */
  #endRing(first: number): void {
    const builder = this.#builder;
    if (builder.positionCount === first) {
      this.notes |= GEOMETRY_NOTE.emptyMember;
      return;
    }
    if (closeRing(builder, first)) this.notes |= GEOMETRY_NOTE.ringClosed;
    if (builder.positionCount - first < 4) this.notes |= GEOMETRY_NOTE.degenerate;
    builder.endRing();
  }

  #readCurvedRings(depth: number): void {
    this.#eachPart(depth, CURVE_TYPE.curvePolygon, GEOMETRY_TYPE.lineString, () => {
      const first = this.#builder.positionCount;
      this.#readLine(depth + 1);
      this.#endRing(first);
    });
  }

  /** Appends only the positions of the loaded line, arcs or compound curve. */
  #readLine(depth: number): void {
    const type = this.#type;
    const builder = this.#builder;
    const first = builder.positionCount;
    if (type === CURVE_TYPE.compoundCurve) {
      this.#eachPart(depth, type, GEOMETRY_TYPE.lineString, () => {
        const member = builder.positionCount;
        this.#readLine(depth + 1);
        if (builder.positionCount === member) this.notes |= GEOMETRY_NOTE.emptyMember;
        else if (member > first && joinMember(builder, member)) this.notes |= GEOMETRY_NOTE.curveGap;
      });
      return;
    }
    this.#refuseParts();
    if (this.#endCount > 1) throw new FlatFault(`a line has ${this.#endCount} ends`);
    const count = this.#positionCount;
    const isArcs = type === CURVE_TYPE.circularString;
    if (isArcs && !isArcPositionCount(count))
      throw new FlatFault(`a circular string has 3, 5, 7, ... positions, this one has ${count}`);
    this.#appendPositions(0, count);
    if (isArcs && this.#stroker.replaceControls(builder, first)) this.notes |= GEOMETRY_NOTE.curve;
  }

  /** Reads the loaded multi geometry whose members are lists of positions. */
  #readLists(type: number, isMember: boolean): number {
    const builder = this.#builder;
    this.#refuseParts();
    const multi = type === TIN ? GEOMETRY_TYPE.multiPolygon : type;
    const kind = multi - GEOMETRY_TYPE.multiPoint + 1;
    if (type === TIN) this.notes |= GEOMETRY_NOTE.surface;
    const isPoints = type === GEOMETRY_TYPE.multiPoint;
    const count = isPoints ? this.#positionCount : this.#listCount();
    let parts = 0;
    for (let i = 0, start = 0; i < count; i++) {
      const end = isPoints ? i + 1 : this.#listEnd(i, start);
      if (start === end || (isPoints && this.#isNoPosition(i))) this.notes |= GEOMETRY_NOTE.emptyMember;
      else {
        const first = builder.positionCount;
        this.#appendPositions(start, end);
        if (type === TIN) this.#endRing(first);
        else {
          if (!isPoints && end - start === 1) this.notes |= GEOMETRY_NOTE.degenerate;
          builder.endRing();
        }
        builder.endPart(kindOfMember(kind, isMember, parts++));
      }
      start = end;
    }
    if (parts === 0 && isMember) builder.endPart(kind | PART_MULTI_FIRST);
    return multi;
  }

  /** Reads the loaded multi geometry whose members are parts. */
  #readMulti(type: number, isMember: boolean, depth: number): number {
    const builder = this.#builder;
    const isPolyhedral = type === POLYHEDRAL_SURFACE;
    if (isPolyhedral) this.notes |= GEOMETRY_NOTE.surface;
    const parent = isPolyhedral ? GEOMETRY_TYPE.multiPolygon : type;
    const multi = LINEAR_TYPES[parent];
    const kind = multi - GEOMETRY_TYPE.multiPoint + 1;
    let parts = 0;
    // Members of these types alone need not state their type.
    this.#eachPart(depth, parent, kind, () => {
      if (this.#readPart(kindOfMember(kind, isMember, parts), depth + 1)) parts++;
      else this.notes |= GEOMETRY_NOTE.emptyMember;
    });
    if (parts === 0 && isMember) builder.endPart(kind | PART_MULTI_FIRST);
    return multi;
  }

  #readCollection(isMember: boolean, depth: number): number {
    if (isMember) this.notes |= GEOMETRY_NOTE.flattened;
    if (this.#positionCount > 0) throw new FlatFault('a collection has positions of its own');
    const parts = this.#parts;
    const count = this.#partCount;
    for (let i = 0; i < count; i++)
      this.#readGeometry(this.#tables.tableAt(parts + 4 * i), 0, true, depth + 1);
    return GEOMETRY_TYPE.geometryCollection;
  }

  /** Loads one part of the loaded geometry after the other; `otherwise`: the type of those that state none. */
  #eachPart(depth: number, parent: number, otherwise: number, read: () => void): void {
    if (depth >= MAX_DEPTH) throw new FlatFault(`its geometries are nested deeper than ${MAX_DEPTH} levels`);
    if (this.#positionCount > 0)
      throw new FlatFault(`a ${GEOMETRY_TYPE_NAMES[LINEAR_TYPES[parent]]} has positions in place of parts`);
    const parts = this.#parts;
    const count = this.#partCount;
    for (let i = 0; i < count; i++) {
      this.#load(this.#tables.tableAt(parts + 4 * i), otherwise);
      if (this.#type === TRIANGLE) this.#type = GEOMETRY_TYPE.polygon;
      if (this.#type > CURVE_TYPE.multiSurface) throw new FlatFault(`a part has the type ${this.#type}`);
      if (!isMemberType(parent, this.#type)) throw new FlatFault(memberReason(parent, this.#type));
      read();
    }
  }

  #refuseParts(): void {
    if (this.#partCount > 0) throw new FlatFault(`a geometry of type ${this.#type} has parts`);
  }

  /** Number of lines or rings in the positions. */
  #listCount(): number {
    return this.#endCount > 0 ? this.#endCount : this.#positionCount > 0 ? 1 : 0;
  }

  /** End of a line or ring that begins at the position `start`. */
  #listEnd(list: number, start: number): number {
    if (this.#endCount === 0) return this.#positionCount;
    const end = this.#tables.view.getUint32(this.#ends + 4 * list, true);
    const isLast = list === this.#endCount - 1;
    if (end < start || end > this.#positionCount || (isLast && end !== this.#positionCount))
      throw new FlatFault(
        `the end ${end} of line or ring ${list + 1} does not fit ${this.#positionCount} positions`,
      );
    return end;
  }

  #appendPositions(start: number, end: number): void {
    const builder = this.#builder;
    const { view } = this.#tables;
    const z = this.#z;
    const m = this.#m;
    if (z !== 0 || m !== 0) builder.widen(dimensionsOf(z !== 0, m !== 0));
    const { stride, dimensions } = builder;
    builder.reserve((end - start) * stride);
    const { coordinates } = builder;
    let length = builder.coordinateLength;
    const zAt = dimensions === 'XYZ' || dimensions === 'XYZM' ? 2 : 0;
    const mAt = dimensions === 'XYM' || dimensions === 'XYZM' ? stride - 1 : 0;
    for (let i = start, at = this.#xy + start * 16; i < end; i++, at += 16) {
      const x = view.getFloat64(at, true);
      const y = view.getFloat64(at + 8, true);
      if (!Number.isFinite(x) || !Number.isFinite(y)) throw new FlatFault('x and y must be finite numbers');
      coordinates[length] = x;
      coordinates[length + 1] = y;
      if (zAt !== 0) coordinates[length + zAt] = z === 0 ? Number.NaN : view.getFloat64(z + i * 8, true);
      if (mAt !== 0) coordinates[length + mAt] = m === 0 ? Number.NaN : view.getFloat64(m + i * 8, true);
      length += stride;
    }
    builder.coordinateLength = length;
  }
}

/** `parts`: number of parts of the member before. */
function kindOfMember(kind: number, isMember: boolean, parts: number): number {
  return isMember ? kind | (parts === 0 ? PART_MULTI_FIRST : PART_MULTI_NEXT) : kind;
}
