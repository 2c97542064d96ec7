/**
 * The direct geodesic problem: where a geodesic of a given azimuth and length ends. After C. F. F. Karney, "Algorithms
 * for geodesics", Journal of Geodesy 87 (2013), doi 10.1007/s00190-012-0578-z, with series to the sixth order in the
 * third flattening: errors are some nanometres on the earth, at every latitude, distance and azimuth.
 *
 * Alternative rejected: Vincenty's formulas, which iterate, and are not shorter at the same accuracy.
 */
import type { Ellipsoid } from './ellipsoid.ts';
import { fillC1, fillC1p, fillC3, scaleA1, scaleA3, sineSeries } from './geodesic-series.ts';
import { ReducedLatitude } from './reduced-latitude.ts';

/** Geodesics from one starting point at a time. `travel` stores its result in `latitude` and `longitude`. */
export class GeodesicLine {
  /** Radians. */
  latitude = 0;
  /** Radians east of the start, -pi to pi; whole turns are not counted. */
  longitude = 0;
  readonly #ellipsoid: Ellipsoid;
  readonly #start = new ReducedLatitude();
  /** Coefficients of the current series; index 1 is the first. */
  readonly #c1 = new Float64Array(7);
  readonly #c1p = new Float64Array(7);
  readonly #c3 = new Float64Array(6);

  constructor(ellipsoid: Ellipsoid) {
    this.#ellipsoid = ellipsoid;
  }

  /** Radians. */
  startAt(latitude: number): void {
    this.#start.set(latitude, this.#ellipsoid);
  }

  /** Follows the azimuth, whose sine and cosine are given, for a distance. */
  travel(sinAzimuth: number, cosAzimuth: number, meters: number): void {
    const { semiMinorMeters, flattening, secondEccentricitySquared, thirdFlattening } = this.#ellipsoid;
    const { sine: sinBeta1, cosine: cosBeta1 } = this.#start;
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
