/**
 * The direct geodesic problem: where a geodesic of a given azimuth and length ends. After C. F. F. Karney, "Algorithms
 * for geodesics", Journal of Geodesy 87 (2013), doi 10.1007/s00190-012-0578-z, with series to the sixth order in the
 * third flattening: errors are some nanometres on the earth, at every latitude, distance and azimuth.
 *
 * Vincenty's formulas were refused: they iterate, and are no shorter where they are as exact.
 */
import type { Ellipsoid } from './ellipsoid.ts';

/** Keeps azimuths apart at the poles, where the cosine of the latitude would swallow them. */
const TINY = 1e-150;

/** Geodesics from one starting point after another. What `travel` finds stands in `latitude` and `longitude`. */
export class GeodesicLine {
  /** Radians. */
  latitude = 0;
  /** Radians east of the start, -pi to pi; whole turns are not counted. */
  longitude = 0;
  readonly #ellipsoid: Ellipsoid;
  #sinBeta1 = 0;
  #cosBeta1 = 1;
  /** Coefficients of the series at hand; index 1 is the first. */
  readonly #c1 = new Float64Array(7);
  readonly #c1p = new Float64Array(7);
  readonly #c3 = new Float64Array(6);

  constructor(ellipsoid: Ellipsoid) {
    this.#ellipsoid = ellipsoid;
  }

