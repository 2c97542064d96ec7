/** dissolve: merges features with equal values. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { aggregateModifier, aggregateOf, aggregateParameter } from '../parts/aggregate.ts';
import { fieldName, fieldNames } from '../parts/name-lists.ts';
import type { Transformation } from '../transformation.ts';

export const dissolve: Transformation = {
  id: 'dissolve',
  title: 'Dissolve',
  group: 'combine',
  summary: 'Merge features with equal values of a field.',
  mainParameters: ['by'],
  description: `Features with equal values in the fields of \`by\` become one feature, with several parts if they do not
touch. Without \`by\`, the whole layer becomes one feature. Null is a value too: features with null form a separate group. The geometry
is the union of the group: borders inside it disappear, lines are cut where they meet and joined end to end, and equal points become one.
If a group has several kinds of geometry, lines and points inside its polygons disappear, and the result is a collection.

A merged feature keeps the values of the fields of \`by\`. Every other field has the first value in input order, unless \`aggregate\`
selects another one. Its id is that of the first member with an id. The report names every field in which different values became one.
A group of one feature is not changed. Z is kept, and interpolated where borders cross; M is dropped when features are merged.

Memory: as for union; large groups are divided by area.`,
  parameters: {
    type: 'object',
    properties: {
      by: {
        ...fieldNames,
        items: fieldName,
        default: [],
        description:
          'Fields by whose values features are grouped; without fields, all features are one group.',
        examples: [['zone']],
      },
      aggregate: aggregateParameter,
    },
    additionalProperties: false,
  },
  guarantees: [
    'There is one feature for each combination of values, in the order of the first feature with that combination.',
    'Results are valid; invalid polygons are repaired first and counted.',
    'If `by` or `aggregate` has a name that is not a field, the job fails with a message that lists the fields.',
  ],
  longitudes: 'layer',
  usesGeometries: 'if any',
  commandLine: {
    flag: 'dissolve',
    placeholder: 'FIELDS',
    description: "merge features with equal values in these fields (zone,year; '' for all into one)",
    parameters: (value) => ({
      by: value
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    }),
    modifiers: [aggregateModifier],
  },
  check(parameters, path) {
    const by = new Set((parameters.by ?? []) as readonly string[]);
    for (const name of aggregateOf(parameters).keys()) {
      if (!by.has(name)) continue;
      throw failure(generalErrors.TRANSFORMATION_INVALID, {
        path: field(`${path}.aggregate.${name}`),
        reason: phrase`is also in '${field(`${path}.by`)}', so its value is the same in the whole group`,
      });
    }
  },
  needsMuchMemory: true,
  load: async () => (await import('./collect.ts')).code,
};
