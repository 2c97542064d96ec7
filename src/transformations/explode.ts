/** One feature per part. */
import type { Transformation } from './transformation.ts';

export const explode: Transformation = {
  id: 'explode',
  title: 'Explode',
  description: `Every part of a MultiPoint, MultiLineString, MultiPolygon or GeometryCollection becomes a feature of its own, in the order of
the parts, with the attributes of the whole. The first part keeps the id; the others have none, so that ids stay unique. Z and M stay.`,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  guarantees: [
    'A result is a Point, LineString or Polygon, or has no geometry as before.',
    'Parts that are empty are left out; a feature without a part stays one feature without a part.',
    'Features that became several are counted.',
  ],
  commandLine: {
    flag: 'explode',
    placeholder: null,
    description: 'one feature for each part of multi geometries and collections',
    parameters: () => ({}),
  },
  load: async () => (await import('./explode/code.ts')).code,
};
