/** Builds the geometries of a topology: parses arc numbers and points, and copies the positions of the arcs. */
import {
  GEOMETRY_TYPE,
  GEOMETRY_TYPE_NAMES,
  type GeometryBuilder,
  PART_KIND,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
} from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE } from '@geomill/core/geometry/geometry-notes.ts';
import type { PositionParser } from '@geomill/core/geometry/json-positions.ts';
import { closeRing } from '@geomill/core/geometry/rings.ts';
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from '@geomill/core/text/ascii.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import type { Arcs, Transform } from './state.ts';

export class GeometryParser {
  /** GEOMETRY_NOTE bits of the feature so far; the reader of this field resets it. */
  notes = 0;
  /** Consecutive arcs of the feature do not touch; the reader of this field resets it. */
  hasGaps = false;
  /** A line or ring of the feature had too few positions; the reader of this field resets it. */
  isFilled = false;
  readonly #scanner: JsonScanner;
  readonly #builder: GeometryBuilder;
  readonly #positions: PositionParser;
  readonly #arcs: Arcs;
  readonly #arcCount: number;
  readonly #transform: Transform | null;

  constructor(
    scanner: JsonScanner,
    builder: GeometryBuilder,
    positions: PositionParser,
    arcs: Arcs,
    transform: Transform | null,
  ) {
    this.#scanner = scanner;
    this.#builder = builder;
    this.#positions = positions;
    this.#arcs = arcs;
    this.#arcCount = arcs.offsets.length - 1;
    this.#transform = transform;
  }

  /** Parses `arcs` or `coordinates` of a geometry of this type; `isMember`: of a collection. */
  content(at: number, type: number, isMember: boolean): number {
    const builder = this.#builder;
    if (this.#scanner.bytes[at] !== OPEN_BRACKET) throw this.#noArray(at, `a ${GEOMETRY_TYPE_NAMES[type]}`);
    const firstPart = builder.partCount;
    const kind = type > 3 ? type - 3 : type;
    if (type === GEOMETRY_TYPE.point) at = this.#point(at);
    else if (type === GEOMETRY_TYPE.multiPoint) at = this.#points(at, isMember);
    else if (type === GEOMETRY_TYPE.lineString) at = this.#line(at, 0);
    else if (type === GEOMETRY_TYPE.polygon) at = this.#polygon(at, 0);
    else at = this.#parts(at, kind, isMember);
    this.#positions.checkCount();
    if (isMember && builder.partCount === firstPart)
      builder.endPart(kind | (type > 3 ? PART_MULTI_FIRST : 0));
    return at;
  }

  #point(at: number): number {
    const scanner = this.#scanner;
    const next = scanner.space(at + 1);
    if (scanner.bytes[next] === CLOSE_BRACKET) return next + 1;
    at = this.#position(at);
    this.#builder.endPart(PART_KIND.point);
    return at;
  }

