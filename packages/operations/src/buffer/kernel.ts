/** The kernel of a polygon, from which all of it is visible: the intersection of the inner half planes of its edges. */

/** Clipping by every edge is quadratic; larger rings are left alone. */
const MAX_POSITIONS = 64;

export class KernelFinder {
  /** A point well inside the kernel, after `find` returned true. */
  x = 0;
  y = 0;
  #fromX = new Float64Array(2 * MAX_POSITIONS + 8);
  #fromY = new Float64Array(2 * MAX_POSITIONS + 8);
  #toX = new Float64Array(2 * MAX_POSITIONS + 8);
  #toY = new Float64Array(2 * MAX_POSITIONS + 8);
  #count = 0;

  /** Of a counter-clockwise ring of `count` positions; false if there is none, or the ring is too long to check. */
  find(x: Float64Array, y: Float64Array, count: number): boolean {
    if (count > MAX_POSITIONS) return false;
    this.#startWithBox(x, y, count);
    for (let i = 0; i < count; i++) {
      const next = i + 1 < count ? i + 1 : 0;
      this.#clip(x[i], y[i], x[next] - x[i], y[next] - y[i]);
      if (this.#count < 3) return false;
    }
    let sumX = 0;
    let sumY = 0;
    for (let i = 0; i < this.#count; i++) {
      sumX += this.#fromX[i];
      sumY += this.#fromY[i];
    }
    this.x = sumX / this.#count;
    this.y = sumY / this.#count;
    return true;
  }

  #startWithBox(x: Float64Array, y: Float64Array, count: number): void {
    let west = x[0];
    let east = x[0];
    let south = y[0];
    let north = y[0];
    for (let i = 1; i < count; i++) {
      west = Math.min(west, x[i]);
      east = Math.max(east, x[i]);
      south = Math.min(south, y[i]);
      north = Math.max(north, y[i]);
    }
    this.#fromX[0] = this.#fromX[3] = west;
    this.#fromX[1] = this.#fromX[2] = east;
    this.#fromY[0] = this.#fromY[1] = south;
    this.#fromY[2] = this.#fromY[3] = north;
    this.#count = 4;
  }

  /** Keeps the part to the left of the line through (ax, ay) in direction (dx, dy). */
  #clip(ax: number, ay: number, dx: number, dy: number): void {
    const fromX = this.#fromX;
    const fromY = this.#fromY;
    const toX = this.#toX;
    const toY = this.#toY;
    let to = 0;
    let j = this.#count - 1;
    let sideBefore = dx * (fromY[j] - ay) - dy * (fromX[j] - ax);
    for (let i = 0; i < this.#count; j = i++) {
      const side = dx * (fromY[i] - ay) - dy * (fromX[i] - ax);
      if (side > 0 !== sideBefore > 0) {
        const along = sideBefore / (sideBefore - side);
        toX[to] = fromX[j] + along * (fromX[i] - fromX[j]);
        toY[to++] = fromY[j] + along * (fromY[i] - fromY[j]);
      }
      if (side > 0) {
        toX[to] = fromX[i];
        toY[to++] = fromY[i];
      }
      sideBefore = side;
    }
    this.#fromX = toX;
    this.#fromY = toY;
    this.#toX = fromX;
    this.#toY = fromY;
    this.#count = to;
  }
}
