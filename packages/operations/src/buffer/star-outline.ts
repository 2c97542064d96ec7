/**
 * The outline of the buffer of a star-shaped ring: the upper envelope, seen from its centre, of the chains between reflex
 * vertices (see star-buffer.ts for the picture).
 */
import { MAX_POSITIONS, type StarRing } from './star-ring.ts';

/** GEOS joins offset edges whose ends are closer than this (per distance) by one vertex. */
const JOINED_ENDS = 1e-3;

export class StarOutline {
  /** The outline relative to the centre of the ring, and after it, from #chainStart on, the current chain. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  count = 0;
  #chainStart = 0;
  readonly #seamX: Float64Array;
  readonly #seamY: Float64Array;
  readonly #ring: StarRing;
  readonly #distance: number;
  readonly #quadrantSegments: number;

  constructor(ring: StarRing, distance: number, quadrantSegments: number) {
    this.#ring = ring;
    this.#distance = distance;
    this.#quadrantSegments = quadrantSegments;
    // Arcs of convex vertices turn by 2 pi plus the turns of the reflex ones, at most pi each.
    const capacity = 2 * quadrantSegments * (MAX_POSITIONS + 4) + 4 * MAX_POSITIONS;
    this.x = new Float64Array(capacity);
    this.y = new Float64Array(capacity);
    this.#seamX = new Float64Array(2 * quadrantSegments + 4);
    this.#seamY = new Float64Array(2 * quadrantSegments + 4);
  }

  /** Counter-clockwise, closed. False if the envelope is unclear. */
  draw(): boolean {
    return this.#drawFrom(this.#middleOfLongestRun()) || this.#drawFrom(this.#farthest());
  }

