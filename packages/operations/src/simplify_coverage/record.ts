/** Fewer positions in polygons that share borders, which stay shared. */
import { parseLength, unitsSchema } from '../parts/lengths.ts';
import type { Transformation } from '../transformation.ts';

export const simplifyCoverage: Transformation = {
  id: 'simplify_coverage',
  title: 'Simplify coverage',
  group: 'shape',
  summary: 'Simplify polygons without gaps between them.',
  description: `Simplifies all polygons of a layer that adjoin each other (districts, parcels) together: a border that two of
them share is simplified once, so there are no gaps or overlaps. Positions are removed by the area of the triangle that they
form with the previous and the next position (Visvalingam-Whyatt). Borders are shared if both polygons have the same positions (a valid coverage, in the
terms of GEOS). Where polygons overlap, or one has a position that the other lacks, each is simplified separately. In a geographic CRS, the
tolerance is converted with the length of the longest degree. Points, lines and collections are not changed. Attributes, ids and order do not change.
Positions that are kept have their Z; M is dropped if positions were removed.

Memory: the layer, and its polygons a second time in the one worker that does this step.`,
  parameters: {
    type: 'object',
    properties: {
      tolerance: {
        type: 'number',
        minimum: 0,
        description:
          'Side of a square, in `units`: a position is removed if its triangle has less area than about that square.',
      },
      units: unitsSchema,
      keep_outline: {
        type: 'boolean',
        default: false,
        description: 'Do not change borders that only one polygon has.',
      },
    },
    required: ['tolerance', 'units'],
    additionalProperties: false,
  },
  guarantees: [
    'Polygons of a valid coverage share exactly the same borders in the result, and no polygon disappears.',
    'The result is valid; an invalid polygon is repaired first and counted.',
    'A polygon without positions to remove keeps exactly the same bytes, with Z and M.',
  ],
  longitudes: 'layer',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'simplify-coverage',
    placeholder: 'TOLERANCE',
    description: 'remove positions of adjoining polygons and keep their shared borders: 5m, 0.1km',
    parameters: (value) => {
      const { length, units } = parseLength(value, 'simplify-coverage');
      return { tolerance: length, units };
    },
    modifiers: [
      {
        flag: 'keep-outline',
        placeholder: null,
        description: 'do not change borders that only one polygon has',
        parameters: (_value, before) => ({ ...before, keep_outline: true }),
      },
    ],
  },
  load: async () => (await import('./code.ts')).code,
};
