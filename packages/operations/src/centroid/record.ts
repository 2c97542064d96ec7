/** centroid: the centre of mass of each feature. */
import type { Transformation } from '../transformation.ts';

export const centroid: Transformation = {
  id: 'centroid',
  title: 'Centroid',
  group: 'shape',
  summary: 'Replace each feature by its centre of mass.',
  description: `Each feature becomes its centroid in the plane of the coordinates: the centre of mass of its polygons; if it has none, of its
lines; if it has none, of its points. The centroid can be outside the feature; use \`point_on_surface\` to avoid that. Parts
on both sides of 180 degrees are side by side. Attributes, ids and order do not change; null and empty geometries are kept. Z and M are dropped.`,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  guarantees: ['The result is a Point.'],
  longitudes: 'feature',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'centroid',
    placeholder: null,
    description: 'centroid of each feature',
    parameters: () => ({}),
  },
  load: async () =>
    (await import('../parts/geos-step.ts')).geosStep('centroid', 'dropped', (geometry) =>
      geometry.centroid(),
    ),
};
