/**
 * The operations that most conversions need, computed without PROJ: between longitude and latitude in degrees and a system of the
 * same datum in transverse Mercator (all of UTM), Web Mercator, Lambert's conformal conic or oblique azimuthal equal-area projection. Loading PROJ takes longer than converting a small file, and
 * these functions need half of PROJ's time for each position. Which operation it is has been decided by PROJ: it is taken
 * from PROJ's pipeline. Results differ from those of PROJ by rounding: a few nanometres, or 40 in equal-area systems up to 85 degrees of latitude.
 */
import { type Dimensions, strideOf } from '../../batch/geometry-column.ts';
import { azimuthalEqualArea } from './azimuthal-equal-area.ts';
import { ChosenOperations, type Several } from './chosen-operations.ts';
import type { CountedRun, Failures } from './counted.ts';
import { lambertConic } from './lambert-conic.ts';
import { OneOperationTransformer, type SingleOperation } from './one-operation.ts';
import type { Ellipsoid, Projection } from './projection.ts';
import type { Transformer, TransformerRecipe } from './transformer-contract.ts';
import { transverseMercator } from './transverse-mercator.ts';
import { webMercator } from './web-mercator.ts';

const RADIANS_PER_DEGREE = Math.PI / 180;
const FULL_TURN = 2 * Math.PI;
/** PROJ's limits of valid angles, in radians. */
const MAX_LATITUDE = Math.PI / 2 + 1e-12;
const MAX_LONGITUDE = 10;
/** Up to here PROJ leaves a longitude beyond 180 degrees as it is, so that 180 does not become -180. */
const MAX_UNWRAPPED = Math.PI + 1e-12;

/** The ellipsoids of the datums that EPSG:4326 is changed to without a shift. */
const ELLIPSOIDS: ReadonlyMap<string, Ellipsoid> = new Map([
  ['WGS84', { semiMajorMeters: 6_378_137, flattening: 1 / 298.257223563 }],
  ['GRS80', { semiMajorMeters: 6_378_137, flattening: 1 / 298.257222101 }],
]);

interface Operation {
  /** PROJ's name, for its messages. */
  readonly name: string;
  readonly projection: Projection;
  /** Radians. */
  readonly centralMeridian: number;
  readonly isInverse: boolean;
  /** It takes no longer than a polynomial. */
  readonly isFast: boolean;
}

/** The transformer of a recipe; null if only PROJ can compute it. */
export function plainTransformer(recipe: TransformerRecipe): Transformer | null {
  const { single, several } = recipe;
  if (single !== null) {
    const operation = operationOf(single.pipeline);
    return operation === null ? null : new PlainTransformer(recipe, single, operation);
  }
  if (several === null) return null;
  // Operations between realisations of a datum often have the same pipeline, and differ in area and accuracy only.
  const [{ pipeline }, ...others] = several.choice.operations;
  if (others.some((other) => other.pipeline !== pipeline)) return null;
  const operation = operationOf(pipeline);
  return operation === null ? null : new PlainChosen(recipe, several, operation);
}

class PlainTransformer extends OneOperationTransformer {
  readonly #operation: Operation;

  constructor(recipe: TransformerRecipe, single: SingleOperation, operation: Operation) {
    super(recipe, single);
    this.#operation = operation;
  }

  protected override get gainsByApproximation(): boolean {
    return !this.#operation.isFast;
  }

  protected override run(coordinates: Float64Array, dimensions: Dimensions): CountedRun {
    return runOf(this.#operation, coordinates, dimensions);
  }
}

/** Several operations with one pipeline, which is the result whatever is chosen. */
class PlainChosen extends ChosenOperations {
  readonly #operation: Operation;

  constructor(recipe: TransformerRecipe, several: Several, operation: Operation) {
    super(recipe, several);
    this.#operation = operation;
  }

