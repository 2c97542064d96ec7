/** The bounding box of each feature. */
import type { Transformation } from './transformation.ts';

export const envelope: Transformation = {
  id: 'envelope',
  title: 'Envelope',
  description: `Each feature becomes its bounding box in the plane of the coordinates: the rectangle from its least to its
greatest x and y; a line or a point where it has no width or height. A feature that lies on both sides of 180 degrees is
taken as the plane has it, all round the earth; reproject first to a CRS that shows it in one piece. Attributes, ids and
order stay; null and empty geometries stay as they are; Z and M end.`,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  guarantees: [
    'A result is a valid Polygon of five positions, or a LineString or Point where the feature has no extent.',
    'The sides have exactly the least and greatest ordinates of the feature.',
  ],
  commandLine: {
    flag: 'envelope',
    placeholder: null,
    description: 'the bounding box of each feature',
    parameters: () => ({}),
  },
  load: async () => (await import('./envelope/code.ts')).code,
};
