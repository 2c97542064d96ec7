/** Chooses, orders and renames columns, for select, rename and drop; their buffers are not touched. */
import { indexOfField } from '@geomill/core/columns/known-field.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { stepErrors } from '../errors.ts';
import type { StepParameters, StreamingTransformation } from '../transformation.ts';

/** A step whose parameters mean those of select. */
export function selecting(
  parametersOf: (parameters: StepParameters) => StepParameters,
): StreamingTransformation {
  return {
    kind: 'streaming',
    keepsValues: true,
    outputFields: (fields, parameters) => chosenFields(fields, parametersOf(parameters)).fields,
    async prepare(parameters) {
      const selection = parametersOf(parameters);
      return (batch) => {
        const { fields, indexes } = chosenFields(batch.fields, selection);
        return { ...batch, fields, columns: indexes.map((index) => batch.columns[index]) };
      };
    },
  };
}

interface Chosen {
  readonly fields: readonly Field[];
  /** Index of each chosen field before the step. */
  readonly indexes: readonly number[];
}

/** Throws FIELD_UNKNOWN and FIELD_NAME_TAKEN. */
function chosenFields(fields: readonly Field[], parameters: StepParameters): Chosen {
  const kept = parameters.fields as readonly string[] | undefined;
  const dropped = (parameters.drop ?? []) as readonly string[];
  const renamed = new Map(Object.entries((parameters.rename ?? {}) as Readonly<Record<string, string>>));
  const left = new Set(dropped.map((name) => indexOfField(fields, name)));
  for (const name of renamed.keys()) indexOfField(fields, name);
  const indexes =
    kept === undefined
      ? fields.map((_, index) => index).filter((index) => !left.has(index))
      : kept.map((name) => indexOfField(fields, name));
  const origins = new Map<string, string>();
  const chosen = indexes.map((index) => {
    const field = fields[index];
    const { name: from } = field;
    const name = renamed.get(from) ?? from;
    const other = origins.get(name);
    if (other !== undefined) throw failure(stepErrors.FIELD_NAME_TAKEN, { first: other, second: from, name });
    origins.set(name, from);
    return { ...field, name };
  });
  return { fields: chosen, indexes };
}
