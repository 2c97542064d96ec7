/** The middle of each feature. */
import type { Transformation } from './transformation.ts';

export const centroid: Transformation = {
  id: 'centroid',
  title: 'Centroid',
  description: `Each feature becomes the point in its middle: the centre of mass of its polygons, without these of its
lines, without these of its points, in the plane of the coordinates. It may lie outside the feature (\`point_on_surface\`
does not). A feature that lies on both sides of 180 degrees is taken as the plane has it, all round the earth; reproject
first to a CRS that shows it in one piece. Attributes, ids and order stay; null and empty geometries stay as they are; Z
and M end.`,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  guarantees: ['A result is a Point.'],
  commandLine: {
    flag: 'centroid',
    placeholder: null,
    description: 'the point in the middle of each feature',
    parameters: () => ({}),
  },
  load: async () =>
    (await import('./parts/geos-step.ts')).geosStep('centroid', 'dropped', (geometry) => geometry.centroid()),
};
