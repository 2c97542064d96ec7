/** The figure of the earth, or of another body: the constants that geodesy needs, computed once. */

export class Ellipsoid {
  readonly semiMajorMeters: number;
  readonly semiMinorMeters: number;
  readonly flattening: number;
  readonly thirdFlattening: number;
  /** e^2 = f (2 - f). */
  readonly eccentricitySquared: number;
  /** e'^2 = e^2 / (1 - e^2). */
  readonly secondEccentricitySquared: number;
  /** a^2 / b, the radius of curvature at the poles. */
  readonly polarRadiusMeters: number;

  /** An inverse flattening of 0 is a sphere. */
  constructor(semiMajorMeters: number, inverseFlattening: number) {
    const f = inverseFlattening === 0 ? 0 : 1 / inverseFlattening;
    this.semiMajorMeters = semiMajorMeters;
    this.flattening = f;
    this.semiMinorMeters = semiMajorMeters * (1 - f);
    this.thirdFlattening = f / (2 - f);
    this.eccentricitySquared = f * (2 - f);
    this.secondEccentricitySquared = this.eccentricitySquared / (1 - f) ** 2;
    this.polarRadiusMeters = semiMajorMeters / (1 - f);
  }
}
