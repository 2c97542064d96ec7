/** Geometries that follow the rules of their kind. */
import type { Transformation } from './transformation.ts';

export const makeValid: Transformation = {
  id: 'make_valid',
  title: 'Make valid',
  description: `Repairs invalid geometries: rings that cross themselves or one another, holes outside their shell, polygons that
overlap within one feature. Valid ones are not touched. Attributes, ids and order stay; null and empty geometries stay as
they are. In a repaired feature M ends, and new positions have interpolated Z.`,
  parameters: {
    type: 'object',
    properties: {
      method: {
        type: 'string',
        enum: ['structure', 'linework'],
        default: 'structure',
        description:
          'structure: what the shells hold without what the holes hold; parts without area are left out. linework: every area that the lines enclose an odd number of times; parts without area become lines and points.',
      },
    },
    additionalProperties: false,
  },
  guarantees: [
    'A result is valid.',
    'A valid geometry is the same bytes as before, with Z and M.',
    'Every repaired feature is counted, and so is every one of which nothing is left.',
  ],
  commandLine: {
    flag: 'make-valid',
    placeholder: null,
    description: 'repair invalid geometries',
    parameters: () => ({}),
    modifiers: [
      {
        flag: 'method',
        placeholder: 'METHOD',
        description: 'how: structure (default) or linework',
        parameters: (value, before) => ({ ...before, method: value }),
      },
    ],
  },
  load: async () => (await import('./make_valid/code.ts')).code,
};
