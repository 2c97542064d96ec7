/** Default values of columns are read from SQL and written as SQL that can be nothing else. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { defaultSql, readDefault } from '../src/gpkg/default-values.ts';

/** The default of the column as SQLite describes it, and the value of a new row. */
function columnWith(declaration: string): { readonly sql: string; readonly value: unknown } {
  using database = new DatabaseSync(':memory:');
  database.exec(`CREATE TABLE t (a, b DEFAULT ${declaration}); INSERT INTO t (a) VALUES (1)`);
  const { sql } = database
    .prepare("SELECT dflt_value AS sql FROM pragma_table_info('t') WHERE name = 'b'")
    .get() as {
    sql: string;
  };
  const select = database.prepare('SELECT b AS value FROM t');
  select.setReadBigInts(true);
  const { value } = select.get() as { value: unknown };
  return { sql, value };
}

const CONSTANTS = [
  "'text'", "'it''s'", "''", "'; DROP TABLE t; --'", '"a word"', '"say ""x"""', 'bare', '5', '-5', '+5', '1.5', '-.5e-3',
  '9223372036854775807', "X'00ff'", 'TRUE', 'FALSE', "('in parentheses')", "(('twice'))", "'CURRENT_TIMESTAMP'", "'a\nb'",
  "'ß 😀'", '1e20',
]; // biome-ignore format: a table

for (const constant of CONSTANTS)
  test(`a new row has the same value by ${constant} and by what is written for it`, () => {
    const { sql, value } = columnWith(constant);
    const read = readDefault(sql);
    assert.ok(read !== undefined);
    assert.deepEqual(columnWith(defaultSql(read)).value, value);
  });

test('reads times and calls of functions of time', () => {
  const written = (sql: string): string => defaultSql(readDefault(columnWith(sql).sql)!);
  assert.equal(written('CURRENT_TIMESTAMP'), 'CURRENT_TIMESTAMP');
  assert.equal(written('current_date'), 'CURRENT_DATE');
  assert.equal(written('CURRENT_TIME'), 'CURRENT_TIME');
  assert.equal(written("(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"), "(strftime('%Y-%m-%dT%H:%M:%fZ','now'))");
  assert.equal(written("(date('now', '+1 day'))"), "(date('now','+1 day'))");
});

for (const sql of [
  '1 + 1', "'a' || 'b'", "('a') || ('b')", 'random()', "load_extension('x')", "strftime('%Y', a)", 'abs(1)', '1e400', 'NULL', "'open", 'x y',
  "date('now'); DROP TABLE t", "date((SELECT 1))", '', ')', '-0x10',
]) // biome-ignore format: a table
  test(`does not read the default ${sql}`, () => {
    assert.equal(readDefault(sql), undefined);
  });
