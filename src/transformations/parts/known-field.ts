/** Fields that a step names must be there. */
import type { Field } from '../../batch/schema.ts';
import { failure } from '../../errors.ts';

/** Names of a message; a wide layer has hundreds. */
const MAX_SHOWN = 50;

/** Steps ask for many fields of the same list, batch after batch. */
const positions = new WeakMap<readonly Field[], ReadonlyMap<string, number>>();

function positionsIn(fields: readonly Field[]): ReadonlyMap<string, number> {
  let known = positions.get(fields);
  if (known === undefined) {
    // Backwards: of two fields with one name the first counts.
    known = new Map(fields.map((_, i) => fields.length - 1 - i).map((i) => [fields[i].name, i]));
    positions.set(fields, known);
  }
  return known;
}

/** Where the field stands among the fields. Throws FIELD_UNKNOWN, which lists those there are. */
export function indexOfField(fields: readonly Field[], name: string): number {
  const index = positionsIn(fields).get(name);
  if (index !== undefined) return index;
  const shown = fields.slice(0, MAX_SHOWN).map((field) => `'${field.name}'`);
  if (fields.length > MAX_SHOWN) shown.push(`${fields.length - MAX_SHOWN} more`);
  const known = shown.length === 0 ? 'none' : shown.join(', ');
  // The pipeline, which knows, tells layer and step in place of the data.
  throw failure('FIELD_UNKNOWN', { field: name, where: 'the data', known });
}
