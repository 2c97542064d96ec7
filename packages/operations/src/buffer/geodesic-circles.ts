/**
 * Geodesic circles: polygons whose vertices have a given distance from a point, measured on the ellipsoid. Positions are degrees.
 *
 * Away from the poles and the antimeridian, for distances up to about 250 km, a circle is four polynomials of the azimuth
 * (normal-coordinates.ts): quadrants are mirrored, nothing trigonometric is left per vertex. Others are made vertex by vertex in
 * geodesic-outline.ts.
 */
import { type GeometryBuilder, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import type { Ellipsoid } from '@geomill/geodesic/ellipsoid.ts';
import { NormalCoordinates } from '@geomill/geodesic/normal-coordinates.ts';
import { GeodesicOutline } from './geodesic-outline.ts';

const DEGREE = Math.PI / 180;

export class GeodesicCircles {
  /** Ordinates of a circle that needs no cut. */
  readonly ordinateCount: number;
  readonly #meters: number;
  readonly #segments: number;
  /** Of the angle from the east, for the vertices of the first quadrant, both ends included. */
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;
  readonly #local: NormalCoordinates;
  readonly #outline: GeodesicOutline;

  constructor(ellipsoid: Ellipsoid, meters: number, quadrantSegments: number) {
    this.#meters = meters;
    this.#segments = quadrantSegments;
    this.ordinateCount = 2 * (4 * quadrantSegments + 1);
    this.#cosines = new Float64Array(quadrantSegments + 1);
    this.#sines = new Float64Array(quadrantSegments + 1);
    for (let i = 0; i <= quadrantSegments; i++) {
      this.#cosines[i] = i === quadrantSegments ? 0 : Math.cos(((Math.PI / 2) * i) / quadrantSegments);
      this.#sines[i] = Math.sin(((Math.PI / 2) * i) / quadrantSegments);
    }
    this.#local = new NormalCoordinates(ellipsoid);
    this.#outline = new GeodesicOutline(ellipsoid, meters, quadrantSegments);
  }

  /** Appends the circle around a position, -180 <= longitude <= 180, as one polygon part, or two if it is cut. Returns their number. */
  append(builder: GeometryBuilder, longitude: number, latitude: number): number {
    const local = this.#local;
    local.centreAt(latitude * DEGREE);
    if (this.#meters > local.seriesReachMeters) return this.#outline.append(builder, longitude, latitude);
    // A little more than the circle's half width in longitude.
    const halfWidth = (1.1 * this.#meters) / (local.primeVerticalMeters * local.cosLatitude * DEGREE);
    if (Math.abs(longitude) + halfWidth >= 180) return this.#outline.append(builder, longitude, latitude);
    this.#appendBySeries(builder, longitude, latitude);
    return 1;
  }

  /**
   * With u = r sin and v = r cos of the angle from the east, the series fall into parts that are even and odd in u and v:
   *
   *     latitude - latitude0 = A(u^2) + u B(u^2)      longitude - longitude0 = v (C(u^2) + u D(u^2))
   */
  #appendBySeries(builder: GeometryBuilder, longitude: number, latitude: number): void {
    const local = this.#local;
    const r = this.#meters / local.primeVerticalMeters;
    const r2 = r * r;
    const r4 = r2 * r2;
    const byLatitude = 1 / DEGREE;
    const a0 = (local.p02 * r2 + local.p04 * r4) * byLatitude;
    const a1 = ((local.p20 - local.p02) * r2 + (local.p22 - 2 * local.p04) * r4) * byLatitude;
    const a2 = (local.p40 - local.p22 + local.p04) * r4 * byLatitude;
    const odd = r * byLatitude;
    const b0 = (local.p10 + local.p12 * r2 + local.p14 * r4) * odd;
    const b1 = ((local.p30 - local.p12) * r2 + (local.p32 - 2 * local.p14) * r4) * odd;
    const b2 = (local.p50 - local.p32 + local.p14) * r4 * odd;
    const c0 = (local.l01 + local.l03 * r2 + local.l05 * r4) * odd;
    const c1 = ((local.l21 - local.l03) * r2 + (local.l23 - 2 * local.l05) * r4) * odd;
    const c2 = (local.l41 - local.l23 + local.l05) * r4 * odd;
    const d0 = (local.l11 + local.l13 * r2) * r * odd;
    const d1 = (local.l31 - local.l13) * r2 * r * odd;

    const segments = this.#segments;
    const cosines = this.#cosines;
    const sines = this.#sines;
    builder.reserve(this.ordinateCount);
    const { coordinates } = builder;
    const start = builder.coordinateLength;
    // Vertex k is at start + 2 k; the four that mirror one another run towards and away from each other.
    let first = start;
    let second = start + 4 * segments;
    let third = second;
    let fourth = start + 8 * segments;
    for (let i = 0; i <= segments; i++) {
      const sine = sines[i];
      const w = sine * sine;
      const even = latitude + a0 + w * (a1 + w * a2);
      const north = sine * (b0 + w * (b1 + w * b2));
      const across = cosines[i] * (c0 + w * (c1 + w * c2));
      const skew = cosines[i] * sine * (d0 + w * d1);
      coordinates[first] = longitude + (across + skew);
      coordinates[first + 1] = even + north;
      coordinates[second] = longitude - (across + skew);
      coordinates[second + 1] = even + north;
      coordinates[third] = longitude - (across - skew);
      coordinates[third + 1] = even - north;
      coordinates[fourth] = longitude + (across - skew);
      coordinates[fourth + 1] = even - north;
      first += 2;
      second -= 2;
      third += 2;
      fourth -= 2;
    }
    builder.coordinateLength = start + this.ordinateCount;
    builder.endRing();
    builder.endPart(PART_KIND.polygon);
  }
}
