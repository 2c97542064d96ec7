/** Helpers for the schemas of responses. */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';

/** A reference to a schema of `component-schemas.ts`. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/**
 * An object with exactly these properties, all of them present save the `optional` ones. Answers are closed so that the
 * tests, which hold every answer against its schema, find what is sent and not documented.
 */
export function closedObject(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

export function listOf(items: JsonSchema, description?: string): JsonSchema {
  return { type: 'array', items, ...(description === undefined ? {} : { description }) };
}

/** As `schema`, or null. */
export function nullable(schema: JsonSchema, description?: string): JsonSchema {
  const described = description === undefined ? {} : { description };
  const { type } = schema;
  if (typeof type === 'string' && schema.enum === undefined)
    return { ...schema, type: [type, 'null'], ...described };
  return { anyOf: [schema, { type: 'null' }], ...described };
}

export const TEXT: JsonSchema = { type: 'string' };
export const FLAG: JsonSchema = { type: 'boolean' };

export function text(description: string): JsonSchema {
  return { type: 'string', description };
}

export function count(description: string): JsonSchema {
  return { type: 'integer', minimum: 0, description };
}

export function time(description: string): JsonSchema {
  return { type: 'string', format: 'date-time', description };
}

export function nullableTime(description: string): JsonSchema {
  return { type: ['string', 'null'], format: 'date-time', description };
}
