/**
 * Well-known text (ISO 19125-1, OGC 06-103r4 chapter 7) to geometry, straight from bytes into a GeometryBuilder.
 * The way back is in wkt-write.ts.
 *
 * Accepted beyond the standard, because it is found in files: any letter case, "POINTZ(1 2 3)", three or four numbers
 * without a letter (XYZ, XYZM), MULTIPOINT with and without inner parentheses, the EWKT prefix "SRID=4326;", unclosed
 * rings (closed), LINEARRING (a line), NaN as a Z or M value.
 */
import { NumberScanner } from '../bytes/number-text.ts';
import { failure, type GeomillError } from '../errors.ts';
import { closeRing } from './close-ring.ts';
import {
  type Dimensions,
  GEOMETRY_TYPE,
  type GeometryBuilder,
  PART_KIND,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
} from './geometry-column.ts';
import { GEOMETRY_NOTE } from './geometry-notes.ts';
import { findWord, isLetter, LETTER_M, LETTER_Z, lettersOf, matches, UNSUPPORTED } from './wkt-words.ts';

const MAX_DEPTH = 32;
const OPEN = 0x28;
const CLOSE = 0x29;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const POINT = 0x2e;
const BLANK = 0x20;
const POWERS_OF_TEN = Float64Array.from({ length: 10 }, (_, exponent) => 10 ** exponent);

const SRID = new TextEncoder().encode('srid');
const EMPTY = new TextEncoder().encode('empty');
const NAN = new TextEncoder().encode('nan');

const LETTER_NAMES = ['', 'Z', 'M', 'ZM'] as const;

/** Reads one geometry per call; reuse one instance. */
export class WktReader {
  /** Of the last geometry's EWKT prefix; 0: it had none. */
  srid = 0;
  /** Bits of GEOMETRY_NOTE for the last geometry. */
  notes = 0;
  /** There were line ends among the blanks of the last geometry. */
  hasLineEnds = false;
  readonly #scanner = new NumberScanner();
  #bytes = new Uint8Array(0) as Uint8Array;
  #start = 0;
  #at = 0;
  #end = 0;
  #builder!: GeometryBuilder;
  /** Z, M or both as written behind the name of the geometry at hand (bits LETTER_Z and LETTER_M). */
  #letters = 0;
  /** Numbers per position of the geometry at hand; 0 before its first position. */
  #ordinates = 0;
  #isEmpty = false;
  #isListRead = false;
  #depth = 0;

