/** The shadow tables of an RTree, whose layout rtree-build.ts describes: pages where these are possible, otherwise statements. */
import { type ByteView, newByteView } from '@geomill/platform/bytes.ts';
import type { BulkDatabase, BulkStatement } from '@geomill/sqlite/bulk-database.ts';
import {
  blobSerial,
  headerBytes,
  integerSerial,
  varintBytes,
  writeInteger,
  writeVarint,
} from '@geomill/sqlite/record-bytes.ts';
import { SERIAL } from '@geomill/sqlite/records.ts';
import type { Key, TableTree } from '@geomill/sqlite/table-tree.ts';
import { quoted } from './names.ts';

/** The number of the root node. */
export const ROOT = 1;
/** Rows per INSERT of pairs. */
const ROWS_AT_ONCE = 64;
const PAIR_HEADER_BYTES = 3;
/** With the longest integer. */
const PAIR_RECORD_BYTES = PAIR_HEADER_BYTES + 6;

/** Key and blob of each node; SQLite has made the row of the root. */
export class NodeTable {
  readonly #database: BulkDatabase;
  readonly #table: string;
  /** Null until the first node is added: then the tree gets a root of zeros, since it comes first. */
  #tree: TableTree | null = null;
  #insert: BulkStatement | null = null;
  readonly #record: ReturnType<typeof recordOf>;

  constructor(database: BulkDatabase, table: string, nodeBytes: number) {
    this.#database = database;
    this.#table = table;
    this.#record = recordOf(nodeBytes);
  }

  add(nodeno: number, node: Uint8Array): void {
    if (this.#tree === null && this.#insert === null) {
      this.#tree = this.#database.tableTree(this.#table);
      const { record } = this.#record;
      if (this.#tree !== null) this.#tree.append(ROOT, record, 0, record.length);
      else this.#insert = this.#database.prepare(`INSERT INTO ${quoted(this.#table)} VALUES (?, ?)`);
    }
    if (this.#tree === null) {
      this.#insert?.run([nodeno, node]);
      return;
    }
    const { record, valueAt } = this.#record;
    record.set(node, valueAt);
    this.#tree.append(nodeno, record, 0, record.length);
  }

  finish(root: Uint8Array): void {
    this.#tree?.finish();
    const set = `UPDATE ${quoted(this.#table)} SET data = ? WHERE nodeno = ${ROOT}`;
    this.#database.prepare(set).run([root]);
  }
}

/** A record with null for the key and a blob, which begins at `valueAt`. */
function recordOf(blobBytes: number): { readonly record: ByteView; readonly valueAt: number } {
  const serial = blobSerial(blobBytes);
  const valueAt = headerBytes(1 + varintBytes(serial));
  const record = newByteView(valueAt + blobBytes);
  writeVarint(record, writeVarint(record, 0, valueAt) + 1, serial);
  return { record, valueAt };
}

/** Key and an integer: pages as long as keys ascend, then many rows per statement. */
export class PairTable {
  readonly #database: BulkDatabase;
  readonly #table: string;
  /** Undefined until the first row is added. */
  #tree: TableTree | null | undefined;
  #many: BulkStatement | null = null;
  #values: Key[] = [];
  /** Length, null for the key, serial type, value. */
  readonly #record = newByteView(PAIR_RECORD_BYTES);

  constructor(database: BulkDatabase, table: string) {
    this.#database = database;
    this.#table = table;
    this.#record.set([PAIR_HEADER_BYTES, SERIAL.none]);
  }

  add(key: Key, value: number): void {
    if (this.#tree === undefined) this.#tree = this.#database.tableTree(this.#table);
    if (this.#tree?.isAbove(key) === false) this.#finishTree();
    if (this.#tree !== null) {
      const record = this.#record;
      const serial = integerSerial(value);
      record[PAIR_HEADER_BYTES - 1] = serial;
      this.#tree.append(key, record, 0, writeInteger(record, PAIR_HEADER_BYTES, value, serial));
      return;
    }
    // The column has no type: SQLite would store a number as a float.
    this.#values.push(key, BigInt(value));
    if (this.#values.length < ROWS_AT_ONCE * 2) return;
    this.#many ??= this.#prepare(ROWS_AT_ONCE);
    this.#many.run(this.#values);
    this.#values = [];
  }

  finish(): void {
    this.#finishTree();
    if (this.#values.length > 0) this.#prepare(this.#values.length / 2).run(this.#values);
    this.#values = [];
  }

  #finishTree(): void {
    this.#tree?.finish();
    this.#tree = null;
  }

  #prepare(rowCount: number): BulkStatement {
    const rows = new Array(rowCount).fill('(?, ?)').join(', ');
    return this.#database.prepare(`INSERT INTO ${quoted(this.#table)} VALUES ${rows}`);
  }
}
