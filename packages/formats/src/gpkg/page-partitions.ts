/**
 * Splits a table into ranges of leaf pages of about the wanted size; within a page, between its rows, only if the page
 * has much data.
 */
import {
  measureRows,
  type RowMeasures,
  type TableMeasures,
  type TablePages,
} from '@geomill/sqlite/table-pages.ts';
import type { Partition } from '../reader.ts';
import { type Cut, SMALLEST_KEY } from './partitions.ts';
import type { PageRuns } from './state.ts';

export type PageCut = Cut & {
  readonly lastKeys: BigInt64Array<ArrayBuffer>;
  readonly runs: PageRuns;
};

/** Bytes of a row in a batch other than its payload. */
const ROW_BYTES = 32;
/** A page with more than this many times the wanted size is split. */
const TOO_LARGE = 2;

/** Null if the file changes during the reading. */
export function cutPages(path: string, measures: TableMeasures, partitionBytes: number): PageCut | null {
  const { pages, rowCounts, payloadBytes, lastKeys } = measures;
  const runs = new RunList();
  for (let leaf = 0; leaf < rowCounts.length; leaf++) {
    const leafRows = rowCounts[leaf];
    if (leafRows === 0) continue;
    const leafBytes = payloadBytes[leaf] + leafRows * ROW_BYTES;
    if (runs.openBytes + leafBytes > partitionBytes) runs.close();
    if (leafBytes <= TOO_LARGE * partitionBytes || leafRows === 1) {
      runs.add(leaf, leafRows, leafBytes, lastKeys[leaf]);
      continue;
    }
    const rows = measureRows(path, pages, pages.leaves[leaf]);
    if (rows === null || rows.keys.length !== leafRows) return null;
    for (let row = 0; row < leafRows; row++) {
      const rowBytes = rows.payloadBytes[row] + ROW_BYTES;
      if (runs.openBytes + rowBytes > partitionBytes) runs.close();
      runs.add(leaf, 1, rowBytes, rows.keys[row]);
    }
  }
  runs.close();
  return runs.finish(pages, null);
}

class RunList {
  openBytes = 0;
  readonly #leafStarts: number[] = [];
  readonly #leafEnds: number[] = [];
  readonly #rowCounts: number[] = [];
  readonly #lastKeys: bigint[] = [];
  #leafStart = 0;
  #leafEnd = 0;
  #rowCount = 0;
  #lastKey = SMALLEST_KEY;

  add(leaf: number, rowCount: number, bytes: number, lastKey: bigint): void {
    if (this.#rowCount === 0) this.#leafStart = leaf;
    this.#leafEnd = leaf + 1;
    this.#rowCount += rowCount;
    this.openBytes += bytes;
    this.#lastKey = lastKey;
  }

  close(): void {
    if (this.#rowCount === 0) return;
    this.#leafStarts.push(this.#leafStart);
    this.#leafEnds.push(this.#leafEnd);
    this.#rowCounts.push(this.#rowCount);
    this.#lastKeys.push(this.#lastKey);
    this.#rowCount = 0;
    this.openBytes = 0;
  }

  finish(pages: TablePages, wantedKeys: PageRuns['wantedKeys']): PageCut {
    const partitions = this.#rowCounts.map((_, i): Partition => ({ start: i, end: i + 1 }));
    return {
      partitions,
      rowCount: this.#rowCounts.reduce((sum, count) => sum + count, 0),
      lastKeys: BigInt64Array.from(this.#lastKeys),
      runs: {
        pages,
        leafStarts: Uint32Array.from(this.#leafStarts),
        leafEnds: Uint32Array.from(this.#leafEnds),
        rowCounts: Uint32Array.from(this.#rowCounts),
        wantedKeys,
      },
    };
  }
}

/** Splits the rows with these keys, those of `measures`. Pages count with their size, as they are read whole. */
export function cutKeys(
  { pages, leafOf, payloadBytes }: RowMeasures,
  keys: Float64Array<ArrayBuffer>,
  partitionBytes: number,
): PageCut {
  const runs = new RunList();
  for (let row = 0; row < keys.length; row++) {
    const isFirst = row === 0 || leafOf[row] !== leafOf[row - 1];
    const rowBytes = payloadBytes[row] + ROW_BYTES + (isFirst ? pages.pageBytes : 0);
    if (runs.openBytes + rowBytes > partitionBytes) runs.close();
    runs.add(leafOf[row], 1, rowBytes, BigInt(keys[row]));
  }
  runs.close();
  return runs.finish(pages, keys);
}
