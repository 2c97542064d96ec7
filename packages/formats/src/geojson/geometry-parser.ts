/**
 * Parses a geometry object directly into a GeometryBuilder. Members may come in any order: coordinates are parsed
 * immediately if the type is known, otherwise skipped and parsed when the type is found.
 */
import {
  GEOMETRY_TYPE,
  GEOMETRY_TYPE_NAMES,
  type GeometryBuilder,
  PART_KIND,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
} from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE } from '@geomill/core/geometry/geometry-notes.ts';
import { PositionParser } from '@geomill/core/geometry/json-positions.ts';
import { closeRing } from '@geomill/core/geometry/rings.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '@geomill/core/text/ascii.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';

/** Each level of a collection whose type comes last is scanned once more, so the number of levels is limited. */
const MAX_COLLECTION_DEPTH = 32;

const encoder = new TextEncoder();
const KEY_TYPE = encoder.encode('type');
const KEY_COORDINATES = encoder.encode('coordinates');
const KEY_GEOMETRIES = encoder.encode('geometries');
const KEY_BBOX = encoder.encode('bbox');
const TYPE_NAMES = GEOMETRY_TYPE_NAMES.map((name) => encoder.encode(name));

/** Handles a member that the standard does not name: the key is `[keyStart, keyEnd)`, the value is at `at`. */
type ForeignMember = (keyStart: number, keyEnd: number, at: number) => void;

/** GEOMETRY_TYPE of the name `[start, end)`; 0 if it is not one. */
export function geometryTypeOf(scanner: JsonScanner, start: number, end: number): number {
  for (let type = 1; type <= 7; type++) if (scanner.equals(start, end, TYPE_NAMES[type])) return type;
  return 0;
}

export class GeometryParser {
  /** GEOMETRY_TYPE of the geometry parsed last. */
  type = 0;
  /** GEOMETRY_NOTE bits of the feature so far; the reader of this field resets it. */
  notes = 0;
  readonly positions: PositionParser;
  readonly #scanner: JsonScanner;
  readonly #builder: GeometryBuilder;
  readonly #onForeignMember: ForeignMember;

  constructor(
    scanner: JsonScanner,
    builder: GeometryBuilder,
    positionLimit: number,
    onForeignMember: ForeignMember,
  ) {
    this.#scanner = scanner;
    this.#builder = builder;
    this.positions = new PositionParser(scanner, builder, positionLimit);
    this.#onForeignMember = onForeignMember;
  }

  /**
   * Parses the object at `at`; `collectionDepth` is the number of open collections around it. Returns the offset after
   * it.
   */
  parse(at: number, collectionDepth: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    const objectStart = at;
    if (bytes[at] !== OPEN_BRACE) throw scanner.unexpected(at, 'a geometry object');
    const firstPart = this.#builder.partCount;
    let type = 0;
    let hasType = false;
    let coordinatesAt = -1;
    let geometriesAt = -1;
    let parsedType = 0;
    let parsedAt = -1;
    at = scanner.space(at + 1);
    while (bytes[at] !== CLOSE_BRACE) {
      if (bytes[at] !== QUOTE) throw scanner.unexpected(at, "a key in double quotes or '}'");
      if (scanner.isString(at, KEY_TYPE)) {
        at = scanner.punctuation(at + 6, COLON);
        type = this.#typeAt(at);
        hasType = true;
        at += TYPE_NAMES[type].length + 2;
      } else if (scanner.isString(at, KEY_COORDINATES) || scanner.isString(at, KEY_GEOMETRIES)) {
        const isCollection = bytes[at + 1] === KEY_GEOMETRIES[0];
        const keyLength = isCollection ? KEY_GEOMETRIES.length : KEY_COORDINATES.length;
        at = scanner.punctuation(at + keyLength + 2, COLON);
        if (isCollection) geometriesAt = at;
        else coordinatesAt = at;
        if (hasType && parsedAt < 0 && isCollection === (type === GEOMETRY_TYPE.geometryCollection)) {
          parsedAt = at;
          parsedType = type;
          at = this.#content(at, type, collectionDepth);
        } else at = scanner.skip(at, collectionDepth + 3);
      } else at = this.#otherMember(at, collectionDepth);
      at = scanner.space(at);
      if (bytes[at] === COMMA) {
        at = scanner.space(at + 1);
        if (bytes[at] !== QUOTE) throw scanner.unexpected(at, 'a key in double quotes');
      } else if (bytes[at] !== CLOSE_BRACE) throw scanner.unexpected(at, "',' or '}'");
    }
    if (!hasType) throw scanner.fault(objectStart, "this geometry has no 'type'", 'structure');
    const contentAt = type === GEOMETRY_TYPE.geometryCollection ? geometriesAt : coordinatesAt;
    if (contentAt < 0) throw this.#contentMissing(objectStart, type);
    if (parsedAt !== contentAt || parsedType !== type) {
      this.#builder.rewind(firstPart);
      this.#content(contentAt, type, collectionDepth);
    }
    this.type = type;
    return at + 1;
  }

