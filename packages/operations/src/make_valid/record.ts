/** make_valid: repairs invalid geometries. */
import type { Transformation } from '../transformation.ts';

export const makeValid: Transformation = {
  id: 'make_valid',
  title: 'Make valid',
  group: 'check',
  summary: 'Repair invalid geometries.',
  description: `Repairs invalid geometries: rings that cross themselves or each other, holes outside their shell, and polygons that
overlap within one feature. Valid geometries are not changed. Attributes, ids and order do not change; null and empty geometries are
kept. In a repaired feature, M is dropped and new positions have interpolated Z.`,
  parameters: {
    type: 'object',
    properties: {
      method: {
        type: 'string',
        enum: ['structure', 'linework'],
        default: 'structure',
        description:
          'structure: the area of the shells without the area of the holes; parts without area are dropped. linework: all areas that the lines enclose an odd number of times; parts without area become lines and points.',
      },
    },
    additionalProperties: false,
  },
  guarantees: [
    'The result is valid.',
    'A valid geometry keeps exactly the same bytes, with Z and M.',
    'Repaired features are counted, and so are features of which nothing is left.',
  ],
  longitudes: 'edges',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'make-valid',
    placeholder: null,
    description: 'repair invalid geometries',
    parameters: () => ({}),
    modifiers: [
      {
        flag: 'method',
        placeholder: 'METHOD',
        description: 'repair method: structure (default) or linework',
        parameters: (value, before) => ({ ...before, method: value }),
      },
    ],
  },
  load: async () => (await import('./code.ts')).code,
};
