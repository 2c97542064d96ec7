/**
 * Buffers of lines without GEOS: the curve of offset edges, arcs and round ends around the line, and its outline (see Outline).
 * Vertices of the curve are those of GEOS; what is unclear is left to GEOS.
 */
import {
  GEOMETRY_TYPE,
  type GeometryBuilder,
  type GeometryColumn,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import type { EdgeSet } from '@geomill/planar/edge-set.ts';
import { orientationAt } from '@geomill/planar/orientation.ts';
import { Outline } from '@geomill/planar/outline.ts';

/** Longer lines are left to GEOS. */
const MAX_POSITIONS = 1024;
/** Per distance: GEOS may leave out positions with edges shorter than this. */
const SHORT_EDGE = 0.01;
/** Per distance: GEOS joins ends of offset edges that are closer than this by one vertex. */
const JOINED_ENDS = 1e-3;
/** Per distance: GEOS leaves out vertices closer than this to the one before. */
const LEAST_STEP = 1e-5;
/** Larger lines (per distance) are left to GEOS: digits would run out. */
const MAX_REACH = 1e5;
/** Where offset edges do not meet, GEOS goes from one to the other this near to the vertex; 1: through the vertex. */
const CLOSING_FACTOR = 80;
const FINE_SEGMENTS = 8;

export class LineBuffer {
  readonly #distance: number;
  readonly #quadrantSegments: number;
  readonly #outline = new Outline();
  #edges!: EdgeSet;
  /** Relative to the first position. */
  readonly #x = new Float64Array(MAX_POSITIONS);
  readonly #y = new Float64Array(MAX_POSITIONS);
  /** Unit vectors of the edges; edge i leads from position i to the next. */
  readonly #alongX = new Float64Array(MAX_POSITIONS);
  readonly #alongY = new Float64Array(MAX_POSITIONS);
  readonly #length = new Float64Array(MAX_POSITIONS);
  #count = 0;
  #originX = 0;
  #originY = 0;
  #lastX = 0;
  #lastY = 0;

  /** `distance` > 0, in the unit of the coordinates; round joins and ends. */
  constructor(distance: number, quadrantSegments: number) {
    this.#distance = distance;
    this.#quadrantSegments = quadrantSegments;
  }

  /** Appends the result of a LineString row. False, and nothing appended, if GEOS is needed. */
  append(column: GeometryColumn, row: number, builder: GeometryBuilder): boolean {
    if (!this.#read(column, row)) return false;
    this.#edges = this.#outline.begin(false);
    this.#lastX = Number.NaN;
    this.#drawSide(1);
    this.#drawSide(-1);
    this.#edges.endRing(0, 0);
    if (!this.#outline.unite(1, null, true) || !this.#outline.isClear(0)) return false;
    const rings = this.#outline.ringsBySet().get(0);
    if (rings === undefined) return false;
    this.#outline.appendPart(rings, builder);
    builder.endFeature(GEOMETRY_TYPE.polygon);
    return true;
  }

  /** False unless GEOS would leave out no position, and the line is not closed. */
  #read(
    { partOffsets, ringOffsets, coordOffsets, coordinates, dimensions }: GeometryColumn,
    row: number,
  ): boolean {
    const ring = ringOffsets[partOffsets[row]];
    const count = coordOffsets[ring + 1] - coordOffsets[ring];
    if (partOffsets[row + 1] !== partOffsets[row] + 1 || count < 2 || count > MAX_POSITIONS) return false;
    const stride = strideOf(dimensions);
    let at = coordOffsets[ring] * stride;
    this.#originX = coordinates[at];
    this.#originY = coordinates[at + 1];
    this.#count = count;
    for (let i = 0; i < count; i++, at += stride) {
      this.#x[i] = coordinates[at] - this.#originX;
      this.#y[i] = coordinates[at + 1] - this.#originY;
      if (i > 0 && !this.#measureEdge(i - 1)) return false;
    }
    return this.#x[count - 1] !== 0 || this.#y[count - 1] !== 0;
  }

  #measureEdge(i: number): boolean {
    const dx = this.#x[i + 1] - this.#x[i];
    const dy = this.#y[i + 1] - this.#y[i];
    const length = Math.sqrt(dx * dx + dy * dy);
    if (!(length > SHORT_EDGE * this.#distance) || length > MAX_REACH * this.#distance) return false;
    this.#alongX[i] = dx / length;
    this.#alongY[i] = dy / length;
    this.#length[i] = length;
    return true;
  }

  /** The right side of the line, and the end it comes to: forwards (1), or backwards (-1) for its left side. */
  #drawSide(direction: 1 | -1): void {
    const last = this.#count - 2;
    const distance = this.#distance;
    for (let i = 0; i <= last; i++) {
      const edge = direction > 0 ? i : last - i;
      const from = direction > 0 ? edge : edge + 1;
      const nx = direction * this.#alongY[edge];
      const ny = -direction * this.#alongX[edge];
      if (i === 0) this.#push(this.#x[from] + distance * nx, this.#y[from] + distance * ny);
      else this.#turn(from, edge - direction, edge, direction, nx, ny);
      if (i < last) continue;
      const to = edge + direction + (direction > 0 ? 0 : 1);
      this.#push(this.#x[to] + distance * nx, this.#y[to] + distance * ny);
      this.#arc(to, nx, ny, Math.PI);
      this.#push(this.#x[to] - distance * nx, this.#y[to] - distance * ny);
    }
  }

  /** Around position `at`, between two edges; (nx, ny) is the normal of the second one. */
  #turn(at: number, before: number, edge: number, direction: 1 | -1, nx: number, ny: number): void {
    const distance = this.#distance;
    const x = this.#x[at];
    const y = this.#y[at];
    const previous = at - direction;
    const next = at + direction;
    const turn = orientationAt(this.#x, this.#y, previous, at, next);
    const sine = this.#alongX[before] * this.#alongY[edge] - this.#alongY[before] * this.#alongX[edge];
    const cosine = this.#alongX[before] * this.#alongX[edge] + this.#alongY[before] * this.#alongY[edge];
    const beforeX = direction * this.#alongY[before];
    const beforeY = -direction * this.#alongX[before];
    if (turn === 0) {
      // Straight on, or back.
      if (cosine < 0) this.#fillet(at, beforeX, beforeY, nx, ny, Math.PI);
      return;
    }
    const isJoined = (nx - beforeX) ** 2 + (ny - beforeY) ** 2 < JOINED_ENDS ** 2;
    if (turn > 0) {
      // GEOS goes around the line clockwise, so this is the end that it comes to first.
      if (isJoined) this.#push(x + distance * nx, y + distance * ny);
      else this.#fillet(at, beforeX, beforeY, nx, ny, Math.atan2(sine, cosine));
      return;
    }
    // Where both offset edges meet: this far from the vertex along each of them.
    const back = (distance * -sine) / (1 + cosine);
    if (back <= this.#length[before] && back <= this.#length[edge]) {
      this.#push(
        x + distance * nx + direction * back * this.#alongX[edge],
        y + distance * ny + direction * back * this.#alongY[edge],
      );
      return;
    }
    if (isJoined) {
      this.#push(x + distance * nx, y + distance * ny);
      return;
    }
    this.#push(x + distance * beforeX, y + distance * beforeY);
    const near = this.#quadrantSegments >= FINE_SEGMENTS ? CLOSING_FACTOR / (CLOSING_FACTOR + 1) : 0.5;
    this.#push(x + near * distance * beforeX, y + near * distance * beforeY);
    this.#push(x + near * distance * nx, y + near * distance * ny);
    this.#push(x + distance * nx, y + distance * ny);
  }

  #fillet(at: number, fromX: number, fromY: number, toX: number, toY: number, angle: number): void {
    this.#push(this.#x[at] + this.#distance * fromX, this.#y[at] + this.#distance * fromY);
    this.#arc(at, fromX, fromY, angle);
    this.#push(this.#x[at] + this.#distance * toX, this.#y[at] + this.#distance * toY);
  }

  /** The vertices between both ends of an arc, counter-clockwise. */
  #arc(at: number, fromX: number, fromY: number, angle: number): void {
    const segments = Math.floor((angle * 2 * this.#quadrantSegments) / Math.PI + 0.5);
    const stepX = Math.cos(angle / segments);
    const stepY = Math.sin(angle / segments);
    let nx = fromX;
    let ny = fromY;
    for (let segment = 1; segment < segments; segment++) {
      const turned = nx * stepX - ny * stepY;
      ny = nx * stepY + ny * stepX;
      nx = turned;
      this.#push(this.#x[at] + this.#distance * nx, this.#y[at] + this.#distance * ny);
    }
  }

  #push(x: number, y: number): void {
    if ((x - this.#lastX) ** 2 + (y - this.#lastY) ** 2 < (LEAST_STEP * this.#distance) ** 2) return;
    this.#lastX = x;
    this.#lastY = y;
    this.#edges.add(this.#originX + x, this.#originY + y, Number.NaN, 0);
  }
}
