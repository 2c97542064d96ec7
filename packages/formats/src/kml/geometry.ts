/** Parses the geometry elements of KML directly into a geometry builder. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import {
  GEOMETRY_TYPE,
  type GeometryBuilder,
  PART_KIND,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
} from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE } from '@geomill/core/geometry/geometry-notes.ts';
import { closeRing } from '@geomill/core/geometry/rings.ts';
import { elementText, tagName } from '@geomill/core/text/xml-elements.ts';
import { XmlFault } from '@geomill/core/text/xml-fault.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import { type KmlName, kmlName } from './names.ts';
import type { PositionReader } from './positions.ts';

/** What the feature gets of its geometry besides positions. */
export interface GeometrySink {
  /** The text of altitudeMode, tessellate or extrude. */
  mode(name: 'altitudeMode' | 'tessellate' | 'extrude', text: Uint8Array, length: number): void;
  beginTrack(): void;
  /**
   * A track ends. `times`: of its elements `coord`, as many as there are `when`. `count`: number of elements `coord`; `gaps`: which of
   * them, ascending, have no position.
   */
  endTrack(times: readonly string[], count: number, gaps: readonly number[]): void;
  ignored(name: string): void;
  /** ExtendedData, whose start tag was read last. */
  extendedData(at: number): number;
}

interface Member {
  readonly part: number;
  readonly endPart: number;
  readonly type: number;
}

const decoder = new TextDecoder();

/** MultiPoint, MultiLineString and MultiPolygon are no elements of KML, but other programs write them. */
function isMulti(name: KmlName | null): boolean {
  switch (name) {
    case 'MultiGeometry':
    case 'MultiTrack':
    case 'MultiPoint':
    case 'MultiLineString':
    case 'MultiPolygon':
      return true;
    default:
      return false;
  }
}

export class GeometryParser {
  /** Bits of GEOMETRY_NOTE of the feature; its reader resets it. */
  notes = 0;
  /** The feature has points with several positions; its reader resets it. */
  hasExtraPositions = false;
  /** The feature has models; its reader resets it. */
  isModel = false;
  /** GEOMETRY_TYPE of the last geometry. */
  type = 0;
  readonly #scanner: XmlScanner;
  readonly #builder: GeometryBuilder;
  readonly #rootPrefix: Uint8Array;
  readonly #sink: GeometrySink;
  readonly #positions: PositionReader;
  readonly #scratch = new ByteWriter(256);

  constructor(
    scanner: XmlScanner,
    builder: GeometryBuilder,
    rootPrefix: Uint8Array,
    sink: GeometrySink,
    positions: PositionReader,
  ) {
    this.#scanner = scanner;
    this.#builder = builder;
    this.#rootPrefix = rootPrefix;
    this.#sink = sink;
    this.#positions = positions;
  }

  /** Whether the element is a geometry that `read` reads. */
  static isGeometry(name: KmlName | null): boolean {
    if (isMulti(name)) return true;
    switch (name) {
      case 'Point':
      case 'LineString':
      case 'LinearRing':
      case 'Polygon':
      case 'Track':
      case 'Model':
        return true;
      default:
        return false;
    }
  }

  /** There is something to report. */
  get hasNotes(): boolean {
    return this.notes !== 0 || this.hasExtraPositions || this.isModel;
  }

  /** Reads the geometry element whose start tag was read last; sets `type`. */
  read(name: KmlName, at: number): number {
    if (!isMulti(name)) return this.#simple(name, at);
    const members: Member[] = [];
    at = this.#multi(at, members);
    if (this.type === GEOMETRY_TYPE.geometryCollection)
      for (const { part, endPart, type } of members)
        for (let i = part; type > GEOMETRY_TYPE.polygon && i < endPart; i++)
          this.#builder.markPart(i, (type - 3) | (i === part ? PART_MULTI_FIRST : PART_MULTI_NEXT));
    return at;
  }

  /** A polygon of positions that are given as numbers. */
  ring(positions: readonly (readonly number[])[], z: number): void {
    const builder = this.#builder;
    if (!Number.isNaN(z)) builder.widen('XYZ');
    const first = builder.positionCount;
    for (const [x, y] of positions) builder.position(x, y, z);
    closeRing(builder, first);
    builder.endRing();
    builder.endPart(PART_KIND.polygon);
    this.type = GEOMETRY_TYPE.polygon;
  }

