/** Numbers positions: equal x and y (and class) have the same number. Open addressing over typed arrays. */

const FIRST_SLOTS = 1 << 12;

export class PositionIndex {
  /** Different positions so far; their numbers are 0 to count - 1 in the order of their first `add`. */
  count = 0;
  /** By number; replaced as the index grows. */
  x = new Float64Array(FIRST_SLOTS / 2);
  y = new Float64Array(FIRST_SLOTS / 2);
  #class = new Uint32Array(FIRST_SLOTS / 2);
  /** Number of the position + 1 by slot; 0: free. */
  #slots = new Uint32Array(FIRST_SLOTS);
  readonly #words = new Uint32Array(4);
  readonly #doubles = new Float64Array(this.#words.buffer);

  /** The number of the position, a new one if `count` grew. Positions that are not finite must not come here. */
  add(x: number, y: number, ofClass = 0): number {
    if (this.count * 2 === this.#slots.length) this.#grow();
    const mask = this.#slots.length - 1;
    // -0 and 0 are one place.
    const ownX = x + 0;
    const ownY = y + 0;
    let slot = this.#hash(ownX, ownY, ofClass) & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] - 1;
      if (this.x[number] === ownX && this.y[number] === ownY && this.#class[number] === ofClass)
        return number;
    }
    const number = this.count++;
    this.x[number] = ownX;
    this.y[number] = ownY;
    this.#class[number] = ofClass;
    this.#slots[slot] = number + 1;
    return number;
  }

  /** Forgets all positions. */
  clear(): void {
    this.count = 0;
    this.#slots.fill(0);
  }

  #hash(x: number, y: number, ofClass: number): number {
    this.#doubles[0] = x;
    this.#doubles[1] = y;
    const words = this.#words;
    let hash = Math.imul(words[0] ^ Math.imul(words[1], 0x85ebca6b), 0x9e3779b1) ^ ofClass;
    hash = Math.imul(hash ^ (hash >>> 15) ^ words[2], 0x85ebca77);
    hash = Math.imul(hash ^ (hash >>> 13) ^ Math.imul(words[3], 0xc2b2ae3d), 0x27d4eb2f);
    return (hash ^ (hash >>> 16)) >>> 0;
  }

  #grow(): void {
    const half = this.#slots.length;
    this.#slots = new Uint32Array(half * 2);
    this.x = extended(this.x, new Float64Array(half));
    this.y = extended(this.y, new Float64Array(half));
    this.#class = extended(this.#class, new Uint32Array(half));
    const mask = this.#slots.length - 1;
    for (let number = 0; number < this.count; number++) {
      let slot = this.#hash(this.x[number], this.y[number], this.#class[number]) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number + 1;
    }
  }
}

function extended<A extends { set(source: A): void }>(from: A, to: A): A {
  to.set(from);
  return to;
}
