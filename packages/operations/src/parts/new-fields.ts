/** Fields that a step adds after all others. */
import { descriptionsIn, type FieldFacts, onlyFacts } from '@geomill/core/columns/field-facts.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { stepErrors } from '../errors.ts';

/** Throws FIELD_NAME_TAKEN, with the parameter that names the field. */
export function withNewField(fields: readonly Field[], field: Field, parameter: string): readonly Field[] {
  if (fields.some(({ name }) => name === field.name))
    throw failure(stepErrors.FIELD_NAME_TAKEN, { first: field.name, second: parameter, name: field.name });
  return [...fields, field];
}

/** A field with other values than `before`, if there was one: what describes it stays true, a domain, a width or a default may not. */
export function changedField(before: Field | undefined, field: Field): Field {
  return withFacts(field, before?.facts === undefined ? undefined : descriptionsIn(before.facts));
}

/** A field with the values of `before` in another type: codes of a domain are the same as texts and as numbers. */
export function convertedField(before: Field, field: Field): Field {
  const { facts } = before;
  if (facts === undefined) return field;
  return withFacts(field, onlyFacts(facts, ['alias', 'title', 'description', 'domain', 'notNull', 'unique']));
}

function withFacts(field: Field, facts: FieldFacts | undefined): Field {
  return facts === undefined ? field : { ...field, facts };
}
