/** Fields that a step adds after all others. */
import type { Field } from '@geomill/core/columns/schema.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { stepErrors } from '../errors.ts';

/** Throws FIELD_NAME_TAKEN, with the parameter that names the field. */
export function withNewField(fields: readonly Field[], field: Field, parameter: string): readonly Field[] {
  if (fields.some(({ name }) => name === field.name))
    throw failure(stepErrors.FIELD_NAME_TAKEN, { first: field.name, second: parameter, name: field.name });
  return [...fields, field];
}
