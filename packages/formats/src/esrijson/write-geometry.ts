/** Geometries as Esri geometry objects: shells clockwise, holes counter-clockwise. */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import {
  GEOMETRY_TYPE,
  type GeometryColumn,
  hasM,
  hasZ,
  PART_KIND,
  PART_KIND_MASK,
} from '@geomill/core/geometry/geometry-column.ts';
import { signedArea } from '@geomill/core/geometry/rings.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACKET } from '@geomill/core/text/ascii.ts';
import type { CoordinateDigits } from '@geomill/core/text/number-text.ts';
import { OrdinateWriter } from '../ordinate-writer.ts';
import type { SetPlan } from './write-plan.ts';

const encoder = new TextEncoder();
const FLAGS = ['{', '{"hasZ":true,', '{"hasM":true,', '{"hasZ":true,"hasM":true,'].map((text) =>
  encoder.encode(text),
);
const X = encoder.encode('"x":');
const Y = encoder.encode(',"y":');
const Z = encoder.encode(',"z":');
const M = encoder.encode(',"m":');
const EMPTY_POINT = encoder.encode('"x":"NaN","y":"NaN"');
const POINTS = encoder.encode('"points":[');
const PATHS = encoder.encode('"paths":[');
const RINGS = encoder.encode('"rings":[');
const NULL = encoder.encode('null');

export class GeometryWriter extends OrdinateWriter {
  readonly #plan: SetPlan;
  readonly #columnHasM: boolean;
  /** The current feature has such ordinates. */
  #z = false;
  #m = false;

  constructor(out: ByteWriter, column: GeometryColumn, digits: CoordinateDigits, plan: SetPlan) {
    super('EsriJSON', out, column, digits);
    this.#plan = plan;
    this.#columnHasM = hasM(column.dimensions);
  }

  /** Writes the parts of the row that belong to the set; false, and nothing, if the feature has no geometry. */
  write(row: number): boolean {
    const { types, partOffsets } = this.column;
    if (types[row] === GEOMETRY_TYPE.none) return false;
    this.row = row;
    const first = partOffsets[row];
    const end = partOffsets[row + 1];
    this.#findOrdinates(first, end);
    const { kind } = this.#plan;
    const { out } = this;
    // A point has no flags: its ordinates have names.
    const isPoint = kind === PART_KIND.point && !this.#plan.hasMultiPoints;
    out.copy(isPoint ? FLAGS[0] : FLAGS[(this.#z ? 1 : 0) + (this.#m ? 2 : 0)]);
    if (isPoint) this.#point(first, end);
    else {
      out.copy(kind === PART_KIND.point ? POINTS : kind === PART_KIND.line ? PATHS : RINGS);
      this.#parts(first, end);
      out.uint8(CLOSE_BRACKET);
    }
    out.uint8(CLOSE_BRACE);
    return true;
  }

  #findOrdinates(firstPart: number, endPart: number): void {
    this.#z = false;
    this.#m = false;
    const { ringOffsets, coordOffsets, coordinates, dimensions } = this.column;
    if (dimensions === 'XY') return;
    const { stride } = this;
    const end = coordOffsets[ringOffsets[endPart]] * stride;
    const z = hasZ(dimensions);
    for (let at = coordOffsets[ringOffsets[firstPart]] * stride; at < end; at += stride) {
      if (z && !Number.isNaN(coordinates[at + 2])) this.#z = true;
      if (this.#columnHasM && !Number.isNaN(coordinates[at + stride - 1])) this.#m = true;
    }
  }

  #point(firstPart: number, endPart: number): void {
    const { ringOffsets, coordOffsets, coordinates } = this.column;
    const { out } = this;
    const position = coordOffsets[ringOffsets[firstPart]];
    if (coordOffsets[ringOffsets[endPart]] === position) {
      out.copy(EMPTY_POINT);
      return;
    }
    const at = position * this.stride;
    out.copy(X);
    this.#number(coordinates[at], this.xy);
    out.copy(Y);
    this.#number(coordinates[at + 1], this.xy);
    if (this.#z) {
      out.copy(Z);
      this.#number(coordinates[at + 2], this.zm);
    }
    if (this.#m) {
      out.copy(M);
      this.#number(coordinates[at + this.stride - 1], this.zm);
    }
  }

  #number(value: number, digits: CoordinateDigits['xy']): void {
    this.out.reserve(4);
    this.ordinate(value, digits);
  }

  #parts(firstPart: number, endPart: number): void {
    const { partKinds, ringOffsets, coordOffsets, coordinates } = this.column;
    const { kind } = this.#plan;
    const { out } = this;
    let isFirst = true;
    for (let part = firstPart; part < endPart; part++) {
      if ((partKinds[part] & PART_KIND_MASK) !== kind) continue;
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
        const start = coordOffsets[ring];
        const end = coordOffsets[ring + 1];
        if (start === end) continue;
        if (!isFirst) out.uint8(COMMA);
        isFirst = false;
        if (kind === PART_KIND.point) this.#positions(start, end, false);
        else {
          const area = kind === PART_KIND.polygon ? signedArea(coordinates, this.stride, start, end) : 0;
          out.uint8(OPEN_BRACKET);
          this.#positions(start, end, ring === ringOffsets[part] ? area > 0 : area < 0);
          out.uint8(CLOSE_BRACKET);
        }
      }
    }
  }

  /** Writes positions `[start, end)`, in reverse order if `isReversed`. */
  #positions(start: number, end: number, isReversed: boolean): void {
    const { out } = this;
    const step = isReversed ? -this.stride : this.stride;
    let at = (isReversed ? end - 1 : start) * this.stride;
    for (let count = end - start; count > 0; count--) {
      this.#position(at);
      at += step;
      if (count > 1) out.bytes[out.length++] = COMMA;
    }
  }

  /** Reserves at least one byte more than it writes. */
  #position(at: number): void {
    const { out } = this;
    const { coordinates } = this.column;
    out.reserve(4);
    out.bytes[out.length++] = OPEN_BRACKET;
    this.ordinate(coordinates[at], this.xy);
    out.bytes[out.length++] = COMMA;
    this.ordinate(coordinates[at + 1], this.xy);
    if (this.#z) this.#optional(coordinates[at + 2]);
    if (this.#m) this.#optional(coordinates[at + this.stride - 1]);
    out.bytes[out.length++] = CLOSE_BRACKET;
    out.reserve(1);
  }

  #optional(value: number): void {
    const { out } = this;
    out.bytes[out.length++] = COMMA;
    if (!Number.isNaN(value)) {
      this.ordinate(value, this.zm);
      return;
    }
    out.copy(NULL);
    out.reserve(4);
  }
}
