/** Estimates the distance between the straight edge of two positions in degrees and their straight edge in a chart. */
import type { Ellipsoid } from '@geomill/geodesic/ellipsoid.ts';

const DEGREE = Math.PI / 180;
/** Tolerated bend of edges between degrees and chart, per distance of the buffer: a fifth of the guaranteed accuracy. */
const TOLERANCE_PER_DISTANCE = 2e-4;
/** Lower limit of the tolerance, in metres: a hundredth of the seventh decimal place of a degree. */
const LEAST_TOLERANCE_METERS = 1e-4;
/** Degrees; nearer to a pole few projections are used, and parallels turn too fast to follow. */
const STEEPEST_LATITUDE = 80;

export class EdgeBends {
  /** Metres that an edge may bend. */
  readonly toleranceMeters: number;
  readonly #radiusMeters: number;
  readonly #coarseMeters: number;

  /**
   * `hasShortEdges`: `withShortEdges` divided the edges. Pieces that are still long, of edges across a whole map, are
   * approximate already, so they get no more vertices: one every 40 m would make millions of a few edges.
   */
  constructor(ellipsoid: Ellipsoid, distanceMeters: number, hasShortEdges: boolean) {
    // The radius of curvature is largest at the poles; it overestimates the bend of long edges.
    this.#radiusMeters = ellipsoid.polarRadiusMeters;
    this.toleranceMeters = Math.max(
      TOLERANCE_PER_DISTANCE * Math.abs(distanceMeters),
      LEAST_TOLERANCE_METERS,
    );
    this.#coarseMeters = hasShortEdges ? 2 * this.straightMeters : Number.POSITIVE_INFINITY;
  }

  /** Edges up to this length stay within the tolerance, whether they are straight on the globe or in a plane. */
  get straightMeters(): number {
    return this.harmlessMeters(STEEPEST_LATITUDE, 0);
  }

  /** Whether an edge stays undivided, however much it bends. Near a pole it is divided: its longitudes turn too fast. */
  isApproximate(meters: number, latitude: number): boolean {
    return meters > this.#coarseMeters && Math.abs(latitude) < STEEPEST_LATITUDE;
  }

  /** Edges up to this length, in metres, bend less than tolerated within `reachMeters` of a chart's centre. */
  harmlessMeters(centreLatitude: number, reachMeters: number): number {
    const radius = this.#radiusMeters;
    const latitude = Math.min(89.99, Math.abs(centreLatitude) + reachMeters / radius / DEGREE);
    const bendPerSquare = (1.2 * Math.tan(latitude * DEGREE) + reachMeters / radius) / (8 * radius);
    return Math.sqrt(this.toleranceMeters / bendPerSquare);
  }

  /** Whether an edge, given in degrees, bends more than tolerated in a chart whose centre is up to `reachMeters` away. */
  isBent(
    acrossLongitude: number,
    alongLatitude: number,
    middleLatitude: number,
    reachMeters: number,
  ): boolean {
    const radius = this.#radiusMeters;
    const across = acrossLongitude * DEGREE;
    const along = alongLatitude * DEGREE;
    const middle = middleLatitude * DEGREE;
    const east = across * Math.cos(middle);
    // A parallel turns by the longitude times the sine of the latitude; normal coordinates bend geodesics a little.
    const steepest = Math.sin(Math.abs(middle) + Math.abs(along) / 2);
    const ofParallel = Math.abs(across) * steepest * Math.hypot(east, 2 * along);
    const ofChart = ((east * east + along * along) * reachMeters * 2) / (3 * radius);
    return (radius / 8) * (ofParallel + ofChart) > this.toleranceMeters;
  }
}
