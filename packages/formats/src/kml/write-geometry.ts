/** Geometries as elements of KML. Outer boundaries are counter-clockwise, inner ones clockwise. */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { GEOMETRY_TYPE, type GeometryColumn, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { signedArea } from '@geomill/core/geometry/rings.ts';
import type { CoordinateDigits } from '@geomill/core/text/number-text.ts';
import { OrdinateWriter } from '../ordinate-writer.ts';

const SPACE = 0x20;
const COMMA = 0x2c;
const encoder = new TextEncoder();
const NAMES = ['', 'Point', 'LineString', 'Polygon'];
const OPEN = NAMES.map((name) => encoder.encode(`<${name}>`));
const CLOSE = NAMES.map((name) => encoder.encode(`</${name}>\n`));
const OPEN_MULTI = encoder.encode('<MultiGeometry>');
const CLOSE_MULTI = encoder.encode('</MultiGeometry>\n');
const COORDINATES = encoder.encode('<coordinates>');
const END_COORDINATES = encoder.encode('</coordinates>');
const OUTER = encoder.encode('<outerBoundaryIs><LinearRing><coordinates>');
const END_OUTER = encoder.encode('</coordinates></LinearRing></outerBoundaryIs>');
const INNER = encoder.encode('<innerBoundaryIs><LinearRing><coordinates>');
const END_INNER = encoder.encode('</coordinates></LinearRing></innerBoundaryIs>');

/** Elements before the positions, which depend on the kind: a point has no tessellate. */
export interface Modes {
  readonly forPoints: Uint8Array;
  readonly forOthers: Uint8Array;
}

export class GeometryWriter extends OrdinateWriter {
  #modes: Modes = { forPoints: new Uint8Array(0), forOthers: new Uint8Array(0) };

  constructor(out: ByteWriter, column: GeometryColumn, digits: CoordinateDigits) {
    super('KML', out, column, digits);
  }

  write(row: number, modes: Modes): void {
    const { types, partOffsets } = this.column;
    const type = types[row];
    this.row = row;
    this.#modes = modes;
    if (type === GEOMETRY_TYPE.none) return;
    const firstPart = partOffsets[row];
    const endPart = partOffsets[row + 1];
    this.countMeasures(firstPart, endPart);
    if (type === GEOMETRY_TYPE.geometryCollection) this.#collection(firstPart, endPart);
    else this.#simple(type, firstPart, endPart);
  }

  #collection(firstPart: number, endPart: number): void {
    this.out.copy(OPEN_MULTI);
    this.forEachMember(firstPart, endPart, (type, first, end) => this.#simple(type, first, end));
    this.out.copy(CLOSE_MULTI);
  }

  #simple(type: number, firstPart: number, endPart: number): void {
    const { ringOffsets } = this.column;
    const { out } = this;
    if (type > GEOMETRY_TYPE.polygon) {
      out.copy(OPEN_MULTI);
      for (let part = firstPart; part < endPart; part++)
        if (ringOffsets[part] < ringOffsets[part + 1]) this.#part(type - 3, part);
      out.copy(CLOSE_MULTI);
    } else if (firstPart < endPart && ringOffsets[firstPart] < ringOffsets[firstPart + 1])
      this.#part(type, firstPart);
    else {
      out.copy(OPEN[type]);
      if (type !== GEOMETRY_TYPE.polygon) {
        out.copy(COORDINATES);
        out.copy(END_COORDINATES);
      }
      out.copy(CLOSE[type]);
    }
  }

  #part(kind: number, part: number): void {
    const { ringOffsets, coordOffsets, coordinates } = this.column;
    const { out } = this;
    const firstRing = ringOffsets[part];
    out.copy(OPEN[kind]);
    out.copy(kind === PART_KIND.point ? this.#modes.forPoints : this.#modes.forOthers);
    if (kind !== PART_KIND.polygon) {
      out.copy(COORDINATES);
      this.#positions(coordOffsets[firstRing], coordOffsets[firstRing + 1], false);
      out.copy(END_COORDINATES);
    } else
      for (let ring = firstRing; ring < ringOffsets[part + 1]; ring++) {
        const start = coordOffsets[ring];
        const end = coordOffsets[ring + 1];
        const area = signedArea(coordinates, this.stride, start, end);
        const isOuter = ring === firstRing;
        out.copy(isOuter ? OUTER : INNER);
        this.#positions(start, end, isOuter ? area < 0 : area > 0);
        out.copy(isOuter ? END_OUTER : END_INNER);
      }
    out.copy(CLOSE[kind]);
  }

  /** Writes positions `[start, end)`, in reverse order if `reversed`. */
  #positions(start: number, end: number, reversed: boolean): void {
    const { out } = this;
    const { coordinates } = this.column;
    const stride = reversed ? -this.stride : this.stride;
    let at = (reversed ? end - 1 : start) * this.stride;
    for (let count = end - start; count > 0; count--) {
      this.ordinate(coordinates[at], this.xy);
      out.bytes[out.length++] = COMMA;
      this.ordinate(coordinates[at + 1], this.xy);
      if (this.hasZ && !Number.isNaN(coordinates[at + 2])) {
        out.bytes[out.length++] = COMMA;
        this.ordinate(coordinates[at + 2], this.zm);
      }
      if (count > 1) out.bytes[out.length++] = SPACE;
      at += stride;
    }
  }
}
