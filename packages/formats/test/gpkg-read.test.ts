/** Generated GeoPackages: keys, sizes, types, and agreement of both ways of reading. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import test from 'node:test';
import fc from 'fast-check';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { DEFAULT_INPUT_LIMITS } from '../../../test/support/limits.ts';
import { pointBlob, writeRawGeopackage } from '../../../test/support/raw-gpkg.ts';
import { readFileLayers } from '../../../test/support/read-layers.ts';
import { valueAt } from '../../core/src/columns/attribute-column.ts';
import { castBatch } from '../../core/src/columns/cast.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { reader } from '../src/gpkg/read.ts';
import type { GpkgState } from '../src/gpkg/state.ts';
import type { SourceLayer } from '../src/reader.ts';

const COLUMNS =
  'i INTEGER, m MEDIUMINT, y BOOLEAN, r REAL, t TEXT, b BLOB, d DATE, at DATETIME, u UNHEARD_OF';

const limits = DEFAULT_INPUT_LIMITS;

async function openLayers(path: string, partitionBytes: number, features = limits.features) {
  const findings = new Findings();
  const layers = await reader.open(
    { path, name: 'x.gpkg' },
    { scratchDirectory: '', limits: { ...limits, features }, options: {}, findings, partitionBytes },
  );
  return { layers, findings: findings.list() };
}

function readAll(layer: SourceLayer, change: Partial<GpkgState> = {}) {
  const changed = { ...layer, state: { ...(layer.state as GpkgState), ...change } };
  return layer.partitions.map((partition) =>
    reader.readPartition(changed, partition, { fields: null, limits }),
  );
}

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const anything = fc.oneof(
  fc.constant(null),
  fc.integer(),
  int64,
  fc.double({ noNaN: true }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('2024-02-29', '2023-02-29', '2024-02-29T10:00:00Z', '', '7', '1.5', 'true'),
  fc.uint8Array({ maxLength: 9 }),
);
const honest = fc.tuple(
  fc.option(int64),
  fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  fc.option(fc.constantFrom(0, 1)),
  fc.option(fc.double({ noNaN: true })),
  fc.option(fc.string({ unit: 'grapheme' })),
  fc.option(fc.uint8Array({ maxLength: 60 })),
  fc.option(fc.constantFrom('2024-02-29', '1999-12-31', 'never', '')),
  fc.option(fc.constantFrom('2024-02-29T10:00:00Z', '2024-02-29 10:00', 'noon')),
  anything,
);
const odd = fc.tuple(...Array.from({ length: 9 }, () => anything));

test('page and SQLite readers return the same rows', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'x.gpkg');
  writeRawGeopackage(path, {
    sql: `CREATE TABLE l (fid INTEGER PRIMARY KEY, geom POINT, ${COLUMNS})`,
    layers: ['l'],
  });
  const point = `SELECT ${pointBlob(1, 2)}`;
  const cases = fc.array(fc.tuple(fc.boolean(), fc.oneof({ arbitrary: honest, weight: 9 }, odd)), {
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(cases, fc.constantFrom(200, 1 << 20), async (rows, partitionBytes) => {
      const database = new DatabaseSync(path);
      database.exec('DELETE FROM l; BEGIN');
      const insert = database.prepare(
        `INSERT INTO l (geom, i, m, y, r, t, b, d, at, u) VALUES (iif(?, (${point}), NULL), ${'?, '.repeat(8)}?)`,
      );
      for (const [hasGeometry, values] of rows)
        insert.run(hasGeometry ? 1 : 0, ...(values as SQLInputValue[]));
      database.exec('COMMIT');
      database.close();
      const [layer] = (await openLayers(path, partitionBytes)).layers;
      assert.ok((layer.state as GpkgState).runs !== null, 'read from pages');
      const paged = readAll(layer);
      assert.equal(
        paged.reduce((sum, { batch }) => sum + batch.rowCount, 0),
        rows.length,
      );
      assert.deepEqual(paged, readAll(layer, { runs: null }));
    }),
    { numRuns: 60 },
  );
});

test('reads integers and ids beyond 2^53 exactly', async () => {
  using workspace = makeWorkspace();
  const values = [
    9223372036854775807n,
    -9223372036854775808n,
    9007199254740993n,
    -1n,
    0n,
    -4294967296n,
    999999999999999n,
  ];
  const path = writeRawGeopackage(join(workspace.path, 'x.gpkg'), {
    sql: `CREATE TABLE l (fid INTEGER PRIMARY KEY, geom POINT, i INTEGER);
      INSERT INTO l VALUES ${values.map((value) => `(${value}, NULL, ${value})`).join()}`,
    layers: ['l'],
  });
  const [layer] = (await openLayers(path, 1 << 20)).layers;
  const sorted = values.toSorted((a, b) => (a < b ? -1 : 1));
  for (const change of [{}, { runs: null }]) {
    const [{ batch }] = readAll(layer, change);
    assert.ok(batch.ids !== null);
    for (const [row, value] of sorted.entries()) {
      assert.equal(valueAt(batch.columns[0], row), value);
      assert.equal(valueAt(batch.ids, row), value);
    }
  }
});

test('limits the size of partitions for any row sizes and gaps between keys', async () => {
  using workspace = makeWorkspace();
  const path = writeRawGeopackage(
    join(workspace.path, 'x.gpkg'),
    { sql: 'CREATE TABLE l (fid INTEGER PRIMARY KEY, geom POINT, t TEXT)', layers: ['l'] },
    (database) => {
      const insert = database.prepare('INSERT INTO l VALUES (?, NULL, ?)');
      insert.setReadBigInts(true); // it gives the last key
      for (let i = 0; i < 200; i++) insert.run(i + 1, 'x'.repeat(20_000));
      for (let i = 0; i < 2000; i++) insert.run(10 ** 12 * (1 + (i % 3)) + i, 'small');
      for (let i = 0; i < 100; i++) insert.run(-(2n ** 63n) + BigInt(i) * 2n ** 40n, 'x'.repeat(20_000));
    },
  );
  const [layer] = (await openLayers(path, 100_000)).layers;
  const reads = readAll(layer);
  assert.equal(layer.featureCount, 2300);
  assert.equal(
    reads.reduce((sum, { recordCount }) => sum + recordCount, 0),
    2300,
  );
  const sizes = reads.map(({ batch }) => (batch.columns[0] as { bytes: Uint8Array }).bytes.length);
  assert.ok(Math.max(...sizes) <= 400_000, String(Math.max(...sizes)));
  assert.ok(reads.length < 120, String(reads.length));
});

test('gives columns without a meaningful type the type of their values', async () => {
  using workspace = makeWorkspace();
  const path = writeRawGeopackage(join(workspace.path, 'x.gpkg'), {
    sql: `CREATE TABLE l (fid INTEGER PRIMARY KEY, geom POINT, a INTEGER);
      INSERT INTO l VALUES (1, ${pointBlob(1, 2)}, 5), (2, ${pointBlob(3, 4)}, 6);
      CREATE VIEW v AS SELECT fid, geom, a * 1.5 AS real, 'n' || a AS text, a * 4000000000 AS wide,
        iif(a = 5, 'five', 6) AS mixed FROM l`,
    layers: ['v'],
  });
  const { layers } = await readFileLayers(reader, path);
  assert.equal(layers[0].source.fields, null);
  assert.deepEqual(
    layers[0].fields.map(({ name, type }) => `${name} ${type}`),
    ['fid int64', 'real float64', 'text string', 'wide int64', 'mixed string'],
  );
});

test('reads values of every kind in one column as text, for any partition boundaries', async () => {
  using workspace = makeWorkspace();
  const path = writeRawGeopackage(join(workspace.path, 'x.gpkg'), {
    sql: `CREATE TABLE l (fid INTEGER PRIMARY KEY, geom POINT, u UNHEARD_OF);
      INSERT INTO l (u) VALUES (x'00ff'), ('text'), (1.5), (7), (NULL), (9007199254740993)`,
    layers: ['l'],
  });
  for (const partitionBytes of [1, 1 << 20]) {
    const [layer] = (await openLayers(path, partitionBytes)).layers;
    const values = readAll(layer).flatMap(({ batch }) => {
      const cast = castBatch(batch, [{ name: 'u', type: 'string' }]);
      return Array.from({ length: batch.rowCount }, (_, row) => valueAt(cast.columns[0], row));
    });
    assert.deepEqual(values, ['AP8=', 'text', '1.5', '7', null, '9007199254740993']);
  }
});

test('loses no row if a key can be null or text', async () => {
  using workspace = makeWorkspace();
  const path = writeRawGeopackage(join(workspace.path, 'x.gpkg'), {
    sql: `CREATE TABLE descending (k INTEGER PRIMARY KEY DESC, geom POINT);
      INSERT INTO descending (k) VALUES (3), (NULL), ('three'), (NULL);
      CREATE TABLE text_keys (k INT PRIMARY KEY, geom POINT) WITHOUT ROWID;
      INSERT INTO text_keys (k) VALUES (3), ('three'), (1.5);
      CREATE TABLE keys (k INT PRIMARY KEY, geom POINT) WITHOUT ROWID;
      INSERT INTO keys (k) VALUES (3), (1)`,
    layers: ['descending', 'text_keys', 'keys'],
  });
  const { layers } = await openLayers(path, 1);
  const counts = layers.map((layer) => readAll(layer).reduce((sum, { recordCount }) => sum + recordCount, 0));
  assert.deepEqual(counts, [4, 3, 2]);
  assert.deepEqual(
    layers.map(({ featureCount }) => featureCount),
    counts,
  );
});

test('replaces and reports text that is not UTF-8', async () => {
  using workspace = makeWorkspace();
  const path = writeRawGeopackage(join(workspace.path, 'x.gpkg'), {
    sql: `CREATE TABLE l (fid INTEGER PRIMARY KEY, geom POINT, t TEXT);
      INSERT INTO l VALUES (1, NULL, CAST(x'61c3' AS TEXT)), (2, NULL, CAST(x'a9' AS TEXT)), (3, NULL, 'é')`,
    layers: ['l'],
  });
  const { layers, findings } = await readFileLayers(reader, path);
  const { batches } = layers[0];
  assert.deepEqual(
    [0, 1, 2].map((row) => valueAt(batches[0].columns[0], row)),
    ['a\ufffd', '\ufffd', 'é'],
  );
  assert.deepEqual(
    findings.map(({ code, count }) => [code, count]),
    [['TEXT_REPLACED', 2]],
  );
});

test('rejects more features than allowed before reading them', async () => {
  using workspace = makeWorkspace();
  const path = writeRawGeopackage(join(workspace.path, 'x.gpkg'), {
    sql: 'CREATE TABLE l (fid INTEGER PRIMARY KEY, geom POINT); INSERT INTO l VALUES (1, NULL), (2, NULL)',
    layers: ['l'],
  });
  await assert.rejects(openLayers(path, 1 << 20, 1), { code: 'LIMIT_EXCEEDED' });
});
