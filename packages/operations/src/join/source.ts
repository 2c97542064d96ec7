/** Gathers the other source of a join: its attributes, and an index of its keys. */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { indexOfField } from '@geomill/core/columns/known-field.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { planAggregates } from '../parts/aggregate.ts';
import { aggregateColumn } from '../parts/aggregate-columns.ts';
import type { Groups } from '../parts/merge/groups.ts';
import { type AttributeTable, TableGatherer } from '../parts/source/attribute-table.ts';
import { joinedColumn, sharedBuffer } from '../parts/source/shared-columns.ts';
import type { FeatureCollector, StepParameters } from '../transformation.ts';
import { indexKeys, type KeyIndex } from './key-index.ts';
import { type KeyComparison, keyColumn } from './keys.ts';

/** What the code of the step gets. Plain data; columns and indexes are in shared memory. */
export interface JoinSource {
  readonly table: AttributeTable;
  /** Positions of the fields that are added. */
  readonly added: readonly number[];
  readonly keyFields: readonly Field[];
  /** The columns of the key as they are compared. */
  readonly keyColumns: readonly AttributeColumn[];
  readonly index: KeyIndex;
  /** By row that is the first of its key: the number of rows that were merged to it; null: none were. */
  readonly mergedRows: Int32Array | null;
  /** By row: 1 if it is the first of its key and the key of any feature. Threads write to it. */
  readonly matched: Uint8Array;
  /** Of `aggregate`: fields with different values of which one was kept, and the number of keys. */
  readonly collapsed: readonly { readonly field: string; readonly keys: number }[];
  /** Before `aggregate`: rows of which a field of the key is null. */
  readonly rowsWithoutKey: number;
}

export class JoinCollector implements FeatureCollector {
  readonly takes = 'attributes';
  readonly #parameters: StepParameters;
  readonly #keys: readonly string[];
  readonly #gatherer: TableGatherer;

  constructor(path: string, parameters: StepParameters) {
    this.#parameters = parameters;
    this.#keys = (parameters.key_of_source ?? parameters.key) as readonly string[];
    const fields = parameters.fields as readonly string[] | undefined;
    const needed = fields === undefined ? null : [...new Set([...this.#keys, ...fields])];
    this.#gatherer = new TableGatherer(path, this.#keys, needed);
  }

  add(batch: FeatureBatch, file: string): void {
    this.#gatherer.add(batch, file);
  }

  restart(): void {
    this.#gatherer.restart();
  }

  finish(): JoinSource {
    const { aggregate, compare_as: compareAs, matches } = this.#parameters;
    const comparison = compareAs as KeyComparison;
    const whole = this.#gatherer.finish();
    const merges = aggregate !== undefined || matches === 'aggregate';
    const keyColumnsOf = ({ fields, columns, rowCount }: AttributeTable): AttributeColumn[] =>
      this.#keys.map((name) =>
        shared(keyColumn(columns[indexOfField(fields, name)], rowCount, comparison), rowCount),
      );
    const wholeIndex = indexKeys(keyColumnsOf(whole), whole.rowCount);
    const merged = merges ? this.#merge(whole, wholeIndex) : null;
    const table = merged?.table ?? whole;
    const keyColumns = keyColumnsOf(table);
    const fields = this.#parameters.fields as readonly string[] | undefined;
    const isAdded = new Set(
      fields ?? table.fields.map(({ name }) => name).filter((name) => !this.#keys.includes(name)),
    );
    return {
      table,
      added: table.fields.flatMap(({ name }, i) => (isAdded.has(name) ? [i] : [])),
      keyFields: this.#keys.map((name) => whole.fields[indexOfField(whole.fields, name)]),
      keyColumns,
      index: merged === null ? wholeIndex : indexKeys(keyColumns, table.rowCount),
      mergedRows: merged?.counts ?? null,
      matched: new Uint8Array(sharedBuffer(table.rowCount)),
      collapsed: merged?.collapsed ?? [],
      rowsWithoutKey: wholeIndex.nullRows,
    };
  }

  /** One row for each key, in the order of its first row. Throws AGGREGATE_TYPE, AGGREGATE_OVERFLOW and FIELD_UNKNOWN. */
  #merge(
    { fields, columns, rowCount, file }: AttributeTable,
    index: KeyIndex,
  ): {
    readonly table: AttributeTable;
    readonly counts: Int32Array;
    readonly collapsed: JoinSource['collapsed'];
  } {
    const groups = groupsOf(index, rowCount);
    const layer = {
      batches: [{ rowCount }],
      batchOf: new Uint8Array(rowCount),
      firstRows: Uint32Array.of(0),
    };
    const collapsed: { field: string; keys: number }[] = [];
    const aggregates = planAggregates(fields, this.#parameters, this.#keys);
    const merged = aggregates.map((aggregate, i) => {
      let keys = 0;
      const column = aggregateColumn(layer, [columns[i]], aggregate, groups, 0, groups.count, () => keys++);
      // With 'last', 'min' and 'max' the request says which value is kept.
      const isKey = this.#keys.includes(aggregate.from.name);
      if (keys > 0 && aggregate.how === 'first' && !isKey)
        collapsed.push({ field: aggregate.from.name, keys });
      return joinedColumn(aggregate.to.type, [column], [groups.count]);
    });
    const counts = new Int32Array(sharedBuffer(groups.count * 4));
    for (let group = 0; group < groups.count; group++)
      counts[group] = groups.offsets[group + 1] - groups.offsets[group];
    const table = { rowCount: groups.count, fields: aggregates.map(({ to }) => to), columns: merged, file };
    return { table, counts, collapsed };
  }
}

/** A column that `keyColumn` made is not in shared memory yet. */
function shared(column: AttributeColumn, rowCount: number): AttributeColumn {
  const { buffer } = 'offsets' in column ? column.offsets : column.values;
  return (buffer as ArrayBufferLike) instanceof SharedArrayBuffer
    ? column
    : joinedColumn(column.type, [column], [rowCount]);
}

/** The rows of each key; rows without a key are in no group. */
function groupsOf({ slots, next }: KeyIndex, rowCount: number): Groups {
  const isFirst = new Uint8Array(rowCount);
  for (const slot of slots) if (slot > 0) isFirst[slot - 1] = 1;
  const groupOf = new Uint32Array(rowCount);
  const rows = new Uint32Array(rowCount);
  const offsets: number[] = [0];
  let count = 0;
  for (let first = 0; first < rowCount; first++) {
    if (isFirst[first] === 0) continue;
    for (let row = first; row >= 0; row = next[row]) {
      groupOf[row] = offsets.length - 1;
      rows[count++] = row;
    }
    offsets.push(count);
  }
  return {
    count: offsets.length - 1,
    groupOf,
    offsets: Uint32Array.from(offsets),
    rows: rows.subarray(0, count),
  };
}
