/** Lambert's azimuthal equal-area projection of an ellipsoid, oblique (Snyder 1987, pages 187 to 190), as PROJ computes it. */
import type { Ellipsoid, Projection } from './projection.ts';
import { type Series, sineSeries, term } from './sine-series.ts';

export interface AzimuthalEqualAreaParameters {
  readonly ellipsoid: Ellipsoid;
  /** Radians. */
  readonly originLatitude: number;
  readonly falseEasting: number;
  readonly falseNorthing: number;
}

/** PROJ's limit for positions opposite of the origin and for the origin itself. */
const LEAST = 1e-10;

/** Null: the origin is on the equator or at a pole, where other formulas hold. */
export function azimuthalEqualArea(parameters: AzimuthalEqualAreaParameters): Projection | null {
  const { ellipsoid, originLatitude, falseEasting, falseNorthing } = parameters;
  const { flattening, semiMajorMeters } = ellipsoid;
  const distance = Math.abs(originLatitude);
  if (distance < 1e-3 || distance > Math.PI / 2 - 1e-3) return null;
  const squared = flattening * (2 - flattening);
  const eccentricity = Math.sqrt(squared);
  const toGeodetic = geodeticOfAuthalic(flattening / (2 - flattening));

  const areaOf = (sin: number): number => {
    const product = eccentricity * sin;
    const logarithm = Math.log((1 - product) / (1 + product));
    return (1 - squared) * (sin / (1 - product * product) - (0.5 / eccentricity) * logarithm);
  };
  const wholeArea = areaOf(1);
  const radius = Math.sqrt(wholeArea / 2);
  const originSin = Math.sin(originLatitude);
  const sinOrigin = areaOf(originSin) / wholeArea;
  const cosOrigin = Math.sqrt(1 - sinOrigin * sinOrigin);
  const stretch =
    Math.cos(originLatitude) / (Math.sqrt(1 - squared * originSin * originSin) * radius * cosOrigin);
  return {
    forward(longitude, latitude, into, at) {
      const cosLongitude = Math.cos(longitude);
      const sin = areaOf(Math.sin(latitude)) / wholeArea;
      const cos = Math.sqrt(Math.max(0, 1 - sin * sin));
      const opposite = 1 + sinOrigin * sin + cosOrigin * cos * cosLongitude;
      if (Math.abs(opposite) < LEAST) return false;
      const scale = radius * Math.sqrt(2 / opposite);
      into[at] = semiMajorMeters * (stretch * scale * cos * Math.sin(longitude)) + falseEasting;
      into[at + 1] =
        semiMajorMeters * ((scale / stretch) * (cosOrigin * sin - sinOrigin * cos * cosLongitude)) +
        falseNorthing;
      return true;
    },
    inverse(x, y, into, at) {
      const east = (x - falseEasting) / semiMajorMeters / stretch;
      const north = ((y - falseNorthing) / semiMajorMeters) * stretch;
      const length = Math.hypot(east, north);
      if (length < LEAST) {
        into[at] = 0;
        into[at + 1] = originLatitude;
        return true;
      }
      const half = (0.5 * length) / radius;
      if (half > 1) return false;
      const angle = 2 * Math.asin(half);
      const cos = Math.cos(angle);
      const sin = Math.sin(angle);
      const authalic = Math.asin(cos * sinOrigin + (north * sin * cosOrigin) / length);
      into[at] = Math.atan2(east * sin, length * cosOrigin * cos - north * sinOrigin * sin);
      into[at + 1] = authalic + sineSeries(toGeodetic, Math.sin(2 * authalic), 2 * Math.cos(2 * authalic));
      return true;
    },
  };
}

/** Geodetic less authalic latitude: coefficients of sines of twice the authalic latitude and its multiples (Karney 2023, doi:10.1080/00396265.2023.2217604). */
function geodeticOfAuthalic(n: number): Series {
  return [
    term(n, 1, 4 / 3, 4 / 45, -16 / 35, -2582 / 14175, 60136 / 467775, 28112932 / 212837625),
    term(n, 2, 46 / 45, 152 / 945, -11966 / 14175, -21016 / 51975, 251310128 / 638512875),
    term(n, 3, 3044 / 2835, 3802 / 14175, -94388 / 66825, -8797648 / 10945935),
    term(n, 4, 6059 / 4725, 41072 / 93555, -1472637812 / 638512875),
    term(n, 5, 768272 / 467775, 455935736 / 638512875),
    term(n, 6, 4210684958 / 1915538625),
  ];
}
