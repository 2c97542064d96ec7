/**
 * Operations that are computed without PROJ, recognised in the pipelines that PROJ writes: between degrees and a projection, with a
 * shift by geocentric coordinates or without.
 */
import { type Dimensions, hasZ, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { azimuthalEqualArea } from './azimuthal-equal-area.ts';
import type { CountedRun } from './counted.ts';
import { type DatumShift, datumShift } from './datum-shift.ts';
import type { Failures } from './failures.ts';
import { lambertConic } from './lambert-conic.ts';
import type { Ellipsoid, Projection } from './projection.ts';
import { transverseMercator } from './transverse-mercator.ts';

const RADIANS_PER_DEGREE = Math.PI / 180;
const FULL_TURN = 2 * Math.PI;
/** PROJ's limits of valid angles, in radians. */
const MAX_LATITUDE = Math.PI / 2 + 1e-12;
const MAX_LONGITUDE = 10;
/** Up to here PROJ leaves a longitude beyond 180 degrees as it is, so that 180 does not become -180. */
const MAX_UNWRAPPED = Math.PI + 1e-12;

/** By PROJ's names. */
const ELLIPSOIDS: ReadonlyMap<string, Ellipsoid> = new Map([
  ['WGS84', { semiMajorMeters: 6_378_137, flattening: 1 / 298.257223563 }],
  ['GRS80', { semiMajorMeters: 6_378_137, flattening: 1 / 298.257222101 }],
  ['bessel', { semiMajorMeters: 6_377_397.155, flattening: 1 / 299.1528128 }],
  ['airy', { semiMajorMeters: 6_377_563.396, flattening: 1 / 299.3249646 }],
  ['intl', { semiMajorMeters: 6_378_388, flattening: 1 / 297 }],
  ['krass', { semiMajorMeters: 6_378_245, flattening: 1 / 298.3 }],
]);

export interface PlainOperation {
  /** PROJ's name of its first step, for its messages. */
  readonly name: string;
  readonly projection: Projection;
  /** Radians. */
  readonly centralMeridian: number;
  readonly isInverse: boolean;
  /** It takes no longer than a polynomial. */
  readonly isFast: boolean;
  /** Between the degrees and the projection, in the direction of the operation; null: they have the same datum. */
  readonly shift: DatumShift | null;
}

/** One transformation of these coordinates by the operation. */
export function plainRun(
  operation: PlainOperation,
  coordinates: Float64Array,
  dimensions: Dimensions,
): CountedRun {
  const transform = operation.isInverse ? unproject : project;
  return {
    transform: () => transform(operation, coordinates, dimensions),
    reasonOf: (at) => reasonOf(operation, coordinates[at], coordinates[at + 1]),
  };
}

/** Longitude and latitude after a shift. */
const shifted = new Float64Array(2);

/** From degrees, in place. Positions that fail and empty ones (NaN) keep their coordinates, here and in `unproject`. */
function project(
  { projection, centralMeridian, shift }: PlainOperation,
  coordinates: Float64Array,
  dimensions: Dimensions,
): Failures {
  const stride = strideOf(dimensions);
  const usesZ = hasZ(dimensions);
  const failures: Failures = { first: -1, count: 0 };
  for (let i = 0; i < coordinates.length; i += stride) {
    let longitude = coordinates[i] * RADIANS_PER_DEGREE;
    let latitude = coordinates[i + 1] * RADIANS_PER_DEGREE;
    const isValid = Math.abs(longitude) <= MAX_LONGITUDE && Math.abs(latitude) <= MAX_LATITUDE;
    if (isValid && shift !== null) {
      shift.apply(longitude, clamped(latitude), heightAt(coordinates, i, usesZ), shifted);
      longitude = shifted[0];
      latitude = shifted[1];
    }
    if (
      isValid &&
      projection.forward(wrapped(longitude - centralMeridian), clamped(latitude), coordinates, i)
    )
      continue;
    countFailure(failures, coordinates, i, stride);
  }
  return failures;
}

/** To degrees, in place. */
function unproject(
  { projection, centralMeridian, shift }: PlainOperation,
  coordinates: Float64Array,
  dimensions: Dimensions,
): Failures {
  const stride = strideOf(dimensions);
  const usesZ = hasZ(dimensions);
  const failures: Failures = { first: -1, count: 0 };
  for (let i = 0; i < coordinates.length; i += stride) {
    const x = coordinates[i];
    const y = coordinates[i + 1];
    const isPosition = Number.isFinite(x) && Number.isFinite(y);
    if (isPosition && projection.inverse(x, y, coordinates, i)) {
      let longitude = wrapped(coordinates[i] + centralMeridian);
      let latitude = coordinates[i + 1];
      if (shift !== null) {
        shift.apply(longitude, latitude, heightAt(coordinates, i, usesZ), shifted);
        longitude = shifted[0];
        latitude = shifted[1];
      }
      coordinates[i] = longitude / RADIANS_PER_DEGREE;
      coordinates[i + 1] = latitude / RADIANS_PER_DEGREE;
    } else countFailure(failures, coordinates, i, stride);
  }
  return failures;
}

/** A missing height is 0, as for PROJ here. */
function heightAt(coordinates: Float64Array, at: number, usesZ: boolean): number {
  return usesZ && !Number.isNaN(coordinates[at + 2]) ? coordinates[at + 2] : 0;
}

function countFailure(failures: Failures, coordinates: Float64Array, at: number, stride: number): void {
  if (Number.isNaN(coordinates[at]) || Number.isNaN(coordinates[at + 1])) return;
  if (failures.first < 0) failures.first = at / stride;
  failures.count++;
}

function wrapped(longitude: number): number {
  if (Math.abs(longitude) < MAX_UNWRAPPED) return longitude;
  const turned = longitude + Math.PI;
  return turned - FULL_TURN * Math.floor(turned / FULL_TURN) - Math.PI;
}

function clamped(latitude: number): number {
  return Math.max(-Math.PI / 2, Math.min(Math.PI / 2, latitude));
}

/** Why a position fails, in PROJ's words. */
function reasonOf({ name, isInverse }: PlainOperation, x: number, y: number): string {
  if (Math.max(x, y) === Number.POSITIVE_INFINITY) return 'the result is infinite';
  if (!isInverse && Math.abs(y * RADIANS_PER_DEGREE) > MAX_LATITUDE) return `${name}: Invalid latitude`;
  if (!isInverse && Math.abs(x * RADIANS_PER_DEGREE) > MAX_LONGITUDE) return `${name}: Invalid longitude`;
  return 'Point outside of projection domain';
}

const FORWARD = /^\+proj=pipeline \+step \+proj=unitconvert \+xy_in=deg \+xy_out=rad \+step \+proj=(.*)$/;
const INVERSE =
  /^\+proj=pipeline \+step \+inv \+proj=(.*) \+step \+proj=unitconvert \+xy_in=rad \+xy_out=deg$/;
const UTM = /^utm \+zone=(\d+)( \+south)? \+ellps=(\w+)$/;
const TRANSVERSE_MERCATOR =
  /^tmerc \+lat_0=(\S+) \+lon_0=(\S+) \+k=(\S+) \+x_0=(\S+) \+y_0=(\S+) \+ellps=(\w+)$/;
const LAMBERT_CONIC =
  /^lcc \+lat_0=(\S+) \+lon_0=(\S+) \+lat_1=(\S+) \+lat_2=(\S+) \+x_0=(\S+) \+y_0=(\S+) \+ellps=(\w+)$/;
const EQUAL_AREA = /^laea \+lat_0=(\S+) \+lon_0=(\S+) \+x_0=(\S+) \+y_0=(\S+) \+ellps=(\w+)$/;
const WEB_MERCATOR = 'webmerc +lat_0=0 +lon_0=0 +x_0=0 +y_0=0 +ellps=WGS84';

const HELMERT =
  /^(\+inv )?\+proj=helmert \+x=(\S+) \+y=(\S+) \+z=(\S+)(?: \+rx=(\S+) \+ry=(\S+) \+rz=(\S+) \+s=(\S+) \+convention=(position_vector|coordinate_frame))?$/;
/** The steps of a shift, from ellipsoid to ellipsoid. */
const SHIFT =
  '\\+proj=push \\+v_3 \\+step \\+proj=cart \\+ellps=(\\w+) \\+step (.*helmert.*) \\+step \\+inv \\+proj=cart \\+ellps=(\\w+) \\+step \\+proj=pop \\+v_3';
const SHIFTED_FORWARD = new RegExp(`^${SHIFT} \\+step \\+proj=(.*)$`);
const SHIFTED_INVERSE = new RegExp(`^(.*) \\+step ${SHIFT}$`);

/** The operation of a pipeline as PROJ writes it; null for every other one, also if it is only written in another way. */
export function plainOperation(pipeline: string): PlainOperation | null {
  const forward = FORWARD.exec(pipeline)?.[1];
  if (forward !== undefined) {
    const [, from, helmert, to, step] = SHIFTED_FORWARD.exec(`+proj=${forward}`) ?? [];
    if (step === undefined) return withShift(projectionOf(forward), false, null);
    const shift = shiftOf(from, helmert, to);
    const projection = step.endsWith(` +ellps=${to}`) ? projectionOf(step) : null;
    return shift === null || projection === null
      ? null
      : withShift({ ...projection, name: 'push' }, false, shift);
  }
  const inverse = INVERSE.exec(pipeline)?.[1];
  if (inverse === undefined) return null;
  const [, step, from, helmert, to] = SHIFTED_INVERSE.exec(inverse) ?? [];
  if (step === undefined) return withShift(projectionOf(inverse), true, null);
  const shift = shiftOf(from, helmert, to);
  return shift === null || !step.endsWith(` +ellps=${from}`)
    ? null
    : withShift(projectionOf(step), true, shift);
}

function withShift(
  found: Recognised | null,
  isInverse: boolean,
  shift: DatumShift | null,
): PlainOperation | null {
  if (found === null) return null;
  const isFast = shift === null && found.name === 'webmerc';
  return { ...found, isInverse, isFast, shift };
}

function shiftOf(from: string, text: string, to: string): DatumShift | null {
  const [, inverse, x, y, z, rx = 0, ry = 0, rz = 0, s = 0, convention] = HELMERT.exec(text) ?? [];
  const source = ELLIPSOIDS.get(from);
  const target = ELLIPSOIDS.get(to);
  const numbers = [x, y, z, rx, ry, rz, s].map(Number);
  if (source === undefined || target === undefined || !numbers.every(Number.isFinite)) return null;
  const sign = convention === 'coordinate_frame' ? -1 : 1;
  return datumShift(source, target, {
    translation: [numbers[0], numbers[1], numbers[2]],
    rotation: [sign * numbers[3], sign * numbers[4], sign * numbers[5]],
    scale: numbers[6],
    isInverse: inverse !== undefined,
  });
}

type Recognised = Pick<PlainOperation, 'name' | 'projection' | 'centralMeridian'>;

/** `step`: after "+proj=". */
function projectionOf(step: string): Recognised | null {
  if (step === WEB_MERCATOR)
    return { name: 'webmerc', projection: webMercator(6_378_137), centralMeridian: 0 };
  const utm = UTM.exec(step);
  if (utm !== null) {
    const [, zone, south, ellipsoid] = utm;
    const falseNorthing = south === undefined ? 0 : 10_000_000;
    return transverseOf('utm', ellipsoid, 0, Number(zone) * 6 - 183, 0.9996, 500_000, falseNorthing);
  }
  const transverse = TRANSVERSE_MERCATOR.exec(step);
  if (transverse !== null) {
    const [latitude, longitude, scale, easting, northing] = transverse.slice(1, 6).map(Number);
    return transverseOf('tmerc', transverse[6], latitude, longitude, scale, easting, northing);
  }
  return lambertOf(step) ?? equalAreaOf(step);
}

function lambertOf(step: string): Recognised | null {
  const match = LAMBERT_CONIC.exec(step);
  if (match === null) return null;
  const numbers = match.slice(1, 7).map(Number);
  const ellipsoid = ELLIPSOIDS.get(match[7]);
  if (ellipsoid === undefined || !numbers.every(Number.isFinite)) return null;
  const [originLatitude, longitude, first, second] = numbers.map((degrees) => degrees * RADIANS_PER_DEGREE);
  const [falseEasting, falseNorthing] = numbers.slice(4);
  const projection = lambertConic({
    ellipsoid,
    scale: 1,
    originLatitude,
    parallels: [first, second],
    falseEasting,
    falseNorthing,
  });
  return projection === null ? null : { name: 'lcc', projection, centralMeridian: longitude };
}

function equalAreaOf(step: string): Recognised | null {
  const match = EQUAL_AREA.exec(step);
  if (match === null) return null;
  const numbers = match.slice(1, 5).map(Number);
  const ellipsoid = ELLIPSOIDS.get(match[5]);
  if (ellipsoid === undefined || !numbers.every(Number.isFinite)) return null;
  const [originLatitude, longitude] = numbers.map((degrees) => degrees * RADIANS_PER_DEGREE);
  const [falseEasting, falseNorthing] = numbers.slice(2);
  const projection = azimuthalEqualArea({ ellipsoid, originLatitude, falseEasting, falseNorthing });
  return projection === null ? null : { name: 'laea', projection, centralMeridian: longitude };
}

/** Latitude and longitude of the origin in degrees. */
function transverseOf(
  name: string,
  ellipsoidName: string,
  latitude: number,
  longitude: number,
  scale: number,
  falseEasting: number,
  falseNorthing: number,
): Recognised | null {
  const ellipsoid = ELLIPSOIDS.get(ellipsoidName);
  const isUsable = [latitude, longitude, scale, falseEasting, falseNorthing].every(Number.isFinite);
  if (ellipsoid === undefined || !isUsable || scale <= 0) return null;
  const originLatitude = latitude * RADIANS_PER_DEGREE;
  const projection = transverseMercator({ ellipsoid, scale, originLatitude, falseEasting, falseNorthing });
  return { name, projection, centralMeridian: longitude * RADIANS_PER_DEGREE };
}

export function webMercator(radiusMeters: number): Projection {
  return {
    forward(longitude, latitude, into, at) {
      into[at] = radiusMeters * longitude;
      into[at + 1] = radiusMeters * Math.asinh(Math.tan(latitude));
      return true;
    },
    inverse(x, y, into, at) {
      into[at] = x / radiusMeters;
      into[at + 1] = Math.atan(Math.sinh(y / radiusMeters));
      return true;
    },
  };
}
