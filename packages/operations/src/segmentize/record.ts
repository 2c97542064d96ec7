/** No segment longer than a length. */
import { parseLength, unitsSchema } from '../parts/lengths.ts';
import type { Transformation } from '../transformation.ts';

export const segmentize: Transformation = {
  id: 'segmentize',
  title: 'Segmentize',
  group: 'shape',
  summary: 'Divide long segments into short ones.',
  description: `Divides segments of lines and polygons that are longer than \`max_length\` into equal parts, so that a later reprojection can
bend them. In a geographic CRS, lengths are measured on the ellipsoid, and the new positions are on the
straight segment in longitude and latitude. Points are not changed. Attributes, ids and order do not change.`,
  parameters: {
    type: 'object',
    properties: {
      max_length: {
        type: 'number',
        exclusiveMinimum: 0,
        description: 'Maximum length of a segment, in `units`.',
      },
      units: unitsSchema,
    },
    required: ['max_length', 'units'],
    additionalProperties: false,
  },
  guarantees: [
    'Every position of the input is in the result, with its Z and M.',
    'In a geographic CRS, a segment with a latitude beyond 90 degrees has no length on the ellipsoid and is not changed.',
    'New positions are on the segment between its ends; Z and M are interpolated.',
    'If the result would have more than 5 million positions and more than `MAX_OUTPUT_FACTOR` for each position of the input, the length is rejected.',
  ],
  longitudes: 'edges',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'segmentize',
    placeholder: 'LENGTH',
    description: 'maximum length of segments: 100m, 2.5km, 300ft, 1mi',
    parameters: (value) => {
      const { length, units } = parseLength(value, 'segmentize');
      return { max_length: length, units };
    },
  },
  load: async () => (await import('./code.ts')).code,
};
