/**
 * Edges in the cells of a grid, to find the pairs that may meet and what an edge is surrounded by. Linear in the number of edges
 * where they are of similar length; where it would take much more than that, the grid gives up.
 */
import { orientation } from './orientation.ts';

/** Entries of edges in cells, per edge. */
const MOST_ENTRIES = 4;
/** Pairs of edges that are compared, per edge. */
const MOST_PAIRS = 256;
/** Cells and edges that rays come to, per edge. */
const MOST_STEPS = 512;

export class EdgeGrid {
  #x: Float64Array = new Float64Array(0);
  #y: Float64Array = new Float64Array(0);
  #from: Uint32Array = new Uint32Array(0);
  #to: Uint32Array = new Uint32Array(0);
  #classOf: Uint32Array | null = null;
  #count = 0;
  /** Bounds of the edges. */
  #minX = new Float64Array(256);
  #minY = new Float64Array(256);
  #maxX = new Float64Array(256);
  #maxY = new Float64Array(256);
  /** Cells that the bounds of edges reach. */
  #firstColumn = new Uint32Array(256);
  #lastColumn = new Uint32Array(256);
  #firstRow = new Uint32Array(256);
  #lastRow = new Uint32Array(256);
  #west = 0;
  #south = 0;
  #columns = 1;
  #rows = 1;
  #perUnit = 0;
  /** False if coordinates are too large for a grid. */
  #isUsable = true;
  #stepsLeft = 0;
  /** Cell c has the edges `items[starts[c] .. starts[c + 1])`. */
  #starts = new Uint32Array(256);
  #items = new Uint32Array(1024);

  /**
   * Edge e leads from vertex `from[e]` to vertex `to[e]`; vertex v is at `x[v]`, `y[v]`, finite. Edges of different classes have
   * nothing to do with each other; `classOf` is null if all are of one.
   */
  build(
    x: Float64Array,
    y: Float64Array,
    from: Uint32Array,
    to: Uint32Array,
    count: number,
    classOf: Uint32Array | null,
  ): void {
    this.#classOf = classOf;
    this.#x = x;
    this.#y = y;
    this.#from = from;
    this.#to = to;
    this.#count = count;
    if (this.#minX.length < count) {
      this.#minX = new Float64Array(count * 2);
      this.#minY = new Float64Array(count * 2);
      this.#maxX = new Float64Array(count * 2);
      this.#maxY = new Float64Array(count * 2);
      this.#firstColumn = new Uint32Array(count * 2);
      this.#lastColumn = new Uint32Array(count * 2);
      this.#firstRow = new Uint32Array(count * 2);
      this.#lastRow = new Uint32Array(count * 2);
    }
    this.#divide();
    this.#fill();
  }

  #divide(): void {
    const { boundsOfAll, widths, heights, boxes } = this.#measure();
    const [west, south, east, north] = boundsOfAll;
    const width = east - west;
    const height = north - south;
    const count = Math.max(this.#count, 1);
    let size = Math.max(Math.sqrt((width * height) / count), width / count, height / count);
    while (boxes / (size * size) + (widths + heights) / size > (MOST_ENTRIES - 1) * count) size *= 1.25;
    // Then one cell has all edges, of which none are visited.
    this.#isUsable = size < Number.POSITIVE_INFINITY;
    if (!this.#isUsable) size = 0;
    this.#stepsLeft = count * MOST_STEPS + 65_536;
    this.#west = west;
    this.#south = south;
    this.#perUnit = size > 0 ? 1 / size : 0;
    this.#columns = this.#count === 0 ? 1 : this.#column(east) + 1;
    this.#rows = this.#count === 0 ? 1 : this.#row(north) + 1;
  }

  #measure(): {
    readonly boundsOfAll: readonly [west: number, south: number, east: number, north: number];
    readonly widths: number;
    readonly heights: number;
    readonly boxes: number;
  } {
    let west = Number.POSITIVE_INFINITY;
    let south = Number.POSITIVE_INFINITY;
    let east = Number.NEGATIVE_INFINITY;
    let north = Number.NEGATIVE_INFINITY;
    let widths = 0;
    let heights = 0;
    let boxes = 0;
    for (let e = 0; e < this.#count; e++) {
      const ax = this.#x[this.#from[e]];
      const ay = this.#y[this.#from[e]];
      const bx = this.#x[this.#to[e]];
      const by = this.#y[this.#to[e]];
      const minX = Math.min(ax, bx);
      const maxX = Math.max(ax, bx);
      const minY = Math.min(ay, by);
      const maxY = Math.max(ay, by);
      this.#minX[e] = minX;
      this.#maxX[e] = maxX;
      this.#minY[e] = minY;
      this.#maxY[e] = maxY;
      if (minX < west) west = minX;
      if (maxX > east) east = maxX;
      if (minY < south) south = minY;
      if (maxY > north) north = maxY;
      widths += maxX - minX;
      heights += maxY - minY;
      boxes += (maxX - minX) * (maxY - minY);
    }
    return { boundsOfAll: [west, south, east, north], widths, heights, boxes };
  }

