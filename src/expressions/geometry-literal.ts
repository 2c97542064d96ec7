/** Geometries that are written in an expression. */
import { GeoJsonGeometryReader } from '../batch/geojson-geometry.ts';
import { GeometryBuilder, type GeometryColumn } from '../batch/geometry-column.ts';
import { WktReader } from '../batch/wkt.ts';
import { GeomillError } from '../errors.ts';
import { refuseExpression } from './expression.ts';

const EPSG_WGS84 = 4326;

/** The polygon of a box, as GeoJSON. Throws TRANSFORMATION_INVALID. */
export function polygonOfBox(box: unknown, path: string): string {
  if (!Array.isArray(box) || box.length !== 4 || !box.every((value) => Number.isFinite(value)))
    throw refuseExpression(path, 'must be four numbers: west, south, east, north');
  const [west, south, east, north] = box as number[];
  if (west > east || south > north)
    throw refuseExpression(
      path,
      'must be west, south, east, north, each not less than the one before it on its axis',
    );
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  return JSON.stringify({ type: 'Polygon', coordinates: [ring] });
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
    throw refuseExpression(path, `has a geometry ${where} that cannot be read: ${error.message}`);
  }
  if (srid !== 0 && srid !== EPSG_WGS84)
    throw refuseExpression(path, `has a geometry ${where} in EPSG:${srid}; it must be in EPSG:${EPSG_WGS84}`);
  return builder.finish();
}
