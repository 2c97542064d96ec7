/** Gathers the records of whole tiles, some tiles at a time, to be built together. */
import { copyRecord, RecordView } from './records.ts';
import type { SortedRuns } from './sorted-runs.ts';

/** Records that are built together, unless one tile has more. */
const WORK_BYTES = 512 << 10;
/** A tile with more loses its smallest features, before it is compressed, until half of it is left. */
export const MOST_TILE_BYTES = 48 << 20;

/** Records of whole tiles. `noteLeft` gets features that a tile lost. */
export function* gatherTiles(
  runs: Pick<SortedRuns, 'records'>,
  noteLeft: (tile: number, count: number) => void,
  mostBytes = MOST_TILE_BYTES,
): Generator<Uint8Array<ArrayBuffer>> {
  const gathered = new Gathered(mostBytes);
  for (const { view, start, end } of runs.records()) {
    const tile = view.tile(start);
    if (tile !== gathered.tile) {
      if (gathered.left > 0) noteLeft(gathered.tile, gathered.left);
      if (gathered.byteLength >= WORK_BYTES) yield gathered.take();
      gathered.begin(tile);
    }
    gathered.add(view, start, end);
  }
  if (gathered.left > 0) noteLeft(gathered.tile, gathered.left);
  if (gathered.byteLength > 0) yield gathered.take();
}

class Gathered {
  tile = -1;
  /** Features that the tile lost. */
  left = 0;
  byteLength = 0;
  readonly #mostBytes: number;
  #bytes = new Uint8Array(WORK_BYTES * 2);
  #words = new Int32Array(this.#bytes.buffer);
  #start = 0;
  /** Features of a smaller rank are left out of the tile. */
  #leastRank = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  begin(tile: number): void {
    this.tile = tile;
    this.left = 0;
    this.#start = this.byteLength;
    this.#leastRank = 0;
  }

  add(view: RecordView, start: number, end: number): void {
    if (this.#leastRank > 0 && view.rank(start) < this.#leastRank) {
      this.left++;
      return;
    }
    const needed = this.byteLength + end - start;
    if (needed > this.#bytes.length)
      this.#use(new Uint8Array(this.#bytes.buffer.transfer(Math.max(needed, this.#bytes.length * 2))));
    copyRecord(view.words, start, end, this.#words, this.byteLength);
    this.byteLength = needed;
    if (needed - this.#start > this.#mostBytes) this.#thin();
  }

  take(): Uint8Array<ArrayBuffer> {
    const { byteLength } = this;
    this.byteLength = 0;
    this.#start = 0;
    if (this.#bytes.length <= WORK_BYTES * 4) return this.#bytes.slice(0, byteLength);
    const bytes = new Uint8Array(this.#bytes.buffer.transfer(byteLength));
    this.#use(new Uint8Array(WORK_BYTES * 2));
    return bytes;
  }

  #use(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes;
    this.#words = new Int32Array(bytes.buffer);
  }

  /** Leaves the largest features in the tile, half of the bytes that it may have. */
  #thin(): void {
    const view = new RecordView(this.#bytes);
    const records: number[] = [];
    for (let at = this.#start; at < this.byteLength; at += view.byteLength(at)) records.push(at);
    const byRank = [...records].sort((a, b) => view.rank(b) - view.rank(a) || a - b);
    const most = this.#mostBytes / 2;
    const stays = new Set<number>();
    let bytes = 0;
    for (const at of byRank) {
      const length = view.byteLength(at);
      // A feature that alone exceeds the limit is skipped; the others are kept.
      if (length > most) continue;
      if (bytes + length > most) {
        this.#leastRank = view.rank(at);
        break;
      }
      bytes += length;
      stays.add(at);
    }
    let to = this.#start;
    for (const at of records) {
      const length = view.byteLength(at);
      if (stays.has(at)) {
        this.#bytes.copyWithin(to, at, at + length);
        to += length;
      } else this.left++;
    }
    this.byteLength = to;
  }
}