  /** Vertex in the middle of the longest run without a reflex one: hardly ever does a chain reach over its ray. */
  #middleOfLongestRun(): number {
    const count = this.#ring.count;
    let best = 0;
    let bestLength = -1;
    let length = 0;
    // Twice around, so that a run over the end of the arrays is met in one piece.
    for (let step = 0; step < 2 * count && length < count; step++) {
      const i = step < count ? step : step - count;
      if (this.#ring.turnAt(i) < 0) {
        length = 0;
        continue;
      }
      length++;
      if (length > bestLength && this.#ring.turnAt(this.#wrapped(step - (length >> 1))) > 0) {
        bestLength = length;
        best = this.#wrapped(step - (length >> 1));
      }
    }
    return best;
  }

  #farthest(): number {
    const x = this.#ring.x;
    const y = this.#ring.y;
    let best = 0;
    for (let i = 1; i < this.#ring.count; i++)
      if (x[i] * x[i] + y[i] * y[i] > x[best] * x[best] + y[best] * y[best]) best = i;
    return best;
  }

  #wrapped(i: number): number {
    return i < this.#ring.count ? i : i - this.#ring.count;
  }

  /** Whether the arc around a convex vertex has a point straight beyond the vertex, seen from the centre. */
  #arcFaces(i: number): boolean {
    const before = i > 0 ? i - 1 : this.#ring.count - 1;
    const x = this.#ring.x[i];
    const y = this.#ring.y[i];
    return (
      this.#ring.normalX[before] * y - this.#ring.normalY[before] * x >= 0 &&
      x * this.#ring.normalY[i] - y * this.#ring.normalX[i] >= 0
    );
  }

  /**
   * The envelope of all chains, from the middle of the arc of convex vertex `start` around to there again. No other
   * chain may reach over the ray where it begins and ends, which is how that point is known to be on the envelope.
   */
  #drawFrom(start: number): boolean {
    const count = this.#ring.count;
    if (this.#ring.turnAt(start) <= 0 || !this.#arcFaces(start)) return false;
    this.count = 0;
    this.#chainStart = 0;
    this.#arc(start);
    const seam = this.#seamOf(start);
    const arcCount = this.count;
    // The arc up to the seam comes last.
    for (let i = 0; i <= seam; i++) {
      this.#seamX[i] = this.x[i];
      this.#seamY[i] = this.y[i];
    }
    this.x.copyWithin(0, seam, arcCount);
    this.y.copyWithin(0, seam, arcCount);
    this.count = arcCount - seam;
    for (let step = 1; step < count; step++) {
      const i = this.#wrapped(start + step);
      const before = i > 0 ? i - 1 : count - 1;
      const turn = this.#ring.turnAt(i);
      if (turn > 0) this.#arc(i);
      else if (turn < 0) {
        this.#push(i, this.#ring.normalX[before], this.#ring.normalY[before]);
        if (!this.#staysBehindSeam(start, i) || !this.#mergeChain()) return false;
        this.#chainStart = this.count;
        this.#push(i, this.#ring.normalX[i], this.#ring.normalY[i]);
        if (!this.#staysBehindSeam(start, i)) return false;
      }
    }
    for (let i = 0; i <= seam; i++) {
      this.x[this.count] = this.#seamX[i];
      this.y[this.count++] = this.#seamY[i];
    }
    return this.#mergeChain();
  }

  /** Index of the vertex of the arc around `start`, drawn alone, that is farthest out. */
  #seamOf(start: number): number {
    let best = 0;
    let bestDot = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < this.count; i++) {
      const dot = this.x[i] * this.#ring.x[start] + this.y[i] * this.#ring.y[start];
      if (dot > bestDot) {
        best = i;
        bestDot = dot;
      }
    }
    return best;
  }

  /** Whether the vertex pushed last, around ring vertex `i`, does not reach over the ray where the outline begins. */
  #staysBehindSeam(start: number, i: number): boolean {
    const seamX = this.x[0];
    const seamY = this.y[0];
    const x = this.x[this.count - 1];
    const y = this.y[this.count - 1];
    const isNear = seamX * x + seamY * y > 0 || seamX * this.#ring.x[i] + seamY * this.#ring.y[i] > 0;
    if (!isNear) return true;
    const isFirstHalf = this.#ring.x[start] * this.#ring.y[i] - this.#ring.y[start] * this.#ring.x[i] >= 0;
    const side = seamX * y - seamY * x;
    return isFirstHalf ? side > 0 : side < 0;
  }

  /** Vertices of the outline around convex vertex `i`. */
  #arc(i: number): void {
    const before = i > 0 ? i - 1 : this.#ring.count - 1;
    const fromX = this.#ring.normalX[before];
    const fromY = this.#ring.normalY[before];
    const toX = this.#ring.normalX[i];
    const toY = this.#ring.normalY[i];
    const gapX = toX - fromX;
    const gapY = toY - fromY;
    if (gapX * gapX + gapY * gapY < JOINED_ENDS * JOINED_ENDS) {
      if (this.#ring.isReversed) this.#push(i, toX, toY);
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
    this.x[this.count] = this.#ring.x[i] + this.#distance * normalX;
    this.y[this.count++] = this.#ring.y[i] + this.#distance * normalY;
  }

  /**
   * Joins the chain from #chainStart to the outline before it: cut at their crossing, or left out if it is hidden.
   * False if the outline stays unclear.
   */
  #mergeChain(): boolean {
    const x = this.x;
    const y = this.y;
    const outEnd = this.#chainStart;
    const chainEnd = this.count;
    if (outEnd === 0) return true;
    let e = outEnd - 2;
    let b = outEnd;
    if (this.#side(outEnd - 1, b) > 0) return false;
    while (e >= 0 && this.#side(e, b) < 0) e--;
    if (e < 0 || this.#turn(e, e + 1, b) <= 0) return false;
    // The chain begins below the outline: advance on both until it is above.
    for (;;) {
      if (b + 1 >= chainEnd) {
        this.count = outEnd;
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
    this.count = e + 2 + chainEnd - (b + 1);
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
    return this.x[a] * this.y[b] - this.y[a] * this.x[b];
  }

  /** Positive where vertex c lies to the left of (below) the line from a to b. */
  #turn(a: number, b: number, c: number): number {
    const x = this.x;
    const y = this.y;
    return (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a]);
  }
}
