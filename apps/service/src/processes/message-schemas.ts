/** JSON Schemas of plain data that comes from a process the service does not trust, and the check against them. */
import type { Location, PlainError } from '@geomill/core/messages/errors.ts';
import type { Finding } from '@geomill/core/messages/findings.ts';
import { type Field, MAX_PARTS, MAX_PATH } from '@geomill/core/messages/message.ts';
import { MAX_COMPOSED, MAX_QUOTED } from '@geomill/core/messages/short-text.ts';
import { memberPath, schemaCheck } from '@geomill/core/schemas/schema-check.ts';
import { catalogue } from '../catalogue.ts';

export type MessageSchema = Readonly<Record<string, unknown>>;

/** An object with exactly the members of `T`, all of them present save the `optional` ones. */
export function exactly<T>(
  properties: Readonly<Record<keyof T, MessageSchema>>,
  optional: readonly (keyof T)[] = [],
): MessageSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name as keyof T));
  return { type: 'object', properties, required, additionalProperties: false };
}

export function textUpTo(maxLength: number): MessageSchema {
  return { type: 'string', maxLength };
}

export function orNull(schema: MessageSchema): MessageSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

export function list(items: MessageSchema): MessageSchema {
  return { type: 'array', items };
}

export const NAME = textUpTo(MAX_QUOTED);
export const COUNT: MessageSchema = { type: 'integer', minimum: 0 };
export const FLAG: MessageSchema = { type: 'boolean' };
export const NUMBER: MessageSchema = { type: 'number' };

const INTEGER: MessageSchema = { type: 'integer' };

const TEXT = textUpTo(MAX_COMPOSED);
const FIELD = exactly<Field>({ field: textUpTo(MAX_PATH), value: NAME }, ['value']);
const PARAMS: MessageSchema = {
  type: 'object',
  maxProperties: 20,
  propertyNames: { pattern: '^[a-z][A-Za-z]{0,39}$' },
  additionalProperties: {
    anyOf: [NUMBER, TEXT, FIELD, { ...list({ anyOf: [TEXT, FIELD] }), minItems: 1, maxItems: MAX_PARTS }],
  },
};

const PLACE = exactly<Location>(
  {
    file: NAME,
    layer: NAME,
    record: INTEGER,
    line: INTEGER,
    column: INTEGER,
    offset: INTEGER,
    id: NAME,
    field: NAME,
  },
  ['file', 'layer', 'record', 'line', 'column', 'offset', 'id', 'field'],
);

export const PLAIN_ERROR = exactly<PlainError>(
  { code: { enum: Object.keys(catalogue.errors) }, params: PARAMS, place: PLACE },
  ['place'],
);

export const FINDING = exactly<Finding>({
  code: { enum: Object.keys(catalogue.findings) },
  message: textUpTo(MAX_COMPOSED),
  count: COUNT,
  places: { ...list(PLACE), maxItems: 10 },
  params: PARAMS,
});

/** A function that checks a message against the schema of its `type`. It returns what is wrong; null: nothing. */
export function messageCheck(
  types: Readonly<Record<string, MessageSchema>>,
): (message: unknown) => string | null {
  const checks = new Map(Object.entries(types).map(([type, schema]) => [type, schemaCheck(schema)]));
  return (message) => {
    const type =
      typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;
    const check = typeof type === 'string' ? checks.get(type) : undefined;
    if (check === undefined) return 'a message has an unknown type';
    const fault = check(message);
    if (fault === null) return null;
    // The path may hold names that the process made up.
    const path = memberPath('message', fault.path).replace(/[^\w.[\]]/g, '?');
    return `'${path.slice(0, 100)}' of type '${type}' ${fault.reason}`;
  };
}
