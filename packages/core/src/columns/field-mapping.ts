/** Maps the features of one layer to the fields of another. */
import { type AttributeColumn, nullColumn } from './attribute-column.ts';
import { type Conversion, convertColumn } from './convert-column.ts';
import type { FeatureBatch } from './feature-batch.ts';
import { type Field, isInteger, isNumber, type MixedType, type OpenType, widenType } from './schema.ts';
import type { FieldStatistics } from './statistics.ts';

/**
 * Plain data that can be sent to worker threads. Source fields are identified by name, not by index: in formats without
 * a schema, batches of one source differ in their fields, field order and types.
 */
export interface FieldMapping {
  /** Fields of the target in their order. */
  readonly fields: readonly Field[];
  /** For each of these fields the source field that is mapped to it, or null. */
  readonly sources: readonly (string | null)[];
  /** Source fields that are not mapped to any field, in their order. */
  readonly dropped: readonly string[];
  /** Fields matched although their names differ in case, in the target's order. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
}

type Named = Pick<Field, 'name'>;

/**
 * Maps fields of the same name: first exact matches, then matches that ignore case, if they are unique on both sides.
 * No source field is mapped to two fields.
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
  // Deleting matched fields prevents a source field from being mapped twice if the target repeats a name.
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
  /** Index of the field in the target. */
  readonly fieldIndex: number;
  /** Rows that are null now because the field's type cannot hold their value. */
  readonly count: number;
  /** The first of those rows of the batch, at most five, counted from 0. */
  readonly firstRows: readonly number[];
}

interface MappedBatch {
  readonly batch: FeatureBatch;
  /** Fields that lost values, in the target's order. */
  readonly failures: readonly FieldFailures[];
  /** Ids that the type of `idField` cannot hold. */
  readonly lostIds: number;
}

/**
 * Returns the batch with exactly the target's fields; a field that the batch lacks is null in every row. Columns that
 * already have the right type are not copied. Without `keepIds` the batch has no ids: those of a second file may repeat
 * those of the first. `idField`: the field that gets them as values; no source field is mapped to it.
 */
export function mapBatch(
  batch: FeatureBatch,
  mapping: FieldMapping,
  options: { readonly keepIds: boolean; readonly idField?: string | null },
): MappedBatch {
  const { rowCount } = batch;
  const byName = new Map(batch.fields.map((field, i) => [field.name, batch.columns[i]]));
  let lostIds = 0;
  const columns: AttributeColumn[] = [];
  const failures: FieldFailures[] = [];
  mapping.fields.forEach(({ name, type }, fieldIndex) => {
    const source = mapping.sources[fieldIndex];
    const isId = source === null && name === options.idField;
    const column = source === null ? (isId ? batch.ids : null) : byName.get(source);
    if (column == null) {
      columns.push(nullColumn(type, rowCount));
      return;
    }
    const conversion: Conversion = convertColumn(column, type, rowCount);
    columns.push(conversion.column);
    const { failures: count, firstFailedRows: firstRows } = conversion;
    if (isId) lostIds += count;
    else if (count > 0) failures.push({ fieldIndex, count, firstRows });
  });
  const ids = options.keepIds ? batch.ids : null;
  return { batch: { ...batch, fields: mapping.fields, columns, ids }, failures, lostIds };
}

/** Facts about a field whose type was inferred from its values. */
export type FoundField = Pick<FieldStatistics, 'name' | 'type' | 'integersExact'>;

/**
 * Fields of a target whose format declares no types, wide enough for the appended values. Such a format has one number
 * type and one text type: if all numbers of the target happen to be integers, or all texts dates, that is not a
 * declaration and must not cost an appended 0.5 its value. Therefore
 * - a field of integers gets the widest number type of the fields mapped to it; if that would lose digits (integers
 *   beyond 2^53 with floats), the mixed type of the format;
 * - a field of dates or datetimes becomes 'string' if other texts are appended;
 * - a field without values gets the type of the appended values, or 'string' if they have none.
 * Any other field keeps its type: text appended to a number field must be a number or becomes null.
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

/**
 * Fields of a merge: those of the first source, then those that later ones have besides, each wide enough for the values of
 * all; names match as in `mapFields`. `isCommon`: only those that all sources have.
 */
export function mergedFields(
  sources: readonly (readonly FoundField[])[],
  mixed: MixedType,
  isCommon: boolean,
): Field[] {
  const merged: { name: string; type: OpenType; integersExact: boolean; count: number }[] = [];
  for (const source of sources) {
    const names = matchNames(merged, source);
    const byName = new Map(source.map((field) => [field.name, field]));
    names.forEach((name, i) => {
      const field = name === null ? undefined : byName.get(name);
      if (field === undefined) return;
      const own = merged[i];
      own.integersExact &&= field.integersExact;
      own.type = widenType(own.type, field.type, mixed, own.integersExact);
      own.count++;
    });
    const matched = new Set(names);
    for (const { name, type, integersExact } of source)
      if (!matched.has(name)) merged.push({ name, type, integersExact, count: 1 });
  }
  return merged
    .filter(({ count }) => !isCommon || count === sources.length)
    .map(({ name, type }) => ({ name, type: type === 'null' ? 'string' : type }));
}

function mayWiden(from: OpenType, by: OpenType): boolean {
  if (from === 'null') return true;
  if (isInteger(from)) return isNumber(by);
  // Dates appended to datetimes need no wider type: midnight says the same.
  return (from === 'date' && by === 'datetime') || (isTemporal(from) && by === 'string');
}

function isTemporal(type: OpenType): boolean {
  return type === 'date' || type === 'datetime';
}
