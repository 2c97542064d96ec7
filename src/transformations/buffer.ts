/** Everything within a distance of each feature. */
import { parseLength, unitsSchema } from './parts/lengths.ts';
import type { Transformation } from './transformation.ts';

export const buffer: Transformation = {
  id: 'buffer',
  title: 'Buffer',
  description: `Each feature becomes the polygon of everything within a distance of it; a negative distance shrinks polygons. In a
projected CRS the distance is converted to the unit of its axes and measured in its plane; in a geographic one, or with
\`geodesic\`, it is measured on the ellipsoid, for each feature by itself ([how, and how exactly](geodesic-buffers.md)). Attributes, ids and order stay; Z and M end.`,
  parameters: {
    type: 'object',
    properties: {
      distance: {
        type: 'number',
        description: 'How far the buffer reaches, in `units`; negative values shrink polygons.',
      },
      units: unitsSchema,
      quadrant_segments: {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        default: 16,
        description: 'Straight segments that draw a quarter of a circle.',
      },
      end_cap: {
        type: 'string',
        enum: ['round', 'flat', 'square'],
        default: 'round',
        description: 'How the buffer of a line ends.',
      },
      join: {
        type: 'string',
        enum: ['round', 'mitre', 'bevel'],
        default: 'round',
        description: 'How the buffer goes around corners.',
      },
      mitre_limit: {
        type: 'number',
        minimum: 1,
        maximum: 1000,
        default: 5,
        description: 'How far a mitred corner may reach, in multiples of the distance.',
      },
      simplify_tolerance: {
        type: 'number',
        minimum: 0,
        default: 0,
        description: 'How far the outline of a result may be simplified, in `units`; 0 keeps every vertex.',
      },
      geodesic: {
        type: 'boolean',
        default: false,
        description:
          'Measure on the ellipsoid although the CRS is projected; in a geographic CRS it is always so.',
      },
    },
    required: ['distance', 'units'],
    additionalProperties: false,
  },
  guarantees: [
    'A result is a valid Polygon or MultiPolygon.',
    'On the ellipsoid, a distance below 1 mm other than 0 is refused.',
    'A feature of which nothing is left (a polygon shrunk to nothing, a line with a negative distance) is left out and counted.',
    'An invalid polygon is repaired first and counted.',
    'Vertices lie at the distance; the segments between the vertices of an arc run inside it by 0.12 % of the distance at most with 16 segments.',
  ],
  commandLine: {
    flag: 'buffer',
    placeholder: 'DISTANCE',
    description: 'everything within a distance of each feature: 100m, 2.5km, 300ft, 1mi',
    parameters: (value) => {
      const { length, units } = parseLength(value, 'buffer');
      return { distance: length, units };
    },
    modifiers: [
      {
        flag: 'geodesic',
        placeholder: null,
        description: 'measure on the ellipsoid although the CRS is projected',
        parameters: (_, before) => ({ ...before, geodesic: true }),
      },
      {
        flag: 'quadrant-segments',
        placeholder: 'COUNT',
        description: 'straight segments that draw a quarter of a circle (16)',
        parameters: (value, before) => ({ ...before, quadrant_segments: Number(value) }),
      },
      {
        flag: 'end-cap',
        placeholder: 'FORM',
        description: 'how buffers of lines end: round, flat or square',
        parameters: (value, before) => ({ ...before, end_cap: value }),
      },
      {
        flag: 'join',
        placeholder: 'FORM',
        description: 'how buffers go around corners: round, mitre or bevel',
        parameters: (value, before) => ({ ...before, join: value }),
      },
    ],
  },
  load: async () => (await import('./buffer/code.ts')).code,
};
