/**
 * A plane around a point of the ellipsoid, in metres: normal coordinates, computed by series near the centre and by geodesics
 * beyond. One chart is moved from feature to feature.
 *
 * The difference between the projection and its inverse is an error of every buffer, whatever the distance
 * of the buffer: so the series are used only where it is a small share of the wanted accuracy.
 */
import type { Ellipsoid } from './ellipsoid.ts';
import { GeodesicBetween } from './geodesic-between.ts';
import { GeodesicLine } from './geodesic-line.ts';
import { NormalCoordinates } from './normal-coordinates.ts';

const DEGREE = Math.PI / 180;
/** The terms left out of the series are below SIXTH * r * (r max(1, |tan latitude|) / N)^5. */
const SIXTH = 3;

/** Ten times the bound of the terms of the third order in r (r max(1, |tan latitude|) / N)^2. */
const THIRD = 10;

export class LocalChart {
  /** Result of `toPlane`, metres. */
  x = 0;
  y = 0;
  /** Result of `toGlobe`: degrees, the longitude relative to the centre's, -180 to 180. */
  longitudeOffset = 0;
  latitude = 0;
  /** Of the centre, degrees. */
  centreLongitude = 0;
  centreLatitude = 0;
  /** Metres around the centre within which series are used. */
  reachMeters = 0;
  #quadraticReachMeters = 0;
  readonly #series: NormalCoordinates;
  readonly #between: GeodesicBetween;
  readonly #line: GeodesicLine;

  constructor(ellipsoid: Ellipsoid) {
    this.#series = new NormalCoordinates(ellipsoid);
    this.#between = new GeodesicBetween(ellipsoid);
    this.#line = new GeodesicLine(ellipsoid);
  }

  /** Moves the centre; degrees. Positions in the plane shall be exact to `accuracyMeters`. */
  centreAt(longitude: number, latitude: number, accuracyMeters: number): void {
    this.centreLongitude = longitude;
    this.centreLatitude = latitude;
    const series = this.#series;
    series.centreAt(latitude * DEGREE);
    series.invert();
    const steepness = Math.max(1, Math.abs(series.tanLatitude)) / series.primeVerticalMeters;
    const bySixthTerm = (accuracyMeters / SIXTH / steepness ** 5) ** (1 / 6);
    this.reachMeters = Math.min(series.seriesReachMeters, bySixthTerm);
    this.#quadraticReachMeters = Math.min(
      this.reachMeters,
      (accuracyMeters / THIRD / steepness ** 2) ** (1 / 3),
    );
    this.#between.startAt(latitude * DEGREE);
    this.#line.startAt(latitude * DEGREE);
  }

  /** Metres around the centre within which terms above the second order are below a tenth of the accuracy. */
  get quadraticReachMeters(): number {
    return this.#quadraticReachMeters;
  }

  /** Degrees of `meters` along the centre's parallel. */
  degreesOfLongitude(meters: number): number {
    return meters / this.#series.primeVerticalMeters / this.#series.cosLatitude / DEGREE;
  }

  /**
   * Replaces metres by degrees at `[start, end)` of an array x, y, x, y, all within the quadratic reach; `longitude` is what the centre's is
   * to be called. A third of the time of `toGlobe`, which matters for millions of small features.
   */
  toGlobeInPlace(coordinates: Float64Array, start: number, end: number, longitude: number): void {
    const series = this.#series;
    const perMeter = 1 / series.primeVerticalMeters;
    const degreesPerMeter = perMeter / DEGREE;
    const east = series.l01 * degreesPerMeter;
    const skew = series.l11 * degreesPerMeter * perMeter;
    const north = series.p10 * degreesPerMeter;
    const alongSquare = series.p20 * degreesPerMeter * perMeter;
    const acrossSquare = series.p02 * degreesPerMeter * perMeter;
    const latitude = this.centreLatitude;
    for (let at = start; at < end; at += 2) {
      const x = coordinates[at];
      const y = coordinates[at + 1];
      coordinates[at] = longitude + x * (east + y * skew);
      coordinates[at + 1] = latitude + (y * (north + y * alongSquare) + x * x * acrossSquare);
    }
  }

  /** From degrees, with the longitude relative to the centre's, to `x` and `y`. */
  toPlane(longitudeOffset: number, latitude: number): void {
    const series = this.#series;
    const latitudeOffset = (latitude - this.centreLatitude) * DEGREE;
    const reach = this.reachMeters / series.primeVerticalMeters;
    const east = longitudeOffset * DEGREE * series.cosLatitude;
    if (latitudeOffset * latitudeOffset + east * east < 0.9 * reach * reach) {
      series.toPlane(longitudeOffset * DEGREE, latitudeOffset);
      this.x = series.x;
      this.y = series.y;
      return;
    }
    const between = this.#between;
    between.measure(longitudeOffset * DEGREE, latitude * DEGREE);
    this.x = between.meters * between.sinAzimuth;
    this.y = between.meters * between.cosAzimuth;
  }

  /** From metres to `longitudeOffset` and `latitude`. */
  toGlobe(x: number, y: number): void {
    const square = x * x + y * y;
    if (square < this.reachMeters * this.reachMeters) {
      const series = this.#series;
      series.toGlobe(x, y);
      this.longitudeOffset = series.longitudeOffset / DEGREE;
      this.latitude = this.centreLatitude + series.latitudeOffset / DEGREE;
      return;
    }
    const meters = Math.sqrt(square);
    const line = this.#line;
    if (meters === 0) line.travel(0, 1, 0);
    else line.travel(x / meters, y / meters, meters);
    this.longitudeOffset = line.longitude / DEGREE;
    this.latitude = line.latitude / DEGREE;
  }
}
