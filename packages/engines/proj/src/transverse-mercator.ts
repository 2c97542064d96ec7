/**
 * Transverse Mercator by Krüger's series to the sixth order of the third flattening, after Engsager and Poder (2007) and
 * Karney (2011, doi:10.1007/s00190-011-0445-3): the method of PROJ. Within 35 degrees of the central meridian the series is
 * exact to a few nanometres.
 */
import type { Ellipsoid, Projection } from './projection.ts';
import { type Series, sineSeries, term } from './sine-series.ts';

export interface TransverseMercatorParameters {
  readonly ellipsoid: Ellipsoid;
  readonly scale: number;
  /** Radians. */
  readonly originLatitude: number;
  readonly falseEasting: number;
  readonly falseNorthing: number;
}

/** Easting divided by the radius at 150 degrees from the central meridian on the equator: PROJ's domain ends there. */
const MAX_EASTING = 2.623395162778;

export function transverseMercator(parameters: TransverseMercatorParameters): Projection {
  const { ellipsoid, scale, originLatitude, falseEasting, falseNorthing } = parameters;
  const { flattening, semiMajorMeters } = ellipsoid;
  const n = flattening / (2 - flattening);
  const toConformal = conformalOfGeodetic(n);
  const toGeodetic = geodeticOfConformal(n);
  const toGrid = gridOfSphere(n);
  const toSphere = sphereOfGrid(n);
  const radius =
    ((semiMajorMeters * scale) / (1 + n)) * (1 + n ** 2 * (1 / 4 + n ** 2 * (1 / 64 + n ** 2 / 256)));
  const originConformal =
    originLatitude + sineSeries(toConformal, Math.sin(2 * originLatitude), 2 * Math.cos(2 * originLatitude));
  const originNorthing =
    originConformal + sineSeries(toGrid, Math.sin(2 * originConformal), 2 * Math.cos(2 * originConformal));
  const northingOffset = falseNorthing - radius * originNorthing;
  // The sum of a complex series: its real part is returned, its imaginary part is here.
  const imaginary = new Float64Array(1);

  /** The sum of series[k - 1] * sin(2k * z) by Clenshaw's recurrence, from the parts of sin 2z and cos 2z of a complex z. */
  const complexSeries = (series: Series, sin: number, cos: number, sinh: number, cosh: number): number => {
    const real2 = 2 * cos * cosh;
    const imaginary2 = -2 * sin * sinh;
    let real = series[5];
    let imag = 0;
    let lastReal = 0;
    let lastImag = 0;
    for (let k = 4; k >= 0; k--) {
      const nextReal = series[k] + real2 * real - imaginary2 * imag - lastReal;
      const nextImag = imaginary2 * real + real2 * imag - lastImag;
      lastReal = real;
      lastImag = imag;
      real = nextReal;
      imag = nextImag;
    }
    imaginary[0] = cos * sinh * real + sin * cosh * imag;
    return sin * cosh * real - cos * sinh * imag;
  };

  return {
    forward(longitude, latitude, into, at) {
      const sin = Math.sin(latitude);
      const cos = Math.cos(latitude);
      // Conformal latitude; it differs by less than 0.004, for which these terms are exact.
      const shift = sineSeries(toConformal, 2 * sin * cos, 2 - 4 * sin * sin);
      const square = shift * shift;
      const sinShift = shift * (1 - (square / 6) * (1 - square / 20));
      const cosShiftLess1 = (-square / 2) * (1 - (square / 12) * (1 - square / 30));
      const conformalSin = sin + (sin * cosShiftLess1 + cos * sinShift);
      const conformalCos = cos + (cos * cosShiftLess1 - sin * sinShift);
      const along = conformalCos * Math.cos(longitude);
      const inverseSquare = 1 / (conformalSin * conformalSin + along * along);
      const inverse = Math.sqrt(inverseSquare);
      const tangent = Math.sin(longitude) * conformalCos * inverse;
      const twice = 2 * along * inverseSquare;
      const northing =
        Math.atan2(conformalSin, along) +
        complexSeries(
          toGrid,
          conformalSin * twice,
          along * twice - 1,
          2 * tangent * inverse,
          2 * inverseSquare - 1,
        );
      const easting = Math.asinh(tangent) + imaginary[0];
      if (!(Math.abs(easting) <= MAX_EASTING)) return false;
      into[at] = radius * easting + falseEasting;
      into[at + 1] = radius * northing + northingOffset;
      return true;
    },
    inverse(x, y, into, at) {
      const easting = (x - falseEasting) / radius;
      const northing = (y - northingOffset) / radius;
      if (!(Math.abs(easting) <= MAX_EASTING)) return false;
      const growth = Math.exp(2 * easting);
      const half = 0.5 / growth;
      const sphereNorthing =
        northing +
        complexSeries(
          toSphere,
          Math.sin(2 * northing),
          Math.cos(2 * northing),
          0.5 * growth - half,
          0.5 * growth + half,
        );
      const sinh = Math.sinh(easting + imaginary[0]);
      const sin = Math.sin(sphereNorthing);
      const cos = Math.cos(sphereNorthing);
      const modulus = Math.sqrt(sinh * sinh + cos * cos);
      const twice = (2 * modulus) / (sinh * sinh + 1);
      into[at] = Math.atan2(sinh, cos);
      into[at + 1] =
        Math.atan2(sin, modulus) + sineSeries(toGeodetic, sin * twice, 2 * (twice * modulus - 1));
      return true;
    },
  };
}

