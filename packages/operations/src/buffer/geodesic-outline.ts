/**
 * Geodesic circles vertex by vertex, for those that are large, near a pole or at the antimeridian.
 *
 * Both halves of a circle mirror each other, so longitudes are computed for azimuths from 0 (north) to pi (south) alone. Where the circle
 * encloses a pole, its outline is a line around the globe that is closed along the pole:
 *
 *      -180,90 *----------------------* 180,90      Cuts at 180 degrees are made on the circle itself (its azimuth
 *              |                      |             is searched), so their vertices lie at the distance too, which
 *              *--*--.__     __.--*---*             the middle of a chord would not: 0.12 % short with 16 segments
 *                       *--*                        in a quadrant.
 */
import { type GeometryBuilder, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import type { Ellipsoid } from '@geomill/geodesic/ellipsoid.ts';
import { GeodesicLine } from '@geomill/geodesic/geodesic-line.ts';

const DEGREE = Math.PI / 180;
/** How often the step between two azimuths may be halved where longitudes run fast. */
const MAX_HALVINGS = 14;
/** Finds a crossing to the last bit of an azimuth. */
const SEARCH_STEPS = 60;

type EnclosedPole = 'none' | 'north' | 'south';

export class GeodesicOutline {
  readonly #meters: number;
  readonly #segments: number;
  readonly #radiusMeters: number;
  /** Tolerated distance of a straight edge in longitude and latitude from the circle. */
  readonly #toleranceMeters: number;
  readonly #line: GeodesicLine;
  // One half: azimuths from north to south, radians, longitudes from the centre's (0 .. pi) and latitudes, radians.
  #azimuths: number[] = [];
  #longitudes: number[] = [];
  #latitudes: number[] = [];
  // The whole: degrees, and the azimuth of each vertex.
  #x: number[] = [];
  #y: number[] = [];
  #azimuthOf: number[] = [];

  constructor(ellipsoid: Ellipsoid, meters: number, quadrantSegments: number) {
    this.#meters = meters;
    this.#segments = quadrantSegments;
    this.#radiusMeters = ellipsoid.semiMajorMeters;
    this.#toleranceMeters = meters * Math.max(1e-4, 1 - Math.cos(Math.PI / 4 / quadrantSegments));
    this.#line = new GeodesicLine(ellipsoid);
  }

  /** Appends the circle as polygon parts, cut at 180 degrees; returns their count. */
  append(builder: GeometryBuilder, longitude: number, latitude: number): number {
    this.#line.startAt(latitude * DEGREE);
    const pole = this.#enclosedPole();
    this.#computeHalf(pole);
    const widest = this.#longitudes.reduce((widest, value) => Math.max(widest, value), 0) / DEGREE;
    // A circle across -180 gets longitudes above 180, so that there is only one kind of cut.
    const centre = longitude < 0 && longitude - widest < -180 ? longitude + 360 : longitude;
    this.#joinHalves(centre, pole);
    if (pole !== 'none') {
      this.#appendCap(builder, pole);
      return 1;
    }
    if (centre + widest <= 180) {
      this.#appendRing(builder, this.#x, this.#y);
      return 1;
    }
    const { left, right } = this.#cut(centre, this.#x.length);
    if (left.x.length > 2) this.#appendRing(builder, left.x, left.y);
    if (right.x.length > 2) this.#appendRing(builder, right.x, right.y);
    return (left.x.length > 2 ? 1 : 0) + (right.x.length > 2 ? 1 : 0);
  }

  #enclosedPole(): EnclosedPole {
    const line = this.#line;
    line.travel(0, 1, this.#meters);
    if (Math.abs(line.longitude) > 1) return 'north';
    line.travel(0, -1, this.#meters);
    return Math.abs(line.longitude) > 1 ? 'south' : 'none';
  }

  #computeHalf(pole: EnclosedPole): void {
    this.#azimuths = [];
    this.#longitudes = [];
    this.#latitudes = [];
    const count = 2 * this.#segments;
    for (let i = 0; i <= count; i++) this.#computeTo((Math.PI * i) / count, i / count, pole);
  }

  /** Adds the vertex at an azimuth, and between it and the last one as many as the speed of longitudes asks for. */
  #computeTo(azimuth: number, share: number, pole: EnclosedPole, halvings = 0): void {
    const line = this.#line;
    line.travel(share === 0 || share === 1 ? 0 : Math.sin(azimuth), Math.cos(azimuth), this.#meters);
    let longitude = Math.abs(line.longitude);
    if (share === 0) longitude = pole === 'north' ? Math.PI : 0;
    if (share === 1) longitude = pole === 'south' ? Math.PI : 0;
    const { latitude } = line;
    const last = this.#azimuths.length - 1;
    if (last >= 0 && halvings < MAX_HALVINGS) {
      const acrossLongitude = Math.abs(longitude - this.#longitudes[last]);
      const alongLatitude = Math.abs(latitude - this.#latitudes[last]);
      const middle = (latitude + this.#latitudes[last]) / 2;
      const bend =
        (this.#radiusMeters / 8) *
        acrossLongitude *
        Math.abs(Math.sin(middle)) *
        Math.hypot(acrossLongitude * Math.cos(middle), 2 * alongLatitude);
      if (bend > this.#toleranceMeters) {
        const between = (azimuth + this.#azimuths[last]) / 2;
        this.#computeTo(between, between / Math.PI, pole, halvings + 1);
        this.#computeTo(azimuth, share, pole, halvings + 1);
        return;
      }
    }
    this.#azimuths.push(azimuth);
    this.#longitudes.push(longitude);
    this.#latitudes.push(latitude);
  }

  /**
   * The whole outline from both halves: counter-clockwise from the north, or from west to east where a pole is enclosed.
   * No vertex comes twice, except the two ends of a line around the globe, which are the same position.
   */
  #joinHalves(centre: number, pole: EnclosedPole): void {
    const count = this.#azimuths.length;
    this.#x = [];
    this.#y = [];
    this.#azimuthOf = [];
    const add = (i: number, side: 1 | -1): void => {
      const offset = this.#longitudes[i] === Math.PI ? 180 : this.#longitudes[i] / DEGREE;
      this.#x.push(centre + side * offset);
      this.#y.push(this.#latitudes[i] / DEGREE);
      this.#azimuthOf.push(this.#azimuths[i]);
    };
    if (pole === 'south') {
      for (let i = count - 1; i >= 0; i--) add(i, -1);
      for (let i = 1; i < count; i++) add(i, 1);
      return;
    }
    for (let i = 0; i < count; i++) add(i, -1);
    for (let i = count - 2; i > (pole === 'north' ? -1 : 0); i--) add(i, 1);
  }

  /**
   * The outline on either side of longitude 180; the part beyond it is moved back by a turn. With as many edges as vertices it is
   * closed.
   */
  #cut(centre: number, edgeCount: number): { left: Side; right: Side } {
    const left: Side = { x: [], y: [] };
    const right: Side = { x: [], y: [] };
    const x = this.#x;
    const y = this.#y;
    const count = x.length;
    for (let i = 0; i < count; i++) {
      if (x[i] <= 180) push(left, x[i], y[i]);
      if (x[i] >= 180) push(right, x[i] - 360, y[i]);
      if (i >= edgeCount) continue;
      const next = (i + 1) % count;
      if ((x[i] < 180 && x[next] > 180) || (x[i] > 180 && x[next] < 180)) {
        const crossing = this.#latitudeAt180(centre, this.#azimuthOf[i], this.#azimuthOf[next]);
        push(left, 180, crossing);
        push(right, -180, crossing);
      }
    }
    return { left, right };
  }

  /** Degrees: where the circle, between two azimuths of one half, has longitude 180. */
  #latitudeAt180(centre: number, azimuth1: number, azimuth2: number): number {
    const line = this.#line;
    const wanted = Math.abs(180 - centre) * DEGREE;
    let low = azimuth1;
    let high = azimuth2;
    line.travel(Math.sin(low), Math.cos(low), this.#meters);
    const isLowBelow = Math.abs(line.longitude) < wanted;
    for (let step = 0; step < SEARCH_STEPS; step++) {
      const middle = (low + high) / 2;
      line.travel(Math.sin(middle), Math.cos(middle), this.#meters);
      if (Math.abs(line.longitude) < wanted === isLowBelow) low = middle;
      else high = middle;
    }
    return line.latitude / DEGREE;
  }

  #appendCap(builder: GeometryBuilder, pole: 'north' | 'south'): void {
    const centre = (this.#x[0] + this.#x[this.#x.length - 1]) / 2;
    const { left, right } = this.#cut(centre, this.#x.length - 1);
    // The end of one side and the start of the other are the same place, half a turn from the centre.
    if (right.x.length > 0 && left.x.length > 0 && Math.abs(right.x[right.x.length - 1] - left.x[0]) < 1e-9) {
      right.x.pop();
      right.y.pop();
    }
    const x = [...right.x, ...left.x];
    const y = [...right.y, ...left.y];
    if (pole === 'north') {
      this.#appendRing(builder, [...x, 180, -180], [...y, 90, 90]);
      return;
    }
    this.#appendRing(builder, [-180, 180, ...x.reverse()], [-90, -90, ...y.reverse()]);
  }

  #appendRing(builder: GeometryBuilder, x: readonly number[], y: readonly number[]): void {
    for (let i = 0; i <= x.length; i++) builder.position(x[i % x.length], y[i % x.length]);
    builder.endRing();
    builder.endPart(PART_KIND.polygon);
  }
}

interface Side {
  readonly x: number[];
  readonly y: number[];
}

function push(side: Side, x: number, y: number): void {
  const last = side.x.length - 1;
  if (last >= 0 && side.x[last] === x && side.y[last] === y) return;
  side.x.push(x);
  side.y.push(y);
}
