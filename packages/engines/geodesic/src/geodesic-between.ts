/**
 * The inverse geodesic problem for points that are not nearly opposite each other: length and azimuth of the geodesic
 * between them, by iterating over the longitude on the auxiliary sphere as Vincenty did, with Karney's series.
 *
 * Newton's method, which nearly opposite points need, is left out: charts compute positions at most some hundred
 * kilometres away.
 */
import type { Ellipsoid } from './ellipsoid.ts';
import { fillC1, fillC3, scaleA1, scaleA3, sineSeries } from './geodesic-series.ts';
import { ReducedLatitude } from './reduced-latitude.ts';

const MAX_ROUNDS = 50;
const CONVERGED_RADIANS = 1e-15;

export class GeodesicBetween {
  /** Results of `measure`. */
  meters = 0;
  /** Of the azimuth at the start. */
  sinAzimuth = 0;
  cosAzimuth = 1;
  readonly #ellipsoid: Ellipsoid;
  readonly #start = new ReducedLatitude();
  readonly #end = new ReducedLatitude();
  readonly #c1 = new Float64Array(7);
  readonly #c3 = new Float64Array(6);

  constructor(ellipsoid: Ellipsoid) {
    this.#ellipsoid = ellipsoid;
  }

  /** Radians. */
  startAt(latitude: number): void {
    this.#start.set(latitude, this.#ellipsoid);
  }

  /** To a position whose longitude is relative to the start's; radians. */
  measure(longitudeOffset: number, latitude: number): void {
    const { flattening, thirdFlattening, secondEccentricitySquared, semiMinorMeters } = this.#ellipsoid;
    const { sine: sinBeta1, cosine: cosBeta1 } = this.#start;
    this.#end.set(latitude, this.#ellipsoid);
    const { sine: sinBeta2, cosine: cosBeta2 } = this.#end;
    const c3 = this.#c3;
    let omega = longitudeOffset;
    for (let round = 0; ; round++) {
      const sinOmega = Math.sin(omega);
      const cosOmega = Math.cos(omega);
      const east = cosBeta2 * sinOmega;
      // cos b1 sin b2 - sin b1 cos b2 cos w, without its cancellation where the points are close.
      const north =
        sinBeta2 * cosBeta1 - cosBeta2 * sinBeta1 + 2 * sinBeta1 * cosBeta2 * Math.sin(omega / 2) ** 2;
      const sinSigma = Math.hypot(east, north);
      if (sinSigma === 0) {
        this.meters = 0;
        this.sinAzimuth = 0;
        this.cosAzimuth = 1;
        return;
      }
      const sigma = Math.atan2(sinSigma, sinBeta1 * sinBeta2 + cosBeta1 * cosBeta2 * cosOmega);
      const sinAzimuth = east / sinSigma;
      const cosAzimuth = north / sinSigma;
      const sinAlpha0 = sinAzimuth * cosBeta1;
      const cosAlpha0 = Math.hypot(cosAzimuth, sinAzimuth * sinBeta1);
      // The arcs from the equator to both ends.
      let sinSigma1 = sinBeta1;
      let cosSigma1 = sinBeta1 === 0 && cosAzimuth === 0 ? 1 : cosBeta1 * cosAzimuth;
      const norm = Math.hypot(sinSigma1, cosSigma1);
      sinSigma1 /= norm;
      cosSigma1 /= norm;
      const cosStep = Math.cos(sigma);
      const sinStep = Math.sin(sigma);
      const sinSigma2 = sinSigma1 * cosStep + cosSigma1 * sinStep;
      const cosSigma2 = cosSigma1 * cosStep - sinSigma1 * sinStep;
      const k2 = cosAlpha0 * cosAlpha0 * secondEccentricitySquared;
      const epsilon = k2 / (2 * (1 + Math.sqrt(1 + k2)) + k2);
      fillC3(epsilon, thirdFlattening, c3);
      const b3 = sineSeries(c3, 5, sinSigma2, cosSigma2) - sineSeries(c3, 5, sinSigma1, cosSigma1);
      const next =
        longitudeOffset + flattening * sinAlpha0 * scaleA3(epsilon, thirdFlattening) * (sigma + b3);
      const isDone = Math.abs(next - omega) < CONVERGED_RADIANS || round === MAX_ROUNDS;
      omega = next;
      if (!isDone) continue;
      const c1 = this.#c1;
      fillC1(epsilon, c1);
      const b1 = sineSeries(c1, 6, sinSigma2, cosSigma2) - sineSeries(c1, 6, sinSigma1, cosSigma1);
      this.meters = semiMinorMeters * scaleA1(epsilon) * (sigma + b1);
      this.sinAzimuth = sinAzimuth;
      this.cosAzimuth = cosAzimuth;
      return;
    }
  }
}
