/** dimensions: adds or drops Z and M. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { compile } from '@geomill/expressions/compile.ts';
import { MAX_EXPRESSION_LENGTH, refuseExpression } from '@geomill/expressions/expression.ts';
import { isNumeric, KIND_NAME, type Node } from '@geomill/expressions/node.ts';
import { parseExpression } from '@geomill/expressions/parse.ts';
import type { Transformation } from '../transformation.ts';

export const dimensions: Transformation = {
  id: 'dimensions',
  title: 'Set dimensions',
  group: 'coordinates',
  summary: 'Add or remove Z and M.',
  description: `Gives all positions the ordinates of \`to\`: \`XY\`, \`XYZ\`, \`XYM\` or \`XYZM\`. Z and M that are not in \`to\` are dropped. Positions that
have no Z, or no M, get \`z\` or \`m\`, a number or an expression on the fields of the feature ([expressions.md](expressions.md)): \`"z": "elevation * 0.3048"\`. With
\`replace\`, positions that have one get it too. x, y, attributes, ids and the order of features do not change.`,
  parameters: {
    type: 'object',
    properties: {
      to: {
        type: 'string',
        enum: ['XY', 'XYZ', 'XYM', 'XYZM'],
        description: 'The ordinates of the result.',
        examples: ['XY'],
      },
      z: {
        type: ['number', 'string', 'object'],
        maxLength: MAX_EXPRESSION_LENGTH,
        default: 0,
        description: 'Z of positions without one: a number or an expression.',
      },
      m: {
        type: ['number', 'string', 'object'],
        maxLength: MAX_EXPRESSION_LENGTH,
        default: 0,
        description: 'M of positions without one: a number or an expression.',
      },
      replace: {
        type: 'boolean',
        default: false,
        description: 'Positions that have a Z or M get the new one, too.',
      },
    },
    required: ['to'],
    additionalProperties: false,
  },
  guarantees: [
    'Every position has exactly the ordinates of `to`.',
    'Features for which `z` or `m` has no value keep positions without it, and are counted (VALUE_NOT_COMPUTED).',
  ],
  longitudes: 'as written',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'dimensions',
    placeholder: 'ORDINATES',
    description: 'XY drops Z and M; XYZ, XYM and XYZM add what is missing',
    parameters: (value) => ({ to: value.trim().toUpperCase() }),
    modifiers: (['z', 'm'] as const).map((name) => ({
      flag: `set-${name}`,
      placeholder: 'VALUE',
      description: `${name.toUpperCase()} of all positions: a number, or an expression on the fields such as "elevation * 0.3048"`,
      parameters: (value, before) => ({ ...before, [name]: value, replace: true }),
    })),
  },
  check(parameters, path, totals) {
    for (const name of ['z', 'm'] as const) {
      const own = `${path}.${name}`;
      const expression = parseExpression(parameters[name], own, totals);
      const scope = { fields: [], isOpen: true, path: own, setting: null, totals } as const;
      checkOrdinate(compile(expression, scope), own);
      const isUsed = (parameters.to as string).includes(name.toUpperCase());
      if (!isUsed && parameters[name] !== 0)
        throw failure(generalErrors.TRANSFORMATION_INVALID, {
          path: field(`${path}.${name}`),
          reason: `has no use: ${parameters.to} has no ${name.toUpperCase()}`,
        });
    }
  },
  load: async () => (await import('./code.ts')).code,
};

/** Throws TRANSFORMATION_INVALID if the values of an expression are not numbers. */
export function checkOrdinate({ kind }: Node, path: string): void {
  if (!isNumeric(kind) && kind !== 'unknown')
    throw refuseExpression(path, `must be a number, not ${KIND_NAME[kind]}`);
}
