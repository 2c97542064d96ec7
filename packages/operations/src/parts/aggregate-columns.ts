/** Attribute columns of merged features, one row per group. */
import {
  type AttributeColumn,
  ColumnBuilder,
  isValid,
  valueAt,
} from '@geomill/core/columns/attribute-column.ts';
import { castColumn } from '@geomill/core/columns/cast.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { stepErrors } from '../errors.ts';
import type { FieldAggregate } from './aggregate.ts';
import { appendValue, compareValues, isNaNValue, isSameValue } from './aggregate-values.ts';
import type { Groups } from './merge/groups.ts';

const MAX_INT64 = 2n ** 63n - 1n;
const SEPARATOR = ', ';

/** Where the rows of a layer are. */
interface RowPlaces {
  readonly batches: readonly { readonly rowCount: number }[];
  /** Batch by row. */
  readonly batchOf: ArrayLike<number>;
  /** First row of each batch. */
  readonly firstRows: ArrayLike<number>;
}

/**
 * The values of one field for the groups `[start, end)`. `onCollapsed` is called for each group whose features had
 * different values, of which one was kept.
 */
export function aggregateColumn(
  layer: RowPlaces,
  columns: readonly AttributeColumn[],
  aggregate: FieldAggregate,
  groups: Groups,
  start: number,
  end: number,
  onCollapsed: (group: number) => void,
): AttributeColumn {
  const column = new LayerColumn(layer, columns);
  const builder = new ColumnBuilder(aggregate.to.type, end - start);
  for (let group = start; group < end; group++) {
    switch (aggregate.how) {
      case 'count':
        builder.appendBigInt(BigInt(countValues(column, groups, group)));
        break;
      case 'sum':
      case 'mean':
        appendSum(column, aggregate, groups, group, builder);
        break;
      case 'distinct':
        appendDistinct(column, groups, group, builder);
        break;
      default:
        appendPicked(column, aggregate, groups, group, builder, onCollapsed);
    }
  }
  return builder.finish();
}

/** The values of a field over all rows of a layer. */
class LayerColumn {
  /** Per batch. */
  readonly columns: readonly AttributeColumn[];
  /** As 'string' columns, made at the first use. */
  readonly texts: (AttributeColumn | undefined)[] = [];
  readonly #layer: RowPlaces;

  constructor(layer: RowPlaces, columns: readonly AttributeColumn[]) {
    this.#layer = layer;
    this.columns = columns;
  }

  batchOf(row: number): number {
    return this.#layer.batchOf[row];
  }

  localRow(row: number): number {
    return row - this.#layer.firstRows[this.#layer.batchOf[row]];
  }

  hasValue(row: number): boolean {
    return isValid(this.columns[this.batchOf(row)].validity, this.localRow(row));
  }

  /** As a number; only for columns of numbers. */
  numberAt(row: number): number {
    const column = this.columns[this.batchOf(row)];
    return 'values' in column ? Number(column.values[this.localRow(row)]) : Number.NaN;
  }

  bigIntAt(row: number): bigint {
    const column = this.columns[this.batchOf(row)];
    return 'values' in column ? BigInt(column.values[this.localRow(row)]) : 0n;
  }

  textAt(row: number): string {
    const batch = this.batchOf(row);
    this.texts[batch] ??= castColumn(this.columns[batch], 'string', this.#layer.batches[batch].rowCount);
    return valueAt(this.texts[batch], this.localRow(row)) as string;
  }
}

function countValues(column: LayerColumn, { offsets, rows }: Groups, group: number): number {
  let count = 0;
  for (let i = offsets[group]; i < offsets[group + 1]; i++) if (column.hasValue(rows[i])) count++;
  return count;
}

function appendSum(
  column: LayerColumn,
  { how, from, to }: FieldAggregate,
  { offsets, rows }: Groups,
  group: number,
  builder: ColumnBuilder,
): void {
  let count = 0;
  // Integers are summed as integers: doubles would lose the last digits of large ones.
  let whole = 0n;
  let sum = 0;
  let lost = 0;
  const isWhole = from.type !== 'float64';
  for (let i = offsets[group]; i < offsets[group + 1]; i++) {
    if (!column.hasValue(rows[i])) continue;
    count++;
    if (isWhole) {
      whole += column.bigIntAt(rows[i]);
      continue;
    }
    // Neumaier summation: rounding errors are summed separately.
    const value = column.numberAt(rows[i]);
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  if (count === 0) builder.appendNull();
  else if (how === 'mean') builder.appendNumber((isWhole ? Number(whole) : exact(sum, lost)) / count);
  else if (to.type === 'float64') builder.appendNumber(exact(sum, lost));
  else if (whole > MAX_INT64 || whole < -MAX_INT64 - 1n)
    throw failure(
      stepErrors.AGGREGATE_OVERFLOW,
      { field: from.name, sum: String(whole) },
      { field: from.name },
    );
  else builder.appendBigInt(whole);
}

/** Infinite values leave no meaningful remainder. */
function exact(sum: number, lost: number): number {
  return Number.isFinite(sum) ? sum + lost : sum;
}

function appendDistinct(
  column: LayerColumn,
  { offsets, rows }: Groups,
  group: number,
  builder: ColumnBuilder,
): void {
  const texts = new Set<string>();
  for (let i = offsets[group]; i < offsets[group + 1]; i++)
    if (column.hasValue(rows[i])) texts.add(column.textAt(rows[i]));
  if (texts.size === 0) builder.appendNull();
  else builder.appendText([...texts].join(SEPARATOR));
}

function appendPicked(
  column: LayerColumn,
  { how }: FieldAggregate,
  { offsets, rows }: Groups,
  group: number,
  builder: ColumnBuilder,
  onCollapsed: (group: number) => void,
): void {
  let picked = -1;
  let differ = false;
  const { columns } = column;
  for (let i = offsets[group]; i < offsets[group + 1]; i++) {
    const row = rows[i];
    if (!column.hasValue(row)) continue;
    if (picked < 0) {
      picked = row;
      continue;
    }
    const own = columns[column.batchOf(row)];
    const ownRow = column.localRow(row);
    const best = columns[column.batchOf(picked)];
    const bestRow = column.localRow(picked);
    differ ||= !isSameValue(own, ownRow, best, bestRow);
    if (how === 'last') picked = row;
    else if (how === 'first') {
      if (differ) break;
    } else {
      const order = compareValues(own, ownRow, best, bestRow);
      if ((how === 'min' ? order < 0 : order > 0) || isNaNValue(best, bestRow)) picked = row;
    }
  }
  if (picked < 0) builder.appendNull();
  else appendValue(columns[column.batchOf(picked)], column.localRow(picked), builder);
  if (differ) onCollapsed(group);
}
