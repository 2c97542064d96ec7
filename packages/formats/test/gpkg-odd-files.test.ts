/** Valid but unusual GeoPackages: views, wide tables, names, logs beside the file, layers that cannot be read. */
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../../../test/support/convert.ts';
import { DEFAULT_INPUT_LIMITS } from '../../../test/support/limits.ts';
import { pointBlob, writeRawGeopackage } from '../../../test/support/raw-gpkg.ts';
import { type ReadInput, readFileLayers } from '../../../test/support/read-layers.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { reader } from '../src/gpkg/read.ts';

const POINT = pointBlob(1, 2);
const TABLE = `CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB, name TEXT);
  INSERT INTO t VALUES (1, ${POINT}, 'one'), (2, ${POINT}, 'two');`;

async function readOf(sql: string, layers: readonly string[]): Promise<ReadInput> {
  using workspace = makeWorkspace();
  return await readFileLayers(reader, writeRawGeopackage(join(workspace.path, 'x.gpkg'), { sql, layers }));
}

function rejectedWith(pattern: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof GeomillError, String(error));
    assert.equal(error.fault, 'user');
    assert.match(`${error.code}: ${error.message}`, pattern);
    return true;
  };
}

test('reads each row of views over joins and groups', async () => {
  const { layers, findings } = await readOf(
    `${TABLE} CREATE TABLE more (k INTEGER, v TEXT); INSERT INTO more VALUES (1, 'p'), (1, 'q'), (3, 'r');
     CREATE VIEW joined AS SELECT t.*, more.v FROM t LEFT JOIN more ON more.k = t.fid;
     CREATE VIEW counted AS SELECT geom, count(*) AS c FROM t, more GROUP BY t.fid;`,
    ['joined', 'counted'],
  );
  assert.deepEqual(findings, []);
  const [joined, counted] = layers.map(({ rows }) => rows.map(({ properties }) => properties));
  assert.deepEqual(joined, [
    { fid: 1, name: 'one', v: 'p' },
    { fid: 1, name: 'one', v: 'q' },
    { fid: 2, name: 'two', v: null },
  ]);
  assert.deepEqual(counted, [{ c: 3 }, { c: 3 }]);
});

for (const [what, sql, pattern] of [
  ['a function of another program', 'SELECT fid, ST_MinX(geom) AS x, geom FROM t', /ST_MinX/],
  ['a table that is gone', 'SELECT * FROM gone', /gone/],
  ['what no file may do', "SELECT fid, geom, load_extension('x') FROM t", /load_extension/],
] as const)
  test(`rejects a view of ${what} when it is requested, but reads the other layers`, async () => {
    using workspace = makeWorkspace();
    const path = join(workspace.path, 'x.gpkg');
    writeRawGeopackage(path, { sql: `${TABLE} CREATE VIEW v AS ${sql};`, layers: ['v', 't'] });
    const options = { from: 'gpkg', to: 'geojson' };
    const refused = rejectedWith(new RegExp(`^DATABASE_\\w+: .*'v'.*${pattern.source}`));
    await assert.rejects(convertFile(path, workspace.path, options), refused);
    await assert.rejects(convertFile(path, workspace.path, { ...options, layers: ['v', 't'] }), refused);
    const { report } = await convertFile(path, workspace.path, { ...options, layers: ['t'] });
    assert.equal(report.features.written, 2);
  });

test('reads a table of 1,900 columns', async () => {
  const columns = Array.from({ length: 1898 }, (_, i) => `c${i} ${i % 2 === 0 ? 'TEXT' : 'INTEGER'}`);
  const { layers } = await readOf(
    `CREATE TABLE wide (fid INTEGER PRIMARY KEY, geom BLOB, ${columns.join(', ')});
     INSERT INTO wide (fid, geom, c0, c1897) VALUES (1, ${POINT}, 'first', 7);`,
    ['wide'],
  );
  assert.equal(layers[0].fields.length, 1898);
  const { properties } = layers[0].rows[0];
  assert.deepEqual([properties?.c0, properties?.c1, properties?.c1897], ['first', null, 7]);
});

test('reads a table that is listed twice, in different case, as one layer', async () => {
  const { layers, findings } = await readOf(TABLE, ['t', 'T']);
  assert.deepEqual(
    layers.map(({ source, rows }) => [source.name, rows.length]),
    [['t', 2]],
  );
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['CATALOGUE_STALE'],
  );
});

test('accepts tables named like schemas of SQLite or like SQL keywords', async () => {
  const names = ['main', 'temp', 'main.t', 'temp.t', 'aux', 'x";--', '', ' ', 'select'];
  const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
  const sql = names.map(
    (name, i) =>
      `CREATE TABLE ${quoted(name)} (fid INTEGER PRIMARY KEY, geom BLOB); INSERT INTO ${quoted(name)} VALUES (${i}, ${POINT});`,
  );
  const { layers } = await readOf(sql.join('\n'), names);
  assert.deepEqual(
    layers.map(({ source, rows }) => [source.name, rows.map(({ id }) => id)]),
    names.map((name, i) => [name, [i]]),
  );
});

for (const code of [5, 6, 7])
  test(`rejects a blob with the envelope code ${code} and names its row`, async () => {
    // x'4750 version flags: bits 1 to 3 of the fourth byte.
    const blob = `${POINT.slice(0, 8)}0${(1 | (code << 1)).toString(16)}${POINT.slice(10)}`;
    await assert.rejects(
      readOf(`${TABLE} INSERT INTO t VALUES (7, ${blob}, 'x');`, ['t']),
      rejectedWith(new RegExp(`^GPKG_ROW: table 't', row 7: .*envelope code ${code}`)),
    );
  });