  /** Members of one kind are a multi geometry, others a collection; those of collections inside are added to `outer`. */
  #multi(at: number, outer: Member[]): number {
    const scanner = this.#scanner;
    const builder = this.#builder;
    const own: Member[] = [];
    this.type = GEOMETRY_TYPE.geometryCollection;
    if (scanner.isEmpty) return at;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) break;
      const name = kmlName(scanner, this.#rootPrefix);
      const part = builder.partCount;
      if (isMulti(name)) {
        const inner: Member[] = [];
        at = this.#multi(at, inner);
        if (this.type === GEOMETRY_TYPE.geometryCollection) {
          this.notes |= GEOMETRY_NOTE.flattened;
          for (const member of inner) own.push(member);
        } else own.push({ part, endPart: builder.partCount, type: this.type });
      } else if (name !== null && GeometryParser.isGeometry(name)) {
        at = this.#simple(name, at);
        if (builder.partCount > part) own.push({ part, endPart: builder.partCount, type: this.type });
        else this.notes |= GEOMETRY_NOTE.emptyMember;
      } else if (name === 'interpolate') at = scanner.skip(at);
      else at = this.#other(name, at);
    }
    const first = own.at(0)?.type ?? GEOMETRY_TYPE.geometryCollection;
    if (first <= GEOMETRY_TYPE.polygon && own.every(({ type }) => type === first)) this.type = first + 3;
    else {
      this.type = GEOMETRY_TYPE.geometryCollection;
      for (const member of own) outer.push(member);
    }
    return at;
  }

  #simple(name: KmlName, at: number): number {
    if (name === 'Polygon') return this.#polygon(at);
    if (name === 'Track') return this.#track(at);
    if (name === 'Model') return this.#model(at);
    const scanner = this.#scanner;
    const builder = this.#builder;
    const kind = name === 'Point' ? PART_KIND.point : PART_KIND.line;
    const first = builder.positionCount;
    if (!scanner.isEmpty)
      for (;;) {
        at = scanner.tag(at);
        if (scanner.isEnd) break;
        const child = kmlName(scanner, this.#rootPrefix);
        at = child === 'coordinates' ? this.#positions.read(at) : this.#other(child, at);
      }
    let count = builder.positionCount - first;
    if (kind === PART_KIND.point && count > 1) {
      this.hasExtraPositions = true;
      builder.coordinateLength = (first + 1) * builder.stride;
      count = 1;
    }
    if (count > 0) {
      if (kind === PART_KIND.line && count === 1) this.notes |= GEOMETRY_NOTE.degenerate;
      builder.endRing();
      builder.endPart(kind);
    }
    this.type = kind;
    return at;
  }

  #polygon(at: number): number {
    const scanner = this.#scanner;
    const builder = this.#builder;
    const firstRing = builder.ringCount;
    if (!scanner.isEmpty)
      for (;;) {
        at = scanner.tag(at);
        if (scanner.isEnd) break;
        const child = kmlName(scanner, this.#rootPrefix);
        if (child !== 'outerBoundaryIs' && child !== 'innerBoundaryIs') at = this.#other(child, at);
        else {
          if ((child === 'outerBoundaryIs') !== (builder.ringCount === firstRing)) this.#misplaced(child);
          at = this.#boundary(at);
        }
      }
    if (builder.ringCount > firstRing) builder.endPart(PART_KIND.polygon);
    this.type = GEOMETRY_TYPE.polygon;
    return at;
  }

  #misplaced(child: string): void {
    const reason =
      child === 'outerBoundaryIs'
        ? 'a Polygon has one outerBoundaryIs; several polygons are a MultiGeometry'
        : 'a Polygon begins with its outerBoundaryIs, which is missing here';
    throw new XmlFault(this.#scanner.tagStart, reason);
  }

  #boundary(at: number): number {
    const scanner = this.#scanner;
    if (scanner.isEmpty) return at;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) return at;
      const name = kmlName(scanner, this.#rootPrefix);
      if (name === 'LinearRing') at = this.#ring(at);
      else at = this.#other(name, at);
    }
  }

  #ring(at: number): number {
    const scanner = this.#scanner;
    const builder = this.#builder;
    if (scanner.isEmpty) return at;
    const first = builder.positionCount;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) break;
      const child = kmlName(scanner, this.#rootPrefix);
      at = child === 'coordinates' ? this.#positions.read(at) : this.#other(child, at);
    }
    if (builder.positionCount === first) {
      this.notes |= GEOMETRY_NOTE.emptyMember;
      return at;
    }
    if (closeRing(builder, first)) this.notes |= GEOMETRY_NOTE.ringClosed;
    if (builder.positionCount - first < 4) this.notes |= GEOMETRY_NOTE.degenerate;
    builder.endRing();
    return at;
  }

  /** A gx:Track: its positions are separated by blanks, and have times. */
  #track(at: number): number {
    const scanner = this.#scanner;
    const builder = this.#builder;
    const first = builder.positionCount;
    const times: string[] = [];
    const gaps: number[] = [];
    let coords = 0;
    this.#sink.beginTrack();
    if (!scanner.isEmpty)
      for (;;) {
        at = scanner.tag(at);
        if (scanner.isEnd) break;
        const child = kmlName(scanner, this.#rootPrefix);
        if (child === 'when') {
          this.#scratch.reset();
          at = scanner.text(at, this.#scratch);
          times.push(decoder.decode(this.#scratch.written()).trim());
          this.#positions.checkCount(times.length);
        } else if (child === 'coord') {
          const before = builder.positionCount;
          at = this.#coord(at);
          if (builder.positionCount === before) gaps.push(coords);
          coords++;
          this.#positions.checkCount(coords);
        } else if (child === 'ExtendedData') at = this.#sink.extendedData(at);
        else at = this.#other(child, at);
      }
    const count = builder.positionCount - first;
    if (count === 1) this.notes |= GEOMETRY_NOTE.degenerate;
    if (count > 0) {
      builder.endRing();
      builder.endPart(PART_KIND.line);
    }
    this.#sink.endTrack(times, coords, gaps);
    this.type = GEOMETRY_TYPE.lineString;
    return at;
  }

  /** The place of a model, whose shape is in another file. */
  #model(at: number): number {
    const scanner = this.#scanner;
    const builder = this.#builder;
    const start = scanner.tagStart;
    const place: { longitude?: number; latitude?: number; altitude?: number } = {};
    this.type = GEOMETRY_TYPE.none;
    if (scanner.isEmpty) return at;
    for (const depth = scanner.depth; scanner.depth >= depth; ) {
      at = scanner.tag(at);
      if (scanner.isEnd) continue;
      const name = kmlName(scanner, this.#rootPrefix);
      if (name === 'altitudeMode') at = this.#other(name, at);
      else if (name === 'longitude' || name === 'latitude' || name === 'altitude') {
        const read = elementText(scanner, at, this.#scratch);
        at = read.at;
        if (read.text.trim() !== '') place[name] = Number(read.text);
      } else if (name !== 'Location') at = scanner.skip(at);
    }
    const { longitude, latitude, altitude } = place;
    if (longitude === undefined || latitude === undefined) {
      this.#sink.ignored('Model without a place');
      return at;
    }
    if (![longitude, latitude, altitude ?? 0].every(Number.isFinite))
      throw new XmlFault(start, 'the Location of a Model needs numbers for longitude and latitude');
    if (altitude !== undefined) builder.widen('XYZ');
    builder.position(longitude, latitude, altitude ?? Number.NaN);
    builder.endRing();
    builder.endPart(PART_KIND.point);
    this.type = GEOMETRY_TYPE.point;
    this.isModel = true;
    return at;
  }

  #coord(at: number): number {
    const scratch = this.#scratch;
    const start = this.#scanner.tagStart;
    scratch.reset();
    at = this.#scanner.text(at, scratch);
    const words = decoder
      .decode(scratch.written())
      .trim()
      .split(/[\s,]+/);
    const [x, y, z] = words.map(Number);
    if (words[0] === '') return at;
    if (words.length < 2 || words.length > 3 || !words.every((word) => Number.isFinite(Number(word))))
      throw new XmlFault(start, 'a gx:coord is a longitude, a latitude and an altitude, separated by blanks');
    if (words.length === 3) this.#builder.widen('XYZ');
    this.#builder.position(x, y, z);
    this.#positions.checkFeature();
    return at;
  }

  /** An element of a geometry that is no part of its shape. */
  #other(name: KmlName | null, at: number): number {
    const scanner = this.#scanner;
    switch (name) {
      case 'altitudeMode':
      case 'tessellate':
      case 'extrude': {
        const scratch = this.#scratch;
        scratch.reset();
        at = scanner.text(at, scratch);
        this.#sink.mode(name, scratch.bytes, scratch.length);
        return at;
      }
      case 'drawOrder':
        return scanner.skip(at);
      default:
        this.#sink.ignored(tagName(scanner));
        return scanner.skip(at);
    }
  }
}
