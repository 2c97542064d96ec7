/** Features with equal values become one. */
import { failure } from '../errors.ts';
import { aggregateModifier, aggregateOf, aggregateParameter } from './parts/aggregate.ts';
import { fieldName, fieldNames } from './parts/name-lists.ts';
import type { Transformation } from './transformation.ts';

export const dissolve: Transformation = {
  id: 'dissolve',
  title: 'Dissolve',
  description: `Features that have equal values in the fields of \`by\` become one feature, of several parts where they do not
touch; without \`by\` the whole layer becomes one. Null is a value: features without one are a group of their own. The geometry
is the union of the group: borders within it vanish, lines are cut where they meet and joined end to end, equal points are one;
where a group holds several kinds, lines and points within its polygons vanish in them and the result is a collection.

A feature keeps the values of the fields of \`by\`; every other field holds the first value in input order, unless \`aggregate\`
says otherwise. Its id is that of its first member that has one. The report names every field in which different values became one.
A group of one feature stays as it is. Z is kept (where borders cross, it is interpolated), M ends with a merge.

Memory: as union; large groups are divided by space.`,
  parameters: {
    type: 'object',
    properties: {
      by: {
        ...fieldNames,
        items: fieldName,
        default: [],
        description: 'Names of the fields whose values tell which features become one; none: all do.',
        examples: [['zone']],
      },
      aggregate: aggregateParameter,
    },
    additionalProperties: false,
  },
  guarantees: [
    'One feature for each combination of values, in the order of the first feature that has it.',
    'Results are valid; invalid polygons are repaired first and counted.',
    'A name in `by` or `aggregate` that is no field fails the job, and the message lists the fields there are.',
  ],
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
      throw failure('TRANSFORMATION_INVALID', {
        path: `${path}.aggregate.${name}`,
        reason: "is a field of 'by': its value is the same in the whole group",
      });
    }
  },
  load: async () => (await import('./dissolve/collect.ts')).code,
};
