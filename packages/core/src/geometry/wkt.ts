/**
 * Reads well-known text (ISO 19125-1, OGC 06-103r4 chapter 7; curves: ISO 13249-3) directly into a GeometryBuilder.
 *
 * Accepted beyond the standard, because it occurs in files: any letter case, "POINTZ(1 2 3)", three or four numbers
 * without a letter (XYZ, XYZM), MULTIPOINT with and without inner parentheses, the EWKT prefix "SRID=4326;", unclosed
 * rings (closed), LINEARRING (a line), NaN as a Z or M value.
 */
import { OPEN_PAREN } from '../text/ascii.ts';
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
  GEOMETRY_TYPE,
  type GeometryBuilder,
  PART_KIND,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
} from './geometry-column.ts';
import { GEOMETRY_NOTE } from './geometry-notes.ts';
import { closeRing } from './rings.ts';
import { WktPositions } from './wkt-positions.ts';
import { findWord, isLetter, lettersOf } from './wkt-words.ts';

const MAX_DEPTH = 32;
const SRID = new TextEncoder().encode('srid');

/** Reads one geometry per call; reuse one instance. */
export class WktReader extends WktPositions {
  /** SRID of the last geometry's EWKT prefix; 0 if it has none. */
  srid = 0;
  /** Bits of GEOMETRY_NOTE for the last geometry. */
  notes = 0;
  readonly #stroker: ArcStroker;
  #isEmpty = false;
  #depth = 0;

  constructor(stroking: Stroking = DEFAULT_STROKING) {
    super();
    this.#stroker = new ArcStroker(stroking);
  }

  /**
   * Appends the geometry in `bytes[start, end)` to the builder as one feature. Throws WKT_SYNTAX with the offset from
   * `start`; then the builder contains the parts read so far, so call its `rollback()`.
   */
  read(bytes: Uint8Array, start: number, end: number, builder: GeometryBuilder): void {
    builder.endFeature(this.readWhole(bytes, start, end, builder));
  }

  /** As `readParts`, for a text that contains nothing else up to `end`. */
  readWhole(bytes: Uint8Array, start: number, end: number, builder: GeometryBuilder): number {
    const type = this.readParts(bytes, start, end, builder);
    if (this.at !== end) throw this.unexpected('the end');
    return type;
  }

  /**
   * Appends the parts of the geometry that begins at `bytes[start]`; the caller checks what follows it (see `end`).
   * Returns its GEOMETRY_TYPE, for the builder's `endFeature`. Throws as `read` does.
   */
  readParts(bytes: Uint8Array, start: number, end: number, builder: GeometryBuilder): number {
    this.open(bytes, start, end);
    this.builder = builder;
    this.#depth = 0;
    this.srid = 0;
    this.notes = 0;
    this.#readSrid();
    const type = this.#readName();
    this.#readBody(type, false);
    this.skipBlanks();
    return LINEAR_TYPES[type];
  }

  /** Offset of the first byte after the last geometry and the blanks that follow it. */
  get end(): number {
    return this.at;
  }

