/** Checks the options of a request against a format's schema. */
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
