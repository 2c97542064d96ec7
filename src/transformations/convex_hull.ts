/** The rubber band around each feature. */
import type { Transformation } from './transformation.ts';

export const convexHull: Transformation = {
  id: 'convex_hull',
  title: 'Convex hull',
  description: `Each feature becomes the smallest convex polygon that holds it; a line where all its positions lie on one,
a point where it has only one. A feature that lies on both sides of 180 degrees is taken as the plane has it, all round
the earth; reproject first to a CRS that shows it in one piece. Attributes, ids and order stay; null and empty geometries
stay as they are; positions keep their Z, M ends.`,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  guarantees: ['A result is a valid Polygon, or a LineString or Point where the feature has no extent.'],
  commandLine: {
    flag: 'convex-hull',
    placeholder: null,
    description: 'the smallest convex polygon around each feature',
    parameters: () => ({}),
  },
  load: async () =>
    (await import('./parts/geos-step.ts')).geosStep('convex_hull', 'kept', (geometry) =>
      geometry.convexHull(),
    ),
};
