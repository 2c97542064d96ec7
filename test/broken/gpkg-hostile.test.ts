/**
 * Hostile GeoPackages, and files that are not GeoPackages: each is rejected with a code of the user's fault that names
 * the reason, or is read without harm. Damage to single bytes is tested in broken.full.test.ts.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { GeomillError } from '../../packages/core/src/messages/errors.ts';
import type { ConversionReport } from '../../packages/pipeline/src/report.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { pointBlob, writeRawGeopackage } from '../support/raw-gpkg.ts';

const POINT = pointBlob(1, 2);
const TABLE = `CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB, name TEXT);
  INSERT INTO t VALUES (1, ${POINT}, 'one'), (2, ${POINT}, 'two');`;

/** The report of a conversion to GeoJSON, or the error of the user's fault that ended it; other errors are thrown. */
async function outcome(
  path: string,
  workspace: string,
  to = 'geojson',
): Promise<ConversionReport | GeomillError> {
  try {
    return (await convertFile(path, workspace, { from: 'gpkg', to })).report;
  } catch (error) {
    if (!(error instanceof GeomillError) || error.fault !== 'user') throw error;
    assert.ok(!existsSync(join(workspace, 'out', `out.${to}`)), 'a failed conversion leaves no output');
    return error;
  }
}

async function outcomeOf(sql: string, layers: readonly string[], more?: (db: DatabaseSync) => void) {
  using workspace = makeWorkspace();
  const path = writeRawGeopackage(join(workspace.path, 'hostile.gpkg'), { sql, layers }, more);
  return await outcome(path, workspace.path);
}

function assertRefused(result: ConversionReport | GeomillError, pattern: RegExp): void {
  assert.ok(result instanceof GeomillError, 'it was converted');
  assert.match(`${result.code}: ${result.message}`, pattern);
}

// --- SQL that runs when it is read ------------------------------------------------------------------------------

const views: Readonly<Record<string, string>> = {
  'loads an extension': `SELECT fid, geom, load_extension('/nowhere/evil') AS x FROM t`,
  'asks where the database lies': 'SELECT fid, geom, file AS x FROM t, pragma_database_list',
  'makes blobs of a gigabyte': 'SELECT fid, geom, randomblob(1000000000) AS x FROM t',
  'makes texts of a gigabyte': `SELECT fid, geom, printf('%.999999999c', 'x') AS x FROM t`,
  'refers to a table that is not there': 'SELECT fid, geom FROM not_there',
  'calls a function that nobody has': 'SELECT fid, ST_Buffer(geom, 1) AS geom FROM t',
};

for (const [what, select] of Object.entries(views)) {
  test(`rejects a view that ${what} and names it`, async () => {
    assertRefused(
      await outcomeOf(`${TABLE} CREATE VIEW malice AS ${select};`, ['malice']),
      /^(GPKG|DATABASE|LIMIT)_\w+: .*malice/,
    );
  });
}

test('rejects views that select from each other', async () => {
  const sql = 'CREATE VIEW a AS SELECT * FROM b; CREATE VIEW b AS SELECT * FROM a;';
  assertRefused(await outcomeOf(sql, ['a']), /^(GPKG|DATABASE)_/);
});

test('does not run triggers and rejects a generated column with a forbidden function', async () => {
  const trigger = 'CREATE TRIGGER harm AFTER INSERT ON t BEGIN DELETE FROM t; SELECT load_extension(1); END;';
  const read = await outcomeOf(TABLE + trigger, ['t']);
  assert.ok(!(read instanceof GeomillError));
  assert.equal(read.features.written, 2);
});

// --- schemas ----------------------------------------------------------------------------------------------------

/** Statements that SQLite only allows with writable_schema. */
const rewriteSchema =
  (sql: string) =>
  (db: DatabaseSync): void =>
    db.exec(`PRAGMA writable_schema = ON; ${sql}`);

