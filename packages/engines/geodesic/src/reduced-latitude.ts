/** The latitude on the auxiliary sphere (beta): tan(beta) = (1 - f) tan(latitude). */
import type { Ellipsoid } from './ellipsoid.ts';

/** Minimum cosine of the latitude: at the poles, 0 would make all azimuths the same. */
const TINY = 1e-150;

export class ReducedLatitude {
  sine = 0;
  cosine = 1;

  /** Radians. */
  set(latitude: number, ellipsoid: Ellipsoid): void {
    const sine = (1 - ellipsoid.flattening) * Math.sin(latitude);
    const cosine = Math.max(Math.cos(latitude), TINY);
    const length = Math.hypot(sine, cosine);
    this.sine = sine / length;
    this.cosine = Math.max(cosine / length, TINY);
  }
}
