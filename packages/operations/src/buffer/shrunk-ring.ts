/**
 * Negative buffers of polygons of one ring without GEOS, where the ring of offset edges is the outline: neighbouring edges meet at convex
 * vertices, arcs join them at reflex ones, and nothing crosses. That is so for nearly all buildings and parcels that are shrunk by
 * less than they are wide. Vertices are those of GEOS; what is unclear is left to GEOS.
 */
import {
  GEOMETRY_TYPE,
  type GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { orientationAt } from '@geomill/planar/orientation.ts';
import { SimpleRings } from '@geomill/planar/simple-rings.ts';

/** The distance of each vertex to each edge is checked: more are left to GEOS. */
const MAX_POSITIONS = 64;
/** Per distance: GEOS may leave out positions with edges shorter than this. */
const SHORT_EDGE = 0.01;
/** Per distance: GEOS joins ends of edges that are closer than this by one vertex. */
const JOINED_ENDS = 1e-3;
/** Per distance: GEOS leaves out vertices closer than this to the one before. */
const LEAST_STEP = 1e-5;
/** Per distance: vertices may be nearer to an edge by rounding. */
const ROUNDING = 1e-6;
/** Larger polygons (per distance) are left to GEOS: digits would run out. */
const MAX_REACH = 1e5;

export class ShrunkRing {
  readonly #distance: number;
  readonly #quadrantSegments: number;
  readonly #rings = new SimpleRings();
  /** Counter-clockwise, relative to the first position, the first not repeated. */
  readonly #x = new Float64Array(MAX_POSITIONS);
  readonly #y = new Float64Array(MAX_POSITIONS);
  /** Unit vectors of the edges; edge i leads from position i to the next. */
  readonly #alongX = new Float64Array(MAX_POSITIONS);
  readonly #alongY = new Float64Array(MAX_POSITIONS);
  readonly #length = new Float64Array(MAX_POSITIONS);
  #count = 0;
  readonly #outX: Float64Array;
  readonly #outY: Float64Array;
  #outCount = 0;

  /** `distance` > 0, in the unit of the coordinates, is how far the outline moves inwards; round joins. */
  constructor(distance: number, quadrantSegments: number) {
    this.#distance = distance;
    this.#quadrantSegments = quadrantSegments;
    const capacity = MAX_POSITIONS * (2 * quadrantSegments + 4);
    this.#outX = new Float64Array(capacity);
    this.#outY = new Float64Array(capacity);
  }

  /** Appends the result of a Polygon row, or of a MultiPolygon with one part. False, and nothing appended, if GEOS is needed. */
  append(column: GeometryColumn, row: number, builder: GeometryBuilder): boolean {
    const { partOffsets, ringOffsets, coordOffsets, coordinates, dimensions } = column;
    const part = partOffsets[row];
    if (partOffsets[row + 1] !== part + 1 || ringOffsets[part + 1] !== ringOffsets[part] + 1) return false;
    const stride = strideOf(dimensions);
    const start = coordOffsets[ringOffsets[part]] * stride;
    const end = coordOffsets[ringOffsets[part] + 1] * stride;
    if (!this.#read(coordinates, stride, start, end) || !this.#draw()) return false;
    return this.#write(builder, coordinates[start], coordinates[start + 1]);
  }

  /** False unless the ring is certainly valid, and GEOS would leave out no position of it. */
  #read(coordinates: Float64Array, stride: number, start: number, end: number): boolean {
    const count = (end - start) / stride - 1;
    if (count < 3 || count > MAX_POSITIONS) return false;
    const rings = this.#rings;
    rings.clear();
    const originX = coordinates[start];
    const originY = coordinates[start + 1];
    let area = 0;
    for (let i = 0, at = start; i < count; i++, at += stride) {
      const x = coordinates[at] - originX;
      const y = coordinates[at + 1] - originY;
      this.#x[i] = x;
      this.#y[i] = y;
      rings.add(x, y);
      if (i > 0) area += this.#x[i - 1] * y - x * this.#y[i - 1];
    }
    rings.add(coordinates[end - stride] - originX, coordinates[end - stride + 1] - originY);
    rings.endRing(true);
    if (!rings.areValid()) return false;
    if (area < 0) {
      this.#x.subarray(0, count).reverse();
      this.#y.subarray(0, count).reverse();
    }
    this.#count = count;
    return this.#measureEdges();
  }

  #measureEdges(): boolean {
    for (let i = 0; i < this.#count; i++) {
      const next = i + 1 < this.#count ? i + 1 : 0;
      const dx = this.#x[next] - this.#x[i];
      const dy = this.#y[next] - this.#y[i];
      const length = Math.sqrt(dx * dx + dy * dy);
      if (!(length > SHORT_EDGE * this.#distance) || length > MAX_REACH * this.#distance) return false;
      this.#alongX[i] = dx / length;
      this.#alongY[i] = dy / length;
      this.#length[i] = length;
    }
    return true;
  }

  /** False if neighbouring offset edges do not meet. */
  #draw(): boolean {
    this.#outCount = 0;
    for (let i = 0; i < this.#count; i++) {
      const before = i > 0 ? i - 1 : this.#count - 1;
      const next = i + 1 < this.#count ? i + 1 : 0;
      const turn = orientationAt(this.#x, this.#y, before, i, next);
      // A valid ring does not turn back, so the vertex is in the middle of a straight edge.
      if (turn === 0) continue;
      const sine = this.#alongX[before] * this.#alongY[i] - this.#alongY[before] * this.#alongX[i];
      const cosine = this.#alongX[before] * this.#alongX[i] + this.#alongY[before] * this.#alongY[i];
      if (turn > 0) {
        // Where both offset edges meet: this far from the vertex along each of them.
        const back = (this.#distance * sine) / (1 + cosine);
        if (!(back <= this.#length[before] && back <= this.#length[i])) return false;
        this.#push(
          this.#x[i] - this.#distance * this.#alongY[i] + back * this.#alongX[i],
          this.#y[i] + this.#distance * this.#alongX[i] + back * this.#alongY[i],
        );
      } else this.#arc(i, before, sine, cosine);
    }
    return this.#outCount >= 3 && this.#isFarEnough();
  }

  /** Around a reflex vertex. */
  #arc(i: number, before: number, sine: number, cosine: number): void {
    const x = this.#x[i];
    const y = this.#y[i];
    const distance = this.#distance;
    let nx = -this.#alongY[before];
    let ny = this.#alongX[before];
    this.#push(x + distance * nx, y + distance * ny);
    const toX = -this.#alongY[i];
    const toY = this.#alongX[i];
    if ((toX - nx) ** 2 + (toY - ny) ** 2 < JOINED_ENDS ** 2) return;
    const angle = Math.atan2(sine, cosine);
    const segments = Math.floor((Math.abs(angle) * 2 * this.#quadrantSegments) / Math.PI + 0.5);
    const stepX = Math.cos(angle / segments);
    const stepY = Math.sin(angle / segments);
    for (let segment = 1; segment < segments; segment++) {
      const turned = nx * stepX - ny * stepY;
      ny = nx * stepY + ny * stepX;
      nx = turned;
      this.#push(x + distance * nx, y + distance * ny);
    }
    this.#push(x + distance * toX, y + distance * toY);
  }

  #push(x: number, y: number): void {
    const last = this.#outCount - 1;
    const least = (LEAST_STEP * this.#distance) ** 2;
    if (last >= 0 && (x - this.#outX[last]) ** 2 + (y - this.#outY[last]) ** 2 < least) return;
    this.#outX[this.#outCount] = x;
    this.#outY[this.#outCount++] = y;
  }

  /** Whether no vertex is nearer to an edge than the distance. */
  #isFarEnough(): boolean {
    const least = (this.#distance * (1 - ROUNDING)) ** 2;
    for (let i = 0; i < this.#outCount; i++) {
      for (let k = 0; k < this.#count; k++) {
        const dx = this.#outX[i] - this.#x[k];
        const dy = this.#outY[i] - this.#y[k];
        const along = dx * this.#alongX[k] + dy * this.#alongY[k];
        const nearest = Math.min(Math.max(along, 0), this.#length[k]);
        if ((dx - nearest * this.#alongX[k]) ** 2 + (dy - nearest * this.#alongY[k]) ** 2 < least)
          return false;
      }
    }
    return true;
  }

  /** The rounded outline is checked: it must be valid and go around counter-clockwise. */
  #write(builder: GeometryBuilder, originX: number, originY: number): boolean {
    const rings = this.#rings;
    const count = this.#outCount;
    rings.clear();
    builder.reserve(2 * (count + 1));
    const { coordinates } = builder;
    const start = builder.coordinateLength;
    let to = start;
    let area = 0;
    for (let i = 0; i <= count; i++) {
      const k = i < count ? i : 0;
      coordinates[to] = originX + this.#outX[k];
      coordinates[to + 1] = originY + this.#outY[k];
      rings.add(coordinates[to], coordinates[to + 1]);
      to += 2;
      if (i > 0) area += this.#outX[i - 1] * this.#outY[k] - this.#outX[k] * this.#outY[i - 1];
    }
    rings.endRing(true);
    if (!(area > 0) || !rings.areValid()) return false;
    builder.coordinateLength = to;
    builder.endRing();
    builder.endPart(PART_KIND.polygon);
    builder.endFeature(GEOMETRY_TYPE.polygon);
    return true;
  }
}
