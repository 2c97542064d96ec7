/** Lambert's conformal conic projection of an ellipsoid (Snyder 1987, pages 107 to 109), as PROJ computes it. */
import type { Ellipsoid, Projection } from './projection.ts';

export interface LambertConicParameters {
  readonly ellipsoid: Ellipsoid;
  readonly scale: number;
  /** Radians, as those of the two parallels. */
  readonly originLatitude: number;
  readonly parallels: readonly [number, number];
  readonly falseEasting: number;
  readonly falseNorthing: number;
}

/** Two latitudes that are nearer to each other are equal: PROJ's rule. */
const LEAST_DIFFERENCE = 1e-10;
const HALF_PI = Math.PI / 2;

/** Null: the parallels have no cone. */
export function lambertConic(parameters: LambertConicParameters): Projection | null {
  const { ellipsoid, scale, originLatitude, parallels, falseEasting, falseNorthing } = parameters;
  const { flattening, semiMajorMeters } = ellipsoid;
  const squared = flattening * (2 - flattening);
  const eccentricity = Math.sqrt(squared);
  const isPole = (latitude: number): boolean => Math.abs(Math.abs(latitude) - HALF_PI) < LEAST_DIFFERENCE;
  if (parallels.some(isPole) || Math.abs(parallels[0] + parallels[1]) < LEAST_DIFFERENCE) return null;

  /** Tangent of half the colatitude of the conformal sphere. */
  const halfTangent = (latitude: number): number => {
    const sin = Math.sin(latitude);
    const cos = Math.cos(latitude);
    const sphere = sin > 0 ? cos / (1 + sin) : (1 - sin) / cos;
    return Math.exp(eccentricity * Math.atanh(eccentricity * sin)) * sphere;
  };
  const parallelRadius = (latitude: number): number => {
    const sin = Math.sin(latitude);
    return Math.cos(latitude) / Math.sqrt(1 - squared * sin * sin);
  };
  const [first, second] = parallels;
  const cone =
    Math.abs(first - second) < LEAST_DIFFERENCE
      ? Math.sin(first)
      : Math.log(parallelRadius(first) / parallelRadius(second)) /
        Math.log(halfTangent(first) / halfTangent(second));
  const factor = (parallelRadius(first) * halfTangent(first) ** -cone) / cone;
  const originRadius = isPole(originLatitude) ? 0 : factor * halfTangent(originLatitude) ** cone;
  const size = semiMajorMeters * scale;
  return {
    forward(longitude, latitude, into, at) {
      let radius = 0;
      if (!isPole(latitude)) radius = factor * halfTangent(latitude) ** cone;
      else if (latitude * cone <= 0) return false;
      const angle = longitude * cone;
      into[at] = size * (radius * Math.sin(angle)) + falseEasting;
      into[at + 1] = size * (originRadius - radius * Math.cos(angle)) + falseNorthing;
      return true;
    },
    inverse(x, y, into, at) {
      const sign = cone < 0 ? -1 : 1;
      const east = (sign * (x - falseEasting)) / size;
      const south = sign * (originRadius - (y - falseNorthing) / size);
      const radius = sign * Math.hypot(east, south);
      if (radius === 0) {
        into[at] = 0;
        into[at + 1] = sign * HALF_PI;
        return true;
      }
      const tangent = (radius / factor) ** (1 / cone);
      into[at] = Math.atan2(east, south) / cone;
      into[at + 1] = Math.atan(geodeticTangent((1 / tangent - tangent) / 2, eccentricity));
      return true;
    },
  };
}

const TOLERANCE = Math.sqrt(Number.EPSILON) / 10;
const MAX_TANGENT = 2 / Math.sqrt(Number.EPSILON);

/** The tangent of the geodetic latitude from that of the conformal latitude, by Newton's method (Karney 2011, section 3). */
function geodeticTangent(conformal: number, eccentricity: number): number {
  const rest = 1 - eccentricity * eccentricity;
  const tolerance = TOLERANCE * Math.max(1, Math.abs(conformal));
  let tangent =
    Math.abs(conformal) > 70
      ? conformal * Math.exp(eccentricity * Math.atanh(eccentricity))
      : conformal / rest;
  if (!(Math.abs(tangent) < MAX_TANGENT)) return tangent;
  for (let i = 0; i < 5; i++) {
    const secant = Math.sqrt(1 + tangent * tangent);
    const shift = Math.sinh(eccentricity * Math.atanh((eccentricity * tangent) / secant));
    const found = Math.sqrt(1 + shift * shift) * tangent - shift * secant;
    const step =
      ((conformal - found) * (1 + rest * tangent * tangent)) / (rest * secant * Math.sqrt(1 + found * found));
    tangent += step;
    if (!(Math.abs(step) >= tolerance)) break;
  }
  return tangent;
}
