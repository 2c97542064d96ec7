/**
 * Buffers of polygons around whose edges one can see from one point (star-shaped ones: nearly all buildings and
 * parcels), without a geometry engine and many times as fast.
 *
 * The buffer of a polygon that is star-shaped about c is star-shaped about c as well. Its outline is drawn as offset
 * edges and arcs, which go around c without turning back, except that at each reflex vertex the outline jumps back:
 *
 *       chain A  ____________/ X     the outline follows A up to the crossing X, and B from there;
 *                      _____/ \      what hides below was never part of it
 *            chain B  /      \_|
 *
 * So the outline is the upper envelope, seen from c, of the chains between reflex vertices. Vertices are those of GEOS:
 * arcs divided in the same way, the same small concavities left out. Whatever is not clear (chains that cross more than
 * once, chains that reach over the start) is left to GEOS: `append` then does nothing and says so.
 */
import {
  GEOMETRY_TYPE,
  type GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
  strideOf,
} from '../../batch/geometry-column.ts';
import { KernelFinder } from './kernel.ts';
import { leaveOutShallowConcavities } from './shallow-concavities.ts';

/** Larger rings are rarely star-shaped. */
const MAX_POSITIONS = 256;
/** GEOS joins offset edges whose ends are closer than this (per distance) by one vertex. */
const JOINED_ENDS = 1e-3;
/** Vertices closer than this (per distance) to the one before are left out. */
const LEAST_STEP = 1e-5;
/** Larger polygons (per distance) are left to GEOS: digits would run out. */
const MAX_REACH = 1e4;

export class StarBuffer {
  readonly #distance: number;
  readonly #quadrantSegments: number;
  readonly #kernel = new KernelFinder();
  // The ring about the centre, counter-clockwise, and the outward normals of its edges (edge i leads to vertex i + 1).
  readonly #x = new Float64Array(MAX_POSITIONS);
  readonly #y = new Float64Array(MAX_POSITIONS);
  readonly #normalX = new Float64Array(MAX_POSITIONS);
  readonly #normalY = new Float64Array(MAX_POSITIONS);
  #count = 0;
  #centreX = 0;
  #centreY = 0;
  #isReversed = false;
  // The outline so far, and behind it, from #chainStart on, the chain that is being drawn.
  readonly #outX: Float64Array;
  readonly #outY: Float64Array;
  #outCount = 0;
  #chainStart = 0;
  readonly #seamX: Float64Array;
  readonly #seamY: Float64Array;

  /** `distance` > 0, in the unit of the coordinates; round joins. */
  constructor(distance: number, quadrantSegments: number) {
    this.#distance = distance;
    this.#quadrantSegments = quadrantSegments;
    // Arcs of convex vertices turn by 2 pi and what the reflex ones turn back, at most pi each.
    const capacity = 2 * quadrantSegments * (MAX_POSITIONS + 4) + 4 * MAX_POSITIONS;
    this.#outX = new Float64Array(capacity);
    this.#outY = new Float64Array(capacity);
    this.#seamX = new Float64Array(2 * quadrantSegments + 4);
    this.#seamY = new Float64Array(2 * quadrantSegments + 4);
  }

