/** How text formats round coordinates: the defaults, and the finding about coarse rounding. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { positionBounds } from '@geomill/core/geometry/bounds.ts';
import { strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import {
  type CoordinateDigits,
  type Digits,
  decimalsOf,
  fixedDecimals,
} from '@geomill/core/text/number-text.ts';
import { digitOptions } from './digit-options.ts';
import { formatFindings } from './findings.ts';
import type { OutputLayer } from './writer.ts';

/** Significant digits of computed coordinates; further digits are noise. */
const COMPUTED_DIGITS = 15;
/** 1 cm on the ground (RFC 7946, section 11.2). */
const DEGREE_DECIMALS = 7;
const METRES_PER_DEGREE = 111_320;
/** Units of at least this many radians are written like degrees; gons are 0.9 degrees. */
const LEAST_DEGREE = 0.01;
const REPORTED_METRES = 0.01;

/** Plain data. */
export interface CoordinateRounding extends CoordinateDigits {
  /** Length of the unit of x and y on the ground, at most; null: rounding is not reported. */
  readonly metresPerUnit: number | null;
  /** Of a geographic CRS, in which a unit of x is shorter towards the poles; else null. */
  readonly radiansPerUnit: number | null;
}

/** Throws CONFIG_INVALID if the options contradict each other. */
export function coordinateRounding(
  { crs, coordinatesComputed }: Pick<OutputLayer, 'crs' | 'coordinatesComputed'>,
  options: Readonly<Record<string, unknown>>,
): CoordinateRounding {
  const asked = askedDigits(options);
  if (asked !== null) {
    const metresPerUnit =
      crs.kind === 'geographic' ? (crs.unitFactor * 180 * METRES_PER_DEGREE) / Math.PI : crs.unitFactor;
    const radiansPerUnit = crs.kind === 'geographic' ? crs.unitFactor : null;
    return { xy: asked, zm: asked, metresPerUnit, radiansPerUnit };
  }
  if (!coordinatesComputed) return { xy: 0, zm: 0, metresPerUnit: null, radiansPerUnit: null };
  const areDegrees = crs.kind === 'geographic' && crs.unitFactor > LEAST_DEGREE;
  return {
    xy: areDegrees ? fixedDecimals(DEGREE_DECIMALS) : COMPUTED_DIGITS,
    zm: COMPUTED_DIGITS,
    metresPerUnit: null,
    radiansPerUnit: null,
  };
}

/** The digits that the request asks for; null: none. */
export function askedDigits(options: Readonly<Record<string, unknown>>): Digits | null {
  const { decimals, significant_digits: significant, precision } = options;
  const given = Object.keys(digitOptions).filter((name) => options[name] !== undefined);
  if (given.length > 1) {
    const [first, second] = given.map((name) => field(`output.${name}`));
    throw failure(generalErrors.CONFIG_INVALID, {
      detail: phrase`'${first}' and '${second}' exclude each other; give one`,
    });
  }
  if (typeof decimals === 'number') return fixedDecimals(decimals);
  return typeof significant === 'number' ? significant : typeof precision === 'number' ? precision : null;
}

/** Notes how far the rounding that was asked for moved the positions of a batch, and how many features, if that is more than 1 cm. */
export function noteRounding(
  { geometry, rowCount }: FeatureBatch,
  { xy, metresPerUnit, radiansPerUnit }: CoordinateRounding,
  findings: Findings,
): void {
  if (metresPerUnit === null || geometry.coordinates.length === 0) return;
  const decimals = decimalsOf(xy) ?? decimalsLeft(xy, positionBounds(geometry));
  // So many decimals move no position that far.
  if ((Math.SQRT1_2 / 10 ** decimals) * metresPerUnit <= REPORTED_METRES) return;
  const { coordinates, coordOffsets, ringOffsets, partOffsets } = geometry;
  const stride = strideOf(geometry.dimensions);
  let moved = 0;
  let furthest = 0;
  let at = 0;
  for (let row = 0; row < rowCount; row++) {
    const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
    let furthestOfRow = 0;
    for (; at < end; at += stride) {
      const y = coordinates[at + 1];
      const across = radiansPerUnit === null ? 1 : Math.cos(y * radiansPerUnit);
      const metres = Math.hypot(shiftOf(coordinates[at], xy) * across, shiftOf(y, xy)) * metresPerUnit;
      if (metres > furthestOfRow) furthestOfRow = metres;
    }
    if (furthestOfRow > REPORTED_METRES) moved++;
    furthest = Math.max(furthest, furthestOfRow);
  }
  if (moved === 0 || !Number.isFinite(furthest)) return;
  const displacement = Number(furthest.toPrecision(2));
  findings.note(formatFindings.COORDINATES_ROUNDED, { decimals, displacement }, undefined, moved);
}

/** By how much an ordinate changes if it is rounded. */
function shiftOf(value: number, digits: Digits): number {
  const scale = 10 ** (decimalsOf(digits) ?? decimalsLeft(digits, [value]));
  return Math.abs(value * scale - Math.round(value * scale)) / scale;
}

/** Decimals of the largest ordinate with so many significant digits. */
function decimalsLeft(digits: number, bounds: readonly number[]): number {
  const largest = bounds.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return digits - 1 - Math.floor(Math.log10(Math.max(largest, Number.MIN_VALUE)));
}

/** Two digits of a length, in a unit that suits it. */
export function lengthText(metres: number): string {
  if (metres >= 1000) return `${Number((metres / 1000).toPrecision(2))} km`;
  return metres < 1 ? `${Number((metres * 100).toPrecision(2))} cm` : `${Number(metres.toPrecision(2))} m`;
}
