/**
 * Parses a geometry object into a GeometryBuilder. Members may come in any order; coordinates are parsed where they are, and
 * again if a flag after them says that their third ordinate is M.
 */
import { GEOMETRY_TYPE, type GeometryBuilder, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE } from '@geomill/core/geometry/geometry-notes.ts';
import { RingSorter } from '@geomill/core/geometry/ring-sorter.ts';
import { closeRing } from '@geomill/core/geometry/rings.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  LOWER_N,
  LOWER_T,
  OPEN_BRACKET,
  QUOTE,
} from '@geomill/core/text/ascii.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import { CurveParser } from './curves.ts';
import { EsriPositions } from './positions.ts';

const encoder = new TextEncoder();
const CONTENT = { points: 0, paths: 1, rings: 2, curvePaths: 3, curveRings: 4 } as const;
const CONTENT_KEYS = Object.keys(CONTENT).map((key) => encoder.encode(key));
const NUMBER_NAMES = ['x', 'y', 'z', 'm', 'xmin', 'ymin', 'xmax', 'ymax'] as const;
const NUMBER_KEYS = NUMBER_NAMES.map((key) => encoder.encode(key));
const X_MIN = NUMBER_NAMES.indexOf('xmin');
const KEY_HAS_Z = encoder.encode('hasZ');
const KEY_HAS_M = encoder.encode('hasM');
const KEY_REFERENCE = encoder.encode('spatialReference');

export interface GeometryFlags {
  readonly hasZ: boolean;
  readonly hasM: boolean;
}

export class GeometryParser {
  /** GEOMETRY_TYPE of the last geometry. */
  type: number = GEOMETRY_TYPE.none;
  /** GEOMETRY_NOTE bits of the feature; the caller resets them. */
  notes = 0;
  /** Rings of the feature were not in the order that Esri defines. */
  areRingsReordered = false;
  /** The geometry has no member with coordinates. */
  isUnknown = false;
  readonly positions: EsriPositions;
  readonly #scanner: JsonScanner;
  readonly #builder: GeometryBuilder;
  readonly #curves: CurveParser;
  readonly #flags: GeometryFlags;
  readonly #onReference: (at: number, end: number) => void;
  readonly #sorter: RingSorter;
  readonly #numbers = new Float64Array(NUMBER_NAMES.length);
  #starts = new Int32Array(16);
  #at = 0;

