/** Fewer positions in polygons that share borders, which stay shared. */
import { parseLength, unitsSchema } from './parts/lengths.ts';
import type { Transformation } from './transformation.ts';

export const simplifyCoverage: Transformation = {
  id: 'simplify_coverage',
  title: 'Simplify coverage',
  description: `Simplifies the polygons of a layer that adjoin one another (districts, parcels) all together: a border that two of
them share is simplified once, so that neither gaps nor overlaps appear. Positions go by the area of the triangle that they
make with their neighbours (Visvalingam-Whyatt). Borders are shared where polygons have the same positions; where they overlap,
or one has a position that its neighbour lacks, each is simplified by itself (a valid coverage, in GEOS's words). In a geographic CRS the
tolerance is converted by the longest degree there is. Points, lines and collections stay as they are. Attributes, ids and order stay;
positions that stay keep their Z, M ends where positions went.

Memory: the layer, and its polygons once more in one worker, which works alone.`,
  parameters: {
    type: 'object',
    properties: {
      tolerance: {
        type: 'number',
        minimum: 0,
        description:
          'Side of a square, in `units`: a position goes where its triangle has less area than about that.',
      },
      units: unitsSchema,
      keep_outline: {
        type: 'boolean',
        default: false,
        description: 'Leave borders that only one polygon has as they are.',
      },
    },
    required: ['tolerance', 'units'],
    additionalProperties: false,
  },
  guarantees: [
    'Polygons of a valid coverage share exactly the same borders afterwards, and none vanishes.',
    'A result is valid; an invalid polygon is repaired first and counted.',
    'A polygon that has nothing to leave out is the same bytes as before, with Z and M.',
  ],
  commandLine: {
    flag: 'simplify-coverage',
    placeholder: 'TOLERANCE',
    description: 'leave out positions of adjoining polygons, keeping shared borders: 5m, 0.1km',
    parameters: (value) => {
      const { length, units } = parseLength(value, 'simplify-coverage');
      return { tolerance: length, units };
    },
    modifiers: [
      {
        flag: 'keep-outline',
        placeholder: null,
        description: 'leave borders that only one polygon has as they are',
        parameters: (_value, before) => ({ ...before, keep_outline: true }),
      },
    ],
  },
  load: async () => (await import('./simplify_coverage/code.ts')).code,
};
