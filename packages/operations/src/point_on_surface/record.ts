/** A point of each feature. */
import type { Transformation } from '../transformation.ts';

export const pointOnSurface: Transformation = {
  id: 'point_on_surface',
  title: 'Point on surface',
  group: 'shape',
  summary: 'A point inside each feature, such as for labels.',
  description: `Each feature becomes a point inside it, which is useful for labels. For polygons it is in the middle of the widest section of a horizontal line
through the middle. For lines and points it is the vertex or point that is nearest to the centroid. Attributes, ids and
order do not change; null and empty geometries are kept. Z and M are dropped.`,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  guarantees: [
    'The result is a Point inside the feature.',
    'An invalid geometry without such a point is repaired first and counted.',
  ],
  longitudes: 'feature',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'point-on-surface',
    placeholder: null,
    description: 'a point inside each feature',
    parameters: () => ({}),
  },
  load: async () =>
    (await import('../parts/geos-step.ts')).geosStep('point_on_surface', 'dropped', (geometry) =>
      geometry.pointOnSurface(),
    ),
};
