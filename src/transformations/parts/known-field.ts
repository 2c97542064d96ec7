/** Fields that a step names must be there. */
import type { Field } from '../../batch/schema.ts';
import { failure } from '../../errors.ts';

/** Names of a message; a wide layer has hundreds. */
const MAX_SHOWN = 50;

/** Where the field stands among the fields. Throws FIELD_UNKNOWN, which lists those there are. */
export function indexOfField(fields: readonly Field[], name: string): number {
  const index = fields.findIndex((field) => field.name === name);
  if (index >= 0) return index;
  const shown = fields.slice(0, MAX_SHOWN).map((field) => `'${field.name}'`);
  if (fields.length > MAX_SHOWN) shown.push(`${fields.length - MAX_SHOWN} more`);
  const known = shown.length === 0 ? 'none' : shown.join(', ');
  // The pipeline, which knows, tells layer and step in place of the data.
  throw failure('FIELD_UNKNOWN', { field: name, where: 'the data', known });
}
