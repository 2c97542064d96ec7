/** Copies the metadata of layers and of the file (12-128r19, F.8) that refer to what the output has. */
import type { SqlValue } from '@geomill/platform/sqlite.ts';
import type { BulkDatabase } from '@geomill/sqlite/bulk-database.ts';
import type { SqlRow, UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import type { Copying } from './copied-tables.ts';
import { folded, quoted } from './names.ts';
import { EXTENSIONS_SQL, hasTable } from './schema-sql.ts';

const METADATA_SQL = `CREATE TABLE gpkg_metadata (
  id INTEGER CONSTRAINT m_pk PRIMARY KEY ASC NOT NULL,
  md_scope TEXT NOT NULL DEFAULT 'dataset',
  md_standard_uri TEXT NOT NULL,
  mime_type TEXT NOT NULL DEFAULT 'text/xml',
  metadata TEXT NOT NULL DEFAULT ''
);
CREATE TABLE gpkg_metadata_reference (
  reference_scope TEXT NOT NULL,
  table_name TEXT,
  column_name TEXT,
  row_id_value INTEGER,
  timestamp DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
  md_file_id INTEGER NOT NULL,
  md_parent_id INTEGER,
  CONSTRAINT crmr_mfi_fk FOREIGN KEY (md_file_id) REFERENCES gpkg_metadata(id),
  CONSTRAINT crmr_mpi_fk FOREIGN KEY (md_parent_id) REFERENCES gpkg_metadata(id)
)`;
const DEFINITION = 'http://www.geopackage.org/spec140/#extension_metadata';
const REFERENCES = 'gpkg_metadata_reference';

export function copyMetadata(copying: Copying): void {
  const { source, tables, database } = copying;
  if (!tables.has('gpkg_metadata')) return;
  const references = !tables.has(REFERENCES)
    ? []
    : source
        .rows(
          REFERENCES,
          `SELECT reference_scope, table_name, column_name, row_id_value, timestamp, md_file_id, md_parent_id FROM ${REFERENCES}`,
        )
        .map((row) => referenceFrom(copying, row))
        .filter((row) => row !== null);
  const referred = new Set(references.flatMap((row) => [row[5], row[6]]));
  const ids = source.rows('gpkg_metadata', 'SELECT id FROM gpkg_metadata ORDER BY id').map(([id]) => id);
  const isReferred = (id: SqlValue): boolean => referred.has(id) || !tables.has(REFERENCES);
  const copied = new Map<SqlValue, SqlValue>();
  for (const id of ids.filter(isReferred)) copied.set(id, copyDocument(source, database, id));
  const insert = copied.size === 0 ? null : referenceInsert(database);
  for (const [scope, table, column, row, time, file, parent] of references) {
    const own = copied.get(file);
    if (own !== undefined) insert?.run([scope, table, column, row, time, own, copied.get(parent) ?? null]);
  }
}

function referenceInsert(database: BulkDatabase): { run(values: readonly SqlValue[]): number } {
  return database.prepare(`INSERT INTO ${REFERENCES} VALUES (?, ?, ?, ?, ?, ?, ?)`);
}

/** The reference to what the output has of it; null: it has nothing. */
function referenceFrom({ database, layers }: Copying, row: SqlRow): readonly SqlValue[] | null {
  const [scope, name, column, rowId, ...rest] = row;
  if (name === null) return row;
  const layer = layers.get(folded(String(name)));
  if (layer === undefined)
    return hasTable(database, String(name)) && !String(name).startsWith('gpkg_') ? row : null;
  const to = column === null ? null : layer.model.columns.get(String(column));
  if (to === undefined) return null;
  if (rowId !== null) {
    const sql = `SELECT 1 FROM ${quoted(layer.table)} WHERE ${quoted(layer.key)} = ?`;
    if (database.value(sql, rowId) === null) return null;
  }
  return [scope, layer.table, to, rowId, ...rest];
}

/** Returns its number in the output. */
function copyDocument(source: UntrustedDatabase, database: BulkDatabase, id: SqlValue): SqlValue {
  if (!hasTable(database, 'gpkg_metadata')) {
    if (!hasTable(database, 'gpkg_extensions')) database.exec(EXTENSIONS_SQL);
    database.exec(METADATA_SQL);
    const extension = database.prepare(
      "INSERT INTO gpkg_extensions VALUES (?, NULL, 'gpkg_metadata', ?, 'read-write')",
    );
    for (const table of ['gpkg_metadata', REFERENCES]) extension.run([table, DEFINITION]);
  }
  const [[scope, standard, mediaType, text]] = source.rows(
    'gpkg_metadata',
    'SELECT md_scope, md_standard_uri, mime_type, metadata FROM gpkg_metadata WHERE id = ?',
    [id],
  );
  const number = database.value('SELECT coalesce(max(id), 0) + 1 FROM gpkg_metadata');
  database
    .prepare('INSERT INTO gpkg_metadata VALUES (?, ?, ?, ?, ?)')
    .run([number, scope ?? 'dataset', standard ?? '', mediaType ?? 'text/xml', text ?? '']);
  return number;
}
