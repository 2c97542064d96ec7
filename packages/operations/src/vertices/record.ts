/** vertices: one point for each position. */
import { fieldName } from '../parts/name-lists.ts';
import type { Transformation } from '../transformation.ts';

export const vertices: Transformation = {
  id: 'vertices',
  title: 'Extract vertices',
  group: 'shape',
  summary: 'Make a point of each position.',
  description: `Makes one Point of each position, in their order, with the attributes of its feature. The last position of a ring, which is the first one
again, gives no point. With \`index_field\`, each point gets its number within its feature, from 1, in a new integer field after all others. The first point
keeps the id, the others have no id. Z and M are kept.`,
  parameters: {
    type: 'object',
    properties: {
      index_field: {
        ...fieldName,
        description:
          'Name of a new field for the number of the point in its feature, from 1. Default: no such field.',
      },
    },
    additionalProperties: false,
  },
  guarantees: [
    'Every result is a Point. Features without positions are dropped, and counted.',
    'There are as many points as positions, without the ends of rings.',
  ],
  longitudes: 'edges',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'vertices',
    placeholder: null,
    description: 'one point for each position of lines and rings',
    parameters: () => ({}),
    modifiers: [
      {
        flag: 'index-field',
        placeholder: 'NAME',
        description: 'new field with the number of the point in its feature, from 1',
        parameters: (value, before) => ({ ...before, index_field: value }),
      },
    ],
  },
  load: async () => (await import('./code.ts')).code,
};
