/** Draws the features of a batch into charts: whole features, or pieces of those that are too large. */
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { cutAtAntimeridian } from '@geomill/core/sphere/cut.ts';
import type { Ellipsoid } from '@geomill/geodesic/ellipsoid.ts';
import type { LocalChart } from '@geomill/geodesic/local-chart.ts';
import { BandCutter } from './geodesic-bands.ts';
import { PolygonBorder } from './geodesic-boundary.ts';
import { ChartDrawer, turnAfter } from './geodesic-draw.ts';
import type { EdgeBends } from './geodesic-edges.ts';
import { GeodesicExtent } from './geodesic-extent.ts';
import { GeodesicTasks } from './geodesic-tasks.ts';

const { point, multiPoint } = GEOMETRY_TYPE;
const DEGREE = Math.PI / 180;
/** How far a chart may reach, in radii of the body: distances in it are off by a sixth of the square, 0.016 %. */
const CHART_REACH = 0.0313;

/** How a row is buffered. */
export const ROW = { empty: 0, circles: 1, whole: 2, pieces: 3 } as const;

export interface DrawnFeatures {
  /** ROW of each row. */
  readonly kinds: Uint8Array;
  /** Tasks with the distance of the buffer. */
  readonly wholes: GeodesicTasks;
  /** Tasks with its amount: borders of polygons, and lines. */
  readonly bands: GeodesicTasks;
  /** Rows that were cut at the antimeridian: in a chart their parts touch, although the rows are valid. */
  readonly seamRows: ReadonlySet<number>;
}

export interface DrawingForm {
  readonly isRound: boolean;
  readonly prolongMeters: number;
  /** The distance is 0 or negative: only polygons leave anything. */
  readonly isShrinking: boolean;
  /** Points are buffered as circles by other code. */
  readonly hasCircles: boolean;
}

export class FeatureDrawer {
  readonly #form: DrawingForm;
  readonly #limitMeters: number;
  readonly #metersPerDegree: number;
  readonly #chart: LocalChart;
  readonly #extent: GeodesicExtent;
  readonly #drawer: ChartDrawer;

  constructor(ellipsoid: Ellipsoid, chart: LocalChart, bends: EdgeBends, form: DrawingForm) {
    this.#form = form;
    this.#limitMeters = CHART_REACH * ellipsoid.semiMajorMeters;
    this.#metersPerDegree = ellipsoid.polarRadiusMeters * DEGREE;
    this.#chart = chart;
    this.#extent = new GeodesicExtent(ellipsoid.polarRadiusMeters);
    this.#drawer = new ChartDrawer(chart, bends);
  }

  /** Throws COORDINATE_OUT_OF_RANGE. */
  draw(column: GeometryColumn, layerName: string): DrawnFeatures {
    const { types, partOffsets, coordinates } = column;
    const stride = strideOf(column.dimensions);
    const wholes = new GeodesicTasks(types.length, coordinates.length / stride);
    const bands = new GeodesicTasks(8, 8);
    const kinds = new Uint8Array(types.length);
    const seamRows = new Set<number>();
    for (let row = 0; row < types.length; row++) {
      if (partOffsets[row] === partOffsets[row + 1]) continue;
      const place = (): string => `feature ${row + 1} of layer '${layerName}'`;
      const isPoints = types[row] === point || types[row] === multiPoint;
      if (isPoints && this.#form.hasCircles) {
        kinds[row] = ROW.circles;
        this.#checkPoints(column, row, place);
        continue;
      }
      this.#measure(column, partOffsets[row], partOffsets[row + 1], place);
      const extent = this.#extent;
      if (extent.radiusMeters <= this.#limitMeters) {
        kinds[row] = ROW.whole;
        if (extent.isShifted || extent.isPolar) seamRows.add(row);
        this.#drawParts(column, partOffsets[row], partOffsets[row + 1], wholes);
        wholes.end(types[row], row, extent.longitude, extent.latitude);
        continue;
      }
      kinds[row] = ROW.pieces;
      this.#drawPieces(column, row, wholes, bands, place);
    }
    return { kinds, wholes, bands, seamRows };
  }

