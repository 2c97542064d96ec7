/** All batches of a layer as one sequence of rows, without a copy of them. */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import {
  type Dimensions,
  dimensionsOf,
  type GeometryColumn,
  hasM,
  hasZ,
  PART_KIND_MASK,
} from '@geomill/core/geometry/geometry-column.ts';

/** Kinds of a row's geometry: those of PART_KIND, and: */
const NO_POSITION = 0;
/** A collection that holds more than one of points, lines and polygons. */
export const MIXED_KINDS = 4;

export class LayerRows {
  readonly batches: readonly FeatureBatch[];
  readonly fields: readonly Field[];
  readonly rowCount: number;
  /** Of all batches together. */
  readonly dimensions: Dimensions;
  /** Batch by row. */
  readonly batchOf: Uint32Array;
  /** First row of each batch. */
  readonly firstRows: Uint32Array;

  /** Batches without rows are left out. */
  constructor(batches: readonly FeatureBatch[]) {
    this.fields = batches.length === 0 ? [] : batches[0].fields;
    this.batches = batches.filter(({ rowCount }) => rowCount > 0);
    this.firstRows = new Uint32Array(this.batches.length);
    let count = 0;
    let z = false;
    let m = false;
    this.batches.forEach((batch, i) => {
      this.firstRows[i] = count;
      count += batch.rowCount;
      z ||= hasZ(batch.geometry.dimensions);
      m ||= hasM(batch.geometry.dimensions);
    });
    this.rowCount = count;
    this.dimensions = dimensionsOf(z, m);
    this.batchOf = new Uint32Array(count);
    this.batches.forEach(({ rowCount }, i) => {
      this.batchOf.fill(i, this.firstRows[i], this.firstRows[i] + rowCount);
    });
  }

  /** Per batch, the values of field `index`. */
  columns(index: number): readonly AttributeColumn[] {
    return this.batches.map(({ columns }) => columns[index]);
  }

  /** Per row, the PART_KIND of its parts, NO_POSITION or MIXED_KINDS. */
  kinds(): Uint8Array {
    const kinds = new Uint8Array(this.rowCount);
    this.batches.forEach(({ geometry, rowCount }, i) => {
      for (let row = 0; row < rowCount; row++) kinds[this.firstRows[i] + row] = kindOf(geometry, row);
    });
    return kinds;
  }
}

function kindOf(geometry: GeometryColumn, row: number): number {
  const { partOffsets, partKinds, ringOffsets } = geometry;
  let kind = NO_POSITION;
  for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
    if (ringOffsets[part] === ringOffsets[part + 1]) continue;
    const own = partKinds[part] & PART_KIND_MASK;
    if (kind !== NO_POSITION && kind !== own) return MIXED_KINDS;
    kind = own;
  }
  return kind;
}