  /** Skips a member; its key is at `at`. */
  #otherMember(at: number, collectionDepth: number): number {
    const scanner = this.#scanner;
    const keyEnd = scanner.string(at);
    const isBbox = scanner.isString(at, KEY_BBOX);
    const valueAt = scanner.punctuation(keyEnd + 1, COLON);
    if (!isBbox) this.#onForeignMember(at + 1, keyEnd, valueAt);
    return scanner.skip(valueAt, collectionDepth + 3);
  }

  #typeAt(at: number): number {
    const scanner = this.#scanner;
    if (scanner.bytes[at] !== QUOTE) throw scanner.fault(at, "'type' must be a string", 'structure');
    for (let type = 1; type <= 7; type++) if (scanner.isString(at, TYPE_NAMES[type])) return type;
    throw this.#unknownType(at, scanner.string(at));
  }

  #unknownType(at: number, end: number): Error {
    const name = this.#scanner.text(at + 1, Math.min(end, at + 41));
    const right = GEOMETRY_TYPE_NAMES.find((known) => known.toLowerCase() === name.toLowerCase());
    const advice =
      right === undefined ? `known are ${GEOMETRY_TYPE_NAMES.slice(1).join(', ')}` : `write '${right}'`;
    return this.#scanner.fault(at, `'${name}' is not a geometry type; ${advice}`, 'structure');
  }

  #contentMissing(at: number, type: number): Error {
    const member = type === GEOMETRY_TYPE.geometryCollection ? 'geometries' : 'coordinates';
    const reason = `this ${GEOMETRY_TYPE_NAMES[type]} has no '${member}'`;
    return this.#scanner.fault(at, reason, 'structure');
  }

  /** Parses the value of `coordinates` or `geometries`. */
  #content(at: number, type: number, collectionDepth: number): number {
    if (type === GEOMETRY_TYPE.geometryCollection) return this.#geometries(at, collectionDepth);
    const scanner = this.#scanner;
    const builder = this.#builder;
    if (scanner.bytes[at] !== OPEN_BRACKET) {
      const reason = `the coordinates of a ${GEOMETRY_TYPE_NAMES[type]} must be an array`;
      throw scanner.fault(at, reason, 'structure');
    }
    const isMember = collectionDepth > 0;
    const firstPart = builder.partCount;
    const kind = type > 3 ? type - 3 : type;
    if (type === GEOMETRY_TYPE.point) at = this.#point(at);
    else if (type === GEOMETRY_TYPE.multiPoint) at = this.#points(at, isMember);
    else if (type === GEOMETRY_TYPE.lineString) at = this.#line(at, 0);
    else if (type === GEOMETRY_TYPE.polygon) at = this.#polygon(at, 0);
    else at = this.#parts(at, kind, isMember);
    this.positions.checkCount();
    if (isMember && builder.partCount === firstPart)
      builder.endPart(kind | (type > 3 ? PART_MULTI_FIRST : 0));
    return at;
  }

  #geometries(at: number, collectionDepth: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    if (bytes[at] !== OPEN_BRACKET) throw scanner.fault(at, "'geometries' must be an array", 'structure');
    if (collectionDepth >= MAX_COLLECTION_DEPTH) {
      const reason = `geometry collections are nested deeper than ${MAX_COLLECTION_DEPTH} levels`;
      throw scanner.fault(at, reason, 'structure');
    }
    if (collectionDepth > 0) this.notes |= GEOMETRY_NOTE.flattened;
    at = scanner.space(at + 1);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    for (;;) {
      at = scanner.space(this.parse(at, collectionDepth + 1));
      if (bytes[at] === CLOSE_BRACKET) return at + 1;
      at = scanner.punctuation(at, COMMA);
    }
  }

  #point(at: number): number {
    const scanner = this.#scanner;
    const next = scanner.space(at + 1);
    if (scanner.bytes[next] === CLOSE_BRACKET) return next + 1;
    this.#builder.reserve(4);
    at = this.positions.single(at);
    this.#builder.endRing();
    this.#builder.endPart(PART_KIND.point);
    return at;
  }

  #points(at: number, isMember: boolean): number {
    const scanner = this.#scanner;
    const builder = this.#builder;
    const { bytes } = scanner;
    at = scanner.space(at + 1);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    let mark = isMember ? PART_MULTI_FIRST : 0;
    for (;;) {
      at = this.positions.single(at);
      builder.endRing();
      builder.endPart(PART_KIND.point | mark);
      if (isMember) mark = PART_MULTI_NEXT;
      at = scanner.space(at);
      if (bytes[at] === CLOSE_BRACKET) return at + 1;
      at = scanner.punctuation(at, COMMA);
    }
  }

  #line(at: number, mark: number): number {
    const builder = this.#builder;
    const before = builder.coordinateLength;
    at = this.positions.list(at);
    if (builder.coordinateLength === before) return at;
    if (builder.coordinateLength === before + builder.stride) this.notes |= GEOMETRY_NOTE.degenerate;
    builder.endRing();
    builder.endPart(PART_KIND.line | mark);
    return at;
  }

  #polygon(at: number, mark: number): number {
    const scanner = this.#scanner;
    const builder = this.#builder;
    const { bytes } = scanner;
    if (bytes[at] !== OPEN_BRACKET) throw this.positions.noArray(at, 'rings');
    at = scanner.space(at + 1);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    const firstRing = builder.ringCount;
    for (;;) {
      const firstPosition = builder.positionCount;
      at = this.positions.list(at);
      const count = builder.positionCount - firstPosition;
      if (count === 0) this.notes |= GEOMETRY_NOTE.emptyMember;
      else {
        if (closeRing(builder, firstPosition)) this.notes |= GEOMETRY_NOTE.ringClosed;
        if (builder.positionCount - firstPosition < 4) this.notes |= GEOMETRY_NOTE.degenerate;
        builder.endRing();
      }
      const byte = bytes[at];
      if (byte === CLOSE_BRACKET) break;
      if (byte !== COMMA || bytes[at + 1] !== OPEN_BRACKET) {
        at = scanner.space(at);
        if (bytes[at] === CLOSE_BRACKET) break;
        at = scanner.punctuation(at, COMMA);
      } else at++;
    }
    if (builder.ringCount > firstRing) builder.endPart(PART_KIND.polygon | mark);
    return at + 1;
  }

  /** Parses the lines of a MultiLineString or the polygons of a MultiPolygon. */
  #parts(at: number, kind: number, isMember: boolean): number {
    const scanner = this.#scanner;
    const builder = this.#builder;
    const { bytes } = scanner;
    at = scanner.space(at + 1);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    let mark = isMember ? PART_MULTI_FIRST : 0;
    for (;;) {
      const before = builder.partCount;
      at = kind === PART_KIND.line ? this.#line(at, mark) : this.#polygon(at, mark);
      if (builder.partCount === before) this.notes |= GEOMETRY_NOTE.emptyMember;
      else if (isMember) mark = PART_MULTI_NEXT;
      at = scanner.space(at);
      if (bytes[at] === CLOSE_BRACKET) return at + 1;
      at = scanner.punctuation(at, COMMA);
    }
  }
}
