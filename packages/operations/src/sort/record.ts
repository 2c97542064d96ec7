/** sort: another order of the features. */
import { compile } from '@geomill/expressions/compile.ts';
import { parseOrders, sortOrders, splitAtCommas } from '../parts/sort-orders.ts';
import type { Transformation } from '../transformation.ts';

export const sort: Transformation = {
  id: 'sort',
  title: 'Sort',
  group: 'order',
  summary: 'Put features in the order of fields.',
  description: `Sorts the features of each layer by one or more fields or expressions, such as \`["country", "pop desc", "upper(name)"]\`. The later ones decide
where the earlier ones are equal; features that are equal in all keep their order. Geometries, attributes and ids do not change.

Each entry is a field or an [expression](expressions.md), then \`asc\` (the default) or \`desc\`, then \`nulls last\` (the default, also with \`desc\`) or
\`nulls first\`. Names of fields that are not plain words are in double quotes: \`"end date" desc\`. \`area() desc\` sorts by size.

Numbers are compared as numbers (64-bit integers exactly; NaN counts as null), texts by their Unicode code points (so \`Z\` comes before
\`a\`; use \`upper(name)\` to ignore the letter case), dates and times as instants (UTC if they have no time zone), and false comes before true. In a
field with values of several kinds, numbers come first, then texts, then all others by their JSON text.

Memory: about 100 MB more than without the step, whatever the size of the layer; larger layers are sorted in parts on disk, which need the space of the features.`,
  parameters: {
    type: 'object',
    properties: {
      by: {
        ...sortOrders,
        description:
          'Fields or expressions to sort by, each with `asc` or `desc` after it, and `nulls first` or `nulls last`.',
        examples: [['pop desc', 'name']],
      },
    },
    required: ['by'],
    additionalProperties: false,
  },
  guarantees: [
    'The result has the same features, unchanged.',
    'Features that are equal in all keep the order that they had.',
    'A name that is not a field, and values without an order (geometries), are errors.',
  ],
  longitudes: 'own',
  usesGeometries: 'if any',
  commandLine: {
    flag: 'sort',
    placeholder: 'ORDER',
    description: 'sort features by fields or expressions: "pop desc, name"',
    parameters: (value) => ({ by: splitAtCommas(value) }),
  },
  check({ by }, path, totals) {
    for (const { expression, path: own } of parseOrders(by as readonly string[], `${path}.by`, totals))
      compile(expression, { fields: [], isOpen: true, path: own, setting: null, totals });
  },
  load: async () => (await import('./code.ts')).code,
};
