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
  const thirdFlattening = flattening / (2 - flattening);
  const toAuthalic = authalicOfGeodetic(thirdFlattening);
  const toGeodetic = geodeticOfAuthalic(thirdFlattening);

  // The area of half of the ellipsoid, by pi and the square of the semi-major axis.
  const wholeArea =
    1 - ((1 - squared) / (2 * eccentricity)) * Math.log((1 - eccentricity) / (1 + eccentricity));
  const radius = Math.sqrt(wholeArea / 2);
  const authalicOf = (latitude: number): number =>
    latitude + sineSeries(toAuthalic, Math.sin(2 * latitude), 2 * Math.cos(2 * latitude));
  const originSin = Math.sin(originLatitude);
  const sinOrigin = Math.sin(authalicOf(originLatitude));
  const cosOrigin = Math.cos(authalicOf(originLatitude));
  const stretch =
    Math.cos(originLatitude) / (Math.sqrt(1 - squared * originSin * originSin) * radius * cosOrigin);
  return {
    forward(longitude, latitude, into, at) {
      const cosLongitude = Math.cos(longitude);
      // The cosine from the sine of an area would lose digits near the poles.
      const authalic = authalicOf(latitude);
      const sin = Math.sin(authalic);
      const cos = Math.cos(authalic);
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
      const toEast = east * sin;
      const toNorth = length * cosOrigin * cos - north * sinOrigin * sin;
      // Near the poles, PROJ's arc sine loses up to half of the digits.
      const authalic = Math.atan2(
        length * cos * sinOrigin + north * sin * cosOrigin,
        Math.hypot(toEast, toNorth),
      );
      into[at] = Math.atan2(toEast, toNorth);
      into[at + 1] = authalic + sineSeries(toGeodetic, Math.sin(2 * authalic), 2 * Math.cos(2 * authalic));
      return true;
    },
  };
}

/** Authalic less geodetic latitude: coefficients of sines of twice the geodetic latitude and its multiples (Karney 2023, doi:10.1080/00396265.2023.2217604). */
function authalicOfGeodetic(n: number): Series {
  return [
    term(n, 1, -4 / 3, -4 / 45, 88 / 315, 538 / 4725, 20824 / 467775, -44732 / 2837835),
    term(n, 2, 34 / 45, 8 / 105, -2482 / 14175, -37192 / 467775, -12467764 / 212837625),
    term(n, 3, -1532 / 2835, -898 / 14175, 54968 / 467775, 100320856 / 1915538625),
    term(n, 4, 6007 / 14175, 24496 / 467775, -5884124 / 70945875),
    term(n, 5, -23356 / 66825, -839792 / 19348875),
    term(n, 6, 570284222 / 1915538625),
  ];
}

/** Geodetic less authalic latitude: the same of the authalic latitude. */
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
