/**
 * Riemannian normal coordinates around a point of the ellipsoid, the coordinates of the azimuthal equidistant projection:
 * x = s sin(azimuth) east and y = s cos(azimuth) north, in metres, where s and the azimuth are those of the
 * geodesic from the centre. Distances from the centre are true; at r from the centre no distance is off by more than
 * r^2 / (6 R^2), 0.01 % at 150 km.
 *
 * Near the centre they are taken from Legendre's series to the fifth order, whose coefficients (in the tangent of the
 * latitude t and h = e'^2 cos^2 latitude; u and v are y and x divided by the radius N of the prime vertical) were derived from the
 * differential equations of the geodesic:
 *
 *     d latitude / ds = cos(azimuth) / M     d longitude / ds = sin(azimuth) / (N cos latitude)
 *     d azimuth / ds = sin(azimuth) t / N
 *
 * The terms of h^3 and more, of h^2 from the fourth order on, and of h in the fifth are smaller than what the sixth
 * order would add, and are left out. `seriesReachMeters` is the limit of the series.
 */
import type { Ellipsoid } from './ellipsoid.ts';

/**
 * The error of the series is below 1e-6 of the distance where distance * max(1, |tan latitude|) / N stays below this;
 * test/unit/geodesic-series.test.ts compares it with Karney's geodesics.
 */
const MAX_RATIO = 0.04;

export class NormalCoordinates {
  /** Metres around the centre within which the series are exact to 1e-6. */
  seriesReachMeters = 0;
  /** Radius of curvature in the prime vertical, metres. */
  primeVerticalMeters = 0;
  /** 1 + h, the ratio N / M. */
  ratio = 1;
  cosLatitude = 1;
  tanLatitude = 0;
  // Coefficients of u^i v^j in latitude - latitude0 (radians).
  p10 = 0;
  p20 = 0;
  p02 = 0;
  p30 = 0;
  p12 = 0;
  p40 = 0;
  p22 = 0;
  p04 = 0;
  p50 = 0;
  p32 = 0;
  p14 = 0;
  // Coefficients of u^i v^j in longitude - longitude0 (radians).
  l01 = 0;
  l11 = 0;
  l21 = 0;
  l03 = 0;
  l31 = 0;
  l13 = 0;
  l41 = 0;
  l23 = 0;
  l05 = 0;
  // Coefficients of p^i q^j in u, where p = (latitude - latitude0) / (1 + h) and q = (longitude - longitude0) cos latitude0.
  u20 = 0;
  u02 = 0;
  u30 = 0;
  u12 = 0;
  u40 = 0;
  u22 = 0;
  u04 = 0;
  u50 = 0;
  u32 = 0;
  u14 = 0;
  // And in v.
  v11 = 0;
  v21 = 0;
  v03 = 0;
  v31 = 0;
  v13 = 0;
  v41 = 0;
  v23 = 0;
  v05 = 0;
  /** Result of `toPlane`: metres east and north of the centre. */
  x = 0;
  y = 0;
  /** Result of `toGlobe`: radians from the centre. */
  latitudeOffset = 0;
  longitudeOffset = 0;
  readonly #ellipsoid: Ellipsoid;

  constructor(ellipsoid: Ellipsoid) {
    this.#ellipsoid = ellipsoid;
  }

  /** Moves the centre; radians. */
  centreAt(latitude: number): void {
    const cosine = Math.cos(latitude);
    const sine = Math.sin(latitude);
    const t = sine / cosine;
    const t2 = t * t;
    const h = this.#ellipsoid.secondEccentricitySquared * cosine * cosine;
    const g = 1 + h;
    const h2 = h * h;
    const n = this.#ellipsoid.polarRadiusMeters / Math.sqrt(g);
    this.cosLatitude = cosine;
    this.tanLatitude = t;
    this.ratio = g;
    this.primeVerticalMeters = n;
    this.seriesReachMeters = (MAX_RATIO * n) / Math.max(1, Math.abs(t));
    this.p10 = g;
    this.p20 = -1.5 * h * t * g;
    this.p02 = -0.5 * t * g;
    this.p30 = 0.5 * h * g * (5 * h * t2 - h + t2 - 1);
    this.p12 = (g * (9 * h * t2 - h - 3 * t2 - 1)) / 6;
    this.p40 = 0.5 * h * t + h2 * t * (27 - 15 * t2) * 0.125;
    this.p22 = t * (-t2 / 2 - 1 / 3 + h * (t2 + 3) * 0.25 + h2 * (2.5 - 3 * t2));
    this.p04 = (t * (3 * t2 + 1 + h * (2 - 6 * t2) + h2 * (1 - 9 * t2))) / 24;
    this.p50 = h * 0.1 * (1 - t2);
    this.p32 = -(t2 * t2) / 2 - t2 / 2 - 1 / 15 + h * ((t2 * t2) / 4 - t2 / 5 + 1 / 12);
    this.p14 = (3 / 8) * t2 * t2 + t2 / 4 + 1 / 120 + h * ((-3 / 8) * t2 * t2 - 0.35 * t2 + 1 / 40);
    const secant = 1 / cosine;
    this.l01 = secant;
    this.l11 = t * secant;
    this.l21 = ((h + 3 * t2 + 1) / 3) * secant;
    this.l03 = (-t2 / 3) * secant;
    this.l31 = t * (t2 + 2 / 3 + (h - h2) / 3) * secant;
    this.l13 = -t * (t2 + 1 / 3 + h / 3) * secant;
    this.l41 = (t2 * t2 + t2 + 2 / 15 + h * (0.4 * t2 + 0.2)) * secant;
    this.l23 = (-2 * t2 * t2 - (4 / 3) * t2 - 1 / 15 - (h * (13 * t2 + 2)) / 15) * secant;
    this.l05 = ((t2 * t2) / 5 + t2 / 15 + (h * t2) / 15) * secant;
  }

