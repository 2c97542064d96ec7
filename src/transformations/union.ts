/** Features that overlap or share a border become one. */
import { aggregateModifier, aggregateParameter } from './parts/aggregate.ts';
import type { Transformation } from './transformation.ts';

export const union: Transformation = {
  id: 'union',
  title: 'Union',
  description: `Polygons that overlap or share a border become one feature per connected group; polygons that only meet in a
point stay apart, as their union would. Lines become one where they overlap along a stretch or meet end to end, not where they
cross; points where they are equal. Polygons, lines and points are merged each among themselves. A feature that merges with
no other stays as it is, and so do features without a geometry and collections that hold several kinds, which are counted.

A merged feature has the id of its first member in input order that has one, and in each field the first value; \`aggregate\`
says otherwise. The report names every field in which different values became one. Z is kept (where borders cross, it is
interpolated), M ends with a merge.

Memory: the layer, its result, and for each worker the polygons of one call (150,000 positions, or the outline of the largest
group). Work is divided by space, a single large group too.`,
  parameters: {
    type: 'object',
    properties: { aggregate: aggregateParameter },
    additionalProperties: false,
  },
  guarantees: [
    'Results are valid; invalid polygons are repaired first and counted.',
    'No two polygons of the result overlap or share a border, unless one belongs to a collection that was kept.',
    'The features come in the order of their first members.',
    'What merges with nothing keeps its geometry to the last bit, its attributes and its id.',
  ],
  commandLine: {
    flag: 'union',
    placeholder: null,
    description: 'merge features that overlap or share a border',
    parameters: () => ({}),
    modifiers: [aggregateModifier],
  },
  load: async () => (await import('./union/collect.ts')).code,
};
