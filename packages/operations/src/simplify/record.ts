/** Fewer positions. */
import { parseLength, unitsSchema } from '../parts/lengths.ts';
import type { Transformation } from '../transformation.ts';

export const simplify: Transformation = {
  id: 'simplify',
  title: 'Simplify',
  group: 'shape',
  summary: 'Remove vertices that the shape does not need.',
  description: `Removes positions of lines and polygons (Douglas-Peucker) while the outline stays within a tolerance of the
original, for each feature separately. Polygons that share a border can get gaps between them; \`simplify_coverage\` avoids that. In a
geographic CRS, the tolerance is converted with the length of the longest degree, so no outline moves farther than the tolerance; lines that run east
to west can keep up to twice the detail. Points are not changed. Attributes, ids and order do not change. Positions that are kept have their Z;
M is dropped if positions were removed.`,
  parameters: {
    type: 'object',
    properties: {
      tolerance: {
        type: 'number',
        minimum: 0,
        description: 'Maximum distance that the outline may move, in `units`.',
      },
      units: unitsSchema,
      preserve_topology: {
        type: 'boolean',
        default: true,
        description:
          'Keep every ring and line, and do not let rings cross. If false, parts smaller than the tolerance disappear, and crossing rings are repaired.',
      },
    },
    required: ['tolerance', 'units'],
    additionalProperties: false,
  },
  guarantees: [
    'A valid polygon remains valid; a result that would be invalid is repaired and counted.',
    'A feature of which nothing is left is dropped and counted. With `preserve_topology` this does not happen to valid features.',
    'A feature without positions to remove keeps exactly the same bytes, with Z and M.',
  ],
  longitudes: 'edges',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'simplify',
    placeholder: 'TOLERANCE',
    description: 'remove positions within a tolerance: 5m, 0.1km, 15ft',
    parameters: (value) => {
      const { length, units } = parseLength(value, 'simplify');
      return { tolerance: length, units };
    },
  },
  load: async () => (await import('./code.ts')).code,
};
