/** No segment longer than a length. */
import { parseLength, unitsSchema } from './parts/lengths.ts';
import type { Transformation } from './transformation.ts';

export const segmentize: Transformation = {
  id: 'segmentize',
  title: 'Segmentize',
  description: `Segments of lines and polygons that are longer than \`max_length\` are cut into equal pieces, so that curves of a
later reprojection are followed. In a geographic CRS lengths are measured on the ellipsoid, and the new positions lie on the
straight segment between longitudes and latitudes. Points stay. Attributes, ids and order stay.`,
  parameters: {
    type: 'object',
    properties: {
      max_length: {
        type: 'number',
        exclusiveMinimum: 0,
        description: 'The longest that a segment may be, in `units`.',
      },
      units: unitsSchema,
    },
    required: ['max_length', 'units'],
    additionalProperties: false,
  },
  guarantees: [
    'Every position of the input is in the result, with its Z and M.',
    'In a geographic CRS a segment with a latitude beyond 90 degrees, which has no length on the ellipsoid, stays as it is.',
    'New positions lie on the segment between their neighbours; Z and M are interpolated.',
    'A length that would give the result more than 5 million positions and more than `MAX_OUTPUT_FACTOR` for each position of the input is refused.',
  ],
  commandLine: {
    flag: 'segmentize',
    placeholder: 'LENGTH',
    description: 'no segment longer than this: 100m, 2.5km, 300ft, 1mi',
    parameters: (value) => {
      const { length, units } = parseLength(value, 'segmentize');
      return { max_length: length, units };
    },
  },
  load: async () => (await import('./segmentize/code.ts')).code,
};
