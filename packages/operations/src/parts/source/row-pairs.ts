/** Pairs of a feature and a row of the source: the features of a step that adds fields of a second source. */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import { copyRows } from '@geomill/core/columns/copy-rows.ts';
import { batchByteLength, type FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { GeometryBuilder, type GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import type { StepSetting } from '../../transformation.ts';
import { idsOfFirst } from '../ids-of-first.ts';
import { takeRows } from '../take-rows.ts';
import { takenSize, takeOrNull } from './shared-columns.ts';

/** Instead of a row of the source: the feature has none. */
export const NO_ROW_OF_SOURCE = -1;
/** Positions are the measure of what a step may make: XY is 16 bytes. */
const BYTES_PER_POSITION = 16;
const CHECK_EVERY = 1 << 20;

/** The pairs of one batch, by ascending feature. */
export class RowPairs {
  count = 0;
  #rows: Uint32Array<ArrayBuffer>;
  #others: Int32Array<ArrayBuffer>;
  readonly #setting: Pick<StepSetting, 'checkPositions'>;

  constructor(expected: number, setting: Pick<StepSetting, 'checkPositions'>) {
    this.#rows = new Uint32Array(Math.max(expected, 8));
    this.#others = new Int32Array(Math.max(expected, 8));
    this.#setting = setting;
  }

  /** Throws OUTPUT_FACTOR_EXCEEDED. */
  add(row: number, other: number): void {
    if (this.count === this.#rows.length) {
      if (this.count >= CHECK_EVERY) this.#setting.checkPositions(this.count);
      this.#rows = grown(this.#rows, new Uint32Array(this.count * 2));
      this.#others = grown(this.#others, new Int32Array(this.count * 2));
    }
    this.#rows[this.count] = row;
    this.#others[this.count++] = other;
  }

  get rows(): Uint32Array<ArrayBuffer> {
    return this.#rows.subarray(0, this.count);
  }

  get others(): Int32Array<ArrayBuffer> {
    return this.#others.subarray(0, this.count);
  }

  /** Whether the pairs are the rows of a batch, each once. */
  #isEachOnce(rowCount: number): boolean {
    if (this.count !== rowCount) return false;
    for (let row = 0; row < rowCount; row++) if (this.#rows[row] !== row) return false;
    return true;
  }

  /**
   * The batch with a feature for each pair: its attributes and `columns` of the source, then `more` with a value for each pair.
   * `geometry` of the pairs. Default: that of the features. Only the first of several features of one row has its id. Throws
   * OUTPUT_FACTOR_EXCEEDED.
   */
  featuresOf(
    batch: FeatureBatch,
    fields: readonly Field[],
    columns: readonly AttributeColumn[],
    more: readonly AttributeColumn[] = [],
    geometry?: GeometryColumn,
  ): FeatureBatch {
    const { rows, others } = this;
    const isSame = this.#isEachOnce(batch.rowCount);
    const copied =
      isSame || batch.rowCount === 0 ? 0 : (batchByteLength(batch) / batch.rowCount) * this.count;
    const added = columns.reduce((sum, column) => sum + takenSize(column, others), 0);
    this.#setting.checkPositions(Math.ceil((copied + added) / BYTES_PER_POSITION));
    const taken = columns.map((column) => takeOrNull(column, others));
    if (isSame)
      return {
        ...batch,
        geometry: geometry ?? batch.geometry,
        fields,
        columns: [...batch.columns, ...taken, ...more],
      };
    return {
      rowCount: this.count,
      geometry: geometry ?? geometryOf(batch.geometry, rows),
      fields,
      columns: [...batch.columns.map((column) => takeRows(column, rows)), ...taken, ...more],
      ids: batch.ids === null ? null : idsOfFirst(batch.ids, rows),
    };
  }
}

function geometryOf(column: GeometryColumn, rows: Uint32Array): GeometryColumn {
  const builder = new GeometryBuilder(column.dimensions, rows.length, rows.length);
  for (let start = 0; start < rows.length; ) {
    let end = start + 1;
    while (end < rows.length && rows[end] === rows[end - 1] + 1) end++;
    copyRows(builder, column, rows[start], rows[end - 1] + 1);
    start = end;
  }
  return builder.finish();
}

function grown<Values extends Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer>>(
  values: Values,
  target: Values,
): Values {
  target.set(values);
  return target;
}
