/** Writes the rows of a column again, with some of their parts replaced by pieces. */
import {
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND_MASK,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
  strideOf,
} from '../geometry/geometry-column.ts';
import type { FlatPolygon } from '../geometry/split-polygon.ts';

export class RowWriter {
  readonly builder: GeometryBuilder;
  readonly #column: GeometryColumn;
  readonly #stride: number;
  #isCollection = false;
  #firstPart = 0;

  /** `column`: from which rows and parts are copied; the results have its dimensions. */
  constructor(column: GeometryColumn) {
    this.builder = new GeometryBuilder(column.dimensions);
    this.builder.reserve(column.coordinates.length);
    this.#column = column;
    this.#stride = strideOf(column.dimensions);
  }

  copyRow(row: number): void {
    const { types, partOffsets } = this.#column;
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) this.copyPart(part);
    this.builder.endFeature(types[row]);
  }

  copyPart(part: number): void {
    const { partKinds, ringOffsets, coordOffsets, coordinates } = this.#column;
    const { builder } = this;
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      const start = coordOffsets[ring] * this.#stride;
      const end = coordOffsets[ring + 1] * this.#stride;
      builder.reserve(end - start);
      for (let at = start; at < end; at++) builder.coordinates[builder.coordinateLength++] = coordinates[at];
      builder.endRing();
    }
    builder.endPart(partKinds[part]);
  }

  beginRow(isCollection: boolean): void {
    this.#isCollection = isCollection;
    this.#firstPart = this.builder.partCount;
  }

  /** Appends the pieces of one part of the kind `partKind`, which may be none or many: the rings of each, the shell first. */
  appendPieces(pieces: readonly FlatPolygon[], partKind: number): void {
    const { builder } = this;
    const kind = partKind & PART_KIND_MASK;
    let mark = partKind & ~PART_KIND_MASK;
    if (this.#isCollection && mark === 0 && pieces.length > 1) mark = PART_MULTI_FIRST;
    for (const rings of pieces) {
      for (const ring of rings) {
        builder.reserve(ring.length);
        for (const ordinate of ring) builder.coordinates[builder.coordinateLength++] = ordinate;
        builder.endRing();
      }
      builder.endPart(kind | mark);
      if (mark === PART_MULTI_FIRST) mark = PART_MULTI_NEXT;
    }
  }

  /** `type`: of the row in the column; with more than one part it becomes a multi geometry. */
  endRow(type: number): void {
    const count = this.builder.partCount - this.#firstPart;
    this.builder.endFeature(count > 1 && type >= 1 && type <= 3 ? type + 3 : type);
  }

  finish(): GeometryColumn {
    return this.builder.finish();
  }
}
