/** Evaluates a condition on a batch: one array of verdicts per part of the condition, no object per row. */
import type { AttributeColumn } from '../../batch/attribute-column.ts';
import type { FeatureBatch } from '../../batch/feature-batch.ts';
import { isText } from '../../batch/schema.ts';
import { indexOfField } from '../parts/known-field.ts';
import { columnIsIn, compareColumn } from './compare.ts';
import { type Condition, type Literal, refuseCondition } from './condition.ts';
import { columnIsLike } from './like.ts';
import { FALSE, TRUE, type Verdicts, verdictTable } from './verdict.ts';

/** Throws FIELD_UNKNOWN, and TRANSFORMATION_INVALID at `path` if a field is compared with a value of another kind. */
export function evaluate(condition: Condition, batch: FeatureBatch, path: string): Verdicts {
  const { rowCount } = batch;
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const verdicts = evaluate(condition.parts[0], batch, path);
      for (const part of condition.parts.slice(1)) {
        const other = evaluate(part, batch, path);
        if (condition.kind === 'and') keepSmaller(verdicts, other);
        else keepLarger(verdicts, other);
      }
      return verdicts;
    }
    case 'not': {
      const verdicts = evaluate(condition.part, batch, path);
      for (let row = 0; row < rowCount; row++) verdicts[row] = TRUE - verdicts[row];
      return verdicts;
    }
    case 'null':
      return nullRows(columnOf(batch, condition.field), rowCount);
    case 'compare': {
      const { field, op, value } = condition;
      const column = columnOf(batch, field);
      const verdicts = compareColumn(column, rowCount, value, verdictTable(op));
      if (verdicts === null) throw notComparable(field, column, value, path);
      return verdicts;
    }
    case 'in': {
      const { field, values } = condition;
      const column = columnOf(batch, field);
      const verdicts = columnIsIn(column, rowCount, values, verdictTable('='));
      if (verdicts === null) throw notComparable(field, column, strangerAmong(column, values), path);
      return verdicts;
    }
    default: {
      const { field, pattern, ignoresCase } = condition;
      const column = columnOf(batch, field);
      if (!('offsets' in column) || !isText(column.type)) {
        const reason = `asks whether '${field}' is like a text, but its values are ${KINDS[column.type]}`;
        throw refuseCondition(path, reason);
      }
      return columnIsLike(column, rowCount, pattern, ignoresCase);
    }
  }
}

const KINDS: Readonly<Record<AttributeColumn['type'], string>> = {
  boolean: 'true or false',
  int32: 'numbers',
  int64: 'numbers',
  float64: 'numbers',
  string: 'texts',
  date: 'dates',
  datetime: 'dates with times',
  json: 'of several kinds',
  binary: 'bytes',
};

function columnOf(batch: FeatureBatch, field: string): AttributeColumn {
  return batch.columns[indexOfField(batch.fields, field)];
}

function nullRows(column: AttributeColumn, rowCount: number): Verdicts {
  const verdicts = new Uint8Array(rowCount);
  const { validity } = column;
  if (validity === null) return verdicts;
  for (let row = 0; row < rowCount; row++)
    verdicts[row] = (validity[row >> 3] & (1 << (row & 7))) === 0 ? TRUE : FALSE;
  return verdicts;
}

function keepSmaller(verdicts: Verdicts, other: Verdicts): void {
  for (let row = 0; row < verdicts.length; row++) if (other[row] < verdicts[row]) verdicts[row] = other[row];
}

function keepLarger(verdicts: Verdicts, other: Verdicts): void {
  for (let row = 0; row < verdicts.length; row++) if (other[row] > verdicts[row]) verdicts[row] = other[row];
}

/** The first value that the column cannot be compared with. */
function strangerAmong(column: AttributeColumn, values: readonly Literal[]): Literal {
  const isStranger = (value: Literal) => compareColumn(column, 0, value, verdictTable('=')) === null;
  return values.find(isStranger) ?? values[0];
}

function notComparable(field: string, { type }: AttributeColumn, value: Literal, path: string) {
  const shown = typeof value === 'string' ? `'${value.slice(0, 40)}'` : String(value);
  const isTime = type === 'date' || type === 'datetime';
  const isNumber = type === 'string' && typeof value !== 'boolean';
  const advice = isTime
    ? "; write dates as '2020-01-31'"
    : isNumber
      ? `; write '${value}' to compare texts`
      : '';
  const reason = `compares '${field}', whose values are ${KINDS[type]}, with ${shown}${advice}`;
  return refuseCondition(path, reason);
}