/** Conformal less geodetic latitude: coefficients of sines of twice the geodetic latitude and its multiples. */
function conformalOfGeodetic(n: number): Series {
  return [
    term(n, 1, -2, 2 / 3, 4 / 3, -82 / 45, 32 / 45, 4642 / 4725),
    term(n, 2, 5 / 3, -16 / 15, -13 / 9, 904 / 315, -1522 / 945),
    term(n, 3, -26 / 15, 34 / 21, 8 / 5, -12686 / 2835),
    term(n, 4, 1237 / 630, -12 / 5, -24832 / 14175),
    term(n, 5, -734 / 315, 109598 / 31185),
    term(n, 6, 444337 / 155925),
  ];
}

function geodeticOfConformal(n: number): Series {
  return [
    term(n, 1, 2, -2 / 3, -2, 116 / 45, 26 / 45, -2854 / 675),
    term(n, 2, 7 / 3, -8 / 5, -227 / 45, 2704 / 315, 2323 / 945),
    term(n, 3, 56 / 15, -136 / 35, -1262 / 105, 73814 / 2835),
    term(n, 4, 4279 / 630, -332 / 35, -399572 / 14175),
    term(n, 5, 4174 / 315, -144838 / 6237),
    term(n, 6, 601676 / 22275),
  ];
}

/** From the transverse Mercator projection of the conformal sphere to that of the ellipsoid: Karney's alpha. */
function gridOfSphere(n: number): Series {
  return [
    term(n, 1, 1 / 2, -2 / 3, 5 / 16, 41 / 180, -127 / 288, 7891 / 37800),
    term(n, 2, 13 / 48, -3 / 5, 557 / 1440, 281 / 630, -1983433 / 1935360),
    term(n, 3, 61 / 240, -103 / 140, 15061 / 26880, 167603 / 181440),
    term(n, 4, 49561 / 161280, -179 / 168, 6601661 / 7257600),
    term(n, 5, 34729 / 80640, -3418889 / 1995840),
    term(n, 6, 212378941 / 319334400),
  ];
}

/** The other way: Karney's beta, negative. */
function sphereOfGrid(n: number): Series {
  return [
    term(n, 1, -1 / 2, 2 / 3, -37 / 96, 1 / 360, 81 / 512, -96199 / 604800),
    term(n, 2, -1 / 48, -1 / 15, 437 / 1440, -46 / 105, 1118711 / 3870720),
    term(n, 3, -17 / 480, 37 / 840, 209 / 4480, -5569 / 90720),
    term(n, 4, -4397 / 161280, 11 / 504, 830251 / 7257600),
    term(n, 5, -4583 / 161280, 108847 / 3991680),
    term(n, 6, -20648693 / 638668800),
  ];
}
