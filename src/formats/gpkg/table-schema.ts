/** The columns of a table or view: its key, its geometry, its fields. */
import type { UntrustedDatabase } from '../../engines/sqlite/untrusted-database.ts';
import { fieldTypeOf, isGeometryType } from './column-types.ts';
import { folded, quoted, sameName } from './sql-names.ts';
import type { TableField } from './value-column.ts';

export interface TableEntry {
  /** As sqlite_schema writes it. */
  readonly name: string;
  readonly kind: 'table' | 'view' | 'virtual' | 'shadow';
  readonly hasRowid: boolean;
}

interface TableColumn {
  readonly name: string;
  readonly declared: string;
  /** Position in the primary key, from 1; 0: no part of it. */
  readonly keyPosition: number;
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

/** The columns that a SELECT gives, generated ones too; hidden columns of virtual tables are left out. */
export function readColumns(database: UntrustedDatabase, table: string): TableColumn[] {
  return database
    .rows(table, 'SELECT name, type, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid', [table])
    .map(([name, declared, keyPosition]) => ({
      name: String(name),
      declared: String(declared ?? ''),
      keyPosition: Number(keyPosition),
    }));
}

export interface TableSchema {
  readonly geometry: string;
  /** SQL of the unique integer that identifies a row; null: there is none. */
  readonly key: string | null;
  readonly fields: readonly TableField[];
}

/** Null when there is no geometry column. `wanted`: what the GeoPackage says is the name of the geometry column. */
export function readSchema(
  database: UntrustedDatabase,
  entry: TableEntry,
  wanted: string | null,
  jsonColumns: ReadonlySet<string>,
): TableSchema | null {
  const columns = readColumns(database, entry.name);
  const candidates = columns.filter(({ declared }) => isGeometryType(declared));
  const geometry =
    columns.find(({ name }) => wanted !== null && sameName(name, wanted)) ??
    (candidates.length === 1 ? candidates[0] : undefined);
  if (geometry === undefined) return null;
  const keyColumn = integerKey(columns, entry);
  const fields = columns
    .filter((column) => column !== geometry && column !== keyColumn)
    .map(({ name, declared }): TableField => {
      const type = fieldTypeOf(declared);
      return { name, type: type === 'string' && jsonColumns.has(folded(name)) ? 'json' : type };
    });
  const key = keyColumn === null ? rowidName(columns, entry) : quoted(keyColumn.name);
  return { geometry: geometry.name, key, fields };
}

/** A primary key of one column of type INTEGER: in a rowid table it is the rowid. */
function integerKey(columns: readonly TableColumn[], { kind, hasRowid }: TableEntry): TableColumn | null {
  if (kind !== 'table') return null;
  const keys = columns.filter(({ keyPosition }) => keyPosition > 0);
  const isInteger = hasRowid ? /^integer$/i : /int/i;
  return keys.length === 1 && isInteger.test(keys[0].declared) ? keys[0] : null;
}

/** A name of the rowid that no column takes away; null where rows have none. */
function rowidName(columns: readonly TableColumn[], { kind, hasRowid }: TableEntry): string | null {
  if (kind !== 'table' || !hasRowid) return null;
  const free = ['rowid', '_rowid_', 'oid'].find(
    (name) => !columns.some((column) => sameName(column.name, name)),
  );
  return free ?? null;
}
