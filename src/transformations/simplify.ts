/** Fewer positions. */
import { parseLength, unitsSchema } from './parts/lengths.ts';
import type { Transformation } from './transformation.ts';

export const simplify: Transformation = {
  id: 'simplify',
  title: 'Simplify',
  description: `Leaves out positions of lines and polygons (Douglas-Peucker) as long as the outline stays within a tolerance of
what it was, for each feature by itself: polygons that share a border may come apart, which \`simplify_coverage\` avoids. In a
geographic CRS the tolerance is converted by the longest degree there is, so nothing moves farther, but things that point east
and west may stay up to twice as fine. Points stay. Attributes, ids and order stay; positions that stay keep their Z, M ends
where positions were left out.`,
  parameters: {
    type: 'object',
    properties: {
      tolerance: {
        type: 'number',
        minimum: 0,
        description: 'How far the outline may move, in `units`.',
      },
      units: unitsSchema,
      preserve_topology: {
        type: 'boolean',
        default: true,
        description:
          'Keep every ring and line, and rings from crossing. Without it what is smaller than the tolerance vanishes, and crossing rings are repaired.',
      },
    },
    required: ['tolerance', 'units'],
    additionalProperties: false,
  },
  guarantees: [
    'A polygon that is valid stays valid; a result that would not be is repaired and counted.',
    'A feature of which nothing is left is left out and counted; with `preserve_topology` that does not happen to valid ones.',
    'A feature that has nothing to leave out is the same bytes as before, with Z and M.',
  ],
  commandLine: {
    flag: 'simplify',
    placeholder: 'TOLERANCE',
    description: 'leave out positions within a tolerance: 5m, 0.1km, 15ft',
    parameters: (value) => {
      const { length, units } = parseLength(value, 'simplify');
      return { tolerance: length, units };
    },
  },
  load: async () => (await import('./simplify/code.ts')).code,
};
