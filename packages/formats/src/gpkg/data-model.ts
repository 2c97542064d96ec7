/**
 * Reads what a GeoPackage says of its layers and fields besides names and types, and notes what of it no output has: keys, checks and
 * extensions. Metadata and styles are noted as content, which a GeoPackage made of this one can have.
 */
import type { FieldFacts, LayerFacts } from '@geomill/core/columns/field-facts.ts';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import type { SqlRow, UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import { formatFindings } from '../findings.ts';
import {
  CONSTRAINTS,
  DATA_COLUMNS,
  type Declared,
  declaredFacts,
  describedFacts,
  domainsOf,
  OLD_NAMES,
} from './field-facts.ts';
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
  /^(?:gpkg_(?:rtree_index|schema|metadata|crs_wkt.*|geom_.*|srs_id_trigger|geometry_type_trigger)|gdal_aspatial|gpkg_related_tables|related_tables)$/;
const RELATED = /^(?:gpkg_)?related_tables$/;
/** The table in which QGIS stores the styles of layers. */
export const STYLES = 'layer_styles';

type Tables = ReadonlyMap<string, TableEntry>;

/** The facts of each layer, in their order. */
export function readDataModel(
  database: UntrustedDatabase,
  tables: Tables,
  layers: readonly ModelledLayer[],
  findings: Findings,
): LayerFacts[] {
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
  const dataColumns = read('gpkg_data_columns', DATA_COLUMNS);
  const domains = domainsOf(
    dataColumns.length === 0 ? [] : read('gpkg_data_column_constraints', CONSTRAINTS),
  );
  const references = read('gpkg_metadata_reference', ['table_name', 'column_name']);
  const extensions = read('gpkg_extensions', ['table_name', 'extension_name']);
  const styles = read(STYLES, ['f_table_name']);
  noteFile(layers, references, extensions, read('gpkg_metadata', ['id']).length, findings);
  return layers.map((layer) => {
    noteLayer(layer, { references, extensions, styles }, findings);
    noteConstraints(database, layer, findings);
    const declared = declaredFacts(database, layer.table);
    noteUnreadDefaults(layer, declared, findings);
    const own = dataColumns.filter(([table]) => isOf(table, layer.table));
    const fields = layer.fields.flatMap((field): [string, FieldFacts][] => {
      const facts = {
        ...describedFacts(
          own.find(([, column]) => isOf(column, field)),
          domains,
        ),
        ...declared.find(({ column }) => column === field)?.facts,
      };
      return Object.keys(facts).length === 0 ? [] : [[field, facts]];
    });
    const row = contents.find(([name]) => isOf(name, layer.table));
    return { ...layerTexts(row, layer.table), fields: new Map(fields) };
  });
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
  const selected = columns.map((name) => {
    const known = [name, OLD_NAMES[name]].find((one) => one !== undefined && present.has(one));
    return known ?? 'NULL';
  });
  return database.rows(table, `SELECT ${selected.join(', ')} FROM ${table} NOT INDEXED LIMIT ${MAX_ROWS}`);
}

const isOf = (value: SqlRow[number], table: string): boolean =>
  value !== null && sameName(String(value), table);
const isText = (value: SqlRow[number]): boolean => value !== null && String(value).trim() !== '';

function layerTexts(row: SqlRow | undefined, table: string): Omit<LayerFacts, 'fields'> {
  const [, title, description] = row ?? [null, null, null];
  return {
    ...(isText(title) && String(title) !== table ? { title: String(title) } : {}),
    ...(isText(description) ? { description: String(description) } : {}),
  };
}

interface FileTables {
  readonly references: readonly SqlRow[];
  readonly extensions: readonly SqlRow[];
  readonly styles: readonly SqlRow[];
}

function noteLayer(
  { table }: ModelledLayer,
  { references, extensions, styles }: FileTables,
  findings: Findings,
): void {
  const note = (what: string): void =>
    findings.note(formatFindings.LAYER_CONTENT_DROPPED, { layer: table, what }, { layer: table });
  if (references.some(([name]) => isOf(name, table))) note('metadata');
  if (styles.some(([name]) => isOf(name, table))) note('the style');
  for (const extension of unusual(extensions.filter(([name]) => isOf(name, table))))
    findings.note(
      formatFindings.LAYER_DESCRIPTION_DROPPED,
      { layer: table, what: `the extension '${extension}'`, reason: UNKNOWN },
      { layer: table },
    );
}

const UNKNOWN = 'its content is not known here';
const RULE = 'an output has no such rule';

/** Of the file, or of tables that are no layers. */
function noteFile(
  layers: readonly ModelledLayer[],
  references: readonly SqlRow[],
  extensions: readonly SqlRow[],
  metadata: number,
  findings: Findings,
): void {
  const isOther = ([table]: SqlRow): boolean => !layers.some((layer) => isOf(table, layer.table));
  if (references.some(isOther) || (metadata > 0 && references.length === 0))
    findings.note(formatFindings.FILE_CONTENT_DROPPED, { what: 'metadata' });
  if (extensions.some(([, name]) => RELATED.test(folded(String(name)))))
    findings.note(formatFindings.ATTRIBUTES_SKIPPED, {
      what: 'relations of the file',
      reason: 'an output of features has none',
    });
  for (const extension of unusual(extensions.filter(isOther)))
    findings.note(formatFindings.FILE_DESCRIPTION_DROPPED, {
      what: `the extension '${extension}' of the file`,
      reason: UNKNOWN,
    });
}

function unusual(extensions: readonly SqlRow[]): Set<string> {
  const names = extensions.map(([, name]) => String(name).slice(0, 60));
  return new Set(names.filter((name) => !USUAL_EXTENSIONS.test(folded(name))));
}

function noteConstraints(database: UntrustedDatabase, layer: ModelledLayer, findings: Findings): void {
  const { table } = layer;
  const rows = (sql: string): SqlRow[] => database.rows(table, sql, [table]);
  const note = (what: string, found: readonly SqlRow[]): void =>
    noteFields(
      what,
      RULE,
      layer,
      found.map(([name]) => String(name)),
      findings,
    );
  note(
    'UNIQUE over several columns',
    rows(
      `SELECT DISTINCT i.name FROM pragma_index_list(?) l, pragma_index_info(l.name) i
         WHERE l."unique" = 1 AND l.origin <> 'pk' AND i.name IS NOT NULL
         AND (l.partial = 1 OR (SELECT count(*) FROM pragma_index_info(l.name)) > 1) LIMIT ${MAX_ROWS}`,
    ),
  );
  note('the foreign key', rows(`SELECT DISTINCT "from" FROM pragma_foreign_key_list(?) LIMIT ${MAX_ROWS}`));
  const [definition] = rows("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?");
  if (definition !== undefined && /\bcheck\s*\(/i.test(withoutQuotes(String(definition[0]))))
    findings.note(
      formatFindings.LAYER_DESCRIPTION_DROPPED,
      { layer: table, what: 'CHECK', reason: RULE },
      { layer: table },
    );
}

function noteUnreadDefaults(layer: ModelledLayer, declared: readonly Declared[], findings: Findings): void {
  const found = declared.filter(({ column, unread }) => unread !== null && layer.fields.includes(column));
  const [first] = found;
  if (first === undefined) return;
  const shown = String(first.unread).replace(/\s+/g, ' ').slice(0, 60);
  noteFields(
    'DEFAULT',
    `'${shown}' is no constant and no call of a function of date and time`,
    layer,
    found.map(({ column }) => column),
    findings,
  );
}

/** A name or text in quotes can be anything. */
function withoutQuotes(sql: string): string {
  return sql.replace(/"[^"]*"|'[^']*'|`[^`]*`|\[[^\]]*\]/g, "''");
}

function noteFields(
  what: string,
  reason: string,
  { table: layer }: ModelledLayer,
  fields: readonly string[],
  findings: Findings,
): void {
  if (fields.length === 0) return;
  const listed = fields.slice(0, SHOWN_FIELDS).map((field) => `'${field.slice(0, 60)}'`);
  const more = fields.length > listed.length ? ` and ${fields.length - listed.length} more` : '';
  const params = { layer, what, fields: listed.join(', ') + more, reason };
  for (const field of fields)
    findings.note(formatFindings.FIELD_CONSTRAINTS_DROPPED, params, { layer, field });
}
