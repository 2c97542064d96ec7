/** Converts buffers in charts back to degrees: adds vertices where an edge would bend, cuts at 180 degrees and at the poles. */
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
} from '@geomill/core/geometry/geometry-column.ts';
import { signedArea } from '@geomill/core/geometry/rings.ts';
import type { LocalChart } from '@geomill/geodesic/local-chart.ts';
import type { Geos } from '@geomill/geos/geos.ts';
import type { EdgeBends } from './geodesic-edges.ts';
import { appendLoosePolygon, appendParts, type LooseRing } from './geodesic-globe.ts';

/** How often an edge may be halved. */
const MAX_HALVINGS = 20;

export class ResultMapper {
  readonly #geos: Geos;
  readonly #chart: LocalChart;
  readonly #bends: EdgeBends;
  #column!: GeometryColumn;
  // Of the current result.
  #centre = 0;
  #reachMeters = 0;
  #harmlessMeters = 0;
  #mayBend = false;
  #hasBent = false;
  #hasLeft = false;
  // Of the vertex before.
  #x = 0;
  #y = 0;

  constructor(geos: Geos, chart: LocalChart, bends: EdgeBends) {
    this.#geos = geos;
    this.#chart = chart;
    this.#bends = bends;
  }

  /**
   * Appends the polygons of a result, drawn in the chart around a centre (degrees), as parts; returns how many they are.
   */
  append(
    column: GeometryColumn,
    row: number,
    longitude: number,
    latitude: number,
    builder: GeometryBuilder,
  ): number {
    const { partOffsets } = column;
    this.#column = column;
    this.#begin(row, longitude, latitude);
    const firstPart = builder.partCount;
    if (!this.#mayBend) {
      for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++) this.#appendPart(part, builder);
      if (!this.#hasLeft) return builder.partCount - firstPart;
      builder.rewind(firstPart);
    }
    const polygons: LooseRing[][] = [];
    for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++)
      polygons.push(this.#looseRings(part));
    if (!this.#hasBent && !this.#hasLeft) {
      for (const rings of polygons) appendPolygon(rings, builder);
      return builder.partCount - firstPart;
    }
    const scratch = new GeometryBuilder('XY');
    for (const rings of polygons) {
      if (this.#hasLeft) appendLoosePolygon(this.#geos, rings, scratch);
      else appendPolygon(rings, scratch);
    }
    scratch.endFeature(GEOMETRY_TYPE.multiPolygon);
    return appendParts(this.#mended(scratch.finish()), builder);
  }

  /** Whether `mapInPlace` can map a result: it is small, and away from the antimeridian. */
  isPlain(column: GeometryColumn, row: number, longitude: number, latitude: number): boolean {
    const reach = reachOf(column, row);
    const chart = this.#chart;
    chart.centreAt(longitude, latitude, this.#bends.toleranceMeters);
    if (reach > chart.quadraticReachMeters) return false;
    if (2 * reach > this.#bends.harmlessMeters(latitude, reach)) return false;
    // Twice the width: the quadratic reach ends long before the latitude of its far side matters.
    return Math.abs(longitude) + 2 * chart.degreesOfLongitude(reach) < 180;
  }

  /** Turns the metres of a plain result into degrees. */
  mapInPlace(column: GeometryColumn, row: number, longitude: number, latitude: number): void {
    const { partOffsets, ringOffsets, coordOffsets, coordinates } = column;
    const chart = this.#chart;
    chart.centreAt(longitude, latitude, this.#bends.toleranceMeters);
    const start = 2 * coordOffsets[ringOffsets[partOffsets[row]]];
    const end = 2 * coordOffsets[ringOffsets[partOffsets[row + 1]]];
    chart.toGlobeInPlace(coordinates, start, end, longitude);
  }

  #begin(row: number, longitude: number, latitude: number): void {
    const chart = this.#chart;
    chart.centreAt(longitude, latitude, this.#bends.toleranceMeters);
    this.#centre = longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude;
    this.#reachMeters = reachOf(this.#column, row);
    this.#harmlessMeters = this.#bends.harmlessMeters(latitude, this.#reachMeters);
    this.#mayBend = 2 * this.#reachMeters > this.#harmlessMeters;
    this.#hasBent = false;
    this.#hasLeft = false;
  }

  #appendPart(part: number, builder: GeometryBuilder): void {
    const { ringOffsets } = this.#column;
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1] && !this.#hasLeft; ring++) {
      this.#appendRing(ring, builder);
      builder.endRing();
    }
    builder.endPart(PART_KIND.polygon);
  }

  #appendRing(ring: number, builder: GeometryBuilder): void {
    const { coordOffsets, coordinates } = this.#column;
    const chart = this.#chart;
    const centre = this.#centre;
    const start = 2 * coordOffsets[ring];
    const end = 2 * coordOffsets[ring + 1];
    builder.reserve(end - start);
    const target = builder.coordinates;
    let to = builder.coordinateLength;
    let isWithin = true;
    for (let at = start; at < end; at += 2) {
      chart.toGlobe(coordinates[at], coordinates[at + 1]);
      const x = centre + chart.longitudeOffset;
      if (x > 180 || x < -180) isWithin = false;
      target[to++] = x;
      target[to++] = chart.latitude;
    }
    builder.coordinateLength = to;
    if (!isWithin) this.#hasLeft = true;
  }

  #looseRings(part: number): LooseRing[] {
    const { ringOffsets, coordOffsets, coordinates } = this.#column;
    const rings: LooseRing[] = [];
    for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
      const positions: number[] = [];
      this.#unroll(ring, positions);
      for (let at = 0; at < positions.length; at += 2)
        if (positions[at] > 180 || positions[at] < -180) this.#hasLeft = true;
      if (Math.abs(positions[positions.length - 2] - positions[0]) > 180) this.#hasLeft = true;
      const area = signedArea(coordinates, 2, coordOffsets[ring], coordOffsets[ring + 1]);
      rings.push({ positions, isCounterClockwise: area > 0 });
    }
    return rings;
  }

  /** The ring in degrees with continuous longitudes, edges that bend divided. */
  #unroll(ring: number, positions: number[]): void {
    const { coordOffsets, coordinates } = this.#column;
    const start = 2 * coordOffsets[ring];
    const end = 2 * coordOffsets[ring + 1];
    for (let at = start; at < end; at += 2) {
      const x = coordinates[at];
      const y = coordinates[at + 1];
      this.#toGlobe(x, y, at === start ? this.#centre : this.#x);
      const [longitude, latitude] = [this.#x, this.#y];
      const dx = at > start ? x - coordinates[at - 2] : 0;
      const dy = at > start ? y - coordinates[at - 1] : 0;
      if (this.#isLong(dx, dy) && !this.#bends.isApproximate(Math.hypot(dx, dy), latitude)) {
        const last = positions.length - 2;
        const from = [coordinates[at - 2], coordinates[at - 1], positions[last], positions[last + 1]];
        this.#between(from, [x, y, longitude, latitude], positions, 0);
      }
      positions.push(this.#nearest(longitude, positions), latitude);
      this.#x = positions[positions.length - 2];
    }
  }

  /** The longitude, moved by whole turns, that is nearest to the last one. */
  #nearest(longitude: number, positions: readonly number[]): number {
    if (positions.length === 0) return longitude;
    const previous = positions[positions.length - 2];
    return longitude + 360 * Math.round((previous - longitude) / 360);
  }

  /** Ends are x, y in the chart and longitude, latitude. Pushes the positions that the edge needs between them. */
  #between(from: readonly number[], to: readonly number[], positions: number[], halvings: number): void {
    const dx = to[0] - from[0];
    const dy = to[1] - from[1];
    if (halvings === MAX_HALVINGS || !this.#isLong(dx, dy)) return;
    const across = to[2] - from[2];
    const along = to[3] - from[3];
    const short = across - 360 * Math.round(across / 360);
    if (!this.#bends.isBent(short, along, (from[3] + to[3]) / 2, this.#reachMeters)) return;
    this.#hasBent = true;
    const x = (from[0] + to[0]) / 2;
    const y = (from[1] + to[1]) / 2;
    this.#toGlobe(x, y, from[2]);
    const middle = [x, y, this.#x, this.#y];
    this.#between(from, middle, positions, halvings + 1);
    positions.push(this.#nearest(middle[2], positions), middle[3]);
    this.#between(middle, to, positions, halvings + 1);
  }

  #isLong(dx: number, dy: number): boolean {
    return dx * dx + dy * dy > this.#harmlessMeters * this.#harmlessMeters;
  }

  #toGlobe(x: number, y: number, near: number): void {
    const chart = this.#chart;
    chart.toGlobe(x, y);
    const longitude = this.#centre + chart.longitudeOffset;
    this.#x = longitude + 360 * Math.round((near - longitude) / 360);
    this.#y = chart.latitude;
  }

  /** Repairs results in which bent edges touch that were very close. */
  #mended(column: GeometryColumn): GeometryColumn {
    if (column.partKinds.length === 0) return column;
    using geometry = this.#geos.read(column, 0);
    if (geometry.isValid) return column;
    using valid = geometry.makeValid();
    const mended = new GeometryBuilder('XY');
    valid.appendTo(mended, 2);
    return mended.finish();
  }
}

/** Metres from the centre of the chart to the farthest vertex. */
function reachOf(column: GeometryColumn, row: number): number {
  const { partOffsets, ringOffsets, coordOffsets, coordinates } = column;
  let square = 0;
  const end = 2 * coordOffsets[ringOffsets[partOffsets[row + 1]]];
  for (let at = 2 * coordOffsets[ringOffsets[partOffsets[row]]]; at < end; at += 2) {
    const own = coordinates[at] * coordinates[at] + coordinates[at + 1] * coordinates[at + 1];
    if (own > square) square = own;
  }
  return Math.sqrt(square);
}

function appendPolygon(rings: readonly LooseRing[], builder: GeometryBuilder): void {
  for (const { positions } of rings) {
    for (let at = 0; at < positions.length; at += 2) builder.position(positions[at], positions[at + 1]);
    builder.endRing();
  }
  builder.endPart(PART_KIND.polygon);
}