  protected override run(coordinates: Float64Array, dimensions: Dimensions): CountedRun {
    return runOf(this.#operation, coordinates, dimensions);
  }
}

function runOf(operation: Operation, coordinates: Float64Array, dimensions: Dimensions): CountedRun {
  return {
    transform: () =>
      (operation.isInverse ? unproject : project)(operation, coordinates, strideOf(dimensions)),
    reasonOf: (at) => reasonOf(operation, coordinates[at], coordinates[at + 1]),
  };
}

/** From degrees, in place. Positions that fail and empty ones (NaN) keep their coordinates, here and in `unproject`. */
function project(
  { projection, centralMeridian }: Operation,
  coordinates: Float64Array,
  stride: number,
): Failures {
  const failures: Failures = { first: -1, count: 0 };
  for (let i = 0; i < coordinates.length; i += stride) {
    const longitude = coordinates[i] * RADIANS_PER_DEGREE;
    const latitude = coordinates[i + 1] * RADIANS_PER_DEGREE;
    const isValid = Math.abs(longitude) <= MAX_LONGITUDE && Math.abs(latitude) <= MAX_LATITUDE;
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
  { projection, centralMeridian }: Operation,
  coordinates: Float64Array,
  stride: number,
): Failures {
  const failures: Failures = { first: -1, count: 0 };
  for (let i = 0; i < coordinates.length; i += stride) {
    const x = coordinates[i];
    const y = coordinates[i + 1];
    const isPosition = Number.isFinite(x) && Number.isFinite(y);
    if (isPosition && projection.inverse(x, y, coordinates, i)) {
      coordinates[i] = wrapped(coordinates[i] + centralMeridian) / RADIANS_PER_DEGREE;
      coordinates[i + 1] /= RADIANS_PER_DEGREE;
    } else countFailure(failures, coordinates, i, stride);
  }
  return failures;
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
function reasonOf({ name, isInverse }: Operation, x: number, y: number): string {
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

/** The operation of a pipeline as PROJ writes it; null for every other one, also if it is only written in another way. */
function operationOf(pipeline: string): Operation | null {
  const forward = FORWARD.exec(pipeline);
  const step = (forward ?? INVERSE.exec(pipeline))?.[1];
  if (step === undefined) return null;
  const isInverse = forward === null;
  if (step === WEB_MERCATOR)
    return {
      name: 'webmerc',
      projection: webMercator(6_378_137),
      centralMeridian: 0,
      isInverse,
      isFast: true,
    };
  const utm = UTM.exec(step);
  if (utm !== null) {
    const [, zone, south, ellipsoid] = utm;
    const falseNorthing = south === undefined ? 0 : 10_000_000;
    return transverseOperation(
      'utm',
      isInverse,
      ellipsoid,
      0,
      Number(zone) * 6 - 183,
      0.9996,
      500_000,
      falseNorthing,
    );
  }
  const transverse = TRANSVERSE_MERCATOR.exec(step);
  if (transverse !== null) {
    const [latitude, longitude, scale, easting, northing] = transverse.slice(1, 6).map(Number);
    const ellipsoid = transverse[6];
    return transverseOperation('tmerc', isInverse, ellipsoid, latitude, longitude, scale, easting, northing);
  }
  const found = lambertOf(step) ?? equalAreaOf(step);
  return found === null ? null : { ...found, isInverse, isFast: false };
}

type Recognised = Pick<Operation, 'name' | 'projection' | 'centralMeridian'>;

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
function transverseOperation(
  name: string,
  isInverse: boolean,
  ellipsoidName: string,
  latitude: number,
  longitude: number,
  scale: number,
  falseEasting: number,
  falseNorthing: number,
): Operation | null {
  const ellipsoid = ELLIPSOIDS.get(ellipsoidName);
  const isUsable = [latitude, longitude, scale, falseEasting, falseNorthing].every(Number.isFinite);
  if (ellipsoid === undefined || !isUsable || scale <= 0) return null;
  const originLatitude = latitude * RADIANS_PER_DEGREE;
  const projection = transverseMercator({ ellipsoid, scale, originLatitude, falseEasting, falseNorthing });
  return { name, projection, centralMeridian: longitude * RADIANS_PER_DEGREE, isInverse, isFast: false };
}
