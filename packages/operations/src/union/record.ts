/** union: merges features that overlap or share a border. */
import { aggregateModifier, aggregateParameter } from '../parts/aggregate.ts';
import type { Transformation } from '../transformation.ts';

export const union: Transformation = {
  id: 'union',
  title: 'Union',
  group: 'combine',
  summary: 'Merge polygons that touch or overlap.',
  description: `Each connected group of polygons that overlap or share a border becomes one feature. Polygons that touch only in a
point remain separate. Lines are merged where they overlap or meet end to end, but not where they
cross; points are merged if they are equal. Polygons, lines and points are merged separately. A feature that merges with
no other is not changed. Features without geometry, and collections with several kinds of geometry, are not changed either; these collections are counted.

A merged feature has the id of its first member with an id, in input order, and the first value of each field; \`aggregate\`
selects other values. The report names every field in which different values became one. Z is kept, and interpolated where borders
cross; M is dropped when features are merged.

Memory: the attributes of the layer, 200 bytes for each feature, 32 MB of coordinates (more are kept on disk), and for each worker the polygons of
one call (150,000 positions, or the outline of the largest group). Work is divided by area, also within a single large group.`,
  parameters: {
    type: 'object',
    properties: { aggregate: aggregateParameter },
    additionalProperties: false,
  },
  guarantees: [
    'Results are valid; invalid polygons are repaired first and counted.',
    'No two polygons of the result overlap or share a border, unless one of them is in a collection that was not changed.',
    'Features are in the order of their first members.',
    'A feature that merges with no other keeps exactly its geometry, its attributes and its id.',
  ],
  longitudes: 'layer',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'union',
    placeholder: null,
    description: 'merge features that overlap or share a border',
    parameters: () => ({}),
    modifiers: [aggregateModifier],
  },
  needsMuchMemory: true,
  load: async () => (await import('./collect.ts')).code,
};
