/** promote: single geometries become multi geometries. */
import { GEOMETRY_TYPE } from '@geomill/core/geometry/geometry-column.ts';
import type { Transformation } from '../transformation.ts';

export const promote: Transformation = {
  id: 'promote',
  title: 'Promote to multi geometries',
  group: 'shape',
  summary: 'Give a layer one multi type.',
  description: `Points become MultiPoints with one part, lines MultiLineStrings, polygons MultiPolygons, so that a layer has one type. Multi geometries and
collections do not change; nor do positions, attributes, ids and the order of features. The opposite is \`explode\`.`,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  guarantees: ['No result is a Point, LineString or Polygon.'],
  longitudes: 'as written',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'promote',
    placeholder: null,
    description: 'single geometries as multi geometries, so that a layer has one type',
    parameters: () => ({}),
  },
  load: async () => ({
    kind: 'streaming',
    prepare: async () => (batch) => {
      const { geometry } = batch;
      const isSingle = (type: number) => type >= GEOMETRY_TYPE.point && type <= GEOMETRY_TYPE.polygon;
      const types = geometry.types.map((type) => (isSingle(type) ? type + 3 : type));
      return { ...batch, geometry: { ...geometry, types } };
    },
  }),
};
