/** The record of an object of a .map, and how its whole numbers are coordinates. */
import type { MapHeader } from './map-file.ts';

export class MapRecord {
  /** Offset after type and id. */
  at = 0;
  /** Coordinates have 16 bits, and are relative to the origin. */
  isCompressed = false;
  originX = 0;
  originY = 0;
  readonly isXReversed: boolean;
  readonly isYReversed: boolean;
  readonly #header: MapHeader;
  readonly #roundings: readonly [number, number];
  #view: DataView = new DataView(new ArrayBuffer(0));

  constructor(header: MapHeader) {
    const { quadrant, scale } = header;
    this.#header = header;
    this.isXReversed = quadrant === 2 || quadrant === 3 || quadrant === 0;
    this.isYReversed = quadrant === 3 || quadrant === 4 || quadrant === 0;
    // MapInfo shows as many decimals as the steps of the coordinates have.
    const rounding = (perUnit: number): number => 10 ** Math.round(Math.log10(Math.abs(perUnit)));
    this.#roundings = [rounding(scale[0]), rounding(scale[1])];
  }

  /** `centreX`, `centreY`: of the block of the object. */
  begin(view: DataView, isCompressed: boolean, centreX: number, centreY: number): void {
    this.#view = view;
    this.at = 0;
    this.isCompressed = isCompressed;
    this.originX = isCompressed ? centreX : 0;
    this.originY = isCompressed ? centreY : 0;
  }

  u8(): number {
    return this.#view.getUint8(this.at++);
  }

  i16(): number {
    const value = this.#view.getInt16(this.at, true);
    this.at += 2;
    return value;
  }

  i32(): number {
    const value = this.#view.getInt32(this.at, true);
    this.at += 4;
    return value;
  }

  /** A pair of coordinates as the file has them, from the origin. */
  pair(): [number, number] {
    if (!this.isCompressed) return [this.i32(), this.i32()];
    return [this.originX + this.i16(), this.originY + this.i16()];
  }

  /** A length in units of the coordinates. */
  length(axis: 0 | 1): number {
    return (this.isCompressed ? this.i16() : this.i32()) / this.#header.scale[axis];
  }

  x(stored: number): number {
    const { scale, displacement } = this.#header;
    const x = this.isXReversed
      ? -(stored + displacement[0]) / scale[0]
      : (stored - displacement[0]) / scale[0];
    return rounded(x, this.#roundings[0]);
  }

  y(stored: number): number {
    const { scale, displacement } = this.#header;
    const y = this.isYReversed
      ? -(stored + displacement[1]) / scale[1]
      : (stored - displacement[1]) / scale[1];
    return rounded(y, this.#roundings[1]);
  }

  box(): [number, number, number, number] {
    const [[x1, y1], [x2, y2]] = [this.pair(), this.pair()];
    return [this.x(x1), this.y(y1), this.x(x2), this.y(y2)];
  }
}

/** Half away from zero. */
function rounded(value: number, perUnit: number): number {
  const steps = Math.round(Math.abs(value) * perUnit);
  return (value < 0 ? -steps : steps) / perUnit || 0;
}
