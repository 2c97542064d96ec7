/** Changes the rows of a feature table after SQLite stored them: their geometries, and their entries in the index. */
import type { BulkDatabase } from '@geomill/sqlite/bulk-database.ts';
import { writeBlobBox } from './geometry-encode.ts';
import { isSingle, promotedBlob, singleBlob } from './geometry-promote.ts';
import { quoted } from './names.ts';
import type { RtreeBuilder } from './rtree-build.ts';
import type { TableDeclaration } from './schema-sql.ts';

/** Rows whose blobs one statement passes to functions: a few megabytes. */
const ROWS_PER_STEP = 4096;

type Keys = readonly [first: bigint, last: bigint];

export class StoredRows {
  readonly #database: BulkDatabase;
  readonly #table: string;
  readonly #key: string;
  readonly #geometry: string;

  constructor(
    database: BulkDatabase,
    { table, key, geometry }: Pick<TableDeclaration, 'table' | 'key' | 'geometry'>,
  ) {
    this.#database = database;
    // A table of attributes has no rows with geometries to change.
    [this.#table, this.#key, this.#geometry] = [table, key, geometry ?? ''].map(quoted);
  }

  /** Makes promoted rows single geometries again. */
  restoreSingle(runs: Iterable<Keys>): void {
    const database = this.#database;
    const g = this.#geometry;
    database.define('geomill_single', (blob) => singleBlob(blob as Uint8Array));
    const restore = database.prepare(
      `UPDATE ${this.#table} SET ${g} = geomill_single(${g}) WHERE ${this.#key} BETWEEN ? AND ?`,
    );
    for (const run of runs) restore.run(run);
  }

  /** Makes single geometries multi geometries in all rows before a key; null: in all. */
  promote(before: bigint | null): void {
    const database = this.#database;
    const [t, k, g] = [this.#table, this.#key, this.#geometry];
    database.define('geomill_is_single', (blob) => (blob instanceof Uint8Array && isSingle(blob) ? 1 : 0));
    database.define('geomill_promoted', (blob) => promotedBlob(blob as Uint8Array));
    const promote = database.prepare(
      `UPDATE ${t} SET ${g} = geomill_promoted(${g}) WHERE ${k} BETWEEN ? AND ? AND geomill_is_single(${g})`,
    );
    const first = database.value(`SELECT min(${k}) FROM ${t}`) as bigint | null;
    if (first === null) return;
    for (const range of this.#ranges(first)) {
      if (before !== null && range[0] >= before) return;
      promote.run(range);
    }
  }

  /** Adds the rows with these keys to the index, by the envelopes of their geometries. */
  index(first: bigint, last: bigint, rtree: RtreeBuilder): void {
    const database = this.#database;
    const boxes = new Float32Array(ROWS_PER_STEP * 4);
    let keys: bigint[] = [];
    database.define('geomill_box', (key, blob) => {
      if (blob !== null && writeBlobBox(blob as Uint8Array, boxes, keys.length * 4)) keys.push(key as bigint);
      return null;
    });
    const select = `SELECT count(geomill_box(${this.#key}, ${this.#geometry})) FROM ${this.#table} WHERE ${this.#key} BETWEEN ? AND ?`;
    for (const range of this.#ranges(first)) {
      if (range[0] > last) return;
      keys = [];
      database.value(select, range[0], range[1] < last ? range[1] : last);
      // After the statement: the index may write pages, which ends the transaction.
      for (const [i, key] of keys.entries()) rtree.add(key, boxes, i * 4);
    }
  }

  /**
   * First and last keys of steps of a few rows from a key on, for statements that pass blobs to functions: their memory is freed only after
   * the statement.
   */
  *#ranges(from: bigint): Generator<Keys> {
    const k = this.#key;
    const stepEnd = `SELECT max(${k}) FROM (SELECT ${k} FROM ${this.#table} WHERE ${k} >= ? ORDER BY ${k} LIMIT ${ROWS_PER_STEP})`;
    for (let first = from; ; ) {
      const last = this.#database.value(stepEnd, first) as bigint | null;
      if (last === null) return;
      yield [first, last];
      first = last + 1n;
    }
  }
}
