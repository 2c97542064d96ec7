/** Targets of an append or an update that no writer makes on purpose: each gets the features, or is left as it is with a code. */
import assert from 'node:assert/strict';
import { linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { pointAt, writeFile, writeGeojson } from '../../../test/support/combine.ts';
import { type Converted, combineFiles, makeWorkspace } from '../../../test/support/convert.ts';
import { pointBlob, writeRawGeopackage } from '../../../test/support/raw-gpkg.ts';
import { changeDatabase, contentOf, requireSound } from '../../../test/support/rich-gpkg.ts';
import { runCli } from '../../../test/support/run-cli.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';

const POINT = pointBlob(1, 2);
const PLAIN = `CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB, name TEXT, n INTEGER);
  INSERT INTO t VALUES (1, ${POINT}, 'old', 1);`;

/** Appends a feature with `name` 'new' and `n` 5 to the target. */
async function appendTo(target: string, workspace: string): Promise<Converted> {
  const more = writeGeojson(join(workspace, 'more.geojson'), [pointAt([3, 4], { name: 'new', n: 5 })]);
  return await combineFiles([target, more], workspace, {
    operation: 'append',
    from: 'geojson',
    targetFormat: 'gpkg',
    to: 'gpkg',
    toCrs: 'EPSG:4326',
  });
}

async function requireRefused(target: string, workspace: string, expected: RegExp): Promise<void> {
  const before = readFileSync(target);
  await assert.rejects(appendTo(target, workspace), (error) => {
    assert.ok(error instanceof GeomillError, String(error));
    assert.equal(error.fault, 'user');
    assert.match(`${error.code}: ${error.message}`, expected);
    return true;
  });
  assert.deepEqual(readFileSync(target), before);
}

const refused: Readonly<Record<string, readonly [sql: string, expected: RegExp]>> = {
  'a table without rowids': [
    'CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB, name TEXT) WITHOUT ROWID',
    /^GPKG_LAYER_READ_ONLY: .*without row numbers/,
  ],
  'a table without rowids and with a key of texts': [
    'CREATE TABLE t (k TEXT PRIMARY KEY, geom BLOB, name TEXT) WITHOUT ROWID',
    /^GPKG_LAYER_READ_ONLY/,
  ],
  'a view with a trigger that inserts': [
    `CREATE TABLE b (fid INTEGER PRIMARY KEY, geom BLOB, name TEXT); CREATE VIEW t AS SELECT * FROM b;
     CREATE TRIGGER i INSTEAD OF INSERT ON t BEGIN INSERT INTO b (geom) VALUES (NEW.geom); END`,
    /^GPKG_LAYER_READ_ONLY/,
  ],
  'a column that must not be null': [
    'CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB, name TEXT, must TEXT NOT NULL)',
    /^GPKG_ROW_NOT_ADDED: .*NOT NULL constraint failed: t\.must/,
  ],
  'a largest key that has been used': [
    `CREATE TABLE t (fid INTEGER PRIMARY KEY AUTOINCREMENT, geom BLOB, name TEXT);
     INSERT INTO t VALUES (9223372036854775807, ${POINT}, 'last')`,
    /^GPKG_ROW_NOT_ADDED: .*its keys are used up/,
  ],
  'a trigger that deletes rows': [
    `${PLAIN} CREATE TRIGGER purge AFTER INSERT ON t BEGIN DELETE FROM t WHERE fid = 1; END`,
    /^GPKG_ROW_NOT_ADDED: .*its triggers delete rows/,
  ],
  'a trigger of a spatial index that is gone': [
    `${PLAIN} CREATE TRIGGER rtree_t_geom_insert AFTER INSERT ON t BEGIN INSERT INTO rtree_t_geom VALUES (1, 0, 0, 0, 0); END`,
    /^GPKG_ROW_NOT_ADDED: .*no such table: main\.rtree_t_geom/,
  ],
};

for (const [what, [sql, expected]] of Object.entries(refused))
  test(`refuses ${what}`, async () => {
    using workspace = makeWorkspace();
    const target = writeRawGeopackage(join(workspace.path, 't.gpkg'), { sql, layers: ['t'] });
    await requireRefused(target, workspace.path, expected);
  });

const extended: Readonly<Record<string, readonly [sql: string, row: Readonly<Record<string, unknown>>]>> = {
  'columns that must not be null and have defaults': [
    "CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB NOT NULL, name TEXT NOT NULL, s TEXT NOT NULL DEFAULT 'd')",
    { fid: '1', name: 'new', s: 'd' },
  ],
  'generated columns that are stored': [
    'CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB, name TEXT, up TEXT GENERATED ALWAYS AS (upper(name)) STORED)',
    { fid: '1', name: 'new', up: 'NEW' },
  ],
  'strict types': [
    'CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB, name TEXT, n INT) STRICT',
    { fid: '1', name: 'new', n: '5' },
  ],
  'no key': ['CREATE TABLE t (geom BLOB, n INTEGER)', { n: '5' }],
  'foreign keys that geomill does not follow, as GDAL does not': [
    'CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB, n INTEGER REFERENCES p (id))',
    { fid: '1', n: '5' },
  ],
  'a trigger that moves rows, so that their number stays': [
    `CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB, name TEXT);
     CREATE TRIGGER tidy AFTER INSERT ON t BEGIN UPDATE t SET name = trim(name); END`,
    { fid: '1', name: 'new' },
  ],
};

for (const [what, [sql, row]] of Object.entries(extended))
  test(`extends a table with ${what}`, async () => {
    using workspace = makeWorkspace();
    const target = writeRawGeopackage(join(workspace.path, 't.gpkg'), { sql, layers: ['t'] });
    const { outputPath } = await appendTo(target, workspace.path);
    const rows = contentOf(outputPath).t.map((text) => JSON.parse(text) as Record<string, unknown>);
    const { geom, ...last } = rows.at(-1) as Record<string, unknown>;
    assert.match(String(geom), /^4750/);
    assert.deepEqual(last, row);
  });

test('a target without a CRS and files of another format get the advice for the coordinates of the target', async () => {
  using workspace = makeWorkspace();
  const target = writeRawGeopackage(join(workspace.path, 't.gpkg'), { sql: PLAIN, layers: ['t'] });
  changeDatabase(target, (database) => database.exec('UPDATE gpkg_geometry_columns SET srs_id = -1'));
  await requireRefused(target, workspace.path, /^CRS_MISSING: .*undefined Cartesian.*\(x 1 to 1, y 2 to 2\)/);
});

test('extends a layer with the triggers of GDAL 3.12', async () => {
  using workspace = makeWorkspace();
  const target = await writeFile(workspace.path, 't', 'gpkg', [pointAt([1, 2], { name: 'old', n: 1 })]);
  const box = 'ST_MinX(NEW.geom), ST_MaxX(NEW.geom), ST_MinY(NEW.geom), ST_MaxY(NEW.geom)';
  const has = (row: string): string => `(${row}.geom NOTNULL AND NOT ST_IsEmpty(${row}.geom))`;
  changeDatabase(target, (database) =>
    database.exec(`DROP TRIGGER IF EXISTS rtree_t_geom_update1; DROP TRIGGER IF EXISTS rtree_t_geom_update6;
      DROP TRIGGER IF EXISTS rtree_t_geom_update7;
      CREATE TRIGGER rtree_t_geom_update6 AFTER UPDATE OF geom ON t WHEN OLD.fid = NEW.fid AND ${has('NEW')} AND ${has('OLD')}
      BEGIN UPDATE rtree_t_geom SET minx = ST_MinX(NEW.geom), maxx = ST_MaxX(NEW.geom), miny = ST_MinY(NEW.geom),
        maxy = ST_MaxY(NEW.geom) WHERE id = NEW.fid; END;
      CREATE TRIGGER rtree_t_geom_update7 AFTER UPDATE OF geom ON t WHEN OLD.fid = NEW.fid AND ${has('NEW')} AND NOT ${has('OLD')}
      BEGIN INSERT INTO rtree_t_geom VALUES (NEW.fid, ${box}); END;
      CREATE TRIGGER touch AFTER INSERT ON t BEGIN UPDATE t SET geom = geom WHERE fid = NEW.fid; END`),
  );
  const { outputPath } = await appendTo(target, workspace.path);
  requireSound(outputPath, ['t']);
  assert.equal(contentOf(outputPath).rtree_t_geom_rowid.length, 2);
});

test('refuses a damaged spatial index, and leaves the file as it is', async () => {
  for (const damage of [
    "UPDATE rtree_t_geom_node SET data = x'00'",
    'DELETE FROM rtree_t_geom_node',
    'DROP TABLE rtree_t_geom',
    'DROP TABLE rtree_t_geom_node',
  ]) {
    using workspace = makeWorkspace();
    const target = await writeFile(workspace.path, 't', 'gpkg', [pointAt([1, 2], { name: 'old' })]);
    changeDatabase(target, (database) => database.exec(damage));
    await requireRefused(target, workspace.path, /^GPKG_ROW_NOT_ADDED: .*(?:rtree_t_geom|RTree)/);
  }
});

test('files that are no GeoPackage are named as what they are', async () => {
  using workspace = makeWorkspace();
  const input = writeGeojson(join(workspace.path, 'in.geojson'), [pointAt([3, 4], { n: 5 })]);
  const path = join(workspace.path, 'x.gpkg');
  for (const [content, expected] of [
    ['', /x\.gpkg is empty \(0 bytes\)/],
    ['hello world', /x\.gpkg is not a/],
  ] as const)
    for (const argv of [
      ['append', path, input, '--out', path, '--overwrite'],
      ['convert', input, path, '--update'],
    ]) {
      writeFileSync(path, content);
      const { status, err } = await runCli(argv, {});
      assert.equal(status, 1, err);
      assert.match(err, expected);
      assert.equal(readFileSync(path, 'utf8'), content);
    }
});

test('a file with another name is still the same file', async () => {
  using workspace = makeWorkspace();
  const target = await writeFile(workspace.path, 'target', 'gpkg', [pointAt([1, 2], { n: 1 })]);
  const input = writeGeojson(join(workspace.path, 'in.geojson'), [pointAt([3, 4], { n: 5 })]);
  const [linked, symbolic] = ['TARGET.gpkg', 'link.gpkg'].map((name) => join(workspace.path, name));
  symlinkSync(target, symbolic);
  const append = (...argv: string[]) => runCli(['append', ...argv, '--overwrite'], {});
  for (const twice of [symbolic, `${dirname(target)}/./target.gpkg`]) {
    const { status, err } = await append(target, twice, '--out', target);
    assert.equal(status, 2, err);
  }
  const report = await append(target, input, '--out', target, '--report', symbolic);
  assert.equal(report.status, 2, report.err);
  assert.match(report.err, /is the output itself/);
  linkSync(target, linked);
  const before = readFileSync(linked);
  const done = await append(target, input, '--out', target);
  assert.equal(done.status, 0, done.err);
  assert.match(
    done.err,
    /'target\.gpkg' has 1 other name, as hard links, which still have the earlier content/,
  );
  assert.deepEqual(readFileSync(linked), before);
});

test('symbolic links in a circle are an error of the path', async () => {
  using workspace = makeWorkspace();
  const input = writeGeojson(join(workspace.path, 'in.geojson'), [pointAt([3, 4], { n: 5 })]);
  const [one, two] = ['one.gpkg', 'two.gpkg'].map((name) => join(workspace.path, name));
  symlinkSync(two, one);
  symlinkSync(one, two);
  for (const argv of [
    ['convert', input, one],
    ['convert', one, join(workspace.path, 'out.gpkg')],
    ['convert', input, one, '--update'],
  ]) {
    const { status, err } = await runCli(argv, {});
    assert.equal(status, 1, err);
    assert.match(err, /cannot open '.*one\.gpkg': its symbolic links lead in a circle/);
  }
});
