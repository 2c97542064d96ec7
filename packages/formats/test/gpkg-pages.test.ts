/**
 * Tables in the page layout of SQLite: after any changes, reading pages gives the same result as SQLite, or both reject
 * the table.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import fc from 'fast-check';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { DEFAULT_INPUT_LIMITS as limits } from '../../../test/support/limits.ts';
import { pointBlob, writeRawGeopackage } from '../../../test/support/raw-gpkg.ts';
import { valueAt } from '../../core/src/columns/attribute-column.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { reader } from '../src/gpkg/read.ts';
import type { GpkgState } from '../src/gpkg/state.ts';
import type { PartitionRead, SourceLayer } from '../src/reader.ts';

async function openLayer(
  path: string,
  partitionBytes = 1 << 20,
  more: { readonly forSelection?: true } = {},
): Promise<SourceLayer> {
  const findings = new Findings();
  const context = { scratchDirectory: '', limits, options: {}, findings, partitionBytes, ...more };
  const [layer] = await reader.open({ path, name: 'x.gpkg' }, context);
  if (layer.fault !== undefined) throw layer.fault;
  return layer;
}

function stateOf({ state }: SourceLayer): GpkgState {
  return state as GpkgState;
}

function readAll(layer: SourceLayer): PartitionRead[] {
  return layer.partitions.map((partition) =>
    reader.readPartition(layer, partition, { fields: null, limits }),
  );
}

/** The same rows, read by SQLite. */
function readBySql(layer: SourceLayer): PartitionRead[] {
  return readAll({ ...layer, state: { ...stateOf(layer), runs: null } });
}

const TABLE = 'CREATE TABLE l (fid INTEGER PRIMARY KEY, geom POINT, t TEXT, b BLOB, n INTEGER)';
const STATEMENTS = {
  insert: `INSERT OR IGNORE INTO l VALUES (?1, ${pointBlob(1, 2)}, printf('%.*c', ?2, 'x'), zeroblob(?2 / 3), ?1)`,
  update: `UPDATE l SET t = printf('%.*c', ?2, 'y') WHERE fid % 7 = abs(?1 % 7)`,
  remove: 'DELETE FROM l WHERE fid % 5 = abs(?1 % 5) AND length(t) >= ?2',
} as const;

const KEY = fc.oneof(
  fc.integer({ min: -300, max: 300 }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);
const SIZE = fc.oneof(
  { arbitrary: fc.nat(60), weight: 8 },
  { arbitrary: fc.nat(3000), weight: 2 },
  fc.nat(90_000),
);
const ACTION = fc.constantFrom('insert', 'insert', 'insert', 'insert', 'insert', 'update', 'remove');
const STEPS = fc.array(fc.tuple(ACTION, KEY, SIZE), { maxLength: 120 });
/** All keys are exact as numbers. */
const STEPS_OF_SMALL_KEYS = fc.array(fc.tuple(ACTION, fc.integer({ min: -300, max: 300 }), SIZE), {
  minLength: 30,
  maxLength: 120,
});
const PAGE_SIZE = fc.constantFrom(512, 1024, 4096, 65536);

type Steps = readonly (readonly [string, ...(number | bigint)[]])[];

function writeTable(path: string, pageBytes: number, steps: Steps): void {
  writeRawGeopackage(path, { pageBytes, sql: TABLE, layers: ['l'] }, (database) => {
    for (const [name, ...values] of steps) {
      const statement = database.prepare(STATEMENTS[name as keyof typeof STATEMENTS]);
      statement.setReadBigInts(true);
      statement.run(...values);
    }
  });
}

test('page and SQLite readers agree on tables that grew, changed and shrank in any order', async () => {
  using workspace = makeWorkspace();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(PAGE_SIZE, STEPS, fc.constantFrom(1, 5000, 1 << 20), async (pageBytes, steps, bytes) => {
      const path = join(workspace.path, `${run++}.gpkg`);
      writeTable(path, pageBytes, steps);
      const layer = await openLayer(path, bytes);
      assert.ok(stateOf(layer).runs !== null, 'read from pages');
      const rows = readBySql(layer);
      assert.deepEqual(readAll(layer), rows);
      assert.equal(
        rows.reduce((sum, { recordCount }) => sum + recordCount, 0),
        layer.featureCount,
      );
    }),
    { numRuns: 60 },
  );
});

