/** Checks options against a format's schema and says what is wrong with which path. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { failure } from '../errors.ts';
import type { OptionsSchema } from './format.ts';

const ajv = new Ajv2020({
  allErrors: false,
  strict: true,
  allowUnionTypes: true,
  ownProperties: true,
  validateSchema: false,
});
const compiled = new WeakMap<OptionsSchema, ValidateFunction>();

/**
 * The options as they are. Throws CONFIG_INVALID naming the path and what would be right. `path`: what the options stand
 * under, or a function that tells where an option of that name stands.
 */
export function validateOptions(
  schema: OptionsSchema,
  options: Readonly<Record<string, unknown>>,
  path: string | ((name: string) => string),
): Readonly<Record<string, unknown>> {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(schema);
    compiled.set(schema, validate);
  }
  if (validate(options)) return options;
  const error = (validate.errors as ErrorObject[])[0];
  throw failure('CONFIG_INVALID', { detail: describe(error, path) });
}

function describe(error: ErrorObject, path: string | ((name: string) => string)): string {
  const [, name = '', ...inner] = error.instancePath.split('/');
  const option = typeof path === 'string' ? [path, name].filter((part) => part !== '').join('.') : path(name);
  const where = `'${[option, ...inner].join('.')}'`;
  const params = error.params as Record<string, unknown>;
  if (error.keyword === 'enum')
    return `${where} must be one of ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
  if (error.keyword === 'additionalProperties')
    return `${where} has no option '${String(params.additionalProperty)}'`;
  return `${where} ${error.message ?? 'is not valid'}`;
}
