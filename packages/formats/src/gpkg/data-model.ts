/**
 * Notes what a GeoPackage says of its layers and fields beyond their names and types. Outputs are made of features, so they have none
 * of it: domains, alternative names and descriptions (schema extension), metadata, extensions, and the constraints and widths of
 * columns.
 */
import { GeomillError } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import type { SqlRow, UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import { formatFindings } from '../findings.ts';
import { gpkgFindings } from './messages.ts';
import { folded, sameName } from './names.ts';
import { readColumns, type TableEntry } from './table-schema.ts';

/** A layer that is read. `fields` are its columns without the key and the geometry. */
export interface ModelledLayer {
  readonly table: string;
  readonly fields: readonly string[];
}

/** Rows of a table of the standard that are read. */
const MAX_ROWS = 10_000;
const SHOWN_FIELDS = 12;
/** Extensions that an output has as well where it needs them: spatial indexes, types of geometries, definitions of systems. */
const USUAL_EXTENSIONS =
  /^(?:gpkg_(?:rtree_index|schema|metadata|crs_wkt.*|geom_.*|srs_id_trigger|geometry_type_trigger)|gdal_aspatial)$/;

type Tables = ReadonlyMap<string, TableEntry>;

export function noteDataModel(
  database: UntrustedDatabase,
  tables: Tables,
  layers: readonly ModelledLayer[],
  findings: Findings,
): void {
  const read = (table: string, columns: readonly string[]): SqlRow[] => {
    try {
      return rowsOf(database, tables, table, columns);
    } catch (error) {
      if (!(error instanceof GeomillError) || !error.code.startsWith('DATABASE_')) throw error;
      findings.note(gpkgFindings.CATALOGUE_STALE, {
        layer: table,
        problem: `it cannot be read: ${error.message}`,
      });
      return [];
    }
  };
  const contents = read('gpkg_contents', ['table_name', 'identifier', 'description']);
  const dataColumns = read('gpkg_data_columns', [
    'table_name',
    'column_name',
    'name',
    'title',
    'description',
    'mime_type',
    'constraint_name',
  ]);
  const references = read('gpkg_metadata_reference', ['table_name', 'column_name']);
  const extensions = read('gpkg_extensions', ['table_name', 'extension_name']);
  for (const layer of layers) {
    noteLayer(layer, contents, references, extensions, findings);
    noteDataColumns(layer, dataColumns, findings);
    noteConstraints(database, layer, findings);
  }
  noteFile(layers, references, extensions, read('gpkg_metadata', ['id']).length, findings);
}

/** The rows of a table with these columns, null where the table does not have one; none if there is no such table. */
function rowsOf(
  database: UntrustedDatabase,
  tables: Tables,
  table: string,
  columns: readonly string[],
): SqlRow[] {
  if (!tables.has(table)) return [];
  const present = new Set(readColumns(database, table).map(({ name }) => folded(name)));
  const selected = columns.map((name) => (present.has(name) ? name : 'NULL'));
  return database.rows(table, `SELECT ${selected.join(', ')} FROM ${table} NOT INDEXED LIMIT ${MAX_ROWS}`);
}

const isOf = (value: SqlRow[number], table: string): boolean =>
  value !== null && sameName(String(value), table);
const isText = (value: SqlRow[number]): boolean => value !== null && String(value).trim() !== '';

function noteLayer(
  { table }: ModelledLayer,
  contents: readonly SqlRow[],
  references: readonly SqlRow[],
  extensions: readonly SqlRow[],
  findings: Findings,
): void {
  const note = (what: string): void =>
    findings.note(formatFindings.LAYER_DESCRIPTION_DROPPED, { layer: table, what }, { layer: table });
  const row = contents.find(([name]) => isOf(name, table));
  if (row !== undefined && isText(row[1]) && String(row[1]) !== table)
    note(`the identifier '${String(row[1]).slice(0, 60)}'`);
  if (row !== undefined && isText(row[2])) note('the description');
  if (references.some(([name]) => isOf(name, table))) note('metadata');
  for (const extension of unusual(extensions.filter(([name]) => isOf(name, table))))
    note(`the extension '${extension}'`);
}

/** Of the file, or of tables that are no layers. */
function noteFile(
  layers: readonly ModelledLayer[],
  references: readonly SqlRow[],
  extensions: readonly SqlRow[],
  metadata: number,
  findings: Findings,
): void {
  const isOther = ([table]: SqlRow): boolean => !layers.some((layer) => isOf(table, layer.table));
  const of = 'of the file';
  if (references.some(isOther) || (metadata > 0 && references.length === 0))
    findings.note(formatFindings.FILE_DESCRIPTION_DROPPED, { what: `metadata ${of}` });
  for (const extension of unusual(extensions.filter(isOther)))
    findings.note(formatFindings.FILE_DESCRIPTION_DROPPED, { what: `the extension '${extension}' ${of}` });
}

function unusual(extensions: readonly SqlRow[]): Set<string> {
  const names = extensions.map(([, name]) => String(name).slice(0, 60));
  return new Set(names.filter((name) => !USUAL_EXTENSIONS.test(folded(name))));
}

/** What gpkg_data_columns says of a column, from its third column on. */
const COLUMN_FACTS = ['the alternative name', 'the title', 'the description', 'the media type', 'the domain'];

function noteDataColumns(layer: ModelledLayer, rows: readonly SqlRow[], findings: Findings): void {
  const own = rows.filter(([table]) => isOf(table, layer.table));
  for (const [i, what] of COLUMN_FACTS.entries()) {
    const fields = own
      .filter((row) => isText(row[i + 2]))
      // An output has it for its fields of JSON, too.
      .filter((row) => what !== 'the media type' || folded(String(row[i + 2])) !== 'application/json')
      .map(([, column]) => String(column));
    noteFields(formatFindings.FIELD_DESCRIPTIONS_DROPPED, what, layer, fields, findings);
  }
}

function noteConstraints(database: UntrustedDatabase, layer: ModelledLayer, findings: Findings): void {
  const { table } = layer;
  const rows = (sql: string): SqlRow[] => database.rows(table, sql, [table]);
  const columns = rows(
    `SELECT name, type, "notnull", dflt_value FROM pragma_table_xinfo(?) LIMIT ${MAX_ROWS}`,
  ).filter(([name]) => layer.fields.some((field) => sameName(field, String(name))));
  const note = (what: string, found: readonly SqlRow[]): void =>
    noteFields(
      formatFindings.FIELD_CONSTRAINTS_DROPPED,
      what,
      layer,
      found.map(([name]) => String(name)),
      findings,
    );
  note('NOT NULL', columns.filter(([, , notNull]) => notNull === 1)); // biome-ignore format: one line each
  note('DEFAULT', columns.filter(([, , , value]) => value !== null)); // biome-ignore format: one line each
  note('the width', columns.filter(([, type]) => /\(\s*\d+/.test(String(type)))); // biome-ignore format: one line each
  note(
    'UNIQUE',
    rows(
      `SELECT DISTINCT i.name FROM pragma_index_list(?) l, pragma_index_info(l.name) i
         WHERE l."unique" = 1 AND l.origin <> 'pk' AND i.name IS NOT NULL LIMIT ${MAX_ROWS}`,
    ),
  );
  note('the foreign key', rows(`SELECT DISTINCT "from" FROM pragma_foreign_key_list(?) LIMIT ${MAX_ROWS}`));
  const [definition] = rows("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?");
  if (definition !== undefined && /\bcheck\s*\(/i.test(withoutQuotes(String(definition[0]))))
    findings.note(
      formatFindings.LAYER_DESCRIPTION_DROPPED,
      { layer: table, what: 'CHECK' },
      { layer: table },
    );
}

/** A name or text in quotes can be anything. */
function withoutQuotes(sql: string): string {
  return sql.replace(/"[^"]*"|'[^']*'|`[^`]*`|\[[^\]]*\]/g, "''");
}

function noteFields(
  entry: typeof formatFindings.FIELD_CONSTRAINTS_DROPPED | typeof formatFindings.FIELD_DESCRIPTIONS_DROPPED,
  what: string,
  { table: layer }: ModelledLayer,
  fields: readonly string[],
  findings: Findings,
): void {
  if (fields.length === 0) return;
  const listed = fields.slice(0, SHOWN_FIELDS).map((field) => `'${field.slice(0, 60)}'`);
  const more = fields.length > listed.length ? ` and ${fields.length - listed.length} more` : '';
  const params = { layer, what, fields: listed.join(', ') + more };
  for (const field of fields) findings.note(entry, params, { layer, field });
}
