/** What writers of geometries as text have in common. */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import {
  type GeometryColumn,
  hasM,
  hasZ,
  PART_KIND_MASK,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { type CoordinateDigits, type Digits, writeDigits } from '@geomill/core/text/number-text.ts';
import { formatErrors } from './errors.ts';

export abstract class OrdinateWriter {
  /** Features that had M ordinates. */
  readonly droppedMeasures = new RowTally();
  protected readonly out: ByteWriter;
  protected readonly column: GeometryColumn;
  protected readonly xy: Digits;
  protected readonly zm: Digits;
  protected readonly stride: number;
  protected readonly hasZ: boolean;
  protected row = 0;
  readonly #format: string;
  readonly #hasM: boolean;

  /** `format`: its name, for errors. */
  constructor(format: string, out: ByteWriter, column: GeometryColumn, digits: CoordinateDigits) {
    this.#format = format;
    this.out = out;
    this.column = column;
    this.xy = digits.xy;
    this.zm = digits.zm;
    this.stride = strideOf(column.dimensions);
    this.hasZ = hasZ(column.dimensions);
    this.#hasM = hasM(column.dimensions);
  }

  /** Calls `write` with the type and the parts `[firstPart, endPart)` of each member of a collection. */
  protected forEachMember(
    firstPart: number,
    endPart: number,
    write: (type: number, firstPart: number, endPart: number) => void,
  ): void {
    const { partKinds } = this.column;
    let part = firstPart;
    while (part < endPart) {
      const kind = partKinds[part] & PART_KIND_MASK;
      const isMulti = (partKinds[part] & PART_MULTI_FIRST) !== 0;
      let memberEnd = part + 1;
      if (isMulti) while (memberEnd < endPart && (partKinds[memberEnd] & PART_MULTI_NEXT) !== 0) memberEnd++;
      write(isMulti ? kind + 3 : kind, part, memberEnd);
      part = memberEnd;
    }
  }

  /** Reserves at least two bytes more than it writes: every number is shorter than the reserved length. */
  protected ordinate(value: number, digits: Digits): void {
    if (value - value !== 0)
      throw failure(
        formatErrors.COORDINATE_NOT_FINITE,
        { place: `feature ${this.row + 1}`, format: this.#format, value: String(value) },
        { record: this.row + 1 },
      );
    writeDigits(this.out, value, digits);
    this.out.reserve(4);
  }

  /** Notes that the feature has M ordinates, if it has any. */
  protected countMeasures(firstPart: number, endPart: number): void {
    if (!this.#hasM) return;
    const { ringOffsets, coordOffsets, coordinates } = this.column;
    const { stride } = this;
    const end = coordOffsets[ringOffsets[endPart]] * stride;
    for (let at = coordOffsets[ringOffsets[firstPart]] * stride + stride - 1; at < end; at += stride) {
      if (!Number.isNaN(coordinates[at])) {
        this.droppedMeasures.add(this.row);
        return;
      }
    }
  }
}