  #points(at: number, isMember: boolean): number {
    let mark = isMember ? PART_MULTI_FIRST : 0;
    return this.#list(at, (elementAt) => {
      const end = this.#position(elementAt);
      this.#builder.endPart(PART_KIND.point | mark);
      if (isMember) mark = PART_MULTI_NEXT;
      return end;
    });
  }

  /** A position, which is never a difference from another one. */
  #position(at: number): number {
    const builder = this.#builder;
    const positionAt = at;
    at = this.#positions.single(at);
    const transform = this.#transform;
    if (transform !== null) {
      const { coordinates } = builder;
      const start = builder.coordinateLength - builder.stride;
      coordinates[start] = coordinates[start] * transform.scale[0] + transform.translate[0];
      coordinates[start + 1] = coordinates[start + 1] * transform.scale[1] + transform.translate[1];
      if (!Number.isFinite(coordinates[start]) || !Number.isFinite(coordinates[start + 1])) {
        const reason = "with the 'transform' of the file this position is larger than any number";
        throw this.#scanner.fault(positionAt, reason, 'structure');
      }
    }
    builder.endRing();
    return at;
  }

  /** Parses the lines of a MultiLineString or the polygons of a MultiPolygon. */
  #parts(at: number, kind: number, isMember: boolean): number {
    const builder = this.#builder;
    let mark = isMember ? PART_MULTI_FIRST : 0;
    return this.#list(at, (elementAt) => {
      const before = builder.partCount;
      const end = kind === PART_KIND.line ? this.#line(elementAt, mark) : this.#polygon(elementAt, mark);
      if (builder.partCount === before) this.notes |= GEOMETRY_NOTE.emptyMember;
      else if (isMember) mark = PART_MULTI_NEXT;
      return end;
    });
  }

  #line(at: number, mark: number): number {
    const builder = this.#builder;
    const firstPosition = builder.positionCount;
    at = this.#joinedArcs(at);
    if (builder.positionCount === firstPosition) return at;
    this.#fill(firstPosition, 2);
    builder.endRing();
    builder.endPart(PART_KIND.line | mark);
    return at;
  }

  #polygon(at: number, mark: number): number {
    const builder = this.#builder;
    const firstRing = builder.ringCount;
    if (this.#scanner.bytes[at] !== OPEN_BRACKET) throw this.#noArray(at, 'the rings of a polygon');
    at = this.#list(at, (elementAt) => {
      const firstPosition = builder.positionCount;
      const end = this.#joinedArcs(elementAt);
      this.#endRing(firstPosition);
      return end;
    });
    if (builder.ringCount > firstRing) builder.endPart(PART_KIND.polygon | mark);
    return at;
  }

  #endRing(firstPosition: number): void {
    const builder = this.#builder;
    if (builder.positionCount === firstPosition) {
      this.notes |= GEOMETRY_NOTE.emptyMember;
      return;
    }
    if (closeRing(builder, firstPosition)) this.notes |= GEOMETRY_NOTE.ringClosed;
    this.#fill(firstPosition, 4);
    builder.endRing();
  }

  /** Repeats the first position of a line until it has the least number that its type allows. */
  #fill(firstPosition: number, least: number): void {
    const builder = this.#builder;
    if (builder.positionCount - firstPosition >= least) return;
    this.isFilled = true;
    const first = firstPosition * builder.stride;
    builder.reserve(least * builder.stride);
    while (builder.positionCount - firstPosition < least) {
      builder.coordinates.copyWithin(builder.coordinateLength, first, first + builder.stride);
      builder.coordinateLength += builder.stride;
    }
  }

  /** Parses an array of arc numbers, and copies the positions of the arcs one after another. */
  #joinedArcs(at: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    if (bytes[at] !== OPEN_BRACKET) throw this.#noArray(at, 'arc numbers');
    at = scanner.space(at + 1);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    const first = this.#builder.coordinateLength;
    for (;;) {
      this.#copyArc(this.#arcNumber(at), first);
      at = scanner.numberEnd;
      if (bytes[at] !== COMMA) at = scanner.space(at);
      if (bytes[at] === CLOSE_BRACKET) return at + 1;
      at = scanner.punctuation(at, COMMA);
    }
  }

  /** The number at `at`: that of an arc, or its complement for an arc that is followed backwards. */
  #arcNumber(at: number): number {
    const scanner = this.#scanner;
    const byte = scanner.bytes[at];
    if (byte !== 0x2d && (byte < 0x30 || byte > 0x39))
      throw scanner.fault(at, `expected the number of an arc but found ${scanner.byteName(at)}`, 'structure');
    const number = scanner.number(at);
    if (!Number.isInteger(number))
      throw scanner.fault(at, `the number of an arc must be an integer, not ${number}`, 'structure');
    const count = this.#arcCount;
    if (number >= count || number < -count) {
      const known =
        count === 0
          ? 'the topology has no arcs'
          : `those of this topology are 0 to ${count - 1}, or -1 to ${-count} backwards`;
      throw scanner.fault(at, `arc ${number} does not exist; ${known}`, 'structure');
    }
    return number;
  }

  /** Appends the positions of an arc. `first`: the ordinate with which the line begins. */
  #copyArc(number: number, first: number): void {
    const builder = this.#builder;
    const { coordinates: source, offsets, stride } = this.#arcs;
    const isReverse = number < 0;
    const arc = isReverse ? ~number : number;
    let count = offsets[arc + 1] - offsets[arc];
    if (count === 0) return;
    let from = (isReverse ? offsets[arc + 1] - 1 : offsets[arc]) * stride;
    const step = isReverse ? -stride : stride;
    builder.reserve(count * builder.stride);
    const { coordinates } = builder;
    let length = builder.coordinateLength;
    if (length > first) {
      const last = length - builder.stride;
      // The end of an arc is the beginning of the next one.
      if (coordinates[last] === source[from] && coordinates[last + 1] === source[from + 1]) {
        from += step;
        count--;
      } else this.hasGaps = true;
    }
    const hasZ = builder.stride === 3;
    for (; count > 0; count--) {
      coordinates[length++] = source[from];
      coordinates[length++] = source[from + 1];
      if (hasZ) coordinates[length++] = stride === 3 ? source[from + 2] : Number.NaN;
      from += step;
    }
    builder.coordinateLength = length;
    this.#positions.checkCount();
  }

  /** Calls `element` for each element of the array at `at`, which returns the offset after it. */
  #list(at: number, element: (at: number) => number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    if (bytes[at] !== OPEN_BRACKET) throw this.#noArray(at, 'positions');
    at = scanner.space(at + 1);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    for (;;) {
      at = element(at);
      if (bytes[at] !== COMMA) at = scanner.space(at);
      if (bytes[at] === CLOSE_BRACKET) return at + 1;
      at = scanner.punctuation(at, COMMA);
    }
  }

  #noArray(at: number, content: string): Error {
    const scanner = this.#scanner;
    return scanner.fault(
      at,
      `expected an array for ${content} but found ${scanner.byteName(at)}`,
      'structure',
    );
  }
}