const corruptSchemas: Readonly<Record<string, string>> = {
  'invalid SQL': `UPDATE sqlite_schema SET sql = 'CREATE TABLE t (' WHERE name = 't'`,
  'the SQL of another table': `UPDATE sqlite_schema SET sql = 'CREATE TABLE u (a, b)' WHERE name = 't'`,
  'a root page that is the schema itself': `UPDATE sqlite_schema SET rootpage = 1 WHERE name = 't'`,
  'a root page beyond the file': `UPDATE sqlite_schema SET rootpage = 99999 WHERE name = 't'`,
  'a root page that is negative': `UPDATE sqlite_schema SET rootpage = -1 WHERE name = 't'`,
  'the root page of another table': `UPDATE sqlite_schema SET rootpage =
    (SELECT rootpage FROM sqlite_schema WHERE name = 'gpkg_contents') WHERE name = 't'`,
};

for (const [what, sql] of Object.entries(corruptSchemas)) {
  test(`rejects or reads a schema with ${what} without an internal error`, async () => {
    const result = await outcomeOf(TABLE, ['t'], rewriteSchema(sql));
    if (result instanceof GeomillError) assert.match(result.code, /^(GPKG|DATABASE|INPUT|WKB|LIMIT)_/);
  });
}

const registrations: Readonly<Record<string, string>> = {
  'a table that is not there': `INSERT INTO gpkg_contents (table_name, data_type, srs_id) VALUES ('gone', 'features', 4326);
    INSERT INTO gpkg_geometry_columns VALUES ('gone', 'geom', 'POINT', 4326, 0, 0);`,
  'a geometry column that is not there': `UPDATE gpkg_geometry_columns SET column_name = 'gone';`,
  'no geometry column': 'DELETE FROM gpkg_geometry_columns;',
  'the schema table as a layer': `INSERT INTO gpkg_contents (table_name, data_type, srs_id)
    VALUES ('sqlite_schema', 'features', 4326);
    INSERT INTO gpkg_geometry_columns VALUES ('sqlite_schema', 'sql', 'POINT', 4326, 0, 0);`,
  'its own table of contents as a layer': `INSERT INTO gpkg_contents (table_name, data_type, srs_id)
    VALUES ('gpkg_contents', 'features', 4326);
    INSERT INTO gpkg_geometry_columns VALUES ('gpkg_contents', 'table_name', 'POINT', 4326, 0, 0);`,
  'numbers where names should be': `UPDATE gpkg_contents SET table_name = 5, identifier = x'00';`,
};

for (const [what, sql] of Object.entries(registrations)) {
  test(`rejects a GeoPackage that registers ${what} with a code or reads it with a warning`, async () => {
    const result = await outcomeOf(TABLE, ['t'], (db) => db.exec(sql));
    if (result instanceof GeomillError) assert.match(result.code, /^(GPKG|DATABASE|WKB|INPUT)_/);
    else assert.ok(result.warnings.length > 0);
  });
}

test('reads 2000 columns and rejects them for a shapefile', async () => {
  using workspace = makeWorkspace();
  const columns = Array.from({ length: 1998 }, (_, i) => `c${i} INTEGER DEFAULT ${i}`);
  const path = writeRawGeopackage(join(workspace.path, 'wide.gpkg'), {
    sql: `CREATE TABLE t (fid INTEGER PRIMARY KEY, geom BLOB, ${columns.join(', ')});
      INSERT INTO t (fid, geom) VALUES (1, ${POINT});`,
    layers: ['t'],
  });
  const { outputPath } = await convertFile(path, workspace.path, { from: 'gpkg', to: 'geojson' });
  const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as {
    features: { properties: Record<string, number> }[];
  };
  assert.equal(Object.keys(features[0].properties).length, 1998);
  assert.equal(features[0].properties.c1997, 1997);
  const refused = await outcome(path, workspace.path, 'shp');
  assert.equal(refused instanceof GeomillError && refused.code, 'SHP_TOO_MANY_FIELDS');
});

// --- geometries -------------------------------------------------------------------------------------------------

