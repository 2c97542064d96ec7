/**
 * Copies a table of a GeoPackage from a user into another. Its declaration is made anew of names, types and constants: no SQL of the
 * file is run.
 */
import type { SqlValue } from '@geomill/platform/sqlite.ts';
import type { BulkDatabase } from '@geomill/sqlite/bulk-database.ts';
import type { SqlRow, UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import { defaultSql } from './default-values.ts';
import { declaredFacts } from './field-facts.ts';
import type { LayerModel } from './layer-state.ts';
import { folded, quoted } from './names.ts';
import { hasTable } from './schema-sql.ts';
import type { TableEntry } from './table-schema.ts';

/** Rows in memory at once. */
const ROWS_AT_ONCE = 500;
/** Words, and digits in parentheses. */
const SAFE_TYPE = /^[\w ]{0,60}(?:\(\s*\d{1,9}\s*(?:,\s*\d{1,9}\s*)?\))?$/;

/** A layer of the output with the layers whose features it has. */
export interface CopyingLayer {
  readonly table: string;
  /** Null: a table of attributes. */
  readonly geometry: string | null;
  readonly key: string;
  readonly model: LayerModel;
}

/** What a layer of a file has become. */
export type CopiedLayers = ReadonlyMap<string, CopyingLayer>;

/** From one file into the output. */
export interface Copying {
  readonly source: UntrustedDatabase;
  readonly tables: ReadonlyMap<string, TableEntry>;
  readonly database: BulkDatabase;
  /** By folded names in the file. */
  readonly layers: CopiedLayers;
}

export interface CopiedRows {
  /** The row as it is stored, by its columns; null: it is left out. Default: as it is. */
  readonly map?: (row: ReadonlyMap<string, SqlValue>) => ReadonlyMap<string, SqlValue> | null;
  /** A column that the database numbers. */
  readonly numbered?: string;
}

/** Makes the table unless there is one, and adds the rows; returns their number. Columns that a table of the name lacks are left out. */
export function copyTable(
  source: UntrustedDatabase,
  database: BulkDatabase,
  table: string,
  { map = (row) => row, numbered }: CopiedRows = {},
): number {
  if (!hasTable(database, table)) database.exec(declarationOf(source, table));
  const columns = declaredFacts(source, table)
    .map(({ column }) => column)
    .filter((column) => column !== numbered && hasColumn(database, table, column));
  const names = columns.map(quoted).join(', ');
  const insert = database.prepare(
    `INSERT INTO ${quoted(table)} (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  let count = 0;
  for (const row of rowsOf(source, table, names)) {
    const mapped = map(new Map(columns.map((column, i) => [column, row[i]])));
    if (mapped === null) continue;
    insert.run(columns.map((column) => mapped.get(column) ?? null));
    count++;
  }
  return count;
}

function* rowsOf(source: UntrustedDatabase, table: string, names: string): Generator<SqlRow> {
  const [entry] = source.rows(
    table,
    "SELECT type, wr FROM pragma_table_list WHERE schema = 'main' AND name = ?",
    [table],
  );
  const taken = new Set(declaredFacts(source, table).map(({ column }) => folded(column)));
  const key = ['rowid', '_rowid_', 'oid'].find((name) => !taken.has(name));
  const from = `SELECT ${names}`;
  if (entry?.[0] !== 'table' || entry[1] !== 0 || key === undefined) {
    yield* source.rows(table, `${from} FROM ${quoted(table)}`);
    return;
  }
  for (let last: SqlValue = -(2n ** 63n); ; ) {
    const rows = source.rows(
      table,
      `${from}, ${key} FROM ${quoted(table)} WHERE ${key} > ? ORDER BY ${key} LIMIT ${ROWS_AT_ONCE}`,
      [last],
    );
    yield* rows;
    if (rows.length < ROWS_AT_ONCE) return;
    last = rows[rows.length - 1].at(-1) ?? null;
  }
}

export function hasColumn(database: BulkDatabase, table: string, column: string): boolean {
  const sql = 'SELECT 1 FROM pragma_table_xinfo(?) WHERE lower(name) = lower(?)';
  return database.value(sql, table, column) !== null;
}

function declarationOf(source: UntrustedDatabase, table: string): string {
  const columns = source.rows(
    table,
    'SELECT name, type, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid',
    [table],
  );
  const [sql] = source.rows(table, "SELECT sql FROM sqlite_schema WHERE name = ? AND type = 'table'", [
    table,
  ]);
  const keys = columns.filter(([, , position]) => Number(position) > 0);
  const isRowid = keys.length === 1 && /^integer$/i.test(String(keys[0][1]));
  const counts = isRowid && /\bautoincrement\b/i.test(String(sql?.[0] ?? ''));
  const facts = new Map(declaredFacts(source, table).map((declared) => [declared.column, declared.facts]));
  const parts = columns.map(([name, type]) => {
    const { notNull, unique, default: value } = facts.get(String(name)) ?? {};
    const words = [quoted(String(name)), safeType(type)];
    if (isRowid && name === keys[0][0]) words.push(`PRIMARY KEY${counts ? ' AUTOINCREMENT' : ''}`);
    if (notNull) words.push('NOT NULL');
    if (unique) words.push('UNIQUE');
    if (value !== undefined) words.push(`DEFAULT ${defaultSql(value)}`);
    return words.filter((word) => word !== '').join(' ');
  });
  if (!isRowid && keys.length > 0) {
    const ordered = keys.toSorted((a, b) => Number(a[2]) - Number(b[2]));
    parts.push(`PRIMARY KEY (${ordered.map(([name]) => quoted(String(name))).join(', ')})`);
  }
  return `CREATE TABLE ${quoted(table)} (${parts.join(', ')})`;
}

function safeType(type: SqlRow[number]): string {
  const text = String(type ?? '').trim();
  // A keyword would be read as a constraint.
  return SAFE_TYPE.test(text) &&
    !/\b(?:constraint|primary|not|null|unique|check|default|collate|references|generated|as)\b/i.test(text)
    ? text
    : '';
}
