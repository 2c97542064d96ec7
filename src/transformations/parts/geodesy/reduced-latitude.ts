/** The latitude on the auxiliary sphere (beta): tan(beta) = (1 - f) tan(latitude). */
import type { Ellipsoid } from './ellipsoid.ts';

/** Keeps azimuths apart at the poles, where the cosine of the latitude would swallow them. */
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
