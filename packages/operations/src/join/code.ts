/** Finds the rows of the other source for each feature, and takes their values. */
import { ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { indexOfField } from '@geomill/core/columns/known-field.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { stepFindings } from '../findings.ts';
import { NO_ROW_OF_SOURCE, RowPairs } from '../parts/source/row-pairs.ts';
import { type AddedField, namedFields, noteNames } from '../parts/source/source-fields.ts';
import { SOURCE } from '../parts/source-file.ts';
import type { StepParameters, StepSetting, StreamingTransformation } from '../transformation.ts';
import { KeyLookup, NO_MATCH } from './key-index.ts';
import { type KeyComparison, KeyWriter, keyColumn, keyKind } from './keys.ts';
import type { JoinSource } from './source.ts';

export const code: StreamingTransformation = {
  kind: 'streaming',
  outputFields(fields, parameters) {
    for (const name of parameters.key as readonly string[]) indexOfField(fields, name);
    return [...fields, ...namedFields(fields, addedFields(parameters), parameters)];
  },
  async prepare(parameters, setting) {
    const step = new JoinStep(parameters, setting);
    return (batch, findings) => step.apply(batch, findings);
  },
  conclude(parameters, findings) {
    const { index, mergedRows, matched, collapsed, table, rowsWithoutKey } = sourceOf(parameters);
    let unmatched = rowsWithoutKey;
    for (const slot of index.slots) {
      if (slot === 0 || matched[slot - 1] !== 0) continue;
      if (mergedRows !== null) unmatched += mergedRows[slot - 1];
      else for (let row = slot - 1; row !== NO_MATCH; row = index.next[row]) unmatched++;
    }
    const { file } = table;
    if (unmatched > 0)
      findings.note(stepFindings.SOURCE_ROWS_UNMATCHED, { source: file }, { file }, unmatched);
    for (const { field, keys } of collapsed)
      findings.note(stepFindings.VALUES_COLLAPSED, { field }, { file, field }, keys);
  },
};

function sourceOf(parameters: StepParameters): JoinSource {
  return parameters[SOURCE] as JoinSource;
}

/** With the names of the source. */
function addedFields(parameters: StepParameters): readonly AddedField[] {
  const { table, added } = sourceOf(parameters);
  const fields = added.map((index) => table.fields[index]);
  const { count_field: name } = parameters;
  return name === undefined ? fields : [...fields, { name: String(name), type: 'int32', isNamed: true }];
}

class JoinStep {
  readonly #parameters: StepParameters;
  readonly #setting: StepSetting;
  readonly #source: JoinSource;
  readonly #lookup: KeyLookup;

  constructor(parameters: StepParameters, setting: StepSetting) {
    this.#parameters = parameters;
    this.#setting = setting;
    this.#source = sourceOf(parameters);
    this.#lookup = new KeyLookup(this.#source.index, this.#source.keyColumns);
  }

  /** Notes JOIN_UNMATCHED or JOIN_UNMATCHED_DROPPED, JOIN_FURTHER_MATCHES, JOIN_KEY_TYPES and SOURCE_FIELD_RENAMED. */
  apply(batch: FeatureBatch, findings: Findings): FeatureBatch {
    const { table, index, matched, mergedRows, added } = this.#source;
    const { how, matches, count_field: countField } = this.#parameters;
    const writer = this.#writerFor(batch, findings);
    const pairs = new RowPairs(batch.rowCount, this.#setting);
    const unmatched = new RowTally();
    const further = new RowTally();
    const counts = countField === undefined ? null : new ColumnBuilder('int32', batch.rowCount);
    for (let row = 0; row < batch.rowCount; row++) {
      const first = this.#lookup.find(writer, row);
      if (first === NO_MATCH) {
        unmatched.add(row);
        if (how === 'inner') continue;
        pairs.add(row, NO_ROW_OF_SOURCE);
        counts?.appendNumber(0);
        continue;
      }
      matched[first] = 1;
      if (matches === 'all') {
        const before = pairs.count;
        for (let other = first; other !== NO_MATCH; other = index.next[other]) pairs.add(row, other);
        if (counts !== null)
          for (let i = before; i < pairs.count; i++) counts.appendNumber(pairs.count - before);
        continue;
      }
      pairs.add(row, first);
      counts?.appendNumber(mergedRows?.[first] ?? chainLength(index.next, first));
      if (index.next[first] !== NO_MATCH) further.add(row);
    }
    const source = table.file;
    findings.noteTally(
      how === 'inner' ? stepFindings.JOIN_UNMATCHED_DROPPED : stepFindings.JOIN_UNMATCHED,
      { source },
      unmatched,
    );
    findings.noteTally(stepFindings.JOIN_FURTHER_MATCHES, { source }, further);
    const ownNames = addedFields(this.#parameters);
    const named = namedFields(batch.fields, ownNames, this.#parameters);
    noteNames(ownNames, named, this.#parameters, findings);
    const columns = added.map((column) => table.columns[column]);
    return pairs.featuresOf(
      batch,
      [...batch.fields, ...named],
      columns,
      counts === null ? [] : [counts.finish()],
    );
  }

  #writerFor({ fields, columns, rowCount }: FeatureBatch, findings: Findings): KeyWriter {
    const { keyFields, table } = this.#source;
    const { key, compare_as: compareAs } = this.#parameters;
    const comparison = compareAs as KeyComparison;
    const own = (key as readonly string[]).map((name) => indexOfField(fields, name));
    for (const [i, index] of own.entries()) {
      const kind = keyKind(fields[index].type, comparison);
      const other = keyKind(keyFields[i].type, comparison);
      if (kind === other || kind === 'any' || other === 'any' || rowCount === 0) continue;
      const { name: sourceField, type: sourceType } = keyFields[i];
      const { name: field, type } = fields[index];
      const params = { field, type, sourceField, sourceType, source: table.file };
      findings.note(stepFindings.JOIN_KEY_TYPES, params, { field }, rowCount);
    }
    return new KeyWriter(own.map((index) => keyColumn(columns[index], rowCount, comparison)));
  }
}

function chainLength(next: Int32Array, first: number): number {
  let length = 0;
  for (let row = first; row !== NO_MATCH; row = next[row]) length++;
  return length;
}