  #readSrid(): void {
    this.skipBlanks();
    const start = this.at;
    if (!this.takeWord(SRID)) return;
    this.skipBlanks();
    if (this.peek() !== 0x3d) {
      this.at = start;
      return;
    }
    this.at++;
    this.skipBlanks();
    const at = this.at;
    const srid = this.scanner.scan(this.bytes, at, this.endAt);
    if (this.scanner.end === at || !this.scanner.isInteger || srid < 0)
      throw this.unexpected('an SRID number');
    this.at = this.scanner.end;
    this.skipBlanks();
    if (this.peek() !== 0x3b) throw this.unexpected("';' behind the SRID");
    this.at++;
    this.srid = srid;
  }

  /**
   * Reads "NAME [Z|M|ZM] [EMPTY]"; returns the GEOMETRY_TYPE or CURVE_TYPE and stores letters and emptiness in fields.
   */
  #readName(): number {
    this.skipBlanks();
    const { bytes } = this;
    const start = this.at;
    let at = start;
    while (at < this.endAt && isLetter(bytes[at])) at++;
    const found = findWord(bytes, start, at);
    if (found === null) throw this.unexpected('a geometry name such as POINT or MULTIPOLYGON');
    this.letters = lettersOf(bytes, start + found.lower.length, at);
    this.at = at;
    this.notes |= found.notes;
    this.ordinates = 0;
    this.skipBlanks();
    if (this.letters === 0) {
      const from = this.at;
      let to = from;
      while (to < this.endAt && isLetter(bytes[to])) to++;
      const letters = lettersOf(bytes, from, to);
      if (letters > 0) {
        this.letters = letters;
        this.at = to;
      }
    }
    this.#isEmpty = this.takeEmpty();
    return found.type;
  }

  /** `isMember`: inside a collection, where parts of multi geometries are marked and empty members remain as parts. */
  #readBody(type: number, isMember: boolean): void {
    const linear = LINEAR_TYPES[type];
    if (type === GEOMETRY_TYPE.geometryCollection) this.#readCollection(isMember);
    else if (linear >= GEOMETRY_TYPE.multiPoint) this.#readMulti(type, isMember);
    else {
      const wasRead = !this.#isEmpty && this.#readPart(type, linear);
      if (!wasRead && isMember) this.builder.endPart(linear);
    }
  }

  /** Reads "(...)" of a point, line, polygon or curve as one part; returns false if it is empty and so has no part. */
  #readPart(type: number, marks: number): boolean {
    const { builder } = this;
    const kind = LINEAR_TYPES[type];
    if (kind === PART_KIND.polygon) {
      const ringsBefore = builder.ringCount;
      this.take(OPEN_PAREN, "'('");
      do {
        if (this.takeEmpty()) this.notes |= GEOMETRY_NOTE.emptyMember;
        else this.#readRing(type);
      } while (this.more());
      if (builder.ringCount === ringsBefore) return false;
    } else {
      const from = this.at;
      const firstPosition = builder.positionCount;
      this.#readLine(type);
      const count = builder.positionCount - firstPosition;
      if (count === 0) return false;
      if (kind === PART_KIND.line && count < 2) this.notes |= GEOMETRY_NOTE.degenerate;
      if (kind === PART_KIND.point && count !== 1)
        throw this.fail(from, `a point has one position, this one has ${count}`);
      builder.endRing();
    }
    builder.endPart(marks);
    return true;
  }

  #readMulti(type: number, isMember: boolean): void {
    const { builder } = this;
    /** Part kinds and the type codes of single geometries are the same numbers. */
    const kind = LINEAR_TYPES[type] - GEOMETRY_TYPE.multiPoint + 1;
    let parts = 0;
    if (!this.#isEmpty) {
      this.take(OPEN_PAREN, "'(' or EMPTY");
      do {
        if (this.takeEmpty()) {
          this.notes |= GEOMETRY_NOTE.emptyMember;
          continue;
        }
        const marks = !isMember ? kind : kind | (parts === 0 ? PART_MULTI_FIRST : PART_MULTI_NEXT);
        if (kind === PART_KIND.point && this.peek() !== OPEN_PAREN) {
          this.readPosition();
          builder.endRing();
          builder.endPart(marks);
          parts++;
        } else if (type > GEOMETRY_TYPE.geometryCollection && this.peek() !== OPEN_PAREN) {
          if (this.#readNamedMember(type, marks)) parts++;
        } else if (this.#readPart(kind, marks)) parts++;
      } while (this.more());
    }
    if (parts === 0 && isMember) builder.endPart(kind | PART_MULTI_FIRST);
  }

  #readCollection(isMember: boolean): void {
    if (isMember) this.notes |= GEOMETRY_NOTE.flattened;
    if (this.#isEmpty) return;
    if (++this.#depth > MAX_DEPTH)
      throw this.fail(this.at, `collections are nested deeper than ${MAX_DEPTH} levels`);
    this.take(OPEN_PAREN, "'(' or EMPTY");
    do this.#readBody(this.#readName(), true);
    while (this.more());
    this.#depth--;
  }

  /** Reads a ring; rings of a curve polygon may have names. */
  #readRing(type: number): void {
    const { builder } = this;
    const firstPosition = builder.positionCount;
    if (type === CURVE_TYPE.curvePolygon && this.peek() !== OPEN_PAREN) this.#readNamedMember(type, null);
    else this.readPositions();
    if (builder.positionCount === firstPosition) return;
    if (closeRing(builder, firstPosition)) this.notes |= GEOMETRY_NOTE.ringClosed;
    if (builder.positionCount - firstPosition < 4) this.notes |= GEOMETRY_NOTE.degenerate;
    builder.endRing();
  }

  /** Appends only the positions of "(...)" of a line, arcs or a compound curve. */
  #readLine(type: number): void {
    if (type === CURVE_TYPE.compoundCurve) this.#readCompound();
    else if (type === CURVE_TYPE.circularString) this.#readArcs();
    else this.readPositions();
  }

  #readArcs(): void {
    const from = this.at;
    const firstPosition = this.builder.positionCount;
    const count = this.readPositions();
    if (!isArcPositionCount(count))
      throw this.fail(from, `a circular string has 3, 5, 7, ... positions, this one has ${count}`);
    if (this.#stroker.replaceControls(this.builder, firstPosition)) this.notes |= GEOMETRY_NOTE.curve;
  }

  #readCompound(): void {
    const { builder } = this;
    const firstPosition = builder.positionCount;
    this.take(OPEN_PAREN, "'('");
    do {
      if (this.takeEmpty()) {
        this.notes |= GEOMETRY_NOTE.emptyMember;
        continue;
      }
      const memberPosition = builder.positionCount;
      if (this.peek() === OPEN_PAREN) this.readPositions();
      else this.#readNamedMember(CURVE_TYPE.compoundCurve, null);
      const isJoint = memberPosition > firstPosition && builder.positionCount > memberPosition;
      if (isJoint && joinMember(builder, memberPosition)) this.notes |= GEOMETRY_NOTE.curveGap;
    } while (this.more());
  }

  /**
   * Reads a member of a curve geometry of type `parent` that is named, as "CIRCULARSTRING Z (...)": as a part with
   * `marks`, or, if these are null, its positions only. Returns false if it is empty. Members without letters have
   * those of the parent.
   */
  #readNamedMember(parent: number, marks: number | null): boolean {
    const { letters } = this;
    this.skipBlanks();
    const from = this.at;
    const type = this.#readName();
    if (!isMemberType(parent, type)) throw this.fail(from, memberReason(parent, type));
    if (this.letters === 0) this.letters = letters;
    let wasRead = !this.#isEmpty;
    if (!wasRead) this.notes |= GEOMETRY_NOTE.emptyMember;
    else if (marks === null) this.#readLine(type);
    else wasRead = this.#readPart(type, marks);
    this.letters = letters;
    return wasRead;
  }
}
