/** Finds fields by their names. */
import { didYouMean } from '../messages/did-you-mean.ts';
import { failure } from '../messages/errors.ts';
import { generalErrors } from '../messages/general-errors.ts';
import type { Field } from './schema.ts';

/** Maximum number of names in a message; a wide layer has hundreds. */
const MAX_SHOWN = 50;

/** Cache: steps look up many fields in the same list, for every batch. */
const positions = new WeakMap<readonly Field[], ReadonlyMap<string, number>>();

function positionsIn(fields: readonly Field[]): ReadonlyMap<string, number> {
  let known = positions.get(fields);
  if (known === undefined) {
    // Backwards, so that the first of two fields with the same name is found.
    known = new Map(fields.map((_, i) => fields.length - 1 - i).map((i) => [fields[i].name, i]));
    positions.set(fields, known);
  }
  return known;
}

/** Index of the field. Throws FIELD_UNKNOWN, which lists the known fields; `hint`: what it says where none of them is like the name. */
export function indexOfField(fields: readonly Field[], name: string, hint = ''): number {
  const index = positionsIn(fields).get(name);
  if (index !== undefined) return index;
  const shown = fields.slice(0, MAX_SHOWN).map((field) => `'${field.name}'`);
  if (fields.length > MAX_SHOWN) shown.push(`${fields.length - MAX_SHOWN} more`);
  const known = shown.length === 0 ? 'none' : shown.join(', ');
  // The pipeline replaces these by the layer and the step.
  const meant = didYouMean(
    name,
    fields.map((field) => field.name),
  );
  throw failure(generalErrors.FIELD_UNKNOWN, {
    field: name,
    where: 'the data',
    known,
    hint: meant === '' ? hint : meant,
  });
}