  /** Prepares `toPlane`, after `centreAt`. */
  invert(): void {
    const t = this.tanLatitude;
    const t2 = t * t;
    const t4 = t2 * t2;
    const h = this.ratio - 1;
    const h2 = h * h;
    this.u20 = 1.5 * h * t;
    this.u02 = 0.5 * t;
    this.u30 = h2 * (2 * t2 + 0.5) + h * 0.5 * (1 - t2);
    this.u12 = (h + 1) / 6 - t2 / 2;
    this.u40 = h2 * t * (7 - 15 * t2) * 0.125 - 0.5 * h * t;
    this.u22 = t * (-1 / 3 - h * (0.75 * t2 + 0.25) + h2 / 12);
    this.u04 = (t * (1 + h - t2)) / 24;
    this.u50 = h * 0.1 * (t2 - 1) + h2 * ((3 / 8) * t4 - (49 / 20) * t2 + 3 / 40);
    this.u32 = -2 / 45 + h * (t4 / 4 - (29 / 30) * t2 - 7 / 180) + h2 * (1 / 18 - t4 - (14 / 15) * t2);
    this.u14 = t4 / 24 - (5 / 36) * t2 + 7 / 360 + (h * (7 - 37 * t2)) / 180 + h2 * (7 / 360 - t2 / 15);
    this.v11 = -t;
    this.v21 = -1 / 3 - h * (1.5 * t2 + 1 / 3);
    this.v03 = -t2 / 6;
    this.v31 = h * t * (t2 / 2 - 7 / 6) - h2 * t * (2 * t2 + 7 / 6);
    this.v13 = (t * (t2 - 1 - h)) / 6;
    this.v41 = -1 / 45 + h * ((23 / 30) * t2 - 14 / 45) + h2 * ((15 / 8) * t4 - (191 / 120) * t2 - 5 / 9);
    this.v23 = (2 / 9) * t2 - 2 / 45 + h * (t4 / 4 + (31 / 180) * t2 - 4 / 45) - h2 * (t2 / 20 + 2 / 45);
    this.v05 = t4 / 120 - ((1 + h) * t2) / 40;
  }

  /** From offsets in radians to `x` and `y`. */
  toPlane(longitudeOffset: number, latitudeOffset: number): void {
    const p = latitudeOffset / this.ratio;
    const q = longitudeOffset * this.cosLatitude;
    const q2 = q * q;
    const u =
      p * (1 + p * (this.u20 + p * (this.u30 + p * (this.u40 + p * this.u50)))) +
      q2 * (this.u02 + p * (this.u12 + p * (this.u22 + p * this.u32)) + q2 * (this.u04 + p * this.u14));
    const v =
      q *
      (1 +
        p * (this.v11 + p * (this.v21 + p * (this.v31 + p * this.v41))) +
        q2 * (this.v03 + p * (this.v13 + p * this.v23) + q2 * this.v05));
    this.x = v * this.primeVerticalMeters;
    this.y = u * this.primeVerticalMeters;
  }

  /** From metres east and north of the centre to `longitudeOffset` and `latitudeOffset`. */
  toGlobe(x: number, y: number): void {
    const u = y / this.primeVerticalMeters;
    const v = x / this.primeVerticalMeters;
    const v2 = v * v;
    this.latitudeOffset =
      u * (this.p10 + u * (this.p20 + u * (this.p30 + u * (this.p40 + u * this.p50)))) +
      v2 * (this.p02 + u * (this.p12 + u * (this.p22 + u * this.p32)) + v2 * (this.p04 + u * this.p14));
    this.longitudeOffset =
      v *
      (this.l01 +
        u * (this.l11 + u * (this.l21 + u * (this.l31 + u * this.l41))) +
        v2 * (this.l03 + u * (this.l13 + u * this.l23) + v2 * this.l05));
  }
}
