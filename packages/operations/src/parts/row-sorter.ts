/**
 * Sorts the rows of batches by their last columns, the keys. Rows that are equal keep their order. What does not fit in memory
 * is sorted in runs, which are kept in a store and merged at the end.
 */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import { batchByteLength, type FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { joinBatches } from '@geomill/core/columns/join-batches.ts';
import type { BatchStore, StoredBatch } from '../transformation.ts';
import type { SortOrder } from './sort-orders.ts';
import { takeFeatures } from './take-geometry.ts';

/** Bytes of a run: it needs three times as much while it is sorted. */
const RUN_BYTES = 24 << 20;
/** Rows and bytes of a batch of the result. */
const BATCH_ROWS = 8192;
const BATCH_BYTES = 1 << 20;
/** Runs that are merged at once: each keeps a batch in memory. */
const MAX_RUNS = 64;

export type Direction = Pick<SortOrder, 'isDescending' | 'hasNullsFirst'>;

/** A row of a batch that is being merged. */
interface Cursor {
  /** Of the runs in their order: decides between equal rows. */
  readonly number: number;
  readonly batches: Iterator<FeatureBatch>;
  batch: FeatureBatch;
  row: number;
}

export class RowSorter {
  readonly #directions: readonly Direction[];
  readonly #store: BatchStore;
  readonly #runBytes: number;
  #waiting: FeatureBatch[] = [];
  #waitingBytes = 0;
  #runs: (readonly StoredBatch[])[] = [];

  /** The last columns of the batches are the keys, in the order of the directions. */
  constructor(directions: readonly Direction[], store: BatchStore, runBytes = RUN_BYTES) {
    this.#directions = directions;
    this.#store = store;
    this.#runBytes = runBytes;
  }

  /** All batches have the same fields, with the same types. */
  add(batch: FeatureBatch): void {
    if (batch.rowCount === 0) return;
    this.#waiting.push(batch);
    this.#waitingBytes += batchByteLength(batch);
    if (this.#waitingBytes > this.#runBytes) this.#endRun();
  }

  *finish(): Generator<FeatureBatch, void, undefined> {
    if (this.#runs.length === 0) {
      yield* this.#sorted();
      return;
    }
    this.#endRun();
    yield* this.#merged(this.#runs);
  }

  #endRun(): void {
    if (this.#runs.length === MAX_RUNS) this.#runs = [this.#stored(this.#merged(this.#runs))];
    const run = this.#stored(this.#sorted());
    if (run.length > 0) this.#runs.push(run);
  }

  #stored(batches: Iterable<FeatureBatch>): StoredBatch[] {
    const stored: StoredBatch[] = [];
    for (const batch of batches) stored.push(this.#store.store(batch));
    return stored;
  }

  /** The waiting rows in order. */
  *#sorted(): Generator<FeatureBatch, void, undefined> {
    const batches = this.#waiting;
    if (batches.length === 0) return;
    const bytes = this.#waitingBytes;
    this.#waiting = [];
    this.#waitingBytes = 0;
    const all = joinBatches(batches);
    batches.length = 0;
    const compare = comparison(this.#directions);
    const keys = keysOf(all, this.#directions.length);
    const order = new Uint32Array(all.rowCount);
    for (let row = 0; row < order.length; row++) order[row] = row;
    order.sort((a, b) => compare(keys, a, keys, b) || a - b);
    const rows = Math.max(1, Math.min(BATCH_ROWS, Math.floor((BATCH_BYTES * all.rowCount) / bytes)));
    for (let at = 0; at < order.length; at += rows) yield takeFeatures(all, order.slice(at, at + rows));
  }

  *#merged(runs: readonly (readonly StoredBatch[])[]): Generator<FeatureBatch, void, undefined> {
    const keyCount = this.#directions.length;
    const compare = comparison(this.#directions);
    const keys = new Map<FeatureBatch, readonly AttributeColumn[]>();
    const isBefore = (a: Cursor, b: Cursor): boolean => {
      const order = compare(keys.get(a.batch)!, a.row, keys.get(b.batch)!, b.row);
      return order === 0 ? a.number < b.number : order < 0;
    };
    const heap = new CursorHeap(isBefore);
    for (const [number, run] of runs.entries()) {
      const batches = this.#loaded(run);
      const batch = batches.next().value;
      if (!batch) continue;
      keys.set(batch, keysOf(batch, keyCount));
      heap.push({ number, batches, batch, row: 0 });
    }
    let picks = new Picks();
    for (let cursor = heap.first; cursor !== undefined; cursor = heap.first) {
      picks.add(cursor.batch, cursor.row);
      if (++cursor.row === cursor.batch.rowCount) {
        keys.delete(cursor.batch);
        const next = cursor.batches.next();
        if (next.done) heap.dropFirst();
        else {
          cursor.batch = next.value;
          cursor.row = 0;
          keys.set(cursor.batch, keysOf(cursor.batch, keyCount));
        }
      }
      heap.sinkFirst();
      if (!picks.isFull) continue;
      yield picks.batch();
      picks = new Picks();
    }
    if (!picks.isEmpty) yield picks.batch();
  }

  *#loaded(run: readonly StoredBatch[]): Generator<FeatureBatch, undefined, undefined> {
    for (const stored of run) yield this.#store.load(stored);
    return undefined;
  }
}

/** Rows of several batches, in order. */
class Picks {
  readonly #numbers = new Map<FeatureBatch, number>();
  readonly #rows: number[][] = [];
  readonly #sources: number[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#sources.length === 0;
  }

  get isFull(): boolean {
    return this.#sources.length >= BATCH_ROWS || this.#bytes >= BATCH_BYTES;
  }

  add(batch: FeatureBatch, row: number): void {
    let number = this.#numbers.get(batch);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(batch, number);
      this.#rows.push([]);
    }
    this.#rows[number].push(row);
    this.#sources.push(number);
    const { coordOffsets, ringOffsets, partOffsets } = batch.geometry;
    const positions =
      coordOffsets[ringOffsets[partOffsets[row + 1]]] - coordOffsets[ringOffsets[partOffsets[row]]];
    this.#bytes += positions * 16 + 64;
  }

  batch(): FeatureBatch {
    const starts: number[] = [];
    let count = 0;
    const parts = [...this.#numbers.keys()].map((batch, number) => {
      starts.push(count);
      count += this.#rows[number].length;
      return takeFeatures(batch, Uint32Array.from(this.#rows[number]));
    });
    const joined = joinBatches(parts);
    return takeFeatures(
      joined,
      Uint32Array.from(this.#sources, (number) => starts[number]++),
    );
  }
}

/** The cursors, the one with the first row on top. */
class CursorHeap {
  readonly #isBefore: (a: Cursor, b: Cursor) => boolean;
  readonly #cursors: Cursor[] = [];

  constructor(isBefore: (a: Cursor, b: Cursor) => boolean) {
    this.#isBefore = isBefore;
  }

  get first(): Cursor | undefined {
    return this.#cursors[0];
  }

  push(cursor: Cursor): void {
    const cursors = this.#cursors;
    let at = cursors.push(cursor) - 1;
    for (let above = (at - 1) >> 1; at > 0 && this.#isBefore(cursor, cursors[above]); above = (at - 1) >> 1) {
      cursors[at] = cursors[above];
      at = above;
    }
    cursors[at] = cursor;
  }

  dropFirst(): void {
    const last = this.#cursors.pop();
    if (last !== undefined && this.#cursors.length > 0) this.#cursors[0] = last;
  }

  /** Restores the order after the first one changed. */
  sinkFirst(): void {
    const cursors = this.#cursors;
    const [cursor] = cursors;
    if (cursor === undefined) return;
    let at = 0;
    for (let below = 1; below < cursors.length; below = 2 * at + 1) {
      if (below + 1 < cursors.length && this.#isBefore(cursors[below + 1], cursors[below])) below++;
      if (!this.#isBefore(cursors[below], cursor)) break;
      cursors[at] = cursors[below];
      at = below;
    }
    cursors[at] = cursor;
  }
}

function keysOf({ columns }: FeatureBatch, count: number): readonly AttributeColumn[] {
  return columns.slice(columns.length - count);
}

export type Compare = (
  a: readonly AttributeColumn[],
  aRow: number,
  b: readonly AttributeColumn[],
  bRow: number,
) => number;

/** Negative: row `aRow` of `a` comes first; 0: the rows are equal. */
export function comparison(directions: readonly Direction[]): Compare {
  return (a, aRow, b, bRow) => {
    for (let i = 0; i < directions.length; i++) {
      const { isDescending, hasNullsFirst } = directions[i];
      const [left, right] = [a[i], b[i]];
      const isNull = left.validity !== null && (left.validity[aRow >> 3] & (1 << (aRow & 7))) === 0;
      const isOtherNull = right.validity !== null && (right.validity[bRow >> 3] & (1 << (bRow & 7))) === 0;
      if (isNull || isOtherNull) {
        if (isNull && isOtherNull) continue;
        return isNull === hasNullsFirst ? -1 : 1;
      }
      const order = compareValues(left, aRow, right, bRow);
      if (order !== 0) return isDescending ? -order : order;
    }
    return 0;
  };
}

function compareValues(a: AttributeColumn, aRow: number, b: AttributeColumn, bRow: number): number {
  if ('offsets' in a && 'offsets' in b) {
    const aEnd = a.offsets[aRow + 1];
    const bEnd = b.offsets[bRow + 1];
    let at = a.offsets[aRow];
    let other = b.offsets[bRow];
    for (; at < aEnd && other < bEnd; at++, other++) {
      const difference = a.bytes[at] - b.bytes[other];
      if (difference !== 0) return difference;
    }
    return aEnd - at - (bEnd - other);
  }
  if ('offsets' in a || 'offsets' in b) throw new TypeError('keys of different types have no order');
  const [left, right] = [a.values[aRow], b.values[bRow]];
  return left < right ? -1 : left > right ? 1 : 0;
}