  /** Appends the buffer of a Polygon row, or of a MultiPolygon with one part, as one feature; false, and nothing appended, where GEOS has to do it. */
  append(column: GeometryColumn, row: number, builder: GeometryBuilder): boolean {
    if (!this.#load(column, row) || !this.#centre()) return false;
    if (!this.#isStar() && !(this.#centreInKernel() && this.#isStar())) return false;
    if (!this.#drawNormals()) return false;
    if (!this.#drawOutline(this.#middleOfLongestRun()) && !this.#drawOutline(this.#farthest())) return false;
    return this.#write(builder);
  }

  /** The only ring of the row, counter-clockwise, relative to its first position. */
  #load(column: GeometryColumn, row: number): boolean {
    const { partOffsets, ringOffsets, coordOffsets, coordinates } = column;
    const part = partOffsets[row];
    const ring = ringOffsets[part];
    if (partOffsets[row + 1] !== part + 1 || ringOffsets[part + 1] !== ring + 1) return false;
    const stride = strideOf(column.dimensions);
    const start = coordOffsets[ring] * stride;
    const last = (coordOffsets[ring + 1] - 1) * stride;
    if (last < start + 3 * stride || last > start + (MAX_POSITIONS - 1) * stride) return false;
    if (coordinates[start] !== coordinates[last] || coordinates[start + 1] !== coordinates[last + 1])
      return false;
    const x = this.#x;
    const y = this.#y;
    this.#centreX = coordinates[start];
    this.#centreY = coordinates[start + 1];
    let count = 0;
    let area = 0;
    for (let at = start; at < last; at += stride) {
      const dx = coordinates[at] - this.#centreX;
      const dy = coordinates[at + 1] - this.#centreY;
      if (count > 0) {
        if (dx === x[count - 1] && dy === y[count - 1]) continue;
        area += x[count - 1] * dy - dx * y[count - 1];
      }
      x[count] = dx;
      y[count++] = dy;
    }
    if (!(Math.abs(area) > 0) || count < 3) return false;
    this.#isReversed = area < 0;
    count = leaveOutShallowConcavities(x, y, count, area < 0 ? -1 : 1, this.#distance);
    if (this.#isReversed) {
      x.subarray(0, count).reverse();
      y.subarray(0, count).reverse();
    }
    this.#count = count;
    return count >= 3;
  }

  /** Moves the ring so that its centroid is the origin. */
  #centre(): boolean {
    const x = this.#x;
    const y = this.#y;
    const count = this.#count;
    let area = 0;
    let sumX = 0;
    let sumY = 0;
    for (let i = 0, j = count - 1; i < count; j = i++) {
      const cross = x[j] * y[i] - x[i] * y[j];
      area += cross;
      sumX += (x[j] + x[i]) * cross;
      sumY += (y[j] + y[i]) * cross;
    }
    if (!(area > 0)) return false;
    this.#moveCentre(sumX / (3 * area), sumY / (3 * area));
    return true;
  }

  /** For polygons such as an L, which are seen as a whole from their corner and not from their centroid. */
  #centreInKernel(): boolean {
    if (!this.#kernel.find(this.#x, this.#y, this.#count)) return false;
    this.#moveCentre(this.#kernel.x, this.#kernel.y);
    return true;
  }

  #moveCentre(dx: number, dy: number): void {
    // What the centre loses in rounding, the positions must not gain.
    const centreX = this.#centreX + dx;
    const centreY = this.#centreY + dy;
    const shiftX = centreX - this.#centreX;
    const shiftY = centreY - this.#centreY;
    for (let i = 0; i < this.#count; i++) {
      this.#x[i] -= shiftX;
      this.#y[i] -= shiftY;
    }
    this.#centreX = centreX;
    this.#centreY = centreY;
  }

  /** Whether every edge is seen from the origin from its inner side, once around. */
  #isStar(): boolean {
    const x = this.#x;
    const y = this.#y;
    const count = this.#count;
    let reach = 0;
    for (let i = 0; i < count; i++) reach = Math.max(reach, x[i] * x[i] + y[i] * y[i]);
    if (!(reach < (MAX_REACH * this.#distance) ** 2)) return false;
    const least = 1e-12 * reach;
    let turns = 0;
    for (let i = 0, j = count - 1; i < count; j = i++) {
      if (!(x[j] * y[i] - x[i] * y[j] > least)) return false;
      if (y[j] < 0 && y[i] >= 0) turns++;
    }
    return turns === 1;
  }

  #drawNormals(): boolean {
    const x = this.#x;
    const y = this.#y;
    const count = this.#count;
    for (let i = 0; i < count; i++) {
      const next = i + 1 < count ? i + 1 : 0;
      const dx = x[next] - x[i];
      const dy = y[next] - y[i];
      const length = Math.sqrt(dx * dx + dy * dy);
      if (!(length > 0)) return false;
      this.#normalX[i] = dy / length;
      this.#normalY[i] = -dx / length;
    }
    return true;
  }

  /** Vertex in the middle of the longest run without a reflex one: hardly ever does a chain reach over its ray. */
  #middleOfLongestRun(): number {
    const count = this.#count;
    let best = 0;
    let bestLength = -1;
    let length = 0;
    // Twice around, so that a run over the end of the arrays is met in one piece.
    for (let step = 0; step < 2 * count && length < count; step++) {
      const i = step < count ? step : step - count;
      if (this.#turnAt(i) < 0) {
        length = 0;
        continue;
      }
      length++;
      if (length > bestLength && this.#turnAt(this.#wrapped(step - (length >> 1))) > 0) {
        bestLength = length;
        best = this.#wrapped(step - (length >> 1));
      }
    }
    return best;
  }

  #farthest(): number {
    const x = this.#x;
    const y = this.#y;
    let best = 0;
    for (let i = 1; i < this.#count; i++)
      if (x[i] * x[i] + y[i] * y[i] > x[best] * x[best] + y[best] * y[best]) best = i;
    return best;
  }

  #wrapped(i: number): number {
    return i < this.#count ? i : i - this.#count;
  }

  /** Sine of the turn at a vertex: positive at convex ones. */
  #turnAt(i: number): number {
    const before = i > 0 ? i - 1 : this.#count - 1;
    return this.#normalX[before] * this.#normalY[i] - this.#normalY[before] * this.#normalX[i];
  }

