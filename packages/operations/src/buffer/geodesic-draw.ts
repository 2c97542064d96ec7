/** Draws positions in degrees into a chart: edges that are straight in longitude and latitude stay so by vertices in between. */
import type { GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { isCrossing } from '@geomill/core/sphere/crossing.ts';
import type { LocalChart } from '@geomill/geodesic/local-chart.ts';
import { geosErrors } from '@geomill/geos/errors.ts';
import type { EdgeBends } from './geodesic-edges.ts';
import type { GeodesicExtent } from './geodesic-extent.ts';

const DEGREE = Math.PI / 180;
/** Maximum ordinates of a batch in charts, 1 GB: at a distance of 1 m, edges across the globe need a vertex about every 70 m. */
const MAX_ORDINATES = 2 ** 27;
/** How often an edge may be halved. */
const MAX_HALVINGS = 24;

/**
 * The degrees to add to the longitude of a position: `turn`, as for the previous one, or one turn more or less if the edge
 * between them crosses the antimeridian.
 */
export function turnAfter(turn: number, previous: number, longitude: number): number {
  if (!isCrossing(previous, longitude)) return turn;
  return previous > 0 ? turn + 360 : turn - 360;
}

export class ChartDrawer {
  readonly #chart: LocalChart;
  readonly #bends: EdgeBends;
  #builder!: GeometryBuilder;
  #extent!: GeodesicExtent;
  #harmlessMeters = 0;
  #metersPerDegree = 0;

  constructor(chart: LocalChart, bends: EdgeBends) {
    this.#chart = chart;
    this.#bends = bends;
  }

  /** Sets the chart and the builder for the next rings. */
  begin(extent: GeodesicExtent, builder: GeometryBuilder, metersPerDegree: number): void {
    this.#chart.centreAt(extent.longitude, extent.latitude, this.#bends.toleranceMeters);
    this.#extent = extent;
    this.#builder = builder;
    this.#metersPerDegree = metersPerDegree;
    this.#harmlessMeters = extent.isPolar
      ? 0
      : this.#bends.harmlessMeters(extent.latitude, extent.radiusMeters);
  }

  /** One ring or line of the builder, from the positions `[start, end)`. */
  ring(
    coordinates: Float64Array | readonly number[],
    stride: number,
    start: number,
    end: number,
    isUnwrapped = false,
  ): void {
    const { longitude: centre, isShifted, isPolar, radiusMeters } = this.#extent;
    const mayBend = 2 * radiusMeters > this.#harmlessMeters;
    this.#builder.reserve(2 * (end - start));
    let previousX = 0;
    let previousY = 0;
    let turn = 0;
    for (let i = start; i < end; i++) {
      let x = coordinates[i * stride];
      const y = coordinates[i * stride + 1];
      if (!isUnwrapped) {
        if (isShifted && x < 0) x += 360;
        if (isPolar && i > start) {
          turn = turnAfter(turn, previousX - turn, x);
          x += turn;
        }
      }
      if (mayBend && i > start && !this.#isApproximate(previousX, previousY, x, y))
        this.#between(previousX, previousY, x, y, 0);
      this.#position(x - centre, y);
      previousX = x;
      previousY = y;
    }
    this.#builder.endRing();
  }

  #isApproximate(x1: number, y1: number, x2: number, y2: number): boolean {
    const latitude = (y1 + y2) / 2;
    const meters = this.#metersPerDegree * Math.hypot((x2 - x1) * Math.cos(latitude * DEGREE), y2 - y1);
    return this.#bends.isApproximate(meters, latitude);
  }

  /** The vertices that an edge needs between its ends. */
  #between(x1: number, y1: number, x2: number, y2: number, halvings: number): void {
    const dx = x2 - x1;
    const dy = y2 - y1;
    const middleY = (y1 + y2) / 2;
    const steepest = this.#harmlessMeters / this.#metersPerDegree;
    if (dx * dx + dy * dy < steepest * steepest || halvings === MAX_HALVINGS) return;
    const isBent = this.#bends.isBent(dx, dy, middleY, this.#extent.radiusMeters);
    // A quarter of the globe seems straight if it begins and ends on the equator.
    if (!isBent && Math.abs(dx * Math.cos(middleY * DEGREE)) < 20) return;
    if (this.#builder.coordinateLength > MAX_ORDINATES)
      throw failure(geosErrors.GEOS_OUT_OF_MEMORY, { operation: 'buffer' });
    const middleX = (x1 + x2) / 2;
    this.#between(x1, y1, middleX, middleY, halvings + 1);
    this.#position(middleX - this.#extent.longitude, middleY);
    this.#between(middleX, middleY, x2, y2, halvings + 1);
  }

  #position(longitudeOffset: number, latitude: number): void {
    // Both sides of the antimeridian are to meet exactly, seen from a pole.
    this.#chart.toPlane(longitudeOffset === -180 ? 180 : longitudeOffset, latitude);
    this.#builder.position(this.#chart.x, this.#chart.y);
  }
}
