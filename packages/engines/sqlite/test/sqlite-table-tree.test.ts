/** Tables that are filled by pages: SQLite finds them sound, with the same records that it would have written itself. */
import assert from 'node:assert/strict';
import { closeSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import fc from 'fast-check';
import { makeWorkspace } from '../../../../test/support/convert.ts';
import { BulkDatabase } from '../src/bulk-database.ts';
import { PageFile } from '../src/page-file.ts';
import { blobSerial, headerBytes, varintBytes, writeVarint } from '../src/record-bytes.ts';
import { type Key, TableTree } from '../src/table-tree.ts';

interface Row {
  readonly key: Key;
  readonly byteCount: number;
}

/** Null for the key, and a blob that differs from row to row and from byte to byte. */
function record({ key, byteCount }: Row): Buffer {
  const serial = blobSerial(byteCount);
  const valueAt = headerBytes(1 + varintBytes(serial));
  const bytes = Buffer.alloc(valueAt + byteCount);
  writeVarint(bytes, writeVarint(bytes, 0, valueAt) + 1, serial);
  bytes.set(blobOf(key, byteCount), valueAt);
  return bytes;
}

function blobOf(key: Key, byteCount: number): Uint8Array {
  const first = Number(BigInt.asUintN(8, BigInt(key)));
  return Uint8Array.from({ length: byteCount }, (_, i) => first + i + (i >> 8));
}

function create(path: string, pageSize: number): BulkDatabase {
  const database = BulkDatabase.create(path, { pageSize, applicationId: 1, userVersion: 1 });
  database.exec(
    'CREATE TABLE t (k INTEGER PRIMARY KEY, b BLOB); CREATE TABLE u (k INTEGER PRIMARY KEY, b BLOB)',
  );
  return database;
}

function fill(database: BulkDatabase, table: string, rows: readonly Row[]): void {
  const tree = database.tableTree(table);
  assert.ok(tree !== null);
  for (const row of rows) {
    const bytes = record(row);
    tree.append(row.key, bytes, 0, bytes.length);
  }
  tree.finish();
}

function check(path: string, table: string, rows: readonly Row[], scope = ''): void {
  const database = new DatabaseSync(path, { readOnly: true });
  const statement = database.prepare(`SELECT k, b FROM ${table} ORDER BY k`);
  statement.setReadBigInts(true);
  let i = 0;
  for (const { k, b } of statement.iterate()) {
    const { key, byteCount } = rows[i++];
    assert.equal(k, BigInt(key));
    assert.ok(Buffer.from(b as Uint8Array).equals(blobOf(key, byteCount)), `row ${i} of ${byteCount} bytes`);
  }
  assert.equal(i, rows.length);
  assert.deepEqual(
    { ...database.prepare(`PRAGMA integrity_check${scope}`).get() },
    { integrity_check: 'ok' },
  );
  database.close();
}

test('rows of any keys and lengths, in two tables at once, are those that were appended', () => {
  using workspace = makeWorkspace();
  const key = fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.nat({ max: 62 }).map((bits) => 2n ** BigInt(bits)),
    fc.integer().map(BigInt),
  );
  const byteCount = fc.oneof(
    { arbitrary: fc.nat(300), weight: 6 },
    { arbitrary: fc.integer({ min: 440, max: 520 }), weight: 2 }, // around the page size of 512
    { arbitrary: fc.integer({ min: 4030, max: 4110 }), weight: 2 }, // around that of 4096
    fc.nat(70_000),
  );
  const table = fc
    .uniqueArray(fc.record({ key, byteCount }), { selector: (row) => row.key, maxLength: 120 })
    .map((rows) => rows.sort((a, b) => (a.key < b.key ? -1 : 1)))
    .map((rows) =>
      rows.map((row) => (Number.isSafeInteger(Number(row.key)) ? { ...row, key: Number(row.key) } : row)),
    );
  let n = 0;
  fc.assert(
    fc.property(table, table, fc.constantFrom(512, 1024, 4096, 65536), (first, second, pageSize) => {
      const path = join(workspace.path, `${n++}.db`);
      const database = create(path, pageSize);
      fill(database, 't', first);
      // A statement in between changes the file too.
      database.exec("CREATE TABLE v (x); INSERT INTO v VALUES ('text')");
      fill(database, 'u', second);
      database.finish();
      check(path, 't', first);
      check(path, 'u', second);
    }),
    { numRuns: 60 },
  );
});

test('trees of every number of leaves up to three levels are sound, and SQLite can change them', () => {
  using workspace = makeWorkspace();
  const perLevel = Math.floor((512 - 12) / 15) + 1; // children of an interior page
  const counts = [...Array(2 * perLevel + 4).keys()];
  for (const near of [perLevel * perLevel, perLevel * (perLevel + 1)])
    for (let i = -2; i <= 3; i++) counts.push(near + i);
  for (const count of counts) {
    const path = join(workspace.path, `${count}.db`);
    const database = create(path, 512);
    // Two rows do not fit on a page.
    const rows = Array.from({ length: count }, (_, i) => ({ key: i * 3 + 1, byteCount: 300 }));
    fill(database, 't', rows);
    const insert = database.prepare('INSERT INTO t VALUES (?, ?)');
    const more = Array.from({ length: 9 }, (_, i) => ({ key: i * 9 + 2, byteCount: 200 }));
    for (const { key, byteCount } of more) insert.run([key, blobOf(key, byteCount)]);
    database.finish();
    check(
      path,
      't',
      [...rows, ...more].sort((a, b) => a.key - b.key),
    );
  }
});

test('leaves the page unused at which SQLite locks the file', () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'x.db');
  const database = create(path, 4096);
  database.finish();
  // A sparse file that ends 4 pages before the byte 2^30.
  const pageCount = 2 ** 18 - 4;
  const descriptor = openSync(path, 'r+');
  ftruncateSync(descriptor, pageCount * 4096);
  const head = Buffer.alloc(100);
  readSync(descriptor, head, 0, 100, 0);
  head.writeUInt32BE(pageCount, 28);
  writeSync(descriptor, head, 0, 100, 0);
  closeSync(descriptor);
  const rows = Array.from({ length: 40 }, (_, i) => ({ key: i, byteCount: i % 7 === 0 ? 9000 : 1000 }));
  const file = new PageFile(path);
  const tree = new TableTree({ pages: () => file }, 2);
  for (const row of rows) {
    const bytes = record(row);
    tree.append(row.key, bytes, 0, bytes.length);
  }
  tree.finish();
  file.finish();
  assert.ok(statSync(path).size > 2 ** 30 + 4096);
  // The whole file has pages without a use.
  check(path, 't', rows, "('t')");
});