const HEADER = '47500001e6100000';
const nested = (depth: number): string => '010700000001000000'.repeat(depth);
const hostileBlobs: Readonly<Record<string, string>> = {
  'a line of 4 billion positions': `${HEADER}0102000000ffffffff`,
  'a polygon of 4 billion rings': `${HEADER}0103000000ffffffff`,
  'a collection of 4 billion members': `${HEADER}0107000000ffffffff`,
  'a collection in a collection, 50,000 deep': HEADER + nested(50_000),
  'an unknown type': `${HEADER}01ff000000`,
  'an unknown byte order': `${HEADER}0701000000`,
  'an envelope code of 7': `4750000fe6100000${'00'.repeat(80)}`,
  'a version of 9': `47500901e6100000${POINT.slice(18, -1)}`,
  'an extended geometry of an organisation': `47500021e610000041424344${'00'.repeat(8)}`,
  'a header that ends early': '475000',
  'no bytes': '',
  'another magic': `50470001e6100000${POINT.slice(18, -1)}`,
  'WKB without a header': POINT.slice(18, -1),
};

for (const [what, hex] of Object.entries(hostileBlobs)) {
  test(`rejects a geometry of ${what} by layer and record, or reads it with a warning`, async () => {
    const sql = `${TABLE} INSERT INTO t VALUES (3, x'${hex}', 'three');`;
    const result = await outcomeOf(sql, ['t']);
    if (result instanceof GeomillError) {
      assert.match(result.code, /^(GPKG|DATABASE|WKB|LIMIT)_/);
      assert.match(result.message, /\bt\b.*\b3\b/);
    } else assert.ok(result.warnings.length > 0, 'it was taken without a word');
  });
}

// --- pages ------------------------------------------------------------------------------------------------------

/** A table of several levels of pages; returns the bytes, and the offset and number of its root. */
function tableOfPages(path: string): { bytes: Buffer; rootAt: number; root: number } {
  let root = 0;
  writeRawGeopackage(
    path,
    {
      sql: `CREATE TABLE big (fid INTEGER PRIMARY KEY, geom BLOB, name TEXT);
        WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 2000)
        INSERT INTO big SELECT i, ${POINT}, 'name of ' || i FROM c;`,
      layers: ['big'],
    },
    (db) => {
      const row = db.prepare("SELECT rootpage AS root FROM sqlite_schema WHERE name = 'big'").get();
      root = Number(row?.root);
    },
  );
  return { bytes: readFileSync(path), root, rootAt: (root - 1) * 512 };
}

const pageDamages: Readonly<Record<string, (file: ReturnType<typeof tableOfPages>) => void>> = {
  'a page that is its own child': ({ bytes, rootAt, root }) => {
    bytes.writeUInt32BE(root, rootAt + 8);
  },
  'a first child that is the root': ({ bytes, rootAt, root }) => {
    bytes.writeUInt32BE(root, rootAt + bytes.readUInt16BE(rootAt + 12));
  },
  'a child beyond the file': ({ bytes, rootAt }) => {
    bytes.writeUInt32BE(0x7fffffff, rootAt + 8);
  },
  'a child that is the first page': ({ bytes, rootAt }) => {
    bytes.writeUInt32BE(1, rootAt + 8);
  },
  'a leaf that counts a row less than it has': ({ bytes, rootAt }) => {
    let at = rootAt;
    while (bytes[at] === 5) at = (bytes.readUInt32BE(at + 8) - 1) * 512;
    bytes.writeUInt16BE(bytes.readUInt16BE(at + 3) - 1, at + 3);
  },
  'a page of zeros': ({ bytes, rootAt }) => {
    const child = bytes.readUInt32BE(rootAt + 8);
    bytes.fill(0, (child - 1) * 512, child * 512);
  },
  'a leaf whose first row claims 2 GB': ({ bytes, rootAt }) => {
    let at = rootAt;
    while (bytes[at] === 5) at = (bytes.readUInt32BE(at + 8) - 1) * 512;
    assert.equal(bytes[at], 13, 'a leaf of a table');
    Buffer.from('87ffffff7f', 'hex').copy(bytes, at + bytes.readUInt16BE(at + 8));
  },
};

for (const [what, damage] of Object.entries(pageDamages)) {
  test(`${what} fails with the table's name`, async () => {
    using workspace = makeWorkspace();
    const path = join(workspace.path, 'pages.gpkg');
    const file = tableOfPages(path);
    damage(file);
    writeFileSync(path, file.bytes);
    assertRefused(await outcome(path, workspace.path), /^(GPKG|DATABASE|LIMIT)_\w+: .*\bbig\b/);
  });
}