test('rejects a view with too many rows before reading them', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'x.gpkg');
  const sql = `${TABLE} CREATE VIEW v AS SELECT t.* FROM t, t AS u, t AS w;`;
  writeRawGeopackage(path, { sql, layers: ['v'] });
  const limits = { ...DEFAULT_INPUT_LIMITS, features: 7 };
  await assert.rejects(
    convertFile(path, workspace.path, { from: 'gpkg', to: 'geojson', limits }),
    rejectedWith(/^LIMIT_EXCEEDED: .*8/),
  );
});

// --- beside the file ------------------------------------------------------------------------------------------

async function countIn(path: string): Promise<number> {
  return (await readFileLayers(reader, path)).layers[0].rows.length;
}

test('reads only what another process has committed to the log of an open file', async () => {
  using workspace = makeWorkspace();
  const path = writeRawGeopackage(join(workspace.path, 'x.gpkg'), { sql: TABLE, layers: ['t'] });
  const writer = new DatabaseSync(path);
  try {
    writer.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
      INSERT INTO t VALUES (3, ${POINT}, 'three'); BEGIN; INSERT INTO t VALUES (4, ${POINT}, 'four')`);
    assert.equal(await countIn(path), 3);
    const { report } = await convertFile(path, workspace.path, { from: 'gpkg', to: 'csv' });
    assert.equal(report.features.written, 3);
    const alone = join(workspace.path, 'alone.gpkg');
    copyFileSync(path, alone);
    assert.equal(await countIn(alone), 2);
    writer.exec('ROLLBACK');
  } finally {
    writer.close();
  }
});

test('ignores a log that is empty or invalid', async () => {
  using workspace = makeWorkspace();
  const path = writeRawGeopackage(join(workspace.path, 'x.gpkg'), { sql: TABLE, layers: ['t'] });
  const before = readFileSync(path);
  for (const content of ['', 'no log at all '.repeat(50)]) {
    writeFileSync(`${path}-wal`, content);
    assert.equal(await countIn(path), 2);
  }
  assert.deepEqual(readFileSync(path), before);
});

test('rejects a file that is being written or was left incomplete, with advice', async () => {
  using workspace = makeWorkspace();
  const path = writeRawGeopackage(join(workspace.path, 'x.gpkg'), { sql: TABLE, layers: ['t'] });
  const writer = new DatabaseSync(path);
  writer.exec(`BEGIN EXCLUSIVE; INSERT INTO t VALUES (3, ${POINT}, 'three')`);
  const left = join(workspace.path, 'left.gpkg');
  try {
    await assert.rejects(countIn(path), rejectedWith(/^DATABASE_UNREADABLE: .*another program is writing/));
    copyFileSync(path, left);
    copyFileSync(`${path}-journal`, `${left}-journal`);
  } finally {
    writer.close();
  }
  const journal = readFileSync(`${left}-journal`);
  // The header of a journal whose pages were synced (fileformat2.html 3): a magic number, then the number of pages.
  journal.set([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0xff, 0xff, 0xff, 0xff]);
  writeFileSync(`${left}-journal`, journal);
  await assert.rejects(countIn(left), rejectedWith(/^DATABASE_UNREADABLE: .*journal/));
});

test('a table of attributes is a layer if it is chosen, or if there are no features', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'x.gpkg');
  const attributes = `CREATE TABLE prices (id INTEGER PRIMARY KEY, price REAL); INSERT INTO prices VALUES (7, 1.5), (9, NULL);
    UPDATE gpkg_contents SET data_type = 'attributes', srs_id = 0 WHERE table_name = 'prices';
    DELETE FROM gpkg_geometry_columns WHERE table_name = 'prices';`;
  const rowsOf = async (
    sql: string,
    layers: readonly string[],
    chosen?: readonly string[],
  ): Promise<unknown> => {
    rmSync(path, { force: true });
    writeRawGeopackage(path, { sql, layers });
    const database = new DatabaseSync(path);
    database.exec(attributes.slice(attributes.indexOf('UPDATE')));
    database.close();
    const options = { from: 'gpkg', to: 'geojson', ...(chosen === undefined ? {} : { layers: chosen }) };
    const { outputPath, report } = await convertFile(path, workspace.path, options);
    const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as {
      features: { id: unknown; geometry: unknown; properties: unknown }[];
    };
    return {
      skipped: report.warnings.filter(({ code }) => code === 'ATTRIBUTES_SKIPPED').length,
      rows: features.map(({ id, geometry, properties }) => [id, geometry, properties]),
    };
  };
  const create = attributes.slice(0, attributes.indexOf('UPDATE'));
  const prices = [
    [7, null, { price: 1.5 }],
    [9, null, { price: null }],
  ];
  const both = `${TABLE} ${create}`;
  assert.deepEqual(await rowsOf(create, ['prices']), { skipped: 0, rows: prices });
  assert.deepEqual(await rowsOf(both, ['t', 'prices'], ['prices']), { skipped: 0, rows: prices });
  const point = { type: 'Point', coordinates: [1, 2] };
  assert.deepEqual(await rowsOf(both, ['t', 'prices']), {
    skipped: 1,
    rows: [
      [1, point, { name: 'one' }],
      [2, point, { name: 'two' }],
    ],
  });
});
