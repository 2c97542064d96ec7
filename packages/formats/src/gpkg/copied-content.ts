/**
 * Copies what no feature has from the GeoPackages of which a new one is made: metadata and styles of the layers, metadata of the file,
 * and, of a file that is converted whole, its tables of attributes and its relations.
 */
import { GeomillError } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import type { SqlValue } from '@geomill/platform/sqlite.ts';
import { type BulkDatabase, refusal } from '@geomill/sqlite/bulk-database.ts';
import { type SqlRow, UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import { copyMetadata } from './copied-metadata.ts';
import { type Copying, type CopyingLayer, copyTable } from './copied-tables.ts';
import { STYLES } from './data-model.ts';
import { CONSTRAINTS, DATA_COLUMNS, domainsOf } from './field-facts.ts';
import { addDomain, addSchemaTables } from './field-rows.ts';
import { gpkgFindings } from './messages.ts';
import { folded } from './names.ts';
import { countTriggers, EXTENSIONS_SQL, hasTable } from './schema-sql.ts';
import { listTables } from './table-schema.ts';

/** `whole`: tables of attributes are copied, too. */
export function copyContent(
  database: BulkDatabase,
  layers: readonly CopyingLayer[],
  whole: boolean,
  findings: Findings,
): void {
  const origins = layers.flatMap((layer) => layer.model.origins.map((origin) => ({ layer, origin })));
  for (const [path, own] of Map.groupBy(origins, ({ origin }) => origin.path)) {
    const { file } = own[0].origin;
    const source = new UntrustedDatabase(path, { source: file, mappedBytes: 0 });
    try {
      const copying: Copying = {
        source,
        tables: listTables(source),
        database,
        layers: new Map(own.map(({ layer, origin }) => [folded(origin.layer), layer])),
      };
      const copy = (what: string, work: () => void): void => attempt(what, file, findings, work);
      if (whole) {
        for (const table of attributeTables(copying))
          copy(`table '${table.slice(0, 60)}'`, () => copyAttributes(copying, table));
        copy('its relations', () => copyRelations(copying));
      }
      copy('the styles', () => copyStyles(copying));
      copy('metadata', () => copyMetadata(copying));
    } finally {
      source.close();
    }
  }
}

/** Content that cannot be copied does not end the conversion. */
function attempt(what: string, file: string, findings: Findings, work: () => void): void {
  try {
    work();
  } catch (error) {
    const reason = error instanceof GeomillError ? error.message : refusal(error);
    if (reason === null) throw error;
    findings.note(gpkgFindings.CONTENT_NOT_COPIED, { what, file, reason });
  }
}

/** Those that the file lists, and that are no layers. */
function attributeTables({ source, tables, layers, database }: Copying): string[] {
  const listed = source.rows(
    'gpkg_contents',
    "SELECT table_name FROM gpkg_contents WHERE lower(data_type) IN ('attributes', 'aspatial')",
  );
  return listed.flatMap(([name]) => {
    const key = folded(String(name));
    const entry = tables.get(key);
    if (entry === undefined || key === STYLES || layers.has(key) || hasTable(database, entry.name)) return [];
    return entry.kind === 'table' || entry.kind === 'view' ? [entry.name] : [];
  });
}

function copyAttributes({ source, tables, database }: Copying, table: string): void {
  const count = copyTable(source, database, table);
  const [[identifier, description] = [table, '']] = source.rows(
    'gpkg_contents',
    'SELECT identifier, description FROM gpkg_contents WHERE lower(table_name) = lower(?) LIMIT 1',
    [table],
  );
  registerAttributes(database, table, identifier, description, count);
  database.addTriggers(table, countTriggers(table));
  if (!tables.has('gpkg_data_columns')) return;
  const rows = source.rows(
    'gpkg_data_columns',
    `SELECT ${DATA_COLUMNS.join(', ')} FROM gpkg_data_columns WHERE lower(table_name) = lower(?)`,
    [table],
  );
  if (rows.length === 0) return;
  const constraints = tables.has('gpkg_data_column_constraints')
    ? source.rows('gpkg_data_column_constraints', `SELECT * FROM gpkg_data_column_constraints`)
    : [];
  const domains = domainsOf(constraints.map((row) => CONSTRAINTS.map((_, i) => row[i] ?? null)));
  addSchemaTables(database);
  for (const [, column, name, title, text, mediaType, constraint] of rows) {
    const domain = domains.get(String(constraint));
    database
      .prepare(`INSERT INTO gpkg_data_columns (${DATA_COLUMNS.join(', ')}) VALUES (?, ?, ?, ?, ?, ?, ?)`)
      .run([
        table,
        column,
        name,
        title,
        text,
        mediaType,
        domain === undefined ? null : addDomain(database, domain),
      ]);
  }
}

function registerAttributes(
  database: BulkDatabase,
  table: string,
  identifier: SqlValue,
  description: SqlValue,
  count: number,
): void {
  const isTaken = database.value('SELECT 1 FROM gpkg_contents WHERE identifier = ?', identifier) !== null;
  database
    .prepare(
      "INSERT INTO gpkg_contents (table_name, data_type, identifier, description, srs_id) VALUES (?, 'attributes', ?, ?, 0)",
    )
    .run([table, isTaken ? null : identifier, description]);
  if (hasTable(database, 'gpkg_ogr_contents'))
    database.prepare('INSERT INTO gpkg_ogr_contents VALUES (?, ?)').run([table, count]);
}

/** Styles of QGIS name their layer and its geometry. */
function copyStyles({ source, tables, database, layers }: Copying): void {
  const entry = tables.get(STYLES);
  if (entry === undefined || entry.kind !== 'table') return;
  const styled = source
    .rows(STYLES, `SELECT DISTINCT lower(f_table_name) FROM ${STYLES}`)
    .some(([table]) => layers.has(folded(String(table))));
  if (!styled) return;
  const isNew = !hasTable(database, STYLES);
  const count = copyTable(source, database, entry.name, {
    numbered: 'id',
    map: (row) => {
      const layer = layers.get(folded(String(row.get('f_table_name'))));
      if (layer === undefined) return null;
      return new Map([...row, ['f_table_name', layer.table], ['f_geometry_column', layer.geometry]]);
    },
  });
  if (isNew) registerAttributes(database, entry.name, entry.name, '', count);
}

/** The column by which a relation finds the rows of a table of the output: the key of a layer can have another name than in its origin. */
function keyColumn(database: BulkDatabase, table: string, own: SqlValue): SqlValue {
  const columns = 'FROM pragma_table_info(?) WHERE name = ? COLLATE NOCASE';
  if (database.value(`SELECT name ${columns}`, table, own) !== null) return own;
  return database.value('SELECT name FROM pragma_table_info(?) WHERE pk = 1', table) ?? own;
}

const RELATIONS = 'gpkgext_relations';
const RELATED_DEFINITION = 'http://www.geopackage.org/18-000.html';

/** Of tables that the output has (OGC 18-000); their mapping tables come along. */
function copyRelations({ source, tables, database, layers }: Copying): void {
  if (!tables.has(RELATIONS)) return;
  const named = (name: SqlRow[number]): string =>
    layers.get(folded(String(name)))?.table ?? tables.get(folded(String(name)))?.name ?? String(name);
  const mappings = new Set<string>();
  const count = copyTable(source, database, RELATIONS, {
    map: (row) => {
      const [base, related] = ['base_table_name', 'related_table_name'].map((side) =>
        named(row.get(side) ?? null),
      );
      const mapping = tables.get(folded(String(row.get('mapping_table_name'))));
      if (!hasTable(database, base) || !hasTable(database, related) || mapping?.kind !== 'table') return null;
      mappings.add(mapping.name);
      return new Map([
        ...row,
        ['base_table_name', base],
        ['base_primary_column', keyColumn(database, base, row.get('base_primary_column') ?? null)],
        ['related_table_name', related],
        ['related_primary_column', keyColumn(database, related, row.get('related_primary_column') ?? null)],
      ]);
    },
  });
  if (count === 0) return;
  if (!hasTable(database, 'gpkg_extensions')) database.exec(EXTENSIONS_SQL);
  const extension = database.prepare(
    "INSERT INTO gpkg_extensions VALUES (?, NULL, 'gpkg_related_tables', ?, 'read-write')",
  );
  for (const mapping of mappings) {
    if (!hasTable(database, mapping)) copyTable(source, database, mapping);
    extension.run([mapping, RELATED_DEFINITION]);
  }
  extension.run([RELATIONS, RELATED_DEFINITION]);
}
