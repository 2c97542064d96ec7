/** calculate: new or changed fields by expressions. */
import type { Field } from '@geomill/core/columns/schema.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { compile } from '@geomill/expressions/compile.ts';
import { MAX_EXPRESSION_LENGTH } from '@geomill/expressions/expression.ts';
import { parseExpression } from '@geomill/expressions/parse.ts';
import { calculatedType } from '../parts/calculated-type.ts';
import { byFieldName, MAX_NAME_LENGTH } from '../parts/name-lists.ts';
import type { RequestTotals, Transformation } from '../transformation.ts';

const MAX_FIELDS = 1000;

export const calculate: Transformation = {
  id: 'calculate',
  title: 'Calculate fields',
  group: 'attributes',
  summary: 'Set fields to the values of expressions.',
  description: `Sets fields to the values of expressions: \`{"density": "pop / area_km2()", "label": "upper(name) || ' ' || to_text(pop)"}\`. A field
that exists is replaced, in its place; a new field comes after all others. Expressions are evaluated in their order, and see the fields
that were set before them. Geometries, ids and the order of features do not change.

Expressions are those of CQL2, as text or JSON, with arithmetic, functions on numbers, texts, dates and geometries, and
\`case when ... then ... else ... end\`: [expressions.md](expressions.md) lists them. Areas and lengths are computed on the ellipsoid, in metres
or in the unit that the name of the function says, whatever the CRS of the data.

The type of a field is that of its expression: integer (64 bits), number, text, true or false, date, or date with time. A value is null if one
that it needs is null, or if it has no result, such as \`1 / 0\` (\`VALUE_NOT_COMPUTED\`).`,
  parameters: {
    type: 'object',
    properties: {
      fields: {
        ...byFieldName,
        propertyNames: { minLength: 1, maxLength: MAX_NAME_LENGTH },
        minProperties: 1,
        maxProperties: MAX_FIELDS,
        additionalProperties: {
          type: ['string', 'object', 'number', 'boolean', 'null'],
          maxLength: MAX_EXPRESSION_LENGTH,
        },
        description: 'Expressions by the names of the fields, as text or as JSON.',
        examples: [{ area_ha: 'round(area_ha(), 2)' }],
      },
    },
    required: ['fields'],
    additionalProperties: false,
  },
  guarantees: [
    'Fields that are not set keep their values, types and order.',
    'A name that is not a field, an unknown function and values of the wrong kind are errors that say where in the expression.',
    'Integers are computed exactly; a result beyond 64 bits is null, and counted.',
  ],
  longitudes: 'own',
  usesGeometries: 'if any',
  commandLine: {
    flag: 'calculate',
    placeholder: 'FIELD=EXPRESSION',
    description: 'set a field: "density=pop / area_km2()"; --calculate again for another',
    parameters: (value) => {
      const at = value.indexOf('=');
      if (at < 1 || value.slice(at + 1).trim() === '') {
        const detail = `--calculate '${value}' is not a field with an expression; write "FIELD=EXPRESSION", such as "area_ha=area_ha()"`;
        throw failure(generalErrors.USAGE, { detail });
      }
      return { fields: { [value.slice(0, at).trim()]: value.slice(at + 1).trim() } };
    },
  },
  check({ fields }, path, totals) {
    for (const name of Object.keys(fields as object)) {
      if (name.trim() === '')
        throw failure(generalErrors.TRANSFORMATION_INVALID, {
          path: field(`${path}.fields`),
          reason: 'has a field without a name',
        });
    }
    checkKinds(fields as object, path, totals);
  },
  load: async () => (await import('./code.ts')).code,
};

/** Checks the expressions as far as it is possible without the fields of the data. */
function checkKinds(expressions: object, path: string, totals: RequestTotals): void {
  let fields: readonly Field[] = [];
  for (const [name, source] of Object.entries(expressions)) {
    const own = expressionPath(path, name);
    const expression = parseExpression(source, own, totals);
    const node = compile(expression, { fields, isOpen: true, path: own, setting: null, totals });
    fields = fields.filter((one) => one.name !== name);
    if (node.kind !== 'unknown') fields = [...fields, { name, type: calculatedType(node, own) }];
  }
}

/** Of the expression of a field, for messages. */
export function expressionPath(path: string, name: string): string {
  return `${path}.fields.${name}`.slice(0, 200);
}
