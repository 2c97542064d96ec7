/**
 * Parses the mask of a request: GeoJSON (RFC 7946), a Polygon, a MultiPolygon, or a Feature or
 * FeatureCollection of these, in EPSG:4326. All its errors are reported before the job is queued.
 */
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
} from '@geomill/core/geometry/geometry-column.ts';
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { shortValue } from '@geomill/core/messages/short-text.ts';

/** Longitudes may exceed 180 degrees by one turn, for masks across the antimeridian. */
const MAX_LONGITUDE = 540;
const MAX_LATITUDE = 90;
const RING_POSITIONS = 4;
const ACCEPTED = 'a GeoJSON Polygon or MultiPolygon, or a Feature or FeatureCollection of these';
/** Names of longitude and latitude in the crs member of older GeoJSON. */
const WGS84_NAMES = /(?:CRS84|EPSG:{1,2}4326)$/i;

/** The polygons, one row each, XY. Throws TRANSFORMATION_INVALID with the path of the fault. */
export function parseMask(value: unknown, path: string): GeometryColumn {
  const builder = new GeometryBuilder('XY', 8, 64);
  appendObject(builder, value, path, true);
  return builder.finish();
}

function appendObject(builder: GeometryBuilder, value: unknown, path: string, mayBeFeatures: boolean): void {
  const object = objectAt(value, path);
  checkCrs(object.crs, path);
  switch (object.type) {
    case 'Polygon':
      appendPolygon(builder, object.coordinates, `${path}.coordinates`);
      return;
    case 'MultiPolygon':
      filledList(object.coordinates, `${path}.coordinates`, 'polygons').forEach((polygon, i) => {
        appendPolygon(builder, polygon, `${path}.coordinates[${i}]`);
      });
      return;
    case 'Feature':
      if (!mayBeFeatures) break;
      appendObject(builder, object.geometry, `${path}.geometry`, false);
      return;
    case 'FeatureCollection':
      if (!mayBeFeatures) break;
      filledList(object.features, `${path}.features`, 'features').forEach((feature, i) => {
        const featurePath = `${path}.features[${i}]`;
        const { type, geometry } = objectAt(feature, featurePath);
        if (type !== 'Feature')
          throw invalid(`${featurePath}.type`, `must be "Feature", not ${shortValue(type)}`);
        appendObject(builder, geometry, `${featurePath}.geometry`, false);
      });
      return;
  }
  throw invalid(`${path}.type`, `is ${shortValue(object.type)}; the mask must be ${ACCEPTED}`);
}

/** Rejects other systems: their coordinates would silently put the mask elsewhere. */
function checkCrs(crs: unknown, path: string): void {
  if (crs === undefined || crs === null) return;
  const { properties } = objectAt(crs, `${path}.crs`);
  const name =
    typeof properties === 'object' && properties !== null && 'name' in properties ? properties.name : null;
  if (typeof name === 'string' && WGS84_NAMES.test(name.trim())) return;
  throw invalid(`${path}.crs`, 'is another CRS than EPSG:4326, which the mask must be in');
}

function appendPolygon(builder: GeometryBuilder, value: unknown, path: string): void {
  filledList(value, path, 'rings').forEach((ring, i) => {
    appendRing(builder, ring, `${path}[${i}]`);
  });
  builder.endPart(PART_KIND.polygon);
  builder.endFeature(GEOMETRY_TYPE.polygon);
}

function appendRing(builder: GeometryBuilder, value: unknown, path: string): void {
  const positions = filledList(value, path, 'positions');
  const first = builder.coordinateLength;
  positions.forEach((position, i) => {
    appendPosition(builder, position, `${path}[${i}]`);
  });
  const { coordinates, coordinateLength } = builder;
  const isClosed =
    coordinates[first] === coordinates[coordinateLength - 2] &&
    coordinates[first + 1] === coordinates[coordinateLength - 1];
  if (!isClosed) throw invalid(path, 'is not closed: a ring ends with the position that it begins with');
  if (positions.length < RING_POSITIONS) {
    throw invalid(path, `has ${positions.length} positions; a ring has at least ${RING_POSITIONS}`);
  }
  builder.endRing();
}

function appendPosition(builder: GeometryBuilder, value: unknown, path: string): void {
  if (!Array.isArray(value) || !Number.isFinite(value[0]) || !Number.isFinite(value[1])) {
    throw invalid(path, `must be a position [longitude, latitude], not ${shortValue(value)}`);
  }
  const [longitude, latitude] = value as number[];
  if (Math.abs(longitude) > MAX_LONGITUDE || Math.abs(latitude) > MAX_LATITUDE) {
    const reason = `is (${longitude}, ${latitude}), which is not a longitude and latitude; the mask must be in EPSG:4326`;
    throw invalid(path, reason);
  }
  builder.position(longitude, latitude);
}

function objectAt(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw invalid(path, `must be ${ACCEPTED}, not ${shortValue(value)}`);
}

function filledList(value: unknown, path: string, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(path, `must be a list of ${what}, not ${shortValue(value)}`);
  if (value.length === 0) throw invalid(path, `has no ${what}`);
  return value;
}

function invalid(path: string, reason: string): GeomillError {
  return failure(generalErrors.TRANSFORMATION_INVALID, { path: field(path), reason });
}