  /** Whether the arc around a convex vertex has a point straight beyond the vertex, seen from the centre. */
  #arcFaces(i: number): boolean {
    const before = i > 0 ? i - 1 : this.#count - 1;
    const x = this.#x[i];
    const y = this.#y[i];
    return (
      this.#normalX[before] * y - this.#normalY[before] * x >= 0 &&
      x * this.#normalY[i] - y * this.#normalX[i] >= 0
    );
  }

  /**
   * The envelope of all chains, from the middle of the arc of convex vertex `start` around to there again. No other
   * chain may reach over the ray where it begins and ends, which is how that point is known to be on the envelope.
   */
  #drawOutline(start: number): boolean {
    const count = this.#count;
    if (this.#turnAt(start) <= 0 || !this.#arcFaces(start)) return false;
    this.#outCount = 0;
    this.#chainStart = 0;
    this.#arc(start);
    const seam = this.#seamOf(start);
    const arcCount = this.#outCount;
    // The arc up to the seam comes last.
    for (let i = 0; i <= seam; i++) {
      this.#seamX[i] = this.#outX[i];
      this.#seamY[i] = this.#outY[i];
    }
    this.#outX.copyWithin(0, seam, arcCount);
    this.#outY.copyWithin(0, seam, arcCount);
    this.#outCount = arcCount - seam;
    for (let step = 1; step < count; step++) {
      const i = this.#wrapped(start + step);
      const before = i > 0 ? i - 1 : count - 1;
      const turn = this.#turnAt(i);
      if (turn > 0) this.#arc(i);
      else if (turn < 0) {
        this.#push(i, this.#normalX[before], this.#normalY[before]);
        if (!this.#staysBehindSeam(start, i) || !this.#mergeChain()) return false;
        this.#chainStart = this.#outCount;
        this.#push(i, this.#normalX[i], this.#normalY[i]);
        if (!this.#staysBehindSeam(start, i)) return false;
      }
    }
    for (let i = 0; i <= seam; i++) {
      this.#outX[this.#outCount] = this.#seamX[i];
      this.#outY[this.#outCount++] = this.#seamY[i];
    }
    return this.#mergeChain();
  }

  /** Index of the vertex of the arc around `start`, drawn alone, that lies farthest out. */
  #seamOf(start: number): number {
    let best = 0;
    let bestDot = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < this.#outCount; i++) {
      const dot = this.#outX[i] * this.#x[start] + this.#outY[i] * this.#y[start];
      if (dot > bestDot) {
        best = i;
        bestDot = dot;
      }
    }
    return best;
  }

  /** Whether the vertex pushed last, around ring vertex `i`, does not reach over the ray where the outline begins. */
  #staysBehindSeam(start: number, i: number): boolean {
    const seamX = this.#outX[0];
    const seamY = this.#outY[0];
    const x = this.#outX[this.#outCount - 1];
    const y = this.#outY[this.#outCount - 1];
    const isNear = seamX * x + seamY * y > 0 || seamX * this.#x[i] + seamY * this.#y[i] > 0;
    if (!isNear) return true;
    const isFirstHalf = this.#x[start] * this.#y[i] - this.#y[start] * this.#x[i] >= 0;
    const side = seamX * y - seamY * x;
    return isFirstHalf ? side > 0 : side < 0;
  }

  /** Vertices of the outline around convex vertex `i`. */
  #arc(i: number): void {
    const before = i > 0 ? i - 1 : this.#count - 1;
    const fromX = this.#normalX[before];
    const fromY = this.#normalY[before];
    const toX = this.#normalX[i];
    const toY = this.#normalY[i];
    const gapX = toX - fromX;
    const gapY = toY - fromY;
    if (gapX * gapX + gapY * gapY < JOINED_ENDS * JOINED_ENDS) {
      if (this.#isReversed) this.#push(i, toX, toY);
      else this.#push(i, fromX, fromY);
      return;
    }
    this.#push(i, fromX, fromY);
    const angle = Math.atan2(fromX * toY - fromY * toX, fromX * toX + fromY * toY);
    const segments = Math.floor((angle * 2 * this.#quadrantSegments) / Math.PI + 0.5);
    if (segments > 1) {
      const cosine = Math.cos(angle / segments);
      const sine = Math.sin(angle / segments);
      let nx = fromX;
      let ny = fromY;
      for (let segment = 1; segment < segments; segment++) {
        const turned = nx * cosine - ny * sine;
        ny = nx * sine + ny * cosine;
        nx = turned;
        this.#push(i, nx, ny);
      }
    }
    this.#push(i, toX, toY);
  }

  #push(i: number, normalX: number, normalY: number): void {
    this.#outX[this.#outCount] = this.#x[i] + this.#distance * normalX;
    this.#outY[this.#outCount++] = this.#y[i] + this.#distance * normalY;
  }

  /**
   * Joins the chain behind #chainStart to the outline before it: cut at their crossing, or left out where it is hidden.
   * False where this does not settle the outline.
   */
  #mergeChain(): boolean {
    const x = this.#outX;
    const y = this.#outY;
    const outEnd = this.#chainStart;
    const chainEnd = this.#outCount;
    if (outEnd === 0) return true;
    let e = outEnd - 2;
    let b = outEnd;
    if (this.#side(outEnd - 1, b) > 0) return false;
    while (e >= 0 && this.#side(e, b) < 0) e--;
    if (e < 0 || this.#turn(e, e + 1, b) <= 0) return false;
    // The chain begins below the outline: go along both until it comes up.
    for (;;) {
      if (b + 1 >= chainEnd) {
        this.#outCount = outEnd;
        return true;
      }
      if (e + 1 >= outEnd) return false;
      if (this.#side(e + 1, b + 1) >= 0) {
        if (this.#turn(b, b + 1, e + 1) > 0) break;
        e++;
      } else {
        if (this.#turn(e, e + 1, b + 1) < 0) break;
        b++;
      }
    }
    if (!this.#staysAbove(e, outEnd, b, chainEnd)) return false;
    // Crossing of segment e of the outline and segment b of the chain.
    const ex = x[e + 1] - x[e];
    const ey = y[e + 1] - y[e];
    const bx = x[b + 1] - x[b];
    const by = y[b + 1] - y[b];
    const along = ((x[b] - x[e]) * by - (y[b] - y[e]) * bx) / (ex * by - ey * bx);
    if (!(along >= 0 && along <= 1)) return false;
    x[e + 1] = x[e] + along * ex;
    y[e + 1] = y[e] + along * ey;
    x.copyWithin(e + 2, b + 1, chainEnd);
    y.copyWithin(e + 2, b + 1, chainEnd);
    this.#outCount = e + 2 + chainEnd - (b + 1);
    return true;
  }

  /** Whether the chain, once above the outline, stays there as far as the outline goes. */
  #staysAbove(eStart: number, outEnd: number, bStart: number, chainEnd: number): boolean {
    let e = eStart;
    let b = bStart;
    while (e + 1 < outEnd) {
      if (b + 1 >= chainEnd) return false;
      if (this.#side(e + 1, b + 1) >= 0) {
        if (this.#turn(b, b + 1, e + 1) <= 0) return false;
        e++;
      } else {
        if (this.#turn(e, e + 1, b + 1) >= 0) return false;
        b++;
      }
    }
    return true;
  }

  /** Positive where vertex b of the outline is seen from the centre to the left of (behind) vertex a. */
  #side(a: number, b: number): number {
    return this.#outX[a] * this.#outY[b] - this.#outY[a] * this.#outX[b];
  }

  /** Positive where vertex c lies to the left of (below) the line from a to b. */
  #turn(a: number, b: number, c: number): number {
    const x = this.#outX;
    const y = this.#outY;
    return (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a]);
  }

  /** Writes the outline. What is written is checked as it stands after rounding: going around the centre, once, it is valid. */
  #write(builder: GeometryBuilder): boolean {
    const count = this.#outCount;
    const centreX = this.#centreX;
    const centreY = this.#centreY;
    builder.reserve(2 * (count + 1));
    const { coordinates } = builder;
    const start = builder.coordinateLength;
    const leastSquare = (LEAST_STEP * this.#distance) ** 2;
    const rounding = 1e-15 * (Math.abs(centreX) + Math.abs(centreY) + MAX_REACH * this.#distance);
    let to = start;
    let lastX = 0;
    let lastY = 0;
    let turns = 0;
    for (let i = 0; i < count; i++) {
      const writtenX = centreX + this.#outX[i];
      const writtenY = centreY + this.#outY[i];
      const x = writtenX - centreX;
      const y = writtenY - centreY;
      if (to > start) {
        const stepX = x - lastX;
        const stepY = y - lastY;
        if (stepX * stepX + stepY * stepY < leastSquare) continue;
        const most = Math.abs(x) + Math.abs(y) + Math.abs(lastX) + Math.abs(lastY);
        if (!(lastX * y - lastY * x > rounding * most)) return false;
        if (lastY < 0 && y >= 0) turns++;
      }
      coordinates[to++] = writtenX;
      coordinates[to++] = writtenY;
      lastX = x;
      lastY = y;
    }
    // The seam came twice, in the same digits or nearly: it closes the ring.
    const firstX = coordinates[start];
    const firstY = coordinates[start + 1];
    const gapX = lastX - (firstX - centreX);
    const gapY = lastY - (firstY - centreY);
    if (turns !== 1 || !(gapX * gapX + gapY * gapY < leastSquare)) return false;
    coordinates[to - 2] = firstX;
    coordinates[to - 1] = firstY;
    if (to - start < 8) return false;
    builder.coordinateLength = to;
    builder.endRing();
    builder.endPart(PART_KIND.polygon);
    builder.endFeature(GEOMETRY_TYPE.polygon);
    return true;
  }
}
