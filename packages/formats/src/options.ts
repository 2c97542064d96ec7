/** Options of a request: checked against a format's schema, and as values of texts. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { memberPath, schemaFault } from '@geomill/core/schemas/schema-check.ts';
import type { OptionsSchema } from './format.ts';

/**
 * The options as they are. Throws CONFIG_INVALID with the path of the wrong option. `path`: the path of all options, or
 * a function that returns the path of the option with that name.
 */
export function validateOptions(
  schema: OptionsSchema,
  options: Readonly<Record<string, unknown>>,
  path: string | ((name: string) => string),
): Readonly<Record<string, unknown>> {
  const fault = schemaFault(schema, options);
  if (fault === null) return options;
  const [name, ...inner] = fault.path;
  const option = typeof path === 'string' ? `${path}.${name}` : path(name);
  throw failure(generalErrors.CONFIG_INVALID, {
    detail: phrase`'${field(memberPath(option, inner))}' ${fault.reason}`,
  });
}

/** The value that a text means for an option with this schema; null: it means none. */
export function optionOfText(text: string, schema: object): string | number | boolean | null {
  const types = typesOf(schema);
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  const isNumeric = types.includes('integer') || types.includes('number');
  if (isNumeric && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  return types.includes('string') || types.length === 0 ? text : null;
}

/** Empty: any. */
export function typesOf(schema: object): readonly unknown[] {
  const type = 'type' in schema ? schema.type : undefined;
  return type === undefined ? [] : [type].flat();
}
