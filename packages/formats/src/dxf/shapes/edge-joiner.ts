/** Joins stroked edges to loops: in their order if possible, else by searching for the edge that continues. */
import { pen } from './pen.ts';

/** Greatest distance, relative to the size of the path, at which two ends are joined without a gap. */
const GAP = 1e-6;
/** The same relative to the coordinates: the precision of 12 digits. */
const DIGITS = 1e-11;
/** Number of edges ahead that are searched for the next one: more disorder means a damaged path. */
const SEARCHED_EDGES = 256;

export class EdgeJoiner {
  edgeCount = 0;
  #first = 0;
  /** End position of each edge, counted from the first position of the path. */
  #ends: number[] = [];
  /** Copy of the edges' positions while the loops overwrite them. */
  #positions = new Float64Array(256);
  #used = new Uint8Array(16);
  #near = 0;
  #widestGap = 0;

  /** The pen's positions from this one on are edges. */
  begin(firstPosition: number): void {
    this.#first = firstPosition;
    this.#ends = [];
    this.edgeCount = 0;
  }

  endEdge(endPosition: number): void {
    this.#ends.push(endPosition - this.#first);
    this.edgeCount++;
  }

  /** Converts the edges to loops of the pen. Returns the widest gap that was bridged, 0 if all edges met. */
  join(): number {
    this.#take();
    this.#widestGap = 0;
    const count = this.edgeCount;
    let next = 0;
    while (next < count) {
      const first = pen.count;
      this.#append(next, this.#beginsReversed(next), first);
      for (;;) {
        while (next < count && this.#used[next] === 1) next++;
        if (this.#isClosed(first) || next === count) break;
        this.#appendFollowing(next, first);
      }
      this.#closeLoop(first);
    }
    return this.#widestGap;
  }

  /** Moves the edges out of the pen and computes the distance that counts as "near". */
  #take(): void {
    const { scratch } = pen;
    const from = this.#first * 3;
    const length = scratch.coordinateLength - from;
    if (length > this.#positions.length) this.#positions = new Float64Array(length * 2);
    const positions = this.#positions;
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    let size = 0;
    let greatest = 0;
    for (let ordinate = 0; ordinate < 2; ordinate++) {
      low = Number.POSITIVE_INFINITY;
      high = Number.NEGATIVE_INFINITY;
      for (let i = ordinate; i < length; i += 3) {
        const value = scratch.coordinates[from + i];
        if (value < low) low = value;
        if (value > high) high = value;
      }
      size = Math.max(size, high - low);
      greatest = Math.max(greatest, Math.abs(low), Math.abs(high));
    }
    for (let i = 0; i < length; i++) positions[i] = scratch.coordinates[from + i];
    scratch.coordinateLength = from;
    this.#near = Math.max(GAP * size, DIGITS * greatest);
    if (this.#used.length < this.edgeCount) this.#used = new Uint8Array(this.edgeCount * 2);
    this.#used.fill(0, 0, this.edgeCount);
  }

  #edgeStart(edge: number): number {
    return edge === 0 ? 0 : this.#ends[edge - 1];
  }

  /** Distance between two positions of the edges. */
  #distance(a: number, b: number): number {
    const positions = this.#positions;
    return Math.hypot(positions[a * 3] - positions[b * 3], positions[a * 3 + 1] - positions[b * 3 + 1]);
  }

  /** Whether the first edge of a loop must be reversed to meet the second. */
  #beginsReversed(edge: number): boolean {
    const next = edge + 1;
    if (next >= this.edgeCount) return false;
    const start = this.#edgeStart(edge);
    const end = this.#ends[edge] - 1;
    const nextStart = this.#edgeStart(next);
    const nextEnd = this.#ends[next] - 1;
    const forwards = Math.min(this.#distance(end, nextStart), this.#distance(end, nextEnd));
    const backwards = Math.min(this.#distance(start, nextStart), this.#distance(start, nextEnd));
    return forwards > this.#near && backwards <= this.#near;
  }

  /** Distance from the pen's last position to a position of the edges. */
  #gapTo(position: number): number {
    const { coordinates, coordinateLength } = pen.scratch;
    const positions = this.#positions;
    return Math.hypot(
      coordinates[coordinateLength - 3] - positions[position * 3],
      coordinates[coordinateLength - 2] - positions[position * 3 + 1],
    );
  }

  #appendFollowing(next: number, first: number): void {
    const limit = Math.min(this.edgeCount, next + SEARCHED_EDGES);
    for (let edge = next; edge < limit; edge++) {
      if (this.#used[edge] === 1) continue;
      if (this.#gapTo(this.#edgeStart(edge)) <= this.#near) {
        this.#append(edge, false, first);
        return;
      }
      if (this.#gapTo(this.#ends[edge] - 1) <= this.#near) {
        this.#append(edge, true, first);
        return;
      }
    }
    const gap = this.#gapTo(this.#edgeStart(next));
    const reversedGap = this.#gapTo(this.#ends[next] - 1);
    this.#widestGap = Math.max(this.#widestGap, Math.min(gap, reversedGap));
    this.#append(next, reversedGap < gap, first);
  }

  /** Appends an edge to the loop; a position shared with the loop's end is kept once. */
  #append(edge: number, isReversed: boolean, first: number): void {
    this.#used[edge] = 1;
    const positions = this.#positions;
    const start = this.#edgeStart(edge);
    const end = this.#ends[edge];
    const begin = isReversed ? end - 1 : start;
    const step = isReversed ? -1 : 1;
    const skipped = pen.count > first && this.#gapTo(begin) <= this.#near ? 1 : 0;
    for (let i = skipped; i < end - start; i++) {
      const at = (begin + i * step) * 3;
      pen.position(positions[at], positions[at + 1], positions[at + 2]);
    }
  }

  #isClosed(first: number): boolean {
    return pen.count - first >= 4 && this.#endGap(first) <= this.#near;
  }

  #endGap(first: number): number {
    const { coordinates, coordinateLength } = pen.scratch;
    return Math.hypot(
      coordinates[coordinateLength - 3] - coordinates[first * 3],
      coordinates[coordinateLength - 2] - coordinates[first * 3 + 1],
    );
  }

  #closeLoop(first: number): void {
    const { coordinates, coordinateLength } = pen.scratch;
    const gap = this.#endGap(first);
    if (gap > this.#near) {
      this.#widestGap = Math.max(this.#widestGap, gap);
      pen.close(first);
    } else if (pen.count - first > 1)
      for (let k = 0; k < 3; k++) coordinates[coordinateLength - 3 + k] = coordinates[first * 3 + k];
    pen.endArea(first);
  }
}