  /** `flags`: of the feature set. `onReference` checks the spatial reference of a geometry, the value at `[at, end)`. */
  constructor(
    scanner: JsonScanner,
    builder: GeometryBuilder,
    positionLimit: number,
    flags: GeometryFlags,
    onReference: (at: number, end: number) => void,
  ) {
    this.#scanner = scanner;
    this.#builder = builder;
    this.positions = new EsriPositions(scanner, builder, positionLimit);
    this.#curves = new CurveParser(scanner, builder, this.positions);
    this.#flags = flags;
    this.#onReference = onReference;
    this.#sorter = new RingSorter((reason) => {
      throw scanner.fault(this.#at, reason, 'structure');
    });
  }

  /** Parses the object at `at`; returns the offset after it. `depth`: of the object. */
  parse(at: number, depth: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    const firstPart = this.#builder.partCount;
    let { hasZ, hasM } = this.#flags;
    let content = -1;
    let contentAt = 0;
    let given = 0;
    this.#at = at;
    this.#reset(hasM && !hasZ);
    at = scanner.space(at + 1);
    while (bytes[at] !== CLOSE_BRACE) {
      if (bytes[at] !== QUOTE) throw scanner.unexpected(at, "a key in double quotes or '}'");
      const keyAt = at;
      const key = this.#contentKey(at);
      if (key >= 0) {
        contentAt = scanner.punctuation(at + CONTENT_KEYS[key].length + 2, COLON);
        content = key;
        this.#builder.rewind(firstPart);
        at = this.#content(key, contentAt);
      } else {
        const keyEnd = scanner.string(at);
        at = scanner.punctuation(keyEnd + 1, COLON);
        const number = this.#numberKey(keyAt);
        if (number >= 0) {
          this.#numbers[number] = this.positions.ordinate(at);
          given |= 1 << number;
          at = this.positions.end;
        } else {
          const end = scanner.skip(at, depth + 1);
          if (scanner.isString(keyAt, KEY_HAS_Z)) hasZ = bytes[at] === LOWER_T;
          else if (scanner.isString(keyAt, KEY_HAS_M)) hasM = bytes[at] === LOWER_T;
          else if (scanner.isString(keyAt, KEY_REFERENCE)) this.#onReference(at, end);
          at = end;
        }
        this.positions.thirdIsM = hasM && !hasZ;
      }
      at = scanner.space(at);
      if (bytes[at] === COMMA) {
        at = scanner.space(at + 1);
        if (bytes[at] !== QUOTE) throw scanner.unexpected(at, 'a key in double quotes');
      } else if (bytes[at] !== CLOSE_BRACE) throw scanner.unexpected(at, "',' or '}'");
    }
    if (content < 0) this.#numbersOnly(given);
    else if (this.positions.hasThree && this.#parsedAsM !== this.positions.thirdIsM) {
      this.#builder.rewind(firstPart);
      this.#content(content, contentAt);
    }
    return at + 1;
  }

  #parsedAsM = false;

  #reset(thirdIsM: boolean): void {
    this.positions.thirdIsM = thirdIsM;
    this.positions.hasThree = false;
    this.type = GEOMETRY_TYPE.none;
    this.isUnknown = false;
    this.#numbers.fill(Number.NaN);
  }

  #contentKey(at: number): number {
    const scanner = this.#scanner;
    // Most often polygons, then lines.
    if (scanner.isString(at, CONTENT_KEYS[CONTENT.rings])) return CONTENT.rings;
    if (scanner.isString(at, CONTENT_KEYS[CONTENT.paths])) return CONTENT.paths;
    if (scanner.isString(at, CONTENT_KEYS[CONTENT.points])) return CONTENT.points;
    if (scanner.isString(at, CONTENT_KEYS[CONTENT.curveRings])) return CONTENT.curveRings;
    return scanner.isString(at, CONTENT_KEYS[CONTENT.curvePaths]) ? CONTENT.curvePaths : -1;
  }

  #numberKey(at: number): number {
    for (let i = 0; i < NUMBER_KEYS.length; i++) if (this.#scanner.isString(at, NUMBER_KEYS[i])) return i;
    return -1;
  }

  /** A point, an envelope, or nothing that is known. */
  #numbersOnly(given: number): void {
    const builder = this.#builder;
    const [x, y, z, m, minX, minY, maxX, maxY] = this.#numbers;
    if ((given & 3) !== 0) {
      this.type = GEOMETRY_TYPE.point;
      if (x - x !== 0 || y - y !== 0) return;
      this.positions.append(x, y, z, m);
      builder.endRing();
      builder.endPart(PART_KIND.point);
    } else if (given >> X_MIN !== 0) {
      this.type = GEOMETRY_TYPE.polygon;
      if (!(minX <= maxX && minY <= maxY)) return;
      for (const [cornerX, cornerY] of [
        [minX, minY],
        [maxX, minY],
        [maxX, maxY],
        [minX, maxY],
        [minX, minY],
      ])
        builder.position(cornerX, cornerY);
      builder.endRing();
      builder.endPart(PART_KIND.polygon);
    } else this.isUnknown = true;
  }

  #content(key: number, at: number): number {
    this.#parsedAsM = this.positions.thirdIsM;
    if (key === CONTENT.points) return this.#points(at);
    const isCurve = key >= CONTENT.curvePaths;
    this.#curves.hasCurves = false;
    at =
      key === CONTENT.rings || key === CONTENT.curveRings
        ? this.#rings(at, isCurve)
        : this.#paths(at, isCurve);
    if (this.#curves.hasCurves) this.notes |= GEOMETRY_NOTE.curve;
    return at;
  }

  /** Calls `member` for each element of the array at `at`, which may be null; returns the offset after it. */
  #each(at: number, content: string, member: (at: number) => number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    if (bytes[at] === LOWER_N) return scanner.literal(at);
    if (bytes[at] !== OPEN_BRACKET) throw this.positions.noArray(at, content);
    at = scanner.space(at + 1);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    for (;;) {
      at = scanner.space(member(at));
      if (bytes[at] === CLOSE_BRACKET) break;
      at = scanner.punctuation(at, COMMA);
    }
    this.positions.checkCount();
    return at + 1;
  }

  #points(at: number): number {
    const builder = this.#builder;
    this.type = GEOMETRY_TYPE.multiPoint;
    return this.#each(at, 'points', (memberAt) => {
      const end = this.positions.single(memberAt);
      builder.endRing();
      builder.endPart(PART_KIND.point);
      return end;
    });
  }

  /** Appends the positions of a path or ring; notes one without any. */
  #positionsOf(at: number, isCurve: boolean): number {
    const before = this.#builder.coordinateLength;
    const end = isCurve ? this.#curves.list(at) : this.positions.list(at);
    if (this.#builder.coordinateLength === before) this.notes |= GEOMETRY_NOTE.emptyMember;
    return end;
  }

  #paths(at: number, isCurve: boolean): number {
    const builder = this.#builder;
    const firstPart = builder.partCount;
    at = this.#each(at, 'paths', (memberAt) => {
      const before = builder.positionCount;
      const end = this.#positionsOf(memberAt, isCurve);
      const count = builder.positionCount - before;
      if (count === 1) this.notes |= GEOMETRY_NOTE.degenerate;
      if (count > 0) {
        builder.endRing();
        builder.endPart(PART_KIND.line);
      }
      return end;
    });
    this.type = builder.partCount - firstPart > 1 ? GEOMETRY_TYPE.multiLineString : GEOMETRY_TYPE.lineString;
    return at;
  }

  #rings(at: number, isCurve: boolean): number {
    const builder = this.#builder;
    const first = builder.positionCount;
    let count = 0;
    at = this.#each(at, 'rings', (memberAt) => {
      const before = builder.positionCount;
      const end = this.#positionsOf(memberAt, isCurve);
      if (builder.positionCount === before) return end;
      if (closeRing(builder, before)) this.notes |= GEOMETRY_NOTE.ringClosed;
      if (builder.positionCount - before < 4) this.notes |= GEOMETRY_NOTE.degenerate;
      builder.endRing();
      if (count + 2 > this.#starts.length) this.#grow();
      this.#starts[count++] = before - first;
      this.#starts[count] = builder.positionCount - first;
      return end;
    });
    this.type = GEOMETRY_TYPE.polygon;
    if (count > 0) this.#polygons(first, count);
    return at;
  }

  /** Orders rings `[0, count)`, which begin at position `first`: each shell before its holes. */
  #polygons(first: number, count: number): void {
    const builder = this.#builder;
    const { stride } = builder;
    const sorter = this.#sorter;
    const start = first * stride;
    const given = builder.coordinates.subarray(start, builder.coordinateLength);
    if (sorter.sort(stride === 2 ? given : flat(given, stride), this.#starts, count))
      this.areRingsReordered = true;
    let shells = 0;
    let isInOrder = true;
    for (let i = 0; i < count; i++) {
      shells += sorter.isShell[i];
      if (sorter.order[i] !== i) isInOrder = false;
    }
    if (isInOrder && shells === 1) {
      builder.endPart(PART_KIND.polygon);
      return;
    }
    const copy = given.slice();
    builder.rewind(builder.partCount);
    for (let i = 0; i < count; i++) {
      const ring = sorter.order[i];
      if (i > 0 && sorter.isShell[ring] === 1) builder.endPart(PART_KIND.polygon);
      const own = copy.subarray(this.#starts[ring] * stride, this.#starts[ring + 1] * stride);
      builder.coordinates.set(own, builder.coordinateLength);
      builder.coordinateLength += own.length;
      builder.endRing();
    }
    builder.endPart(PART_KIND.polygon);
    if (shells > 1) this.type = GEOMETRY_TYPE.multiPolygon;
  }

  #grow(): void {
    const larger = new Int32Array(this.#starts.length * 2);
    larger.set(this.#starts);
    this.#starts = larger;
  }
}

/** x and y of positions with more ordinates. */
function flat(coordinates: Float64Array, stride: number): Float64Array {
  const xy = new Float64Array((coordinates.length / stride) * 2);
  for (let from = 0, to = 0; from < coordinates.length; from += stride, to += 2) {
    xy[to] = coordinates[from];
    xy[to + 1] = coordinates[from + 1];
  }
  return xy;
}
