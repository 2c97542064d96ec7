/** Writes the index entry by entry, in the order of the features: all levels at once, each through a small buffer. */
import { ENTRY_BYTES, levelsOf, REFERENCE_AT } from './index-layout.ts';

export const NODE_SIZE = 16;
const BUFFERED_ENTRIES = 1 << 11;

interface LevelBuffer {
  /** Number in the tree of the first entry in the buffer. */
  first: number;
  /** Number in the level of the next entry. */
  next: number;
  readonly view: DataView<ArrayBuffer>;
  count: number;
}

export class IndexWriter {
  readonly byteLength: number;
  readonly #write: (offset: number, bytes: Uint8Array) => void;
  readonly #levels: readonly LevelBuffer[];
  readonly #starts: readonly number[];
  /** For each level the box of the entries that have no parent yet. */
  readonly #open: readonly Float64Array[];

  /** `write` puts bytes at an offset in the index, which has `count` features. */
  constructor(count: number, write: (offset: number, bytes: Uint8Array) => void) {
    const levels = levelsOf(count, NODE_SIZE);
    this.byteLength = levels[0].end * ENTRY_BYTES;
    this.#write = write;
    this.#starts = levels.map(({ start }) => start);
    this.#levels = levels.map(({ start, end }) => ({
      first: start,
      next: 0,
      view: new DataView(new ArrayBuffer(Math.min(end - start, BUFFERED_ENTRIES) * ENTRY_BYTES)),
      count: 0,
    }));
    this.#open = levels.map(() => emptyBox());
  }

  /** Adds the entry of a feature at this offset with the box at `boxes[at]`. */
  add(boxes: Float64Array, at: number, offset: number): void {
    this.#add(0, boxes, at, offset);
  }

  finish(): void {
    for (let height = 0; height < this.#levels.length; height++) {
      if (height + 1 < this.#levels.length && this.#levels[height].next % NODE_SIZE !== 0)
        this.#close(height);
      this.#flush(this.#levels[height]);
    }
  }

  #add(height: number, boxes: Float64Array, from: number, reference: number): void {
    const level = this.#levels[height];
    const { view } = level;
    const open = this.#open[height];
    const minX = boxes[from];
    const minY = boxes[from + 1];
    const maxX = boxes[from + 2];
    const maxY = boxes[from + 3];
    const at = level.count * ENTRY_BYTES;
    view.setFloat64(at, minX, true);
    view.setFloat64(at + 8, minY, true);
    view.setFloat64(at + 16, maxX, true);
    view.setFloat64(at + 24, maxY, true);
    view.setUint32(at + REFERENCE_AT, reference >>> 0, true);
    view.setUint32(at + REFERENCE_AT + 4, Math.floor(reference / 2 ** 32), true);
    if (minX < open[0]) open[0] = minX;
    if (minY < open[1]) open[1] = minY;
    if (maxX > open[2]) open[2] = maxX;
    if (maxY > open[3]) open[3] = maxY;
    level.count++;
    level.next++;
    if (level.count * ENTRY_BYTES === view.byteLength) this.#flush(level);
    if (level.next % NODE_SIZE === 0 && height + 1 < this.#levels.length) this.#close(height);
  }

  /** Adds the entry above the last entries of a level. */
  #close(height: number): void {
    const open = this.#open[height];
    const { next } = this.#levels[height];
    const firstChild = this.#starts[height] + Math.floor((next - 1) / NODE_SIZE) * NODE_SIZE;
    this.#add(height + 1, open, 0, firstChild);
    open[0] = open[1] = Number.POSITIVE_INFINITY;
    open[2] = open[3] = Number.NEGATIVE_INFINITY;
  }

  #flush(level: LevelBuffer): void {
    this.#write(level.first * ENTRY_BYTES, new Uint8Array(level.view.buffer, 0, level.count * ENTRY_BYTES));
    level.first += level.count;
    level.count = 0;
  }
}

function emptyBox(): Float64Array {
  const most = Number.POSITIVE_INFINITY;
  return Float64Array.of(most, most, -most, -most);
}
