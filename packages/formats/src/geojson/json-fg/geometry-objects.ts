/**
 * Reads the geometries of JSON-FG that GeoJSON does not have, and all geometries with measures, from objects into a GeometryBuilder: arcs
 * become straight steps, solids the polygons around them.
 */
import { ArcStroker } from '@geomill/core/geometry/arc.ts';
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
  GeometryBuilder,
  type GeometryColumn,
  hasM,
  PART_KIND,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
} from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE } from '@geomill/core/geometry/geometry-notes.ts';
import { closeRing } from '@geomill/core/geometry/rings.ts';
import { appendPrism } from './prism.ts';

const MAX_DEPTH = 32;

const TYPES: Readonly<Record<string, number>> = {
  ...Object.fromEntries(GEOMETRY_TYPE_NAMES.slice(1).map((name, i) => [name, i + 1])),
  CircularString: CURVE_TYPE.circularString,
  CompoundCurve: CURVE_TYPE.compoundCurve,
  CurvePolygon: CURVE_TYPE.curvePolygon,
  MultiCurve: CURVE_TYPE.multiCurve,
  MultiSurface: CURVE_TYPE.multiSurface,
};

const LINES: ReadonlySet<number> = new Set([GEOMETRY_TYPE.lineString, GEOMETRY_TYPE.multiLineString]);

export type Members = Readonly<Record<string, unknown>>;

export interface ObjectReaderRules {
  /** Throws if the feature has too many positions. */
  checkCount(): void;
  /** Makes the error to throw. */
  fault(reason: string): Error;
}

/** Reads one geometry per call; reuse one instance. */
export class GeometryObjectReader {
  /** Bits of GEOMETRY_NOTE; the caller resets it. */
  notes = 0;
  /** Positions with more numbers than are read; the caller resets it. */
  extraOrdinates = 0;
  #hasMeasures = false;
  #isBase = false;
  readonly #builder: GeometryBuilder;
  readonly #rules: ObjectReaderRules;
  readonly #arcs = new ArcStroker();

  constructor(builder: GeometryBuilder, rules: ObjectReaderRules) {
    this.#builder = builder;
    this.#rules = rules;
  }

  /** Appends the parts of a geometry; returns its GEOMETRY_TYPE. */
  read(value: unknown, hasMeasures: boolean): number {
    this.#hasMeasures = hasMeasures;
    const type = this.#geometry(this.#members(value), 0);
    this.#rules.checkCount();
    return type;
  }

