/** Writes longitudes, latitudes and elevations. */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { type GeometryColumn, hasZ } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { asciiSlice } from '@geomill/core/text/ascii.ts';
import type { CoordinateDigits } from '@geomill/core/text/number-text.ts';
import { formatErrors } from '../errors.ts';
import { DECIMAL_LIMIT, writeDecimal } from './plain-decimal.ts';

/** From here on a longitude may be rounded to 180, which the schema excludes. */
const NEAR_LIMIT = 179.9;
/** The place of 180 in lines, where -180 would lead around the world. */
const BEFORE_LIMIT = '179.9999999';

export class PositionWriter {
  /** Of the feature. */
  row = 0;
  /** Features with longitudes beyond 180 degrees. */
  readonly wrapped = new RowTally();
  /** Features with positions outside of the Earth, or elevations with more digits than validators accept. */
  readonly outside = new RowTally();
  readonly #coordinates: Float64Array;
  readonly #digits: CoordinateDigits;
  readonly #hasZ: boolean;
  #lastWrapped = -1;
  #lastOutside = -1;

  constructor({ coordinates, dimensions }: GeometryColumn, digits: CoordinateDigits) {
    this.#coordinates = coordinates;
    this.#digits = digits;
    this.#hasZ = hasZ(dimensions);
  }

  /** The elevation of the position whose ordinates begin at `at`; NaN: it has none. */
  z(at: number): number {
    return this.#hasZ ? this.#coordinates[at + 2] : Number.NaN;
  }

  /** Writes lat and lon of the position whose ordinates begin at `at`. */
  attributes(out: ByteWriter, at: number, isPoint: boolean): void {
    const x = this.#coordinates[at];
    const y = this.#coordinates[at + 1];
    const { xy } = this.#digits;
    if (!(y >= -90 && y <= 90 && x >= -540 && x <= 540)) this.#noteOutside(x, y);
    out.ascii('lat="');
    writeDecimal(out, y, xy);
    out.ascii('" lon="');
    const start = out.length;
    writeDecimal(out, this.#inRange(x), xy);
    if (x > NEAR_LIMIT && x <= 540 && Number(asciiSlice(out.bytes, start, out.length)) >= 180) {
      out.length = start;
      out.ascii(isPoint ? '-180' : BEFORE_LIMIT);
    }
    out.uint8(0x22);
  }

  elevation(out: ByteWriter, z: number): void {
    if (!Number.isFinite(z)) throw this.#notFinite(z);
    if (z >= DECIMAL_LIMIT || z <= -DECIMAL_LIMIT) this.#countOutside();
    out.ascii('<ele>');
    writeDecimal(out, z, this.#digits.zm);
    out.ascii('</ele>');
  }

  #inRange(x: number): number {
    if ((x >= -180 && x <= 180) || x < -540 || x > 540) return x;
    if (this.#lastWrapped !== this.row) this.wrapped.add(this.row);
    this.#lastWrapped = this.row;
    return x > 0 ? x - 360 : x + 360;
  }

  /** Throws COORDINATE_NOT_FINITE. */
  #noteOutside(x: number, y: number): void {
    for (const value of [x, y]) if (!Number.isFinite(value)) throw this.#notFinite(value);
    this.#countOutside();
  }

  #countOutside(): void {
    if (this.#lastOutside !== this.row) this.outside.add(this.row);
    this.#lastOutside = this.row;
  }

  #notFinite(value: number): Error {
    const record = this.row + 1;
    const shown = { place: `feature ${record}`, format: 'GPX', value: String(value) };
    return failure(formatErrors.COORDINATE_NOT_FINITE, shown, { record });
  }
}
