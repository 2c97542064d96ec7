/** The columns of a table or view: its key, its geometry, its fields. */
import { checkFieldCount, type InputLimits } from '@geomill/io/limits.ts';
import type { UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import { fieldTypeOf, isGeometryType, shownType } from './column-types.ts';
import { folded, quoted, sameName } from './names.ts';
import type { TableField } from './value-column.ts';

export interface TableEntry {
  /** As in sqlite_schema. */
  readonly name: string;
  readonly kind: 'table' | 'view' | 'virtual' | 'shadow';
  readonly hasRowid: boolean;
}

interface TableColumn {
  readonly name: string;
  readonly declared: string;
  /** Position in the primary key, from 1; 0: not part of it. */
  readonly keyPosition: number;
  readonly isGenerated: boolean;
  readonly hasDefault: boolean;
}

/** Every table and view by its folded name. */
export function listTables(database: UntrustedDatabase): ReadonlyMap<string, TableEntry> {
  const rows = database.rows(
    'sqlite_schema',
    "SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main'",
  );
  return new Map(
    rows.map(([name, kind, withoutRowid]) => [
      folded(String(name)),
      { name: String(name), kind: String(kind) as TableEntry['kind'], hasRowid: withoutRowid === 0 },
    ]),
  );
}

/** The columns that a SELECT returns, including generated ones; hidden columns of virtual tables are excluded. */
export function readColumns(database: UntrustedDatabase, table: string): TableColumn[] {
  return database
    .rows(
      table,
      'SELECT name, type, pk, hidden, dflt_value IS NOT NULL FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid',
      [table],
    )
    .map(([name, declared, keyPosition, hidden, hasDefault]) => ({
      name: String(name),
      declared: String(declared ?? ''),
      keyPosition: Number(keyPosition),
      isGenerated: hidden !== 0,
      hasDefault: hasDefault !== 0,
    }));
}

export interface TableSchema {
  /** Null: a table of attributes. */
  readonly geometry: string | null;
  /** SQL of the unique integer that identifies a row; null if there is none. */
  readonly key: string | null;
  readonly fields: readonly TableField[];
  /** Null if rows are not stored as records by rowid, or if columns are computed. */
  readonly stored: StoredColumns | null;
}

/** Positions of columns in the records of a table. */
export interface StoredColumns {
  readonly columnCount: number;
  /**
   * Records may have only this many columns; the others are null then. In shorter ones defaults would replace missing
   * values.
   */
  readonly leastColumnCount: number;
  readonly geometry: number;
  /** One for each field. */
  readonly fields: readonly number[];
}

/**
 * Null if there is no geometry column. Throws LIMIT_EXCEEDED. `wanted` is the name of the geometry column according to
 * the GeoPackage.
 */
export function readSchema(
  database: UntrustedDatabase,
  entry: TableEntry,
  wanted: string | null,
  jsonColumns: ReadonlySet<string>,
  limits: InputLimits,
): TableSchema | null {
  const columns = readColumns(database, entry.name);
  const candidates = columns.filter(({ declared }) => isGeometryType(declared));
  const geometry =
    columns.find(({ name }) => wanted !== null && sameName(name, wanted)) ??
    (candidates.length === 1 ? candidates[0] : undefined);
  return geometry === undefined
    ? null
    : schemaOf(database, entry, { columns, geometry, keyIsField: false, jsonColumns, limits });
}

/** The schema of a table without geometries. Throws LIMIT_EXCEEDED. */
export function readAttributeSchema(
  database: UntrustedDatabase,
  entry: TableEntry,
  jsonColumns: ReadonlySet<string>,
  limits: InputLimits,
  keyIsField: boolean,
): TableSchema {
  const columns = readColumns(database, entry.name);
  return schemaOf(database, entry, { columns, geometry: null, keyIsField, jsonColumns, limits });
}

interface Columns {
  readonly columns: readonly TableColumn[];
  /** One of them. */
  readonly geometry: TableColumn | null;
  readonly keyIsField: boolean;
  readonly jsonColumns: ReadonlySet<string>;
  readonly limits: InputLimits;
}

function schemaOf(
  database: UntrustedDatabase,
  entry: TableEntry,
  { columns, geometry, keyIsField, jsonColumns, limits }: Columns,
): TableSchema {
  const keyColumn = integerKey(database, columns, entry);
  const fieldIndexes = columns
    .map((_, i) => i)
    .filter((i) => columns[i] !== geometry && (keyIsField || columns[i] !== keyColumn));
  checkFieldCount(entry.name, fieldIndexes.length, limits);
  const fieldColumns = fieldIndexes.map((i) => columns[i]);
  const fields = fieldColumns.map(({ name, declared, isGenerated }): TableField => {
    const type = fieldTypeOf(declared);
    return {
      name,
      type: type === 'string' && jsonColumns.has(folded(name)) ? 'json' : type,
      declared: shownType(declared),
      blankIsNull: type !== null && type !== 'string' && type !== 'binary',
      isGenerated,
    };
  });
  const key = keyColumn === null ? rowidName(columns, entry) : quoted(keyColumn.name);
  // Keys are not in the records.
  const isStored =
    geometry !== null &&
    entry.hasRowid &&
    key !== null &&
    geometry !== keyColumn &&
    !columns.some(({ isGenerated }) => isGenerated);
  const stored: StoredColumns | null = isStored
    ? {
        columnCount: columns.length,
        leastColumnCount: columns.findLastIndex(({ hasDefault }) => hasDefault) + 1,
        geometry: columns.indexOf(geometry),
        fields: fieldIndexes,
      }
    : null;
  return { geometry: geometry?.name ?? null, key, fields, stored };
}

/**
 * A primary key of one integer column. Rows are found by it, so a key that allows other values would lose rows:
 * "INTEGER PRIMARY KEY DESC" is not a rowid (lang_createtable.html 5.1) and may be null; in tables without rowids, keys
 * may be texts.
 */
function integerKey(
  database: UntrustedDatabase,
  columns: readonly TableColumn[],
  { name, kind, hasRowid }: TableEntry,
): TableColumn | null {
  const keys = columns.filter(({ keyPosition }) => keyPosition > 0);
  if (kind !== 'table' || keys.length !== 1) return null;
  if (hasRowid) {
    if (!/^integer$/i.test(keys[0].declared)) return null;
    const sql = "SELECT 1 FROM pragma_index_list(?) WHERE origin = 'pk'";
    return database.rows(name, sql, [name]).length === 0 ? keys[0] : null;
  }
  if (!/int/i.test(keys[0].declared)) return null;
  const sql = `SELECT 1 FROM ${quoted(name)} WHERE typeof(${quoted(keys[0].name)}) <> 'integer' LIMIT 1`;
  return database.rows(name, sql).length === 0 ? keys[0] : null;
}

/** A name of the rowid that is not also the name of a column; null if rows have none. */
function rowidName(columns: readonly TableColumn[], { kind, hasRowid }: TableEntry): string | null {
  if (kind !== 'table' || !hasRowid) return null;
  const free = ['rowid', '_rowid_', 'oid'].find(
    (name) => !columns.some((column) => sameName(column.name, name)),
  );
  return free ?? null;
}
