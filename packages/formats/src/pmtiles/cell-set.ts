/** A set of cells of zooms: a hash table in typed arrays, which is used again for each batch. */

const LEAST_SLOTS = 1 << 12;

export class CellSet {
  #slots = LEAST_SLOTS;
  #xs = new Uint32Array(LEAST_SLOTS);
  #ys = new Uint32Array(LEAST_SLOTS);
  /** The zoom of a cell, counted from 1; 0: no cell. */
  #zooms = new Uint8Array(LEAST_SLOTS);
  #count = 0;

  /** False: the set has the cell. Cells west and north of the world have negative numbers. */
  add(zoom: number, column: number, row: number): boolean {
    const x = column >>> 0;
    const y = row >>> 0;
    const slot = this.#find(zoom + 1, x, y);
    if (this.#zooms[slot] !== 0) return false;
    this.#put(slot, zoom + 1, x, y);
    this.#count++;
    if (this.#count * 2 > this.#slots) this.#grow();
    return true;
  }

  clear(): void {
    this.#zooms.fill(0);
    this.#count = 0;
  }

  #put(slot: number, zoom: number, x: number, y: number): void {
    this.#zooms[slot] = zoom;
    this.#xs[slot] = x;
    this.#ys[slot] = y;
  }

  /** The slot of the cell, or where it would be. */
  #find(zoom: number, x: number, y: number): number {
    const mask = this.#slots - 1;
    let mixed = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(zoom, 0xc2b2ae35);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
    let slot = (mixed ^ (mixed >>> 13)) & mask;
    while (this.#zooms[slot] !== 0) {
      if (this.#xs[slot] === x && this.#ys[slot] === y && this.#zooms[slot] === zoom) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const [xs, ys, zooms] = [this.#xs, this.#ys, this.#zooms];
    this.#slots *= 2;
    this.#xs = new Uint32Array(this.#slots);
    this.#ys = new Uint32Array(this.#slots);
    this.#zooms = new Uint8Array(this.#slots);
    for (let i = 0; i < zooms.length; i++)
      if (zooms[i] !== 0) this.#put(this.#find(zooms[i], xs[i], ys[i]), zooms[i], xs[i], ys[i]);
  }
}
