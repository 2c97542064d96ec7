/** Geometries in `place`: in the order of the axes of their CRS, with M where all positions of a feature have it. */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { type GeometryColumn, hasM } from '@geomill/core/geometry/geometry-column.ts';
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from '@geomill/core/text/ascii.ts';
import type { CoordinateDigits } from '@geomill/core/text/number-text.ts';
import { GeometryWriter } from '../write-geometry.ts';

export class PlaceWriter extends GeometryWriter {
  /** Offset of the ordinate that is written first. */
  readonly #first: 0 | 1;
  /** Whether the feature that is written has M. */
  #isMeasured = false;

  constructor(out: ByteWriter, column: GeometryColumn, digits: CoordinateDigits, isSwapped: boolean) {
    super(out, column, digits, true);
    this.#first = isSwapped ? 1 : 0;
  }

  /** Whether M is written for a feature: GeoJSON has nothing for positions without M among others. */
  hasMeasures(row: number): boolean {
    const { dimensions, partOffsets, ringOffsets, coordOffsets, coordinates } = this.column;
    if (!hasM(dimensions)) return false;
    const start = coordOffsets[ringOffsets[partOffsets[row]]];
    const end = coordOffsets[ringOffsets[partOffsets[row + 1]]];
    for (let at = start; at < end; at++)
      if (Number.isNaN(coordinates[(at + 1) * this.stride - 1])) return false;
    return end > start;
  }

  override write(row: number): void {
    this.#isMeasured = this.hasMeasures(row);
    super.write(row);
  }

  protected override countMeasures(firstPart: number, endPart: number): void {
    if (!this.#isMeasured) super.countMeasures(firstPart, endPart);
  }

  protected override placePosition(at: number): void {
    const { out } = this;
    const { coordinates } = this.column;
    out.reserve(4);
    out.uint8(OPEN_BRACKET);
    this.ordinate(coordinates[at + this.#first], this.xy);
    out.uint8(COMMA);
    this.ordinate(coordinates[at + 1 - this.#first], this.xy);
    if (this.hasZ && !Number.isNaN(coordinates[at + 2])) this.#further(coordinates[at + 2]);
    if (this.#isMeasured) this.#further(coordinates[at + this.stride - 1]);
    out.uint8(CLOSE_BRACKET);
    out.reserve(1);
  }

  #further(value: number): void {
    this.out.uint8(COMMA);
    this.ordinate(value, this.zm);
  }
}
