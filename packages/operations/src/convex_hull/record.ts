/** convex_hull: the convex hull of each feature. */
import type { Transformation } from '../transformation.ts';

export const convexHull: Transformation = {
  id: 'convex_hull',
  title: 'Convex hull',
  group: 'shape',
  summary: 'The smallest convex polygon around each feature.',
  description: `Each feature becomes the smallest convex polygon around it: a line if all its positions are on one line, and
a point if it has only one position. Parts on both sides of 180 degrees are side by side; the hull is then
cut there. Attributes, ids and order do not change; null and empty geometries are kept. Positions keep
their Z; M is dropped.`,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  guarantees: ['The result is a valid Polygon, or a LineString or Point if the feature has no area.'],
  longitudes: 'feature',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'convex-hull',
    placeholder: null,
    description: 'smallest convex polygon around each feature',
    parameters: () => ({}),
  },
  load: async () =>
    (await import('../parts/geos-step.ts')).geosStep('convex_hull', 'kept', (geometry) =>
      geometry.convexHull(),
    ),
};
