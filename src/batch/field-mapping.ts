/** Features of one layer with the fields of another: which field becomes which, and the batches that follow from it. */
import { type AttributeColumn, nullColumn } from './attribute-column.ts';
import { type Conversion, convertColumn } from './convert-column.ts';
import type { FeatureBatch } from './feature-batch.ts';
import { type Field, isInteger, isNumber, type MixedType, type OpenType, widenType } from './schema.ts';
import type { FieldStatistics } from './statistics.ts';

/**
 * Plain data, so that it reaches worker threads. It names source fields and does not number them: the batches of one
 * source differ in fields, their order and their types where the format has no schema.
 */
export interface FieldMapping {
  /** Fields of the target in their order. */
  readonly fields: readonly Field[];
  /** For each of them the source field that becomes it, or null. */
  readonly sources: readonly (string | null)[];
  /** Source fields that become none, in their order. */
  readonly dropped: readonly string[];
  /** Fields matched though their names differ in case, in the target's order. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
}

type Named = Pick<Field, 'name'>;

/**
 * Same name, same field: exactly first, then among what is left without case, where one field of the target and one
 * of the source have that name. No field of the source becomes two fields.
 */
export function mapFields(target: readonly Field[], source: readonly Named[]): FieldMapping {
  const sources = matchNames(target, source);
  const used = new Set(sources);
  return {
    fields: target,
    sources,
    dropped: source.filter(({ name }) => !used.has(name)).map(({ name }) => name),
    renamed: target.flatMap(({ name }, i) => {
      const from = sources[i];
      return from === null || from === name ? [] : [{ from, to: name }];
    }),
  };
}

function matchNames(target: readonly Named[], source: readonly Named[]): (string | null)[] {
  const left = new Set(source.map(({ name }) => name));
  // Deleting while matching keeps a source field from becoming two fields, should the target repeat a name.
  const sources = target.map(({ name }) => (left.delete(name) ? name : null));
  const candidates = Map.groupBy(left, (name) => name.toLowerCase());
  const unmatched = target.map((_, i) => i).filter((i) => sources[i] === null);
  const claims = Map.groupBy(unmatched, (i) => target[i].name.toLowerCase());
  for (const [name, indices] of claims) {
    const names = candidates.get(name);
    if (indices.length === 1 && names?.length === 1) sources[indices[0]] = names[0];
  }
  return sources;
}

interface FieldFailures {
  /** Which field of the target. */
  readonly fieldIndex: number;
  /** Rows that had a value which the field's type cannot hold, and are null now. */
  readonly count: number;
  /** The first of those rows of the batch, at most five, counted from 0. */
  readonly firstRows: readonly number[];
}

interface MappedBatch {
  readonly batch: FeatureBatch;
  /** Fields that lost values, in the target's order. */
  readonly failures: readonly FieldFailures[];
}

/**
 * The batch with exactly the target's fields; one that the batch lacks is null in every row. Columns that have their
 * type already are passed on without a copy. Without `keepIds` the features have no ids: those of a second file may
 * repeat those of the first.
 */
export function mapBatch(
  batch: FeatureBatch,
  mapping: FieldMapping,
  options: { readonly keepIds: boolean },
): MappedBatch {
  const { rowCount } = batch;
  const byName = new Map(batch.fields.map((field, i) => [field.name, batch.columns[i]]));
  const columns: AttributeColumn[] = [];
  const failures: FieldFailures[] = [];
  mapping.fields.forEach(({ type }, fieldIndex) => {
    const source = mapping.sources[fieldIndex];
    const column = source === null ? undefined : byName.get(source);
    if (column === undefined) {
      columns.push(nullColumn(type, rowCount));
      return;
    }
    const conversion: Conversion = convertColumn(column, type, rowCount);
    columns.push(conversion.column);
    const { failures: count, firstFailedRows: firstRows } = conversion;
    if (count > 0) failures.push({ fieldIndex, count, firstRows });
  });
  const ids = options.keepIds ? batch.ids : null;
  return { batch: { ...batch, fields: mapping.fields, columns, ids }, failures };
}

/** What has to be known of a field whose type was found in its values. */
export type FoundField = Pick<FieldStatistics, 'name' | 'type' | 'integersExact'>;

/**
 * The fields of a target whose format declares no types, wide enough for what is appended. Such a format has one type
 * of number and one of text: that all numbers of the target happen to be whole, or all its texts dates, is no
 * declaration, and must not cost an appended 0.5 its value. So
 * - a field of integers takes the widest number type of the fields that become it; where that would lose digits
 *   (integers beyond 2^53 with floats), the mixed type of the format;
 * - a field of dates, or of dates with times, takes 'string' when other texts are appended;
 * - a field without any value takes the type of what is appended, 'string' where that has no value either.
 * A field of any other kind stays as it is: text into numbers has to be a number, or is lost.
 */
export function widenedTarget(
  target: readonly FoundField[],
  sources: readonly (readonly FoundField[])[],
  mixed: MixedType,
): Field[] {
  const types = target.map(({ type, integersExact }) => ({ type, integersExact }));
  for (const source of sources) {
    const byName = new Map(source.map((field) => [field.name, field]));
    matchNames(target, source).forEach((name, i) => {
      const field = name === null ? undefined : byName.get(name);
      if (field === undefined || !mayWiden(target[i].type, field.type)) return;
      const own = types[i];
      const isExact = own.integersExact && field.integersExact;
      types[i] = { type: widenType(own.type, field.type, mixed, isExact), integersExact: isExact };
    });
  }
  return target.map(({ name }, i) => {
    const { type } = types[i];
    return { name, type: type === 'null' ? 'string' : type };
  });
}

function mayWiden(from: OpenType, by: OpenType): boolean {
  if (from === 'null') return true;
  if (isInteger(from)) return isNumber(by);
  // Dates among dates with times need no wider type: their midnight says the same.
  return (from === 'date' && by === 'datetime') || (isTemporal(from) && by === 'string');
}

function isTemporal(type: OpenType): boolean {
  return type === 'date' || type === 'datetime';
}
