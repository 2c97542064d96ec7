/** Geometries as GeoJSON geometry objects, rings by the right-hand rule (RFC 7946 3.1.6): shells counter-clockwise. */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import {
  GEOMETRY_TYPE,
  GEOMETRY_TYPE_NAMES,
  type GeometryColumn,
  PART_KIND,
} from '@geomill/core/geometry/geometry-column.ts';
import { signedArea } from '@geomill/core/geometry/rings.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACKET } from '@geomill/core/text/ascii.ts';
import type { CoordinateDigits } from '@geomill/core/text/number-text.ts';
import { OrdinateWriter } from '../ordinate-writer.ts';

const encoder = new TextEncoder();
const NULL = encoder.encode('null');
const COLLECTION_HEAD = encoder.encode('{"type":"GeometryCollection","geometries":[');
const HEADS = GEOMETRY_TYPE_NAMES.map((name) => encoder.encode(`{"type":"${name}","coordinates":`));

export class GeometryWriter extends OrdinateWriter {
  /** Positions are written by `placePosition`: a check is cheaper than a method that is overridden. */
  readonly #isPlace: boolean;

  constructor(out: ByteWriter, column: GeometryColumn, digits: CoordinateDigits, isPlace = false) {
    super('GeoJSON', out, column, digits);
    this.#isPlace = isPlace;
  }

  write(row: number): void {
    const { types, partOffsets } = this.column;
    const { out } = this;
    const type = types[row];
    this.row = row;
    if (type === GEOMETRY_TYPE.none) {
      out.copy(NULL);
      return;
    }
    const firstPart = partOffsets[row];
    const endPart = partOffsets[row + 1];
    this.countMeasures(firstPart, endPart);
    if (type === GEOMETRY_TYPE.geometryCollection) this.#collection(firstPart, endPart);
    else this.#simple(type, firstPart, endPart);
  }

  #collection(firstPart: number, endPart: number): void {
    const { out } = this;
    out.copy(COLLECTION_HEAD);
    this.forEachMember(firstPart, endPart, (type, first, end) => {
      if (first > firstPart) out.uint8(COMMA);
      this.#simple(type, first, end);
    });
    out.uint8(CLOSE_BRACKET);
    out.uint8(CLOSE_BRACE);
  }

  #simple(type: number, firstPart: number, endPart: number): void {
    const { ringOffsets } = this.column;
    const { out } = this;
    out.copy(HEADS[type]);
    if (type > 3) {
      out.uint8(OPEN_BRACKET);
      let isFirst = true;
      for (let part = firstPart; part < endPart; part++) {
        if (ringOffsets[part] === ringOffsets[part + 1]) continue;
        if (!isFirst) out.uint8(COMMA);
        isFirst = false;
        this.#part(type - 3, part);
      }
      out.uint8(CLOSE_BRACKET);
    } else if (firstPart === endPart || ringOffsets[firstPart] === ringOffsets[firstPart + 1]) {
      out.uint8(OPEN_BRACKET);
      out.uint8(CLOSE_BRACKET);
    } else this.#part(type, firstPart);
    out.uint8(CLOSE_BRACE);
  }

  #part(kind: number, part: number): void {
    const { ringOffsets, coordOffsets, coordinates } = this.column;
    const { out } = this;
    const firstRing = ringOffsets[part];
    if (kind === PART_KIND.point) {
      this.#position(coordOffsets[firstRing] * this.stride);
      return;
    }
    if (kind === PART_KIND.line) {
      this.#positions(coordOffsets[firstRing], coordOffsets[firstRing + 1], false);
      return;
    }
    out.uint8(OPEN_BRACKET);
    for (let ring = firstRing; ring < ringOffsets[part + 1]; ring++) {
      if (ring > firstRing) out.uint8(COMMA);
      const start = coordOffsets[ring];
      const end = coordOffsets[ring + 1];
      const area = signedArea(coordinates, this.stride, start, end);
      this.#positions(start, end, ring === firstRing ? area < 0 : area > 0);
    }
    out.uint8(CLOSE_BRACKET);
  }

  /** Writes positions `[start, end)`, in reverse order if `reversed`. */
  #positions(start: number, end: number, reversed: boolean): void {
    const { out } = this;
    const stride = reversed ? -this.stride : this.stride;
    let at = (reversed ? end - 1 : start) * this.stride;
    out.uint8(OPEN_BRACKET);
    for (let count = end - start; count > 0; count--) {
      this.#position(at);
      at += stride;
      if (count > 1) out.bytes[out.length++] = COMMA;
    }
    out.uint8(CLOSE_BRACKET);
  }

  /** Writes a position of JSON-FG. */
  protected placePosition(_at: number): void {
    throw new Error('only geometries in place have such positions');
  }

  /** Reserves at least one byte more than it writes. */
  #position(at: number): void {
    if (this.#isPlace) {
      this.placePosition(at);
      return;
    }
    const { out } = this;
    const { coordinates } = this.column;
    out.reserve(4);
    out.bytes[out.length++] = OPEN_BRACKET;
    this.ordinate(coordinates[at], this.xy);
    out.bytes[out.length++] = COMMA;
    this.ordinate(coordinates[at + 1], this.xy);
    if (this.hasZ) {
      const z = coordinates[at + 2];
      if (!Number.isNaN(z)) {
        out.bytes[out.length++] = COMMA;
        this.ordinate(z, this.zm);
      }
    }
    out.bytes[out.length++] = CLOSE_BRACKET;
    out.reserve(1);
  }
}
