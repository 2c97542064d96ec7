import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import fc from 'fast-check';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { BulkDatabase } from '../../engines/sqlite/src/bulk-database.ts';
import { RtreeBuilder } from '../src/gpkg/rtree-build.ts';
import { roundOutward } from '../src/gpkg/rtree-rounding.ts';
import { TileSorter } from '../src/gpkg/rtree-sort.ts';

/** minX, maxX, minY, maxY. */
type Box = readonly [number, number, number, number];
interface Entry {
  readonly id: bigint;
  readonly box: Box;
}

/** An RTree with the entries, opened for reading. */
function build(path: string, entries: readonly Entry[], runEntries?: number): DatabaseSync {
  const database = BulkDatabase.create(path, { pageSize: 4096, applicationId: 1, userVersion: 1 });
  database.exec('CREATE VIRTUAL TABLE r USING rtree(id, minx, maxx, miny, maxy)');
  const builder = new RtreeBuilder(database, 'r', runEntries);
  for (const { id, box } of entries)
    builder.add(Number.isSafeInteger(Number(id)) ? Number(id) : id, Float32Array.from(box), 0);
  builder.finish();
  database.finish();
  return new DatabaseSync(path);
}

function check(database: DatabaseSync): void {
  assert.deepEqual({ ...database.prepare("SELECT rtreecheck('r') AS found").get() }, { found: 'ok' });
  assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
}

function search(database: DatabaseSync, [minX, maxX, minY, maxY]: Box): bigint[] {
  const statement = database.prepare(
    'SELECT id FROM r WHERE maxx >= ? AND minx <= ? AND maxy >= ? AND miny <= ? ORDER BY id',
  );
  statement.setReadBigInts(true);
  return statement.all(minX, maxX, minY, maxY).map((row) => row.id as bigint);
}

function scan(entries: readonly Entry[], [minX, maxX, minY, maxY]: Box): bigint[] {
  return entries
    .filter(({ box }) => box[1] >= minX && box[0] <= maxX && box[3] >= minY && box[2] <= maxY)
    .map(({ id }) => id)
    .sort((a, b) => (a < b ? -1 : 1));
}

const float = fc.oneof(fc.integer({ min: -200, max: 200 }), fc.float({ noNaN: true }));
const box: fc.Arbitrary<Box> = fc
  .tuple(float, float, float, float)
  .map(([a, b, c, d]) => [Math.min(a, b), Math.max(a, b), Math.min(c, d), Math.max(c, d)]);
const id = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: 1n, max: 5000n }),
);
const entries = fc.uniqueArray(fc.record({ id, box }), { selector: (entry) => entry.id, maxLength: 300 });

test('the packed RTree is valid and finds what a full scan finds, for any boxes and ids', () => {
  using workspace = makeWorkspace();
  let n = 0;
  fc.assert(
    fc.property(entries, box, fc.constantFrom(undefined, 1, 60, 128), (all, window, runEntries) => {
      const database = build(join(workspace.path, `${n++}.db`), all, runEntries);
      check(database);
      assert.deepEqual(search(database, window), scan(all, window));
      database.close();
    }),
    { numRuns: 40 },
  );
});

test('an RTree of three levels is valid, in one run and in several, and supports inserts and deletes', () => {
  using workspace = makeWorkspace();
  const all = Array.from({ length: 6000 }, (_, i): Entry => {
    const x = Math.fround((i * 7919) % 977);
    const y = Math.fround((i * 104729) % 1013);
    return { id: BigInt(i + 1), box: [x, x + 2, y, y + 2] };
  });
  for (const runEntries of [undefined, 2000]) {
    const database = build(join(workspace.path, `${runEntries}.db`), all, runEntries);
    check(database);
    for (const window of [
      [100, 120, 100, 130],
      [-5, -1, 0, 9],
      [0, 2000, 0, 2000],
    ] as const)
      assert.deepEqual(search(database, window), scan(all, window));
    database.exec('BEGIN');
    for (let i = 0; i < 500; i++) {
      database.prepare('DELETE FROM r WHERE id = ?').run(i * 7 + 1);
      database.prepare('INSERT INTO r VALUES (?, ?, ?, ?, ?)').run(100_000 + i, i, i + 1, i, i + 1);
    }
    database.exec('COMMIT');
    check(database);
    database.close();
  }
});

test('rounds doubles outward to floats as SQLite does', () => {
  using workspace = makeWorkspace();
  const database = new DatabaseSync(join(workspace.path, 'rounding.db'));
  database.exec('CREATE VIRTUAL TABLE r USING rtree(id, a, b)');
  const insert = database.prepare('INSERT OR REPLACE INTO r VALUES (1, ?, ?)');
  const select = database.prepare('SELECT a, b FROM r');
  fc.assert(
    fc.property(fc.double({ noNaN: true, min: -3e38, max: 3e38 }), (value) => {
      const [a, b, c, d] = floatsAround(value);
      assert.deepEqual([c, d], [a, b], 'the same for y as for x');
      assert.ok(a <= value && b >= value);
      // SQLite's own factors do not round outward there.
      if (value !== 0 && Math.abs(value) < 1.2e-38) return;
      insert.run(value, value);
      assert.deepEqual({ ...select.get() }, { a, b });
    }),
  );
  database.close();
  const [below, above] = floatsAround(1e300);
  assert.ok(below <= 1e300 && Number.isFinite(below));
  assert.equal(above, Number.POSITIVE_INFINITY);
  const [, aboveLeast] = floatsAround(-1e300);
  assert.ok(aboveLeast >= -1e300 && Number.isFinite(aboveLeast));
});

/** minX, maxX, minY, maxY as floats of the box of a point. */
function floatsAround(value: number): Float32Array {
  const boxes = new Float32Array(4);
  roundOutward(Float64Array.of(value, value, value, value), boxes, 0);
  return boxes;
}

test('tiling is a permutation of all entries, sorted by x into slices and by y within them', () => {
  fc.assert(
    fc.property(fc.array(box, { maxLength: 200 }), (boxes) => {
      const sorter = new TileSorter(boxes.length);
      const positions = sorter.sort(Float32Array.from(boxes.flat()), boxes.length, 4);
      const order = positions.map((position) => sorter.entries[position]);
      for (const [i, position] of positions.entries())
        assert.deepEqual(
          [...sorter.boxes.subarray(position * 4, position * 4 + 4)],
          boxes[order[i]].map(Math.fround),
        );
      assert.deepEqual(
        [...order].sort((a, b) => a - b),
        boxes.map((_, i) => i),
      );
      const middle = (entry: number, axis: 0 | 2): number =>
        Math.fround(Math.fround(boxes[entry][axis]) * 0.5 + Math.fround(boxes[entry][axis + 1]) * 0.5);
      const leafCount = Math.ceil(boxes.length / 4);
      const sliceSize = Math.ceil(leafCount / Math.ceil(Math.sqrt(leafCount))) * 4;
      for (let start = 0; start < order.length; start += sliceSize) {
        const slice = [...order.subarray(start, start + sliceSize)];
        for (let i = 1; i < slice.length; i++) assert.ok(middle(slice[i - 1], 2) <= middle(slice[i], 2));
        const next = [...order.subarray(start + sliceSize, start + 2 * sliceSize)];
        const eastmost = Math.max(...slice.map((entry) => middle(entry, 0)));
        for (const entry of next) assert.ok(middle(entry, 0) >= eastmost);
      }
    }),
  );
});
