/** explode: makes one feature of each part. */
import type { Transformation } from '../transformation.ts';

export const explode: Transformation = {
  id: 'explode',
  title: 'Explode',
  group: 'shape',
  summary: 'Make one feature of each part of a multi geometry.',
  description: `Each part of a MultiPoint, MultiLineString, MultiPolygon or GeometryCollection becomes a separate feature, in the order of
the parts, with the attributes of the original. The first part keeps the id; the others have no id, so that ids are unique. Z and M are kept.`,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  guarantees: [
    'The result is a Point, LineString or Polygon, or a feature without geometry if it had none.',
    'Empty parts are dropped. A feature without parts remains one feature without parts.',
    'Features that became several features are counted.',
  ],
  longitudes: 'as written',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'explode',
    placeholder: null,
    description: 'one feature for each part of multi geometries and collections',
    parameters: () => ({}),
  },
  load: async () => (await import('./code.ts')).code,
};
