/** Checks values against JSON Schemas and says what is wrong where. Everything that uses Ajv uses it through this module. */
import { packageLoader } from '@geomill/platform/packages.ts';
import type { Ajv2020, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import { isPlainlyValid } from './schema-accept.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface SchemaFault {
  /** Member names and indexes that lead to the wrong, missing or unknown value. */
  readonly path: readonly string[];
  /** The keyword of the schema that failed: "required", "type", "maxItems", ... */
  readonly keyword: string;
  /** To be put after a path: "must be number". */
  readonly reason: string;
}

/** `coerce`: texts are turned into the wanted type, in place. `fillDefaults`: absent members are added, in place. */
export type SchemaMode = 'asGiven' | 'coerce' | 'fillDefaults';

// Infinity, which JSON.parse makes of 1e999, is rejected by 'strictNumbers', which is on by default.
const OPTIONS: Options = { strict: true, allowUnionTypes: true, ownProperties: true, validateSchema: false };

export const AJV_OPTIONS: Readonly<Record<SchemaMode, Options>> = {
  asGiven: OPTIONS,
  coerce: { ...OPTIONS, coerceTypes: true },
  fillDefaults: { ...OPTIONS, useDefaults: true },
};
const compilers = new Map<SchemaMode, Ajv2020>();

/** A function that returns the first fault of a value; null: the value matches the schema. */
export type SchemaCheck = (value: unknown) => SchemaFault | null;

/** Compiles the schema for the first value: a service has a hundred checks, and most of its processes use a few of them. */
export function schemaCheck(schema: object, mode: SchemaMode = 'asGiven'): SchemaCheck {
  let validate: ValidateFunction | null = null;
  return (value) => {
    validate ??= compilerOf(mode).compile(schema);
    return validate(value) ? null : firstFault(validate.errors as ErrorObject[]);
  };
}

function compilerOf(mode: SchemaMode): Ajv2020 {
  const ajv = compilers.get(mode) ?? newCompiler(mode);
  compilers.set(mode, ajv);
  return ajv;
}

/** Ajv is loaded when it is needed: most commands only have values that are accepted without it. */
function newCompiler(mode: SchemaMode): Ajv2020 {
  const ajv = packageLoader(import.meta.url)('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  return new ajv.Ajv2020(AJV_OPTIONS[mode]);
}

const kept = new WeakMap<object, SchemaCheck>();

/** The same for a schema that is checked again and again: compiled once. A schema is used with one mode only. */
export function schemaFault(schema: object, value: unknown, mode?: SchemaMode): SchemaFault | null {
  if (mode !== 'coerce' && isPlainlyValid(schema, value, mode === 'fillDefaults')) return null;
  let check = kept.get(schema);
  if (check === undefined) {
    check = schemaCheck(schema, mode);
    kept.set(schema, check);
  }
  return check(value);
}

function firstFault(errors: readonly ErrorObject[]): SchemaFault {
  // Of several alternatives, the one whose size alone is wrong is the one that was meant.
  return toFault(errors.find(({ keyword }) => keyword in UNITS) ?? errors[0]);
}

/** Keywords that limit a size, and what they count. */
const UNITS: Readonly<Record<string, string>> = {
  maxItems: 'items',
  maxLength: 'characters',
  maxProperties: 'members',
};

function toFault({ keyword, instancePath, params, message }: ErrorObject): SchemaFault {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  switch (keyword) {
    case 'required':
      return { path: [...path, String(params.missingProperty)], keyword, reason: 'is required' };
    case 'additionalProperties':
      return { path: [...path, String(params.additionalProperty)], keyword, reason: 'is unknown' };
    case 'enum': {
      const values = (params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ');
      const reason = values.length > 300 ? 'is not one of the known values' : `must be one of ${values}`;
      return { path, keyword, reason };
    }
    case 'const':
      return { path, keyword, reason: `must be ${JSON.stringify(params.allowedValue)}` };
    case 'maxItems':
    case 'maxLength':
    case 'maxProperties':
      return { path, keyword, reason: `must have at most ${params.limit} ${UNITS[keyword]}` };
    default:
      return { path, keyword, reason: message ?? 'is not valid' };
  }
}

/** "params" and ["by", "0", "field"] as "params.by[0].field". */
export function memberPath(base: string, path: readonly string[]): string {
  return base + path.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('');
}
