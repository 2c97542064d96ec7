/**
 * Bounds of the segments between consecutive positions, in blocks of 16 and blocks of blocks, to find the segments near a
 * place. Consecutive segments are near each other, so the order of the positions is a good enough division of space.
 */

/** Segments per block, and blocks per block of the next level. */
const FAN_OUT = 16;
/** With fewer segments, looking at all of them is quicker than bounds are. */
const FEWEST_SEGMENTS = 2 * FAN_OUT;
const MOST_LEVELS = 8;

export const SEGMENTS_PER_BLOCK = FAN_OUT;

export class SegmentBoxes {
  /** The blocks that `find` found: block b has the segments `[b * SEGMENTS_PER_BLOCK, (b + 1) * SEGMENTS_PER_BLOCK)`. */
  found = new Int32Array(64);
  /** minX, minY, maxX, maxY of each block, level after level. */
  #boxes = new Float64Array(256);
  readonly #levelStarts = new Int32Array(MOST_LEVELS + 1);
  /** 0: without bounds, all blocks are found. */
  #levels = 0;
  #blockCount = 0;
  #pending = new Int32Array(64);

  /** Of the segments i to i + 1, i + 1 below `count`; segments that do not exist may be among them. */
  build(xs: Float64Array, ys: Float64Array, count: number): void {
    const segments = Math.max(count - 1, 1);
    this.#blockCount = Math.ceil(segments / FAN_OUT);
    this.#levels = 0;
    if (this.found.length < this.#blockCount) this.found = new Int32Array(this.#blockCount * 2);
    if (segments < FEWEST_SEGMENTS) {
      for (let block = 0; block < this.#blockCount; block++) this.found[block] = block;
      return;
    }
    // A level has at most a 16th of the one below it, so all of them have fewer than twice the blocks of the first.
    if (this.#boxes.length < this.#blockCount * 8 + 64)
      this.#boxes = new Float64Array(this.#blockCount * 16 + 64);
    this.#buildFirst(xs, ys, count);
    let blocks = this.#blockCount;
    this.#levels = 1;
    while (blocks > FAN_OUT) {
      const above = Math.ceil(blocks / FAN_OUT);
      this.#buildAbove(this.#levels, blocks);
      blocks = above;
      this.#levels++;
    }
    if (this.#pending.length < this.#blockCount + FAN_OUT)
      this.#pending = new Int32Array(this.#blockCount * 2 + 64);
  }

  /** A further segment counts as segment `index`. */
  extend(index: number, ax: number, ay: number, bx: number, by: number): void {
    let block = index;
    for (let level = 0; level < this.#levels; level++) {
      block = Math.floor(block / FAN_OUT);
      const at = (this.#levelStarts[level] + block) * 4;
      const boxes = this.#boxes;
      boxes[at] = Math.min(boxes[at], ax, bx);
      boxes[at + 1] = Math.min(boxes[at + 1], ay, by);
      boxes[at + 2] = Math.max(boxes[at + 2], ax, bx);
      boxes[at + 3] = Math.max(boxes[at + 3], ay, by);
    }
  }

  /** Puts the blocks that may have segments within the bounds into `found`, and returns their number. */
  find(minX: number, minY: number, maxX: number, maxY: number): number {
    if (this.#levels === 0) return this.#blockCount;
    const boxes = this.#boxes;
    const pending = this.#pending;
    const top = this.#levels - 1;
    let waiting = 0;
    let count = 0;
    let first = this.#levelStarts[top];
    let last = this.#levelStarts[top + 1];
    for (;;) {
      for (let block = first; block < last; block++) {
        const at = block * 4;
        if (boxes[at] > maxX || boxes[at + 2] < minX || boxes[at + 1] > maxY || boxes[at + 3] < minY)
          continue;
        if (block < this.#blockCount) this.found[count++] = block;
        else pending[waiting++] = block;
      }
      if (waiting === 0) return count;
      const block = pending[--waiting];
      let level = 1;
      while (block >= this.#levelStarts[level + 1]) level++;
      first = this.#levelStarts[level - 1] + (block - this.#levelStarts[level]) * FAN_OUT;
      last = Math.min(first + FAN_OUT, this.#levelStarts[level]);
    }
  }

  #buildFirst(xs: Float64Array, ys: Float64Array, count: number): void {
    const boxes = this.#boxes;
    for (let block = 0; block < this.#blockCount; block++) {
      const first = block * FAN_OUT;
      const last = Math.min(first + FAN_OUT, count - 1);
      let minX = xs[first];
      let minY = ys[first];
      let maxX = minX;
      let maxY = minY;
      for (let i = first + 1; i <= last; i++) {
        const x = xs[i];
        const y = ys[i];
        if (x < minX) minX = x;
        if (x > maxX) maxX = x;
        if (y < minY) minY = y;
        if (y > maxY) maxY = y;
      }
      boxes[block * 4] = minX;
      boxes[block * 4 + 1] = minY;
      boxes[block * 4 + 2] = maxX;
      boxes[block * 4 + 3] = maxY;
    }
    this.#levelStarts[0] = 0;
    this.#levelStarts[1] = this.#blockCount;
  }

  /** Of the level below, which has `blocks`. */
  #buildAbove(level: number, blocks: number): void {
    const boxes = this.#boxes;
    const below = this.#levelStarts[level - 1];
    const start = this.#levelStarts[level];
    const count = Math.ceil(blocks / FAN_OUT);
    for (let block = 0; block < count; block++) {
      const at = (start + block) * 4;
      const first = below + block * FAN_OUT;
      const last = below + Math.min((block + 1) * FAN_OUT, blocks);
      boxes.copyWithin(at, first * 4, first * 4 + 4);
      for (let child = first + 1; child < last; child++) {
        boxes[at] = Math.min(boxes[at], boxes[child * 4]);
        boxes[at + 1] = Math.min(boxes[at + 1], boxes[child * 4 + 1]);
        boxes[at + 2] = Math.max(boxes[at + 2], boxes[child * 4 + 2]);
        boxes[at + 3] = Math.max(boxes[at + 3], boxes[child * 4 + 3]);
      }
    }
    this.#levelStarts[level + 1] = start + count;
  }
}