/** Keys and values of all rows. */
function rowsOf(layer: SourceLayer): unknown[][] {
  return readAll(layer).flatMap(({ batch: { rowCount, ids, columns } }) =>
    Array.from({ length: rowCount }, (_, row) =>
      [ids, ...columns].map((column) => (column === null ? null : valueAt(column, row))),
    ),
  );
}

test('selects the rows with the values of a filter, or none, and reads them as all rows', async () => {
  using workspace = makeWorkspace();
  let run = 0;
  let selections = 0;
  await fc.assert(
    fc.asyncProperty(
      PAGE_SIZE,
      fc.oneof(STEPS, STEPS_OF_SMALL_KEYS),
      fc.constantFrom(1, 5000, 1 << 20),
      fc.integer({ min: 3, max: 30 }),
      async (pageBytes, steps, bytes, stride) => {
        const path = join(workspace.path, `${run++}.gpkg`);
        writeTable(path, pageBytes, steps);
        const rows = rowsOf(await openLayer(path));
        const values = rows.filter((_, row) => row % stride === 1).map(([key]) => key as bigint);
        const described = await openLayer(path, bytes, { forSelection: true });
        const selection = { near: null, values: [{ field: 'n', values }] };
        const selected = reader.excerpts?.selectFeatures?.(described, selection, bytes) ?? null;
        const isExact = values.every((value) => Number.isSafeInteger(Number(value)));
        // A number after a long text or blob may be on another page: the row is taken, too.
        const areAllOnPages = rows.every(([, ...values]) =>
          values.slice(0, 2).every((value) => ((value as string | Uint8Array | null)?.length ?? 0) < 100),
        );
        if (areAllOnPages) assert.equal(selected !== null, isExact && values.length <= rows.length / 4);
        if (selected === null) return;
        assert.ok(isExact);
        if (values.length > 0) selections++;
        assert.equal(selected.featureCount, rows.length);
        const found = rowsOf(selected);
        const keys = new Set(found.map(([key]) => key));
        assert.deepEqual(
          found,
          rows.filter(([key]) => keys.has(key)),
        );
        assert.ok(values.every((value) => keys.has(value)));
        if (areAllOnPages) assert.equal(keys.size, values.length);
      },
    ),
    { numRuns: 60 },
  );
  assert.ok(selections > 5, `${selections}`);
});

test('rejects damage to the pages of a table or reads the same as SQLite', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'x.gpkg');
  let root = 0;
  writeRawGeopackage(
    path,
    {
      sql: `${TABLE}; WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 300)
        INSERT INTO l SELECT i * 3, ${pointBlob(1, 2)}, 'name of ' || i, iif(i % 40 = 0, zeroblob(1500), NULL), i FROM c;
        DELETE FROM l WHERE fid % 11 = 0`,
      layers: ['l'],
    },
    (database) => {
      root = Number(
        database.prepare("SELECT rootpage AS root FROM sqlite_schema WHERE name = 'l'").get()?.root,
      );
    },
  );
  const sound = readFileSync(path);
  const tablePages = sound.length / 512 - root + 1;
  const page = fc.nat(tablePages - 1);
  const place = fc.oneof(fc.nat(16), fc.nat(511));
  let believed = 0;
  await fc.assert(
    fc.asyncProperty(page, place, fc.nat(255), async (pageIndex, at, value) => {
      const bytes = Buffer.from(sound);
      bytes[(root - 1 + pageIndex) * 512 + at] = value;
      writeFileSync(path, bytes);
      try {
        const layer = await openLayer(path, 5000);
        if (stateOf(layer).runs === null) return;
        const database = new DatabaseSync(path, { readOnly: true });
        const check = database.prepare('PRAGMA quick_check(l)').all();
        database.close();
        assert.ok(
          check.every((row) => !/page|Tree/.test(String(row.quick_check))),
          JSON.stringify(check),
        );
        const paged = outcomeOf(() => readAll(layer));
        assert.deepEqual(
          paged,
          outcomeOf(() => readBySql(layer)),
        );
        believed++;
      } catch (error) {
        if (!(error instanceof GeomillError) || error.fault !== 'user') throw error;
      }
    }),
    { numRuns: 200 },
  );
  assert.ok(believed > 0);
});

/**
 * The result, or the code and text of the error. SQLite returns invalid UTF-8 with U+FFFD already replaced, so only the
 * page reader can report it.
 */