  #geometry(members: Members, depth: number): number {
    const { type: name } = members;
    switch (name) {
      case 'Polyhedron':
        return this.#polyhedra([members.coordinates], depth > 0);
      case 'MultiPolyhedron':
        return this.#polyhedra(this.#list(members, 'coordinates'), depth > 0);
      case 'Prism':
        return this.#prisms([members], depth);
      case 'MultiPrism':
        return this.#prisms(this.#list(members, 'prisms'), depth);
    }
    const type = typeof name === 'string' && Object.hasOwn(TYPES, name) ? TYPES[name] : 0;
    if (type === 0)
      throw this.#rules.fault(`'${String(name).slice(0, 40)}' is not a geometry type of JSON-FG`);
    if (type === GEOMETRY_TYPE.geometryCollection) this.#collection(members, depth);
    else if (type === CURVE_TYPE.multiCurve || type === CURVE_TYPE.multiSurface)
      this.#parts(this.#list(members, 'geometries'), depth > 0, (member, mark) =>
        this.#named(type, member, mark),
      );
    else if (type >= GEOMETRY_TYPE.multiPoint && type < GEOMETRY_TYPE.geometryCollection)
      this.#parts(this.#list(members, 'coordinates'), depth > 0, (member, mark) =>
        this.#part(type - 3, { coordinates: member }, mark),
      );
    else if (!this.#part(type, members, 0) && depth > 0) this.#builder.endPart(LINEAR_TYPES[type]);
    return LINEAR_TYPES[type];
  }

  #collection(members: Members, depth: number): void {
    if (depth >= MAX_DEPTH) throw this.#rules.fault(`collections are nested deeper than ${MAX_DEPTH} levels`);
    if (depth > 0) this.notes |= GEOMETRY_NOTE.flattened;
    for (const member of this.#list(members, 'geometries')) this.#geometry(this.#members(member), depth + 1);
  }

  /** The members of a multi geometry; `read` returns false if one is empty. */
  #parts(
    values: readonly unknown[],
    isMember: boolean,
    read: (value: unknown, mark: number) => boolean,
  ): void {
    let mark = isMember ? PART_MULTI_FIRST : 0;
    for (const value of values)
      if (!read(value, mark)) this.notes |= GEOMETRY_NOTE.emptyMember;
      else if (isMember) mark = PART_MULTI_NEXT;
  }

  #named(parent: number, value: unknown, mark: number): boolean {
    const members = this.#members(value);
    const type = this.#memberType(parent, members);
    return this.#part(type, members, mark);
  }

  #memberType(parent: number, { type: name }: Members): number {
    const type = typeof name === 'string' && Object.hasOwn(TYPES, name) ? TYPES[name] : 0;
    if (type === 0)
      throw this.#rules.fault(`'${String(name).slice(0, 40)}' is not a geometry type of JSON-FG`);
    if (!isMemberType(parent, type)) throw this.#rules.fault(memberReason(parent, type));
    return type;
  }

  /** Appends a point, line or polygon as one part; returns false if it is empty. */
  #part(type: number, members: Members, mark: number): boolean {
    const builder = this.#builder;
    const kind = LINEAR_TYPES[type];
    if (kind === PART_KIND.point) {
      const position = this.#list(members, 'coordinates');
      if (position.length === 0) return false;
      this.#position(position);
      builder.endRing();
    } else if (kind === PART_KIND.line) {
      const count = this.#line(type, members);
      if (count === 0) return false;
      if (count === 1) this.notes |= GEOMETRY_NOTE.degenerate;
      builder.endRing();
    } else if (!this.#rings(type, members)) return false;
    builder.endPart(kind | mark);
    this.#rules.checkCount();
    return true;
  }

  #rings(type: number, members: Members): boolean {
    const builder = this.#builder;
    const firstRing = builder.ringCount;
    const isCurved = type === CURVE_TYPE.curvePolygon;
    for (const ring of this.#list(members, isCurved ? 'geometries' : 'coordinates')) {
      const first = builder.positionCount;
      if (!isCurved) this.#positions(this.#array(ring, 'a ring'));
      else {
        const own = this.#members(ring);
        this.#line(this.#memberType(type, own), own);
      }
      if (builder.positionCount === first) {
        this.notes |= GEOMETRY_NOTE.emptyMember;
        continue;
      }
      if (closeRing(builder, first)) this.notes |= GEOMETRY_NOTE.ringClosed;
      if (builder.positionCount - first < 4) this.notes |= GEOMETRY_NOTE.degenerate;
      builder.endRing();
    }
    return builder.ringCount > firstRing;
  }

  /** Appends the positions of a line, with arcs as steps; returns their number. */
  #line(type: number, members: Members): number {
    const builder = this.#builder;
    const first = builder.positionCount;
    if (type === CURVE_TYPE.compoundCurve) this.#compound(members);
    else {
      this.#positions(this.#list(members, 'coordinates'));
      const count = builder.positionCount - first;
      if (type === CURVE_TYPE.circularString) {
        if (!isArcPositionCount(count))
          throw this.#rules.fault(`a CircularString has 3, 5, 7, ... positions, this one has ${count}`);
        if (this.#arcs.replaceControls(builder, first)) this.notes |= GEOMETRY_NOTE.curve;
      }
    }
    return builder.positionCount - first;
  }

  #compound(members: Members): void {
    const builder = this.#builder;
    const first = builder.positionCount;
    for (const value of this.#list(members, 'geometries')) {
      const member = this.#members(value);
      const at = builder.positionCount;
      this.#line(this.#memberType(CURVE_TYPE.compoundCurve, member), member);
      const isJoint = at > first && builder.positionCount > at;
      if (isJoint && joinMember(builder, at)) this.notes |= GEOMETRY_NOTE.curveGap;
    }
  }

  /** Each polyhedron is a list of shells, a shell is a list of polygons. */
  #polyhedra(polyhedra: readonly unknown[], isMember: boolean): number {
    this.notes |= GEOMETRY_NOTE.surface;
    const faces = polyhedra.flatMap((shells) =>
      this.#array(shells, 'the shells of a Polyhedron').flatMap((shell) => this.#array(shell, 'a shell')),
    );
    this.#parts(faces, isMember, (face, mark) =>
      this.#part(GEOMETRY_TYPE.polygon, { coordinates: face }, mark),
    );
    return GEOMETRY_TYPE.multiPolygon;
  }

  #prisms(prisms: readonly unknown[], depth: number): number {
    const builder = this.#builder;
    const firstPart = builder.partCount;
    const types = new Set<number>();
    for (const value of prisms) {
      const members = this.#members(value);
      const limits = { lower: this.#limit(members, 'lower'), upper: this.#limit(members, 'upper') };
      const base = this.#base(members);
      builder.widen(dimensionsOf(true, hasM(base.dimensions)));
      types.add(appendPrism(builder, base, limits));
      this.#rules.checkCount();
    }
    const [type = GEOMETRY_TYPE.multiPolygon] = types;
    if (!types.has(GEOMETRY_TYPE.lineString)) this.notes |= GEOMETRY_NOTE.surface;
    if (prisms.length <= 1) return this.#marked(type, firstPart, depth);
    const areLines = [...types].every((one) => LINES.has(one));
    const isMixed =
      types.has(GEOMETRY_TYPE.geometryCollection) || (!areLines && [...types].some((one) => LINES.has(one)));
    if (isMixed) return GEOMETRY_TYPE.geometryCollection;
    return this.#marked(
      areLines ? GEOMETRY_TYPE.multiLineString : GEOMETRY_TYPE.multiPolygon,
      firstPart,
      depth,
    );
  }

  /** The base of a prism, apart from the other geometries. */
  #base({ base }: Members): GeometryColumn {
    if (this.#isBase) throw this.#rules.fault('the base of a Prism cannot be a Prism');
    const builder = new GeometryBuilder('XY', 8, 64);
    const reader = new GeometryObjectReader(builder, this.#rules);
    reader.#isBase = true;
    builder.endFeature(reader.read(base, this.#hasMeasures));
    this.notes |= reader.notes;
    this.extraOrdinates += reader.extraOrdinates;
    return builder.finish();
  }

  /** In a collection, the parts of a multi geometry have marks. */
  #marked(type: number, firstPart: number, depth: number): number {
    if (depth === 0 || type < GEOMETRY_TYPE.multiPoint) return type;
    const kind = type - 3;
    for (let part = firstPart; part < this.#builder.partCount; part++)
      this.#builder.markPart(part, kind | (part === firstPart ? PART_MULTI_FIRST : PART_MULTI_NEXT));
    return type;
  }

  #limit(members: Members, name: 'lower' | 'upper'): number {
    const value = members[name];
    if (value === undefined || value === null) {
      if (name === 'upper') throw this.#rules.fault("this Prism has no 'upper'");
      return 0;
    }
    return this.#number(value);
  }

  #positions(values: readonly unknown[]): void {
    for (const value of values) this.#position(this.#array(value, 'a position'));
    if (values.length > 1024) this.#rules.checkCount();
  }

  /** x, y, then z and m, or m alone if the positions have measures but no z. */
  #position(values: readonly unknown[]): void {
    if (values.length < 2) throw this.#rules.fault('a position needs at least two numbers');
    const builder = this.#builder;
    const hasM = this.#hasMeasures && values.length > 2;
    const hasHeight = values.length > (this.#hasMeasures ? 3 : 2);
    const read = 2 + (hasM ? 1 : 0) + (hasHeight ? 1 : 0);
    if (values.length > read) this.extraOrdinates++;
    const numbers = values.slice(0, read).map((value) => this.#number(value));
    if (hasM || hasHeight) builder.widen(dimensionsOf(hasHeight, hasM));
    builder.position(
      numbers[0],
      numbers[1],
      hasHeight ? numbers[2] : Number.NaN,
      hasM ? numbers[read - 1] : Number.NaN,
    );
  }

  #number(value: unknown): number {
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    throw this.#rules.fault(
      typeof value === 'number'
        ? 'this coordinate is larger than any number'
        : 'a position must hold numbers',
    );
  }

  #list(members: Members, name: string): readonly unknown[] {
    const value = members[name];
    if (value === undefined)
      throw this.#rules.fault(`this ${String(members.type ?? 'geometry')} has no '${name}'`);
    return this.#array(value, `'${name}'`);
  }

  #array(value: unknown, what: string): readonly unknown[] {
    if (Array.isArray(value)) return value;
    throw this.#rules.fault(`${what} must be an array`);
  }

  #members(value: unknown): Members {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
    throw this.#rules.fault('a geometry must be an object');
  }
}
