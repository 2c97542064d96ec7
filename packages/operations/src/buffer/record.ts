/** buffer: the area within a distance of each feature. */
import { parseLength, unitsSchema } from '../parts/lengths.ts';
import type { Transformation } from '../transformation.ts';

export const buffer: Transformation = {
  id: 'buffer',
  title: 'Buffer',
  group: 'shape',
  summary: 'The area within a distance of each feature.',
  description: `Each feature becomes the polygon of all points within a distance of it. A negative distance shrinks polygons. In a
projected CRS, the distance is converted to the unit of the axes and measured in the plane. In a geographic CRS, or with
\`geodesic\`, it is measured on the ellipsoid, for each feature separately ([method and accuracy](geodesic-buffers.md)).
Attributes, ids and order do not change. Z and M are dropped.`,
  parameters: {
    type: 'object',
    properties: {
      distance: {
        type: 'number',
        description: 'Distance of the buffer, in `units`; negative values shrink polygons.',
      },
      units: unitsSchema,
      quadrant_segments: {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        default: 16,
        description: 'Number of straight segments in a quarter circle.',
      },
      end_cap: {
        type: 'string',
        enum: ['round', 'flat', 'square'],
        default: 'round',
        description: 'Shape of the ends of line buffers.',
      },
      join: {
        type: 'string',
        enum: ['round', 'mitre', 'bevel'],
        default: 'round',
        description: 'Shape of the buffer at corners.',
      },
      mitre_limit: {
        type: 'number',
        minimum: 1,
        maximum: 1000,
        default: 5,
        description: 'Maximum length of a mitred corner, in multiples of the distance.',
      },
      simplify_tolerance: {
        type: 'number',
        minimum: 0,
        default: 0,
        description: 'Tolerance for simplifying the outline of the result, in `units`; 0 keeps every vertex.',
      },
      geodesic: {
        type: 'boolean',
        default: false,
        description: 'Measure on the ellipsoid even if the CRS is projected. A geographic CRS always does.',
      },
    },
    required: ['distance', 'units'],
    additionalProperties: false,
  },
  guarantees: [
    'The result is a valid Polygon or MultiPolygon.',
    'On the ellipsoid, a distance between 0 and 1 mm is rejected.',
    'A feature whose buffer is empty (a polygon that shrinks to nothing, a line with a negative distance) is dropped and counted.',
    'An invalid polygon is repaired first and counted.',
    'Vertices have the exact distance. With 16 segments in a quarter circle, the segments between the vertices of an arc are inside it by at most 0.12 % of the distance.',
  ],
  longitudes: 'own',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'buffer',
    placeholder: 'DISTANCE',
    description: 'area within a distance of each feature: 100m, 2.5km, 300ft, 1mi',
    parameters: (value) => {
      const { length, units } = parseLength(value, 'buffer');
      return { distance: length, units };
    },
    modifiers: [
      {
        flag: 'geodesic',
        placeholder: null,
        description: 'measure on the ellipsoid even if the CRS is projected',
        parameters: (_, before) => ({ ...before, geodesic: true }),
      },
      {
        flag: 'quadrant-segments',
        placeholder: 'COUNT',
        description: 'number of straight segments in a quarter circle (default 16)',
        parameters: (value, before) => ({ ...before, quadrant_segments: Number(value) }),
      },
      {
        flag: 'end-cap',
        placeholder: 'FORM',
        description: 'shape of the ends of line buffers: round, flat or square',
        parameters: (value, before) => ({ ...before, end_cap: value }),
      },
      {
        flag: 'join',
        placeholder: 'FORM',
        description: 'shape of the buffer at corners: round, mitre or bevel',
        // Another value is the file of a join after this step.
        accepts: (value) => ['round', 'mitre', 'bevel'].includes(value),
        parameters: (value, before) => ({ ...before, join: value }),
      },
    ],
  },
  load: async () => (await import('./code.ts')).code,
};
