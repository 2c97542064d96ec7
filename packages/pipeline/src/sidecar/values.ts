/** Columns as a file gives them back, in the types that they had. */
import { type AttributeColumn, isValid, nullColumn } from '@geomill/core/columns/attribute-column.ts';
import { convertColumn } from '@geomill/core/columns/convert-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field, FieldType } from '@geomill/core/columns/schema.ts';
import type { SidecarColumn, ValueSource } from './document.ts';

/** The values of a batch of the file, converted to the type of the original ones; values that it cannot hold are null. */
export function valuesOf(
  { source, type }: Pick<SidecarColumn, 'source' | 'type'>,
  batch: FeatureBatch,
): AttributeColumn {
  const column = columnAt(source, batch);
  return column === null
    ? nullColumn(type, batch.rowCount)
    : convertColumn(column, type, batch.rowCount).column;
}

function columnAt(source: ValueSource, { fields, columns, ids }: FeatureBatch): AttributeColumn | null {
  if (source === 'ids') return ids;
  if (source === 'none') return null;
  const index = fields.findIndex(({ name }) => name === source.column);
  return index < 0 ? null : columns[index];
}

/** The fields to read a file in whose types come from its values. No reader makes bytes of text. */
export function fieldsToRead(
  columns: readonly Pick<SidecarColumn, 'source' | 'type'>[],
  others: readonly Field[] = [],
): Field[] {
  const asked = columns.flatMap(({ source, type }): Field[] =>
    typeof source === 'string' ? [] : [{ name: source.column, type: readType(type) }],
  );
  return [...asked, ...others];
}

const readType = (type: FieldType): FieldType => (type === 'binary' ? 'string' : type);

/** Whether two rows of columns of the same type have the same value, bit by bit. */
export function sameValue(a: AttributeColumn, rowOfA: number, b: AttributeColumn, rowOfB: number): boolean {
  const hasValue = isValid(a.validity, rowOfA);
  if (hasValue !== isValid(b.validity, rowOfB)) return false;
  if (!hasValue) return true;
  if ('offsets' in a) return 'offsets' in b && sameBytes(a, rowOfA, b, rowOfB);
  return !('offsets' in b) && Object.is(a.values[rowOfA], b.values[rowOfB]);
}

type Bytes = Extract<AttributeColumn, { readonly offsets: unknown }>;

function sameBytes(a: Bytes, rowOfA: number, b: Bytes, rowOfB: number): boolean {
  const start = a.offsets[rowOfA];
  const other = b.offsets[rowOfB];
  const length = a.offsets[rowOfA + 1] - start;
  if (b.offsets[rowOfB + 1] - other !== length) return false;
  for (let i = 0; i < length; i++) if (a.bytes[start + i] !== b.bytes[other + i]) return false;
  return true;
}