  #fill(): void {
    const cells = this.#columns * this.#rows;
    if (this.#starts.length < cells + 1) this.#starts = new Uint32Array(cells * 2 + 1);
    const starts = this.#starts.fill(0, 0, cells + 1);
    const columns = this.#columns;
    for (let e = 0; e < this.#count; e++) {
      const firstColumn = this.#column(this.#minX[e]);
      const lastColumn = this.#column(this.#maxX[e]);
      const firstRow = this.#row(this.#minY[e]);
      const lastRow = this.#row(this.#maxY[e]);
      this.#firstColumn[e] = firstColumn;
      this.#lastColumn[e] = lastColumn;
      this.#firstRow[e] = firstRow;
      this.#lastRow[e] = lastRow;
      for (let row = firstRow; row <= lastRow; row++)
        for (let column = firstColumn; column <= lastColumn; column++) starts[row * columns + column]++;
    }
    let sum = 0;
    for (let cell = 0; cell < cells; cell++) {
      sum += starts[cell];
      starts[cell] = sum;
    }
    starts[cells] = sum;
    if (this.#items.length < sum) this.#items = new Uint32Array(sum * 2);
    // A cell is filled from its end on, and its start moves to its place.
    const items = this.#items;
    for (let e = 0; e < this.#count; e++) {
      const firstColumn = this.#firstColumn[e];
      const lastColumn = this.#lastColumn[e];
      const lastRow = this.#lastRow[e];
      for (let row = this.#firstRow[e]; row <= lastRow; row++)
        for (let column = firstColumn; column <= lastColumn; column++)
          items[--starts[row * columns + column]] = e;
    }
  }

  #column(x: number): number {
    return this.#perUnit === 0 ? 0 : Math.floor((x - this.#west) * this.#perUnit);
  }

  #row(y: number): number {
    return this.#perUnit === 0 ? 0 : Math.floor((y - this.#south) * this.#perUnit);
  }

  /**
   * Visits each pair of edges whose bounds meet once, except pairs of one owner. `ownerOf` is null if all pairs count. False, before
   * the end, if there are too many pairs or `visit` returned false.
   */
  eachPair(ownerOf: Uint32Array | null, visit: (e: number, f: number) => boolean): boolean {
    if (!this.#isUsable) return false;
    const cells = this.#columns * this.#rows;
    let left = this.#count * MOST_PAIRS + 4096;
    for (let cell = 0; cell < cells; cell++) {
      const end = this.#starts[cell + 1];
      for (let i = this.#starts[cell]; i < end; i++) {
        left -= end - i;
        if (left < 0 || !this.#pairsAfter(i, end, cell, ownerOf, visit)) return false;
      }
    }
    return true;
  }

  /** The pairs of an item of a cell and those after it. A loop of its own: V8 did not keep the optimised code of one in another. */
  #pairsAfter(
    at: number,
    end: number,
    cell: number,
    ownerOf: Uint32Array | null,
    visit: (e: number, f: number) => boolean,
  ): boolean {
    const minXs = this.#minX;
    const minYs = this.#minY;
    const maxXs = this.#maxX;
    const maxYs = this.#maxY;
    const items = this.#items;
    const classOf = this.#classOf;
    const e = items[at];
    const minX = minXs[e];
    const minY = minYs[e];
    const maxX = maxXs[e];
    const maxY = maxYs[e];
    const firstColumn = this.#firstColumn[e];
    const firstRow = this.#firstRow[e];
    const owner = ownerOf === null ? 0 : ownerOf[e];
    for (let k = at + 1; k < end; k++) {
      const f = items[k];
      if (minXs[f] > maxX || maxXs[f] < minX || minYs[f] > maxY || maxYs[f] < minY) continue;
      if (ownerOf !== null && ownerOf[f] === owner) continue;
      if (classOf !== null && classOf[e] !== classOf[f]) continue;
      // Bounds that meet in several cells count in the first one.
      const column = Math.max(firstColumn, this.#firstColumn[f]);
      const row = Math.max(firstRow, this.#firstRow[f]);
      if (row * this.#columns + column === cell && !visit(e, f)) return false;
    }
    return true;
  }

  /**
   * Winding number of the edges of a class around (x, y): those that a ray to the west crosses count, 1 for an edge to the
   * south and -1 for one to the north. `visit` gets these. NaN if rays took too long.
   */
  winding(x: number, y: number, ofClass: number, visit: ((e: number, one: number) => void) | null): number {
    const classOf = this.#classOf;
    const row = this.#row(y) * this.#columns;
    let sum = 0;
    for (let column = this.#column(x); column >= 0; column--) {
      const end = this.#starts[row + column + 1];
      this.#stepsLeft -= 1 + end - this.#starts[row + column];
      for (let i = this.#starts[row + column]; i < end; i++) {
        const e = this.#items[i];
        if (classOf !== null && classOf[e] !== ofClass) continue;
        if (this.#minX[e] > x || this.#minY[e] > y || this.#maxY[e] < y) continue;
        if (this.#firstColumn[e] !== column) continue;
        const a = this.#from[e];
        const b = this.#to[e];
        if (this.#y[a] <= y === this.#y[b] <= y) continue;
        const isNorth = this.#y[a] <= y;
        const side = orientation(this.#x[a], this.#y[a], this.#x[b], this.#y[b], x, y);
        if (isNorth ? side >= 0 : side <= 0) continue;
        sum += isNorth ? -1 : 1;
        visit?.(e, isNorth ? -1 : 1);
      }
    }
    return this.#stepsLeft < 0 ? Number.NaN : sum;
  }
}
