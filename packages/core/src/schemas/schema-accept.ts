/**
 * Accepts values that plainly match a JSON Schema, without compiling it: loading and running Ajv takes 50 ms of a command, and almost all
 * values are right. Whatever is not accepted here is for Ajv to judge (schema-check.ts).
 */

type Schema = Readonly<Record<string, unknown>>;

/** True if the value matches. With `fillsDefaults`, absent members are added, in place. */
export function isPlainlyValid(schema: object, value: unknown, fillsDefaults: boolean): boolean {
  for (const [keyword, rule] of Object.entries(schema)) {
    const check = CHECKS[keyword];
    if (check === undefined || !check(rule, value, schema as Schema, fillsDefaults)) return false;
  }
  return true;
}

type Check = (rule: unknown, value: unknown, schema: Schema, fillsDefaults: boolean) => boolean;

const always: Check = () => true;

/** By keyword; one that is missing accepts nothing. */
const CHECKS: Readonly<Record<string, Check>> = {
  title: always,
  description: always,
  examples: always,
  default: always,
  type: (rule, value) => [rule].flat().some((type) => isOfType(String(type), value)),
  enum: (rule, value) => !isNested(value) && (rule as readonly unknown[]).includes(value),
  minimum: (rule, value) => typeof value !== 'number' || value >= Number(rule),
  maximum: (rule, value) => typeof value !== 'number' || value <= Number(rule),
  exclusiveMinimum: (rule, value) => typeof value !== 'number' || value > Number(rule),
  minLength: (rule, value) => typeof value !== 'string' || lengthOf(value) >= Number(rule),
  maxLength: (rule, value) => typeof value !== 'string' || lengthOf(value) <= Number(rule),
  minItems: (rule, value) => !Array.isArray(value) || value.length >= Number(rule),
  maxItems: (rule, value) => !Array.isArray(value) || value.length <= Number(rule),
  uniqueItems: (_, value) =>
    !Array.isArray(value) || (!value.some(isNested) && new Set(value).size === value.length),
  items: (rule, value, _, fills) =>
    !Array.isArray(value) || value.every((item) => isPlainlyValid(rule as Schema, item, fills)),
  minProperties: (rule, value) => !isObject(value) || Object.keys(value).length >= Number(rule),
  maxProperties: (rule, value) => !isObject(value) || Object.keys(value).length <= Number(rule),
  propertyNames: (rule, value) =>
    !isObject(value) || Object.keys(value).every((name) => isPlainlyValid(rule as Schema, name, false)),
  required: (rule, value) =>
    !isObject(value) || (rule as readonly string[]).every((name) => ownMember(value, name) !== undefined),
  properties: (rule, value, _, fills) =>
    !isObject(value) ||
    Object.entries(rule as Readonly<Record<string, Schema>>).every(([name, schema]) =>
      isMemberValid(value, name, schema, fills),
    ),
  additionalProperties: (rule, value, { properties = {} }, fills) =>
    !isObject(value) ||
    Object.keys(value)
      .filter((name) => !Object.hasOwn(properties as object, name))
      .every((name) =>
        typeof rule === 'boolean' ? rule : isPlainlyValid(rule as Schema, value[name], fills),
      ),
};

function isMemberValid(
  value: Record<string, unknown>,
  name: string,
  schema: Schema,
  fillsDefaults: boolean,
): boolean {
  if (ownMember(value, name) === undefined) {
    if (fillsDefaults && schema.default !== undefined) value[name] = structuredClone(schema.default);
    else return true;
  }
  return isPlainlyValid(schema, value[name], fillsDefaults);
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function ownMember(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** In characters of Unicode. */
function lengthOf(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