  /** The polygons of a row that `draw` cut into bands, one per row of the column, within -180 .. 180. */
  bodyOf(column: GeometryColumn, row: number, layerName: string): GeometryColumn {
    const { partOffsets, partKinds, ringOffsets, coordOffsets, coordinates } = column;
    const stride = strideOf(column.dimensions);
    const builder = new GeometryBuilder('XY');
    const border = borderOf(column, row);
    const place = (): string => `feature ${row + 1} of layer '${layerName}'`;
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      if ((partKinds[part] & PART_KIND_MASK) !== PART_KIND.polygon) continue;
      if (this.#isWhole(column, part, border, place)) continue;
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
        for (let i = coordOffsets[ring]; i < coordOffsets[ring + 1]; i++)
          builder.position(coordinates[i * stride], coordinates[i * stride + 1]);
        builder.endRing();
      }
      builder.endPart(PART_KIND.polygon);
      builder.endFeature(GEOMETRY_TYPE.polygon);
    }
    return cutAtAntimeridian(builder.finish()).geometry;
  }

  #checkPoints(column: GeometryColumn, row: number, place: () => string): void {
    const { partOffsets, ringOffsets, coordOffsets, coordinates } = column;
    const stride = strideOf(column.dimensions);
    const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
    for (let at = coordOffsets[ringOffsets[partOffsets[row]]] * stride; at < end; at += stride) {
      const isFar = Math.abs(coordinates[at + 1]) > 90 || Math.abs(coordinates[at]) > 180;
      if (isFar) this.#extent.measure(coordinates, stride, at / stride, at / stride + 1, 0, place);
    }
  }

  #measure(column: GeometryColumn, partStart: number, partEnd: number, place: () => string): void {
    const { ringOffsets, coordOffsets, coordinates } = column;
    const start = coordOffsets[ringOffsets[partStart]];
    const end = coordOffsets[ringOffsets[partEnd]];
    const stride = strideOf(column.dimensions);
    const extent = this.#extent;
    extent.measure(coordinates, stride, start, end, this.#limitMeters, place);
    if (extent.isShifted && hasWideEdge(column, partStart, partEnd))
      extent.measure(coordinates, stride, start, end, this.#limitMeters, place, false);
  }

  /**
   * Whether a part is buffered in one chart, which is measured. A polygon that was cut at the antimeridian must not shrink from the cut,
   * so its border is taken in bands.
   */
  #isWhole(column: GeometryColumn, part: number, border: PolygonBorder, place: () => string): boolean {
    this.#measure(column, part, part + 1, place);
    if (this.#extent.radiusMeters > this.#limitMeters) return false;
    return !this.#form.isShrinking || !hasCut(column, part, border);
  }

  /** Into the chart that was just measured. */
  #drawParts(column: GeometryColumn, partStart: number, partEnd: number, tasks: GeodesicTasks): void {
    const { partKinds, ringOffsets, coordOffsets, coordinates } = column;
    const stride = strideOf(column.dimensions);
    this.#drawer.begin(this.#extent, tasks.builder, this.#metersPerDegree);
    for (let part = partStart; part < partEnd; part++) {
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++)
        this.#drawer.ring(coordinates, stride, coordOffsets[ring], coordOffsets[ring + 1]);
      tasks.builder.endPart(partKinds[part]);
    }
  }

  #drawPieces(
    column: GeometryColumn,
    row: number,
    wholes: GeodesicTasks,
    bands: GeodesicTasks,
    place: () => string,
  ): void {
    const { partOffsets, partKinds, ringOffsets, coordOffsets, coordinates } = column;
    const stride = strideOf(column.dimensions);
    const border = borderOf(column, row);
    const { isRound, prolongMeters, isShrinking } = this.#form;
    const form = {
      limitMeters: this.#limitMeters,
      metersPerDegree: this.#metersPerDegree,
      isRound,
      prolongMeters,
    };
    const cutter = new BandCutter(form, bands, this.#drawer, this.#extent, this.#chart);
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
      const kind = partKinds[part] & PART_KIND_MASK;
      if (isShrinking && kind !== PART_KIND.polygon) continue;
      if (this.#isWhole(column, part, border, place)) {
        const { longitude, latitude } = this.#extent;
        this.#drawParts(column, part, part + 1, wholes);
        wholes.end(kind, row, longitude, latitude);
        continue;
      }
      const isBoundary = kind === PART_KIND.polygon ? border.isBoundary : null;
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++)
        cutter.cut(coordinates, stride, coordOffsets[ring], coordOffsets[ring + 1], row, place, isBoundary);
    }
  }
}

/** Of all polygons of a row. */
function borderOf(column: GeometryColumn, row: number): PolygonBorder {
  const { partOffsets, partKinds, ringOffsets, coordOffsets, coordinates, dimensions } = column;
  const stride = strideOf(dimensions);
  const border = new PolygonBorder();
  for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) {
    if ((partKinds[part] & PART_KIND_MASK) !== PART_KIND.polygon) continue;
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++)
      border.addRing(coordinates, stride, coordOffsets[ring], coordOffsets[ring + 1]);
  }
  return border;
}

/** Whether an edge is longer than half a turn and does not cross the antimeridian: close to a pole, that can be a few metres. */
function hasWideEdge(
  { ringOffsets, coordOffsets, coordinates, dimensions }: GeometryColumn,
  partStart: number,
  partEnd: number,
): boolean {
  const stride = strideOf(dimensions);
  for (let ring = ringOffsets[partStart]; ring < ringOffsets[partEnd]; ring++) {
    for (let i = coordOffsets[ring] + 1; i < coordOffsets[ring + 1]; i++) {
      const before = coordinates[(i - 1) * stride];
      const x = coordinates[i * stride];
      if (Math.abs(x - before) > 180 && turnAfter(0, before, x) === 0) return true;
    }
  }
  return false;
}

/** Whether an edge of a part does not lie on the border: a cut made it. */
function hasCut(
  { ringOffsets, coordOffsets, coordinates, dimensions }: GeometryColumn,
  part: number,
  border: PolygonBorder,
): boolean {
  const stride = strideOf(dimensions);
  for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
    for (let i = coordOffsets[ring] + 1; i < coordOffsets[ring + 1]; i++) {
      const at = i * stride;
      const before = at - stride;
      if (
        !border.isBoundary(coordinates[before], coordinates[before + 1], coordinates[at], coordinates[at + 1])
      )
        return true;
    }
  }
  return false;
}