  /**
   * Appends the geometry in `bytes[start, end)` to the builder as one feature. Throws WKT_SYNTAX with the offset from
   * `start`; then the builder holds the parts read so far: call its `rollback()`.
   */
  read(bytes: Uint8Array, start: number, end: number, builder: GeometryBuilder): void {
    const type = this.readParts(bytes, start, end, builder);
    if (this.#at !== end) throw this.#unexpected('the end');
    builder.endFeature(type);
  }

  /**
   * Appends the parts of the geometry that begins at `bytes[start]`, and leaves its end to be judged by the caller: see
   * `end`. Returns its GEOMETRY_TYPE, for the builder's `endFeature`. Throws as `read` does.
   */
  readParts(bytes: Uint8Array, start: number, end: number, builder: GeometryBuilder): number {
    this.#bytes = bytes;
    this.#start = start;
    this.#at = start;
    this.#end = end;
    this.#builder = builder;
    this.#depth = 0;
    this.srid = 0;
    this.notes = 0;
    this.hasLineEnds = false;
    this.#readSrid();
    const type = this.#readName();
    this.#readBody(type, false);
    this.#skipBlanks();
    return type;
  }

  /** Offset of the first byte that is no part of the geometry that was read last, blanks behind it aside. */
  get end(): number {
    return this.#at;
  }

  #readSrid(): void {
    this.#skipBlanks();
    const start = this.#at;
    if (!this.#takeWord(SRID)) return;
    this.#skipBlanks();
    if (this.#peek() !== 0x3d) {
      this.#at = start;
      return;
    }
    this.#at++;
    this.#skipBlanks();
    const at = this.#at;
    const srid = this.#scanner.scan(this.#bytes, at, this.#end);
    if (this.#scanner.end === at || !this.#scanner.isInteger || srid < 0)
      throw this.#unexpected('an SRID number');
    this.#at = this.#scanner.end;
    this.#skipBlanks();
    if (this.#peek() !== 0x3b) throw this.#unexpected("';' behind the SRID");
    this.#at++;
    this.srid = srid;
  }

  /** Reads "NAME [Z|M|ZM] [EMPTY]"; returns the GEOMETRY_TYPE and leaves letters and emptiness in the fields. */
  #readName(): number {
    this.#skipBlanks();
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    while (at < this.#end && isLetter(bytes[at])) at++;
    const found = findWord(bytes, start, at);
    if (found === null) throw this.#unexpected('a geometry name such as POINT or MULTIPOLYGON');
    if (found.type === UNSUPPORTED)
      throw this.#fail(
        start,
        `${String.fromCharCode(...found.lower).toUpperCase()} is a curve; curves are not read, turn them into lines first`,
      );
    this.#letters = lettersOf(bytes, start + found.lower.length, at);
    this.#at = at;
    this.notes |= found.notes;
    this.#ordinates = 0;
    this.#skipBlanks();
    if (this.#letters === 0) {
      const from = this.#at;
      let to = from;
      while (to < this.#end && isLetter(bytes[to])) to++;
      const letters = lettersOf(bytes, from, to);
      if (letters > 0) {
        this.#letters = letters;
        this.#at = to;
      }
    }
    this.#isEmpty = this.#takeEmpty();
    return found.type;
  }

  /** `isMember`: inside a collection, where multi geometries mark their parts and empty members stay as parts. */
  #readBody(type: number, isMember: boolean): void {
    if (type === GEOMETRY_TYPE.geometryCollection) this.#readCollection(isMember);
    else if (type >= GEOMETRY_TYPE.multiPoint) this.#readMulti(type - GEOMETRY_TYPE.multiPoint + 1, isMember);
    else this.#readSingle(type, isMember);
  }

  /** Part kinds and the type codes of single geometries are the same numbers. */
  #readSingle(kind: number, isMember: boolean): void {
    const wasRead = !this.#isEmpty && this.#readPart(kind, kind);
    if (!wasRead && isMember) this.#builder.endPart(kind);
  }

  /** Reads "(...)" of a point, line or polygon as one part; false when it is a polygon of no rings: no part then. */
  #readPart(kind: number, marks: number): boolean {
    const builder = this.#builder;
    if (kind === PART_KIND.polygon) {
      const ringsBefore = builder.ringCount;
      this.#take(OPEN, "'('");
      do {
        if (this.#takeEmpty()) this.notes |= GEOMETRY_NOTE.emptyMember;
        else this.#readRing();
      } while (this.#more());
      if (builder.ringCount === ringsBefore) return false;
    } else {
      const from = this.#at;
      const count = this.#readPositions();
      if (kind === PART_KIND.line && count < 2) this.notes |= GEOMETRY_NOTE.degenerate;
      if (kind === PART_KIND.point && count !== 1)
        throw this.#fail(from, `a point has one position, this one has ${count}`);
      builder.endRing();
    }
    builder.endPart(marks);
    return true;
  }

  #readMulti(kind: number, isMember: boolean): void {
    const builder = this.#builder;
    let parts = 0;
    if (!this.#isEmpty) {
      this.#take(OPEN, "'(' or EMPTY");
      do {
        if (this.#takeEmpty()) {
          this.notes |= GEOMETRY_NOTE.emptyMember;
          continue;
        }
        const marks = !isMember ? kind : kind | (parts === 0 ? PART_MULTI_FIRST : PART_MULTI_NEXT);
        if (kind === PART_KIND.point && this.#peek() !== OPEN) {
          this.#readPosition();
          builder.endRing();
          builder.endPart(marks);
          parts++;
        } else if (this.#readPart(kind, marks)) parts++;
      } while (this.#more());
    }
    if (parts === 0 && isMember) builder.endPart(kind | PART_MULTI_FIRST);
  }

  #readCollection(isMember: boolean): void {
    if (isMember) this.notes |= GEOMETRY_NOTE.flattened;
    if (this.#isEmpty) return;
    if (++this.#depth > MAX_DEPTH)
      throw this.#fail(this.#at, `collections are nested deeper than ${MAX_DEPTH} levels`);
    this.#take(OPEN, "'(' or EMPTY");
    do this.#readBody(this.#readName(), true);
    while (this.#more());
    this.#depth--;
  }

  #readRing(): void {
    const builder = this.#builder;
    const firstPosition = builder.positionCount;
    let count = this.#readPositions();
    if (closeRing(builder, firstPosition)) {
      count++;
      this.notes |= GEOMETRY_NOTE.ringClosed;
    }
    if (count < 4) this.notes |= GEOMETRY_NOTE.degenerate;
    builder.endRing();
  }

  /** Reads "(x y, x y, ...)"; returns the count of positions. */
  #readPositions(): number {
    this.#take(OPEN, "'('");
    let count = 0;
    for (;;) {
      if (this.#letters === 0 && this.#builder.stride === 2) {
        count += this.#readPlainPositions();
        if (this.#isListRead) return count;
      }
      this.#readPosition();
      count++;
      if (!this.#more()) return count;
    }
  }

  /**
   * The hot loop: positions "x y," of plain decimals of at most 15 digits, each two integers below 2^31 (before the
   * point, and the digits behind it) and one exact division. Stops behind the closing parenthesis, or in front of the
   * first position that is anything else; returns how many it read.
   */
  #readPlainPositions(): number {
    const bytes = this.#bytes;
    const builder = this.#builder;
    const end = this.#end;
    let { coordinates } = builder;
    let length = builder.coordinateLength;
    let next = this.#at;
    let count = 0;
    let isListRead = false;
    while (!isListRead) {
      if (length + 2 > coordinates.length) {
        builder.coordinateLength = length;
        builder.reserve(2);
        coordinates = builder.coordinates;
      }
      let at = next;
      let byte = bytes[at];
      if (byte === BLANK) byte = bytes[++at];
      let ordinate = 0;
      for (; ordinate < 2; ordinate++) {
        const isNegative = byte === MINUS;
        if (isNegative) byte = bytes[++at];
        const wholeStart = at;
        let whole = 0;
        while (byte >= ZERO && byte <= NINE) {
          whole = (Math.imul(whole, 10) + (byte - ZERO)) | 0;
          byte = bytes[++at];
        }
        const wholeDigits = at - wholeStart;
        let decimals = 0;
        let fraction = 0;
        if (byte === POINT) {
          const fractionStart = ++at;
          byte = bytes[at];
          while (byte >= ZERO && byte <= NINE) {
            fraction = (Math.imul(fraction, 10) + (byte - ZERO)) | 0;
            byte = bytes[++at];
          }
          decimals = at - fractionStart;
        }
        if (byte !== (ordinate === 0 ? BLANK : COMMA) && (byte !== CLOSE || ordinate === 0)) break;
        if (wholeDigits === 0 || wholeDigits > 9 || decimals > 9 || wholeDigits + decimals > 15) break;
        const power = POWERS_OF_TEN[decimals];
        const value = (whole * power + fraction) / power;
        coordinates[length + ordinate] = isNegative ? -value : value;
        isListRead = byte === CLOSE;
        byte = bytes[++at];
      }
      if (ordinate < 2 || at > end) {
        isListRead = false;
        break;
      }
      next = at;
      length += 2;
      count++;
    }
    if (count > 0) {
      // Positions without a third number: as if each had been read by readPosition.
      if (this.#ordinates !== 2) this.#settleOrdinates(2);
      this.#at = next;
      builder.coordinateLength = length;
    }
    this.#isListRead = isListRead;
    return count;
  }

  #readPosition(): void {
    const x = this.#readNumber();
    const y = this.#readNumber();
    if (!Number.isFinite(x) || !Number.isFinite(y))
      throw this.#fail(this.#at, 'x and y must be finite numbers');
    let third = Number.NaN;
    let fourth = Number.NaN;
    let count = 2;
    let next = this.#peek();
    if (next !== COMMA && next !== CLOSE && next !== -1) {
      third = this.#readNumber();
      count = 3;
      next = this.#peek();
      if (next !== COMMA && next !== CLOSE && next !== -1) {
        fourth = this.#readNumber();
        count = 4;
      }
    }
    if (count !== this.#ordinates) this.#settleOrdinates(count);
    const builder = this.#builder;
    if (builder.stride !== 2) {
      if (count === 3 && this.#letters === LETTER_M) builder.position(x, y, Number.NaN, third);
      else builder.position(x, y, third, fourth);
      return;
    }
    let length = builder.coordinateLength;
    if (length + 2 > builder.coordinates.length) builder.reserve(2);
    builder.coordinates[length++] = x;
    builder.coordinates[length++] = y;
    builder.coordinateLength = length;
  }

  /** At the first position of a geometry: whether its numbers agree with the letters, and room for them in the batch. */
  #settleOrdinates(count: number): void {
    const letters = this.#letters;
    if (this.#ordinates !== 0)
      throw this.#fail(
        this.#at,
        `a position has ${count} numbers where the ones before have ${this.#ordinates}`,
      );
    const wanted = 2 + (letters & 1) + (letters >> 1);
    if (letters !== 0 && count !== wanted)
      throw this.#fail(
        this.#at,
        `a position has ${count} numbers where ${LETTER_NAMES[letters]} wants ${wanted}`,
      );
    this.#ordinates = count;
    if (count > 2) this.#builder.widen(DIMENSIONS[letters !== 0 ? letters : count === 3 ? LETTER_Z : 3]);
  }

  #readNumber(): number {
    this.#skipBlanks();
    const at = this.#at;
    const value = this.#scanner.scan(this.#bytes, at, this.#end);
    this.#at = this.#scanner.end;
    if (this.#at !== at) {
      if (!Number.isFinite(value)) throw this.#fail(at, 'the number is beyond the range of doubles');
      return value;
    }
    if (this.#takeWord(NAN)) return Number.NaN;
    throw this.#unexpected('a number');
  }

  /** Behind an element of a list: true at a comma (taken), false at the closing parenthesis (taken). */
  #more(): boolean {
    const byte = this.#peek();
    if (byte !== COMMA && byte !== CLOSE) throw this.#unexpected("',' or ')'");
    this.#at++;
    return byte === COMMA;
  }

  #take(byte: number, name: string): void {
    if (this.#peek() !== byte) throw this.#unexpected(name);
    this.#at++;
  }

  #takeEmpty(): boolean {
    const byte = this.#peek();
    return (byte === 0x45 || byte === 0x65) && this.#takeWord(EMPTY);
  }

  #takeWord(lower: Uint8Array): boolean {
    const after = this.#at + lower.length;
    if (after > this.#end || !matches(this.#bytes, this.#at, lower)) return false;
    if (after < this.#end && isLetter(this.#bytes[after])) return false;
    this.#at = after;
    return true;
  }

  /** The next byte that is no blank, or -1. */
  #peek(): number {
    this.#skipBlanks();
    return this.#at < this.#end ? this.#bytes[this.#at] : -1;
  }

  #skipBlanks(): void {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = this.#at;
    while (at < end && (bytes[at] === BLANK || (bytes[at] >= 0x09 && bytes[at] <= 0x0d))) {
      if (bytes[at] !== BLANK) this.hasLineEnds = true;
      at++;
    }
    this.#at = at;
  }

  #unexpected(wanted: string): GeomillError {
    const byte = this.#peek();
    const found =
      byte < 0
        ? 'the text ends'
        : byte > 0x20 && byte < 0x7f
          ? `found '${String.fromCharCode(byte)}'`
          : `found byte ${byte}`;
    return this.#fail(this.#at, `${wanted} is expected, ${found}`);
  }

  #fail(at: number, reason: string): GeomillError {
    return failure('WKT_SYNTAX', { offset: at - this.#start, reason });
  }
}

const DIMENSIONS: readonly Dimensions[] = ['XY', 'XYZ', 'XYM', 'XYZM'];