  /** Radians. */
  startAt(latitude: number): void {
    const sine = (1 - this.#ellipsoid.flattening) * Math.sin(latitude);
    const cosine = Math.max(Math.cos(latitude), TINY);
    const length = Math.hypot(sine, cosine);
    this.#sinBeta1 = sine / length;
    this.#cosBeta1 = Math.max(cosine / length, TINY);
  }

  /** Follows the azimuth, whose sine and cosine are given, for a distance. */
  travel(sinAzimuth: number, cosAzimuth: number, meters: number): void {
    const { semiMinorMeters, flattening, secondEccentricitySquared, thirdFlattening } = this.#ellipsoid;
    const sinBeta1 = this.#sinBeta1;
    const cosBeta1 = this.#cosBeta1;
    const c1 = this.#c1;
    const c1p = this.#c1p;
    const c3 = this.#c3;

    const sinAlpha0 = sinAzimuth * cosBeta1;
    const cosAlpha0 = Math.hypot(cosAzimuth, sinAzimuth * sinBeta1);
    const sinOmega1 = sinAlpha0 * sinBeta1;
    let cosSigma1 = cosBeta1 * cosAzimuth;
    if (sinBeta1 === 0 && cosAzimuth === 0) cosSigma1 = 1;
    const cosOmega1 = cosSigma1;
    const norm = Math.hypot(sinBeta1, cosSigma1);
    const sinSigma1 = sinBeta1 / norm;
    cosSigma1 /= norm;

    const k2 = cosAlpha0 * cosAlpha0 * secondEccentricitySquared;
    const epsilon = k2 / (2 * (1 + Math.sqrt(1 + k2)) + k2);
    fillC1(epsilon, c1);
    fillC1p(epsilon, c1p);
    const b11 = sineSeries(c1, 6, sinSigma1, cosSigma1);
    const sinB11 = Math.sin(b11);
    const cosB11 = Math.cos(b11);
    const sinTau1 = sinSigma1 * cosB11 + cosSigma1 * sinB11;
    const cosTau1 = cosSigma1 * cosB11 - sinSigma1 * sinB11;
    const tau12 = meters / (semiMinorMeters * scaleA1(epsilon));
    const sinTau12 = Math.sin(tau12);
    const cosTau12 = Math.cos(tau12);
    const b12 = -sineSeries(
      c1p,
      6,
      sinTau1 * cosTau12 + cosTau1 * sinTau12,
      cosTau1 * cosTau12 - sinTau1 * sinTau12,
    );
    const sigma12 = tau12 - (b12 - b11);
    const sinSigma12 = Math.sin(sigma12);
    const cosSigma12 = Math.cos(sigma12);
    const sinSigma2 = sinSigma1 * cosSigma12 + cosSigma1 * sinSigma12;
    const cosSigma2 = cosSigma1 * cosSigma12 - sinSigma1 * sinSigma12;

    const sinBeta2 = cosAlpha0 * sinSigma2;
    const cosBeta2 = Math.hypot(sinAlpha0, cosAlpha0 * cosSigma2);
    const sinOmega2 = sinAlpha0 * sinSigma2;
    const omega12 = Math.atan2(
      sinOmega2 * cosOmega1 - cosSigma2 * sinOmega1,
      cosSigma2 * cosOmega1 + sinOmega2 * sinOmega1,
    );
    fillC3(epsilon, thirdFlattening, c3);
    const b3 = sineSeries(c3, 5, sinSigma2, cosSigma2) - sineSeries(c3, 5, sinSigma1, cosSigma1);
    this.longitude = omega12 - flattening * sinAlpha0 * scaleA3(epsilon, thirdFlattening) * (sigma12 + b3);
    this.latitude = Math.atan2(sinBeta2, (1 - flattening) * cosBeta2);
  }
}

/** Sum of c[l] sin(2 l x) for l = 1 .. count, by Clenshaw's recurrence. */
function sineSeries(c: Float64Array, count: number, sine: number, cosine: number): number {
  const factor = 2 * (cosine - sine) * (cosine + sine);
  let next = 0;
  let afterNext = 0;
  for (let l = count; l > 0; l--) {
    const own = c[l] + factor * next - afterNext;
    afterNext = next;
    next = own;
  }
  return 2 * sine * cosine * next;
}

/** Equation 17. */
function scaleA1(epsilon: number): number {
  const e2 = epsilon * epsilon;
  return (1 + e2 * (1 / 4 + e2 * (1 / 64 + e2 / 256))) / (1 - epsilon);
}

/** Equation 18. */
function fillC1(e: number, c: Float64Array): void {
  const e2 = e * e;
  const e3 = e2 * e;
  const e4 = e2 * e2;
  c[1] = e * (-1 / 2 + e2 * (3 / 16 - e2 / 32));
  c[2] = e2 * (-1 / 16 + e2 * (1 / 32 - (9 / 2048) * e2));
  c[3] = e3 * (-1 / 48 + (3 / 256) * e2);
  c[4] = e4 * (-5 / 512 + (3 / 512) * e2);
  c[5] = (-7 / 1280) * e4 * e;
  c[6] = (-7 / 2048) * e4 * e2;
}

/** Equation 21. */
function fillC1p(e: number, c: Float64Array): void {
  const e2 = e * e;
  const e3 = e2 * e;
  const e4 = e2 * e2;
  c[1] = e * (1 / 2 + e2 * (-9 / 32 + (205 / 1536) * e2));
  c[2] = e2 * (5 / 16 + e2 * (-37 / 96 + (1335 / 4096) * e2));
  c[3] = e3 * (29 / 96 - (75 / 128) * e2);
  c[4] = e4 * (539 / 1536 - (2391 / 2560) * e2);
  c[5] = (3467 / 7680) * e4 * e;
  c[6] = (38081 / 61440) * e4 * e2;
}

/** Equation 24. */
function scaleA3(e: number, n: number): number {
  return (
    1 -
    e *
      (1 / 2 -
        n / 2 +
        e *
          (1 / 4 +
            n * (1 / 8 - (3 / 8) * n) +
            e * (1 / 16 + n * (3 / 16 + n / 16) + e * (3 / 64 + n / 32 + (3 / 128) * e))))
  );
}

/** Equation 25. */
function fillC3(e: number, n: number, c: Float64Array): void {
  const n2 = n * n;
  const e2 = e * e;
  const e3 = e2 * e;
  c[1] =
    e *
    (1 / 4 -
      n / 4 +
      e * (1 / 8 - n2 / 8 + e * (3 / 64 + (3 / 64) * n - n2 / 64 + e * (5 / 128 + n / 64 + (3 / 128) * e))));
  c[2] =
    e2 *
    (1 / 16 -
      (3 / 32) * n +
      n2 / 32 +
      e * (3 / 64 - n / 32 - (3 / 64) * n2 + e * (3 / 128 + n / 128 + (5 / 256) * e)));
  c[3] = e3 * (5 / 192 - (3 / 64) * n + (5 / 192) * n2 + e * (3 / 128 - (5 / 192) * n + (7 / 512) * e));
  c[4] = e2 * e2 * (7 / 512 - (7 / 256) * n + (7 / 512) * e);
  c[5] = (21 / 2560) * e2 * e3;
}
