/** envelope: the bounding box of each feature. */
import type { Transformation } from '../transformation.ts';

export const envelope: Transformation = {
  id: 'envelope',
  title: 'Envelope',
  group: 'shape',
  summary: 'Replace each feature by its bounding box.',
  description: `Each feature becomes its bounding box in the plane of the coordinates: the rectangle from its minimum to its
maximum x and y. If its width or height is 0, it is a line or a point. The box of a feature on both sides of 180
degrees is the narrow one, cut there into two. Attributes, ids and order do not change; null and empty
geometries are kept. Z and M are dropped.`,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  guarantees: [
    'The result is a valid Polygon with five positions, or a LineString or Point if the feature has no area. Sides of more than 180 degrees of longitude have a position in the middle.',
    'The sides have exactly the minimum and maximum coordinates of the feature.',
  ],
  longitudes: 'feature',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'envelope',
    placeholder: null,
    description: 'bounding box of each feature',
    parameters: () => ({}),
  },
  load: async () => (await import('./code.ts')).code,
};
