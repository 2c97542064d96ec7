/** A database of a user is read and does nothing else. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { makeWorkspace } from '../../../../test/support/convert.ts';
import { GeomillError } from '../../../core/src/messages/errors.ts';
import { UntrustedDatabase } from '../src/untrusted-database.ts';

const OPTIONS = { source: 'file.db', mappedBytes: 1 << 20 };

function makeDatabase(path: string, sql: string): string {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  return path;
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof GeomillError, String(error));
    return `${error.code}: ${error.message}`;
  }
  return 'no error';
}

test('nothing but selecting rows is allowed, and what was refused is named', () => {
  using workspace = makeWorkspace();
  const path = makeDatabase(join(workspace.path, 'file.db'), 'CREATE TABLE t (a); INSERT INTO t VALUES (1)');
  const before = readFileSync(path);
  const database = new UntrustedDatabase(path, OPTIONS);
  const refused: Readonly<Record<string, RegExp>> = {
    [`ATTACH '${join(workspace.path, 'other.db')}' AS other`]: /more than select rows/,
    "SELECT load_extension('x')": /load_extension/,
    'SELECT random() FROM t': /random/,
    'SELECT zeroblob(1e9)': /zeroblob/,
    'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT i FROM c': /recursive/,
    'PRAGMA writable_schema = ON': /writable_schema/,
    'DELETE FROM t': /more than select rows/,
    'CREATE TEMP TABLE u AS SELECT * FROM t': /more than select rows/,
    'DROP TABLE t': /more than select rows/,
  };
  for (const [sql, what] of Object.entries(refused)) {
    const said = codeOf(() => database.rows('t', sql));
    assert.match(said, /^DATABASE_REFUSED: file\.db, table 't'/, sql);
    assert.match(said, what, sql);
  }
  assert.deepEqual(database.rows('t', 'SELECT a, upper(typeof(a)) FROM t'), [[1, 'INTEGER']]);
  database.close();
  assert.deepEqual(readFileSync(path), before);
});

test('SQL that fails is an error of the file that names the table', () => {
  using workspace = makeWorkspace();
  const sql = 'CREATE TABLE t (a); CREATE VIEW v AS SELECT st_area(a) FROM t';
  const database = new UntrustedDatabase(makeDatabase(join(workspace.path, 'file.db'), sql), OPTIONS);
  const said = codeOf(() => database.rows('v', 'SELECT * FROM v'));
  assert.match(said, /^DATABASE_UNREADABLE: file\.db, table 'v' cannot be read: no such function: st_area/);
  database.close();
});

test('integers are numbers until one of them is no exact number', () => {
  using workspace = makeWorkspace();
  const path = makeDatabase(
    join(workspace.path, 'file.db'),
    'CREATE TABLE t (a); INSERT INTO t VALUES (1), (9007199254740993)',
  );
  const database = new UntrustedDatabase(path, OPTIONS);
  assert.deepEqual(database.rows('t', 'SELECT a FROM t WHERE a < 5'), [[1]]);
  assert.deepEqual(database.rows('t', 'SELECT a FROM t'), [[1n], [9007199254740993n]]);
  database.close();
});

test('a file that is no database, and one with a broken page, are refused by name', () => {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'file.db');
  writeFileSync(path, 'x'.repeat(5000));
  assert.match(
    codeOf(() => new UntrustedDatabase(path, OPTIONS).rows('sqlite_schema', 'SELECT * FROM sqlite_schema')),
    /^INPUT_WRONG_FORMAT/,
  );
  const whole = makeDatabase(
    join(workspace.path, 'whole.db'),
    "CREATE TABLE t (a); INSERT INTO t VALUES (printf('%.9000c', 'x'))",
  );
  const bytes = readFileSync(whole);
  bytes.fill(0xff, 4096, 8192);
  writeFileSync(whole, bytes);
  const database = new UntrustedDatabase(whole, OPTIONS);
  assert.match(
    codeOf(() => database.rows('t', 'SELECT * FROM t')),
    /^DATABASE_DAMAGED: file\.db, table 't'/,
  );
  database.close();
});

test('what was committed to a log beside the file is read; without a log none is made', () => {
  using workspace = makeWorkspace();
  const live = join(workspace.path, 'live.db');
  const writer = new DatabaseSync(live);
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)');
  const reader = new UntrustedDatabase(live, OPTIONS);
  assert.deepEqual(reader.rows('t', 'SELECT a FROM t'), [[1]]);
  reader.close();
  writer.close();
  const alone = join(workspace.path, 'a name ?#%20.db');
  copyFileSync(live, alone);
  const other = new UntrustedDatabase(alone, OPTIONS);
  assert.deepEqual(other.rows('t', 'SELECT a FROM t'), [[1]]);
  other.close();
});

test('a database is read where the permission model allows its folder alone', () => {
  using workspace = makeWorkspace();
  const path = makeDatabase(join(workspace.path, 'file.db'), 'CREATE TABLE t (a); INSERT INTO t VALUES (7)');
  const root = new URL('../../../..', import.meta.url).pathname;
  const script = `const { UntrustedDatabase } = await import('${root}packages/engines/sqlite/src/untrusted-database.ts');
    const database = new UntrustedDatabase(${JSON.stringify(path)}, { source: 'x', mappedBytes: 0 });
    console.log(JSON.stringify(database.rows('t', 'SELECT a FROM t')));`;
  const flags = [
    '--permission',
    `--allow-fs-read=${root}`,
    `--allow-fs-read=${workspace.path}`,
    '--no-warnings',
  ];
  const said = execFileSync(process.execPath, [...flags, '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  assert.equal(said.trim(), '[[7]]');
});