function outcomeOf(read: () => PartitionRead[]): unknown {
  try {
    return read().map((partition) => ({
      ...partition,
      findings: partition.findings.filter(({ code }) => code !== 'TEXT_REPLACED'),
    }));
  } catch (error) {
    if (!(error instanceof GeomillError) || error.fault !== 'user') throw error;
    return `${error.code}: ${error.message}`;
  }
}

test('rows older than an added column have its default or null', async () => {
  using workspace = makeWorkspace();
  const sql = (added: string) => `CREATE TABLE l (fid INTEGER PRIMARY KEY, geom POINT, a INTEGER);
    INSERT INTO l VALUES (1, NULL, 5); ALTER TABLE l ADD COLUMN ${added}; INSERT INTO l VALUES (2, NULL, 6, 7)`;
  for (const [added, expected] of [
    ['b INTEGER', [null, 7]],
    ['b INTEGER DEFAULT 9', [9, 7]],
  ] as const) {
    const path = writeRawGeopackage(join(workspace.path, `${added}.gpkg`), {
      sql: sql(added),
      layers: ['l'],
    });
    const layer = await openLayer(path);
    const [{ batch }] = readAll(layer);
    const values = [0, 1].map((row) => valueAt(batch.columns[1], row));
    assert.deepEqual(
      values,
      expected.map((value) => (value === null ? null : BigInt(value))),
    );
    assert.deepEqual(readAll(layer), readBySql(layer));
  }
});

test('reads floats stored as integers, NaN, texts with zero bytes and texts that are not UTF-8', async () => {
  using workspace = makeWorkspace();
  const path = writeRawGeopackage(join(workspace.path, 'x.gpkg'), {
    sql: `CREATE TABLE l (fid INTEGER PRIMARY KEY, geom POINT, r REAL, n NUMERIC, t TEXT, u);
      INSERT INTO l VALUES (1, NULL, 3, 9007199254740993, 'a' || char(0) || 'b', 'x'),
        (2, NULL, 1234.5678, 0.1, 7, CAST(x'c3' AS TEXT)), (3, NULL, 1e300, 1, NULL, x'00')`,
    layers: ['l'],
  });
  const bytes = readFileSync(path);
  const at = bytes.indexOf(Buffer.from('40934a456d5cfaad', 'hex')); // 1234.5678
  assert.ok(at > 0);
  bytes.writeDoubleBE(Number.NaN, at);
  writeFileSync(path, bytes);
  const layer = await openLayer(path);
  assert.ok(stateOf(layer).runs !== null);
  const [{ batch, findings }] = readAll(layer);
  const values = batch.columns.map((column) => [0, 1, 2].map((row) => valueAt(column, row)));
  assert.deepEqual(values, [
    [3, null, 1e300],
    // More digits than a float64 has: a misfit, for which a conversion reads the column as text.
    [null, 0.1, 1],
    ['a\0b', '7', null],
    ['x', '\ufffd', 'AA=='],
  ]);
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['TEXT_REPLACED'],
  );
});

const byRows: Readonly<Record<string, string>> = {
  'a view': 'CREATE TABLE k (fid INTEGER PRIMARY KEY, geom POINT); CREATE VIEW l AS SELECT * FROM k',
  'a table without rowid': 'CREATE TABLE l (fid INTEGER PRIMARY KEY, geom POINT) WITHOUT ROWID',
  'a table with a generated column': 'CREATE TABLE l (fid INTEGER PRIMARY KEY, geom POINT, g AS (fid * 2))',
};

for (const [what, sql] of Object.entries(byRows)) {
  test(`leaves ${what} to SQLite`, async () => {
    using workspace = makeWorkspace();
    const layer = await openLayer(writeRawGeopackage(join(workspace.path, 'x.gpkg'), { sql, layers: ['l'] }));
    assert.equal(stateOf(layer).runs, null);
  });
}

test('rejects a file that loses rows after it was opened and names the table', async () => {
  using workspace = makeWorkspace();
  const path = writeRawGeopackage(join(workspace.path, 'x.gpkg'), {
    sql: `${TABLE}; INSERT INTO l (fid) VALUES (1), (2), (3)`,
    layers: ['l'],
  });
  const layer = await openLayer(path);
  const database = new DatabaseSync(path);
  database.exec('DELETE FROM l WHERE fid = 2');
  database.close();
  assert.throws(() => readAll(layer), { code: 'DATABASE_DAMAGED', message: /'l'/ });
});
