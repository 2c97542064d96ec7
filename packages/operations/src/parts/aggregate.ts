/** Aggregation of the attributes of merged features: the parameter, the fields after it, and its check. */
import { indexOfField } from '@geomill/core/columns/known-field.ts';
import { type Field, type FieldType, isNumber } from '@geomill/core/columns/schema.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { stepErrors } from '../errors.ts';
import type { CommandLineModifier, StepParameters } from '../transformation.ts';
import { byFieldName } from './name-lists.ts';
import { changedField } from './new-fields.ts';

const AGGREGATE_FUNCTIONS = ['first', 'last', 'sum', 'mean', 'min', 'max', 'count', 'distinct'] as const;

export type AggregateFunction = (typeof AGGREGATE_FUNCTIONS)[number];

/** Their results are values of the field. */
const KEEPING: ReadonlySet<AggregateFunction> = new Set(['first', 'last', 'min', 'max']);

/** Key for all fields that are not named. */
const EVERY_FIELD = '*';

export const aggregateParameter = {
  ...byFieldName,
  additionalProperties: { type: 'string', enum: [...AGGREGATE_FUNCTIONS] },
  examples: [{ pop: 'sum' }],
  description: `Functions for the values of merged features, by field name; "*" means all fields that are not named.
\`first\` (the default) and \`last\`: the value of the first or last feature with a value, in input order; \`sum\` and \`mean\` of
numbers; \`min\` and \`max\` of numbers, texts, dates and times; \`count\`: number of features with a value; \`distinct\`: the different
values as a text, joined by ", ". Features without a value are ignored. If no feature has a value, the result is null, or 0 for
\`count\`.`,
};

/** How a field is aggregated. */
export interface FieldAggregate {
  readonly how: AggregateFunction;
  readonly from: Field;
  readonly to: Field;
}

/**
 * One entry per field, in their order; fields in `keys` keep the value that the features share. Throws FIELD_UNKNOWN for
 * a name in `aggregate` and AGGREGATE_TYPE for a function that the type of its field does not have.
 */
export function planAggregates(
  fields: readonly Field[],
  parameters: StepParameters,
  keys: readonly string[] = [],
): readonly FieldAggregate[] {
  const aggregate = aggregateOf(parameters);
  for (const name of aggregate.keys()) if (name !== EVERY_FIELD) indexOfField(fields, name);
  const usual = aggregate.get(EVERY_FIELD) ?? 'first';
  const shared = new Set(keys);
  return fields.map((field) => {
    const how = shared.has(field.name) ? 'first' : (aggregate.get(field.name) ?? usual);
    const to = { name: field.name, type: resultType(field, how) };
    return { how, from: field, to: KEEPING.has(how) ? { ...field, ...to } : changedField(field, to) };
  });
}

export function aggregateOf(parameters: StepParameters): ReadonlyMap<string, AggregateFunction> {
  return new Map(Object.entries((parameters.aggregate ?? {}) as Record<string, AggregateFunction>));
}

function resultType({ name, type }: Field, how: AggregateFunction): FieldType {
  switch (how) {
    case 'count':
      return 'int64';
    case 'sum':
      if (!isNumber(type)) throw wrongType(name, type, how, 'numbers');
      return type === 'float64' ? 'float64' : 'int64';
    case 'mean':
      if (!isNumber(type)) throw wrongType(name, type, how, 'numbers');
      return 'float64';
    case 'min':
    case 'max':
      if (type === 'json' || type === 'binary')
        throw wrongType(name, type, how, 'numbers, texts, dates and times');
      return type;
    case 'distinct':
      if (type === 'binary') throw wrongType(name, type, how, 'everything but binary values');
      return 'string';
    default:
      return type;
  }
}

function wrongType(field: string, type: FieldType, how: AggregateFunction, possible: string): Error {
  return failure(stepErrors.AGGREGATE_TYPE, { function: how, field, type, possible }, { field });
}

/** `--aggregate pop=sum` after the flag of a step that merges. */
export const aggregateModifier: CommandLineModifier = {
  flag: 'aggregate',
  placeholder: 'FIELD=FUNCTION',
  description: `value of the field in merged features: ${AGGREGATE_FUNCTIONS.join(', ')}; * for all fields`,
  parameters(value, before) {
    const cut = value.lastIndexOf('=');
    if (cut <= 0 || cut === value.length - 1) {
      throw failure(generalErrors.USAGE, {
        detail: `--aggregate takes FIELD=FUNCTION, such as pop=sum or '*=last', not '${value.slice(0, 60)}'`,
      });
    }
    const aggregate = {
      ...(before.aggregate as object | undefined),
      [value.slice(0, cut)]: value.slice(cut + 1),
    };
    return { ...before, aggregate };
  },
};
