/** GeoJSON (RFC 7946). Foreign members are allowed everywhere, as in the RFC. */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import { listOf, ref } from './schema.ts';

const geometry = (type: string, coordinates: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { type: { const: type }, coordinates, bbox: ref('BoundingBox') },
  required: ['type', 'coordinates'],
});

const positions = listOf(ref('Position'));
const rings = listOf(positions);

const geometries: Readonly<Record<string, JsonSchema>> = {
  Point: geometry('Point', { ...listOf({ type: 'number' }), maxItems: 4 }),
  MultiPoint: geometry('MultiPoint', positions),
  LineString: geometry('LineString', positions),
  MultiLineString: geometry('MultiLineString', rings),
  Polygon: geometry('Polygon', rings),
  MultiPolygon: geometry('MultiPolygon', listOf(rings)),
  GeometryCollection: {
    type: 'object',
    properties: {
      type: { const: 'GeometryCollection' },
      geometries: listOf(ref('Geometry')),
      bbox: ref('BoundingBox'),
    },
    required: ['type', 'geometries'],
  },
};

export const geojsonSchemas: Readonly<Record<string, JsonSchema>> = {
  Position: {
    type: 'array',
    items: { type: 'number' },
    minItems: 2,
    maxItems: 4,
    description: 'Longitude, latitude and optionally height in metres.',
  },
  BoundingBox: {
    type: 'array',
    items: { type: 'number' },
    minItems: 4,
    description: 'West, south, east, north; with heights west, south, lowest, east, north, highest.',
  },
  Geometry: {
    oneOf: Object.values(geometries),
    description: 'A geometry of RFC 7946; an empty one has an empty list of coordinates.',
  },
  Feature: {
    type: 'object',
    properties: {
      type: { const: 'Feature' },
      id: { type: ['string', 'number'] },
      geometry: { anyOf: [ref('Geometry'), { type: 'null' }] },
      properties: { type: ['object', 'null'] },
      bbox: ref('BoundingBox'),
    },
    required: ['type', 'geometry', 'properties'],
  },
  FeatureCollection: {
    type: 'object',
    properties: {
      type: { const: 'FeatureCollection' },
      features: listOf(ref('Feature')),
      bbox: ref('BoundingBox'),
    },
    required: ['type', 'features'],
    description: 'GeoJSON (RFC 7946). Coordinates are in EPSG:4326 unless the request states another CRS.',
  },
};
