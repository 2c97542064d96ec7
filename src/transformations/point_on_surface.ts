/** A point of each feature. */
import type { Transformation } from './transformation.ts';

export const pointOnSurface: Transformation = {
  id: 'point_on_surface',
  title: 'Point on surface',
  description: `Each feature becomes a point that lies in it: in the widest place that a level line through the middle of its
polygons finds, else at the vertex of its lines, or the point, nearest to the centroid. Good for labels. Attributes, ids and
order stay; null and empty geometries stay as they are; Z and M end.`,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  guarantees: ['A result is a Point that lies in the feature.', 'An invalid geometry that has no such point is repaired first and counted.'], // biome-ignore format: one line
  commandLine: {
    flag: 'point-on-surface',
    placeholder: null,
    description: 'a point that lies in each feature',
    parameters: () => ({}),
  },
  load: async () =>
    (await import('./parts/geos-step.ts')).geosStep('point_on_surface', 'dropped', (geometry) =>
      geometry.pointOnSurface(),
    ),
};
