/** Geometries that are written in an expression. */
import { GeoJsonGeometryReader } from '@geomill/core/geometry/geojson-geometry.ts';
import { GeometryBuilder, type GeometryColumn, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { WktReader } from '@geomill/core/geometry/wkt.ts';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import { refuseExpression } from './expression.ts';

const EPSG_WGS84 = 4326;
/** Longitudes of shapes across the antimeridian, or counted from 0, are up to 360. */
const LONGITUDE_LIMIT = 360;
const LATITUDE_LIMIT = 90;

/**
 * The polygon of a box in EPSG:4326, as GeoJSON; two polygons if it crosses the antimeridian, where west is greater than east.
 * Six numbers include heights, which are ignored. `where` it is, for messages. Throws TRANSFORMATION_INVALID.
 */
export function polygonOfBox(box: unknown, path: string, where = ''): string {
  const isBox = Array.isArray(box) && (box.length === 4 || box.length === 6) && box.every(Number.isFinite);
  if (!isBox) throw refuseExpression(path, `must be four numbers: west, south, east, north${where}`);
  const [west, south] = box as number[];
  const [east, north] = (box as number[]).slice(box.length / 2);
  if (south > north) throw refuseExpression(path, `has a box whose south is greater than its north${where}`);
  if (west <= east)
    return JSON.stringify({ type: 'Polygon', coordinates: [ringOf(west, south, east, north)] });
  const halves = [ringOf(west, south, 180, north), ringOf(-180, south, east, north)];
  return JSON.stringify({ type: 'MultiPolygon', coordinates: halves.map((ring) => [ring]) });
}

/** With positions in the middle of sides that would be taken for the short way over 180 degrees. */
function ringOf(west: number, south: number, east: number, north: number): readonly (readonly number[])[] {
  const middle = east - west > 180 ? [(west + east) / 2] : [];
  return [
    [west, south],
    ...middle.map((x) => [x, south]),
    [east, south],
    [east, north],
    ...middle.map((x) => [x, north]),
    [west, north],
    [west, south],
  ];
}

/** One row, in EPSG:4326, x is the longitude. `where` it is, for messages. Throws TRANSFORMATION_INVALID. */
export function parseGeometry(source: string, path: string, where: string): GeometryColumn {
  const builder = new GeometryBuilder('XY', 8, 64);
  let srid: number;
  try {
    if (source.startsWith('{')) {
      const reader = new GeoJsonGeometryReader();
      builder.endFeature(reader.readParts(source, builder));
      srid = reader.srid;
    } else {
      const bytes = new TextEncoder().encode(source);
      const reader = new WktReader();
      reader.read(bytes, 0, bytes.length, builder);
      srid = reader.srid;
    }
  } catch (error) {
    if (!(error instanceof GeomillError)) throw error;
    throw refuseExpression(path, `has a geometry${where} that cannot be read: ${error.message}`);
  }
  if (srid !== 0 && srid !== EPSG_WGS84)
    throw refuseExpression(path, `has a geometry${where} in EPSG:${srid}; it must be in EPSG:${EPSG_WGS84}`);
  const column = builder.finish();
  const { coordinates, dimensions } = column;
  for (let i = 0; i < coordinates.length; i += strideOf(dimensions))
    if (Math.abs(coordinates[i]) > LONGITUDE_LIMIT || Math.abs(coordinates[i + 1]) > LATITUDE_LIMIT)
      throw refuseExpression(
        path,
        `has a geometry${where} with the position ${coordinates[i]} ${coordinates[i + 1]}, which is not on the Earth; longitude comes first, and latitudes are from -90 to 90`,
      );
  return column;
}
