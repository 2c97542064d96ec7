/** The ring of a star-shaped polygon, around a point from which all of it is visible. */
import { type GeometryColumn, strideOf } from '@geomill/core/geometry/geometry-column.ts';
import { KernelFinder } from './kernel.ts';
import { leaveOutShallowConcavities } from './shallow-concavities.ts';

/** Larger rings are rarely star-shaped. */
export const MAX_POSITIONS = 256;
/** Larger polygons (per distance) are left to GEOS: digits would run out. */
export const MAX_REACH = 1e4;

export class StarRing {
  count = 0;
  /** Positions relative to the centre, counter-clockwise, the first not repeated. */
  readonly x = new Float64Array(MAX_POSITIONS);
  readonly y = new Float64Array(MAX_POSITIONS);
  /** Outward unit normals of the edges; edge i leads from position i to the next. */
  readonly normalX = new Float64Array(MAX_POSITIONS);
  readonly normalY = new Float64Array(MAX_POSITIONS);
  centreX = 0;
  centreY = 0;
  /** The positions came clockwise. */
  isReversed = false;
  readonly #distance: number;
  readonly #kernel = new KernelFinder();

  /** `distance` is the one of the buffer: small concavities are left out with regard to it. */
  constructor(distance: number) {
    this.#distance = distance;
  }

  /** False unless the row is one ring of suitable size that is certainly star-shaped. */
  read(column: GeometryColumn, row: number): boolean {
    if (!this.#load(column, row) || !this.#centre()) return false;
    if (!this.#isStar() && !(this.#centreInKernel() && this.#isStar())) return false;
    return this.#drawNormals();
  }

  /** Sine of the turn at a position: positive at convex ones. */
  turnAt(i: number): number {
    const before = i > 0 ? i - 1 : this.count - 1;
    return this.normalX[before] * this.normalY[i] - this.normalY[before] * this.normalX[i];
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
    const x = this.x;
    const y = this.y;
    this.centreX = coordinates[start];
    this.centreY = coordinates[start + 1];
    let count = 0;
    let area = 0;
    for (let at = start; at < last; at += stride) {
      const dx = coordinates[at] - this.centreX;
      const dy = coordinates[at + 1] - this.centreY;
      if (count > 0) {
        if (dx === x[count - 1] && dy === y[count - 1]) continue;
        area += x[count - 1] * dy - dx * y[count - 1];
      }
      x[count] = dx;
      y[count++] = dy;
    }
    if (!(Math.abs(area) > 0) || count < 3) return false;
    this.isReversed = area < 0;
    count = leaveOutShallowConcavities(x, y, count, area < 0 ? -1 : 1, this.#distance);
    if (this.isReversed) {
      x.subarray(0, count).reverse();
      y.subarray(0, count).reverse();
    }
    this.count = count;
    return count >= 3;
  }

  /** Moves the ring so that its centroid is the origin. */
  #centre(): boolean {
    const x = this.x;
    const y = this.y;
    const count = this.count;
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

  /** For polygons such as an L, which are visible as a whole from their corner but not from their centroid. */
  #centreInKernel(): boolean {
    if (!this.#kernel.find(this.x, this.y, this.count)) return false;
    this.#moveCentre(this.#kernel.x, this.#kernel.y);
    return true;
  }

  #moveCentre(dx: number, dy: number): void {
    // What the centre loses in rounding, the positions must not gain.
    const centreX = this.centreX + dx;
    const centreY = this.centreY + dy;
    const shiftX = centreX - this.centreX;
    const shiftY = centreY - this.centreY;
    for (let i = 0; i < this.count; i++) {
      this.x[i] -= shiftX;
      this.y[i] -= shiftY;
    }
    this.centreX = centreX;
    this.centreY = centreY;
  }

  /** Whether every edge is seen from the origin from its inner side, once around. */
  #isStar(): boolean {
    const x = this.x;
    const y = this.y;
    const count = this.count;
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
    const x = this.x;
    const y = this.y;
    const count = this.count;
    for (let i = 0; i < count; i++) {
      const next = i + 1 < count ? i + 1 : 0;
      const dx = x[next] - x[i];
      const dy = y[next] - y[i];
      const length = Math.sqrt(dx * dx + dy * dy);
      if (!(length > 0)) return false;
      this.normalX[i] = dy / length;
      this.normalY[i] = -dx / length;
    }
    return true;
  }
}
