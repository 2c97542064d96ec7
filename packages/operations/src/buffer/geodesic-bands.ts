/**
 * Lines too long for one chart, cut into bands: runs of positions, each in a chart of its own, whose buffers are united.
 * Where ends are round, a band begins where the one before it ends; where they are flat, they share a step, so that no
 * wedge opens between them.
 */
import { GEOMETRY_TYPE, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import type { LocalChart } from '@geomill/geodesic/local-chart.ts';
import { type ChartDrawer, turnAfter } from './geodesic-draw.ts';
import type { GeodesicExtent } from './geodesic-extent.ts';
import type { GeodesicTasks } from './geodesic-tasks.ts';

const DEGREE = Math.PI / 180;
/** Near a pole, edges of a few metres can go around it: positions less than half a turn apart show on which side. */
const MAX_STEP_DEGREES = 90;

export interface BandForm {
  /** How far a band may reach from the centre of its chart. */
  readonly limitMeters: number;
  readonly metersPerDegree: number;
  readonly isRound: boolean;
  /** By how much the ends of an open line are prolonged (square ends); 0 for none. */
  readonly prolongMeters: number;
}

export class BandCutter {
  readonly #form: BandForm;
  readonly #tasks: GeodesicTasks;
  readonly #drawer: ChartDrawer;
  readonly #extent: GeodesicExtent;
  readonly #chart: LocalChart;
  // The line with steps short enough to cut between, longitudes unwrapped: x, y, x, y.
  #line: number[] = [];
  #turn = 0;

  constructor(
    form: BandForm,
    tasks: GeodesicTasks,
    drawer: ChartDrawer,
    extent: GeodesicExtent,
    chart: LocalChart,
  ) {
    this.#form = form;
    this.#tasks = tasks;
    this.#drawer = drawer;
    this.#extent = extent;
    this.#chart = chart;
  }

  /**
   * Makes tasks of the positions `[start, end)`. Edges for which `isBoundary` returns false are skipped (where a polygon was cut at 180
   * degrees or leads along a pole, it has no border).
   */
  cut(
    coordinates: Float64Array,
    stride: number,
    start: number,
    end: number,
    row: number,
    place: () => string,
    isBoundary: ((x1: number, y1: number, x2: number, y2: number) => boolean) | null,
  ): void {
    const isRing = isBoundary !== null;
    this.#line = [];
    for (let i = start; i < end; i++) {
      const at = i * stride;
      if (i > start && isBoundary !== null) {
        const before = at - stride;
        if (!isBoundary(coordinates[before], coordinates[before + 1], coordinates[at], coordinates[at + 1])) {
          this.#flush(row, place, false);
          this.#line = [];
        }
      }
      this.#stepTo(coordinates[at], coordinates[at + 1]);
    }
    this.#flush(row, place, isRing);
  }

  /** Adds a position, and those between it and the last one that make steps short. */
  #stepTo(x: number, y: number): void {
    const line = this.#line;
    if (line.length === 0) {
      this.#turn = 0;
      line.push(x, y);
      return;
    }
    const fromX = line[line.length - 2];
    const fromY = line[line.length - 1];
    this.#turn = turnAfter(this.#turn, fromX - this.#turn, x);
    const toX = x + this.#turn;
    const nearest = fromY * y <= 0 ? 0 : Math.min(Math.abs(fromY), Math.abs(y));
    const meters =
      this.#form.metersPerDegree * Math.hypot((toX - fromX) * Math.cos(nearest * DEGREE), y - fromY);
    const steps = Math.max(
      1,
      Math.ceil((meters * 4) / this.#form.limitMeters),
      Math.ceil(Math.abs(toX - fromX) / MAX_STEP_DEGREES),
    );
    for (let i = 1; i < steps; i++)
      line.push(fromX + ((toX - fromX) * i) / steps, fromY + ((y - fromY) * i) / steps);
    line.push(toX, y);
  }

  #flush(row: number, place: () => string, isRing: boolean): void {
    const { isRound, prolongMeters } = this.#form;
    if (this.#line.length < 4) return;
    if (prolongMeters > 0 && !isRing) this.#prolong(prolongMeters);
    const line = this.#line;
    // A ring's last band continues over the first step, as others do over the next one.
    if (isRing && !isRound) {
      const turn = line[line.length - 2] - line[0];
      line.push(line[2] + turn, line[3]);
    }
    const count = line.length / 2;
    for (let first = 0; first < count - 1; ) {
      const last = this.#lastOfBand(first, count, place);
      this.#emit(first, last, row, place);
      if (last === count - 1) break;
      first = isRound || last - 1 === first ? last : last - 1;
    }
  }

  /** The last position of a band that starts at `first`: at least the next one. */
  #lastOfBand(first: number, count: number, place: () => string): number {
    const { limitMeters } = this.#form;
    let last = first + 1;
    // Doubling, then halving: looking at each position once more per position would take squares.
    let step = 1;
    while (last + step < count && this.#fits(first, last + step, limitMeters, place)) {
      last += step;
      step *= 2;
    }
    for (; step >= 1; step >>= 1)
      if (last + step < count && this.#fits(first, last + step, limitMeters, place)) last += step;
    return last;
  }

  #fits(first: number, last: number, limitMeters: number, place: () => string): boolean {
    this.#extent.measure(this.#line, 2, first, last + 1, limitMeters, place);
    return this.#extent.radiusMeters <= limitMeters;
  }

  #emit(first: number, last: number, row: number, place: () => string): void {
    const { metersPerDegree, limitMeters } = this.#form;
    const extent = this.#extent;
    const tasks = this.#tasks;
    extent.measure(this.#line, 2, first, last + 1, limitMeters, place);
    this.#drawer.begin(extent, tasks.builder, metersPerDegree);
    // Longitudes are continuous already; those of a shifted extent exceed 180.
    if (extent.isShifted) {
      const shifted: number[] = [];
      for (let i = first; i <= last; i++) {
        const x = this.#line[2 * i];
        shifted.push(x < 0 ? x + 360 : x, this.#line[2 * i + 1]);
      }
      this.#drawer.ring(shifted, 2, 0, last + 1 - first, true);
    } else this.#drawer.ring(this.#line, 2, first, last + 1, true);
    tasks.builder.endPart(PART_KIND.line);
    tasks.end(GEOMETRY_TYPE.lineString, row, extent.longitude, extent.latitude);
  }

  /** Prolongs both ends straight on, as a square end does. */
  #prolong(meters: number): void {
    const line = this.#line;
    const last = line.length - 2;
    const start = this.#beyond(line[0], line[1], line[2], line[3], meters);
    const end = this.#beyond(line[last], line[last + 1], line[last - 2], line[last - 1], meters);
    this.#line = [...start, ...line, ...end];
  }

  /** The position `meters` beyond (x, y), in the direction from (nextX, nextY). */
  #beyond(x: number, y: number, nextX: number, nextY: number, meters: number): [number, number] {
    const chart = this.#chart;
    chart.centreAt(x, y, 1e-6);
    chart.toPlane(nextX - x, nextY);
    const length = Math.hypot(chart.x, chart.y);
    if (length === 0) return [x, y];
    chart.toGlobe((-chart.x / length) * meters, (-chart.y / length) * meters);
    return [x + chart.longitudeOffset, chart.latitude];
  }
}