test('names the table of a corrupt page in the middle of a file of 100 MB', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'large.gpkg');
  writeRawGeopackage(path, {
    pageBytes: 4096,
    sql: `CREATE TABLE small (fid INTEGER PRIMARY KEY, geom BLOB); INSERT INTO small VALUES (1, ${POINT});
      CREATE TABLE big (fid INTEGER PRIMARY KEY, geom BLOB, filler TEXT);
      WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 28000)
      INSERT INTO big SELECT i, ${POINT}, hex(zeroblob(1800)) FROM c;`,
    layers: ['small', 'big'],
  });
  const bytes = readFileSync(path);
  assert.ok(bytes.length > 100e6, `${bytes.length} bytes`);
  bytes.fill(0xab, 4096 * 12_000, 4096 * 12_001);
  writeFileSync(path, bytes);
  for (const to of ['geojson', 'csv'])
    assertRefused(await outcome(path, workspace.path, to), /^(GPKG|DATABASE)_\w+: .*\bbig\b/);
});

// --- files that are no GeoPackage of features -------------------------------------------------------------------

function sqliteFile(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

const PLAIN = 'CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1);';
const others: Readonly<Record<string, readonly [make: (path: string) => void, code: string, words: RegExp]>> =
  {
    'an empty file': [(path) => writeFileSync(path, ''), 'INPUT_EMPTY', /0 bytes/],
    'a plain SQLite database': [(path) => sqliteFile(path, PLAIN), 'INPUT_WRONG_FORMAT', /SQLite/],
    'a SpatiaLite database': [
      (path) =>
        sqliteFile(
          path,
          `CREATE TABLE spatial_ref_sys (srid INTEGER PRIMARY KEY, auth_name TEXT);
           CREATE TABLE geometry_columns (f_table_name TEXT, f_geometry_column TEXT, geometry_type INTEGER, srid INTEGER);
           ${PLAIN} INSERT INTO geometry_columns VALUES ('t', 'a', 1, 4326);`,
        ),
      'INPUT_WRONG_FORMAT',
      /SQLite|SpatiaLite/,
    ],
    'a zip': [
      (path) => writeFileSync(path, Buffer.from(`504b0304${'00'.repeat(200)}`, 'hex')),
      'INPUT_WRONG_FORMAT',
      /zip/i,
    ],
    'a GeoJSON': [
      (path) => writeFileSync(path, '{"type":"FeatureCollection","features":[]}'.padEnd(200)),
      'INPUT_WRONG_FORMAT',
      /hostile|GeoPackage/,
    ],
  };

for (const [what, [make, code, words]] of Object.entries(others)) {
  test(`rejects ${what} named .gpkg with ${code}`, async () => {
    using workspace = makeWorkspace();
    const path = join(workspace.path, 'input.gpkg');
    make(path);
    const result = await outcome(path, workspace.path);
    assert.ok(result instanceof GeomillError);
    assert.equal(result.code, code);
    assert.match(result.message, words);
  });
}

test('rejects a GeoPackage that has only tiles and names its content', async () => {
  const sql = 'CREATE TABLE pictures (id INTEGER PRIMARY KEY, tile_data BLOB);';
  const result = await outcomeOf(sql, [], (db) =>
    db.exec(`INSERT INTO gpkg_contents (table_name, data_type, srs_id) VALUES ('pictures', 'tiles', 4326)`),
  );
  assertRefused(result, /^(GPKG|DATABASE)_\w+: .*(tiles|pictures)/);
});

test('rejects a file with only the 100 header bytes or with truncated pages', async () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'cut.gpkg');
  const { bytes } = tableOfPages(path);
  for (const length of [100, 511, 512, 5000, bytes.length - 512, bytes.length - 1]) {
    writeFileSync(path, bytes.subarray(0, length));
    assertRefused(await outcome(path, workspace.path), /^(GPKG|DATABASE|INPUT)_/);
  }
});
