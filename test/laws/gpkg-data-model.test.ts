/**
 * Law: what the tables of the standard and the columns of a GeoPackage say beyond names and types of fields is in a GeoPackage made of it,
 * and what an output cannot hold is in the report, with layer and field.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { convertFile, makeWorkspace } from '../support/convert.ts';

const SCHEMA = `
CREATE TABLE gpkg_data_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, name TEXT, title TEXT, description TEXT, mime_type TEXT, constraint_name TEXT, PRIMARY KEY (table_name, column_name));
CREATE TABLE gpkg_data_column_constraints (constraint_name TEXT NOT NULL, constraint_type TEXT NOT NULL, value TEXT, min NUMERIC, min_is_inclusive BOOLEAN, max NUMERIC, max_is_inclusive BOOLEAN, description TEXT);
CREATE TABLE gpkg_metadata (id INTEGER PRIMARY KEY, md_scope TEXT, md_standard_uri TEXT, mime_type TEXT, metadata TEXT);
CREATE TABLE gpkg_metadata_reference (reference_scope TEXT, table_name TEXT, column_name TEXT, row_id_value INTEGER, timestamp DATETIME, md_file_id INTEGER, md_parent_id INTEGER);`;

interface Thing {
  /** Statements that add it to a GeoPackage with the layer 'roads' and its field 'a'. */
  readonly sql: string;
  /** A query that shows it. */
  readonly query: string;
  /** The finding of an output that has no place for it. */
  readonly code: string;
  readonly message: RegExp;
}

const DATA_COLUMNS = 'SELECT * FROM gpkg_data_columns';
const METADATA =
  'SELECT reference_scope, lower(r.table_name), md_scope, md_standard_uri, mime_type, metadata FROM gpkg_metadata_reference r JOIN gpkg_metadata m ON m.id = md_file_id';
const COLUMNS = 'SELECT name, type, "notnull", dflt_value FROM pragma_table_info(\'roads\')';

const dataColumn = (values: string, message: RegExp, more = ''): Thing => ({
  sql: `INSERT INTO gpkg_data_columns VALUES ('roads', 'a', ${values}); ${more}`,
  query: `${DATA_COLUMNS} LEFT JOIN gpkg_data_column_constraints USING (constraint_name)`,
  code: 'FIELD_DESCRIPTIONS_DROPPED',
  message,
});
const column = (declaration: string, message: RegExp): Thing => ({
  sql: `ALTER TABLE roads ADD COLUMN n ${declaration}`,
  query: COLUMNS,
  code: 'FIELD_CONSTRAINTS_DROPPED',
  message,
});

const THINGS: Readonly<Record<string, Thing>> = {
  'a list of values': dataColumn(
    "NULL, NULL, NULL, NULL, 'kind'",
    /layer 'roads': the domain of 'a' is not kept: GeoJSON has no place for it/,
    "INSERT INTO gpkg_data_column_constraints VALUES ('kind', 'enum', '1', NULL, NULL, NULL, NULL, 'it''s a path'), ('kind', 'enum', '2', NULL, NULL, NULL, NULL, NULL)",
  ),
  'a range': dataColumn(
    "NULL, NULL, NULL, NULL, 'few'",
    /the domain of 'a'/,
    "INSERT INTO gpkg_data_column_constraints VALUES ('few', 'range', NULL, 0.5, 0, 9, 1, 'a few')",
  ),
  'a pattern': dataColumn(
    "NULL, NULL, NULL, NULL, 'caps'",
    /the domain of 'a'/,
    "INSERT INTO gpkg_data_column_constraints VALUES ('caps', 'glob', '[A-Z]*', NULL, NULL, NULL, NULL, NULL)",
  ),
  'an alternative name': dataColumn("'alias', NULL, NULL, NULL, NULL", /the alternative name of 'a'/),
  'a title': dataColumn("NULL, 'Title', NULL, NULL, NULL", /the title of 'a'/),
  'the description of a field': dataColumn("NULL, NULL, 'text', NULL, NULL", /the description of 'a'/),
  'a media type': dataColumn("NULL, NULL, NULL, 'text/html', NULL", /the media type of 'a'/),
  'an identifier': {
    sql: "UPDATE gpkg_contents SET identifier = 'my id'",
    query: 'SELECT identifier FROM gpkg_contents',
    code: 'LAYER_DESCRIPTION_DROPPED',
    message: /the title 'my id'/,
  },
  'the description of a layer': {
    sql: "UPDATE gpkg_contents SET description = 'all roads'",
    query: 'SELECT description FROM gpkg_contents',
    code: 'LAYER_DESCRIPTION_DROPPED',
    message: /layer 'roads': the description is not kept/,
  },
  'metadata of a layer': {
    sql: "INSERT INTO gpkg_metadata VALUES (1, 'dataset', 'u', 'text/xml', '<a/>'); INSERT INTO gpkg_metadata_reference VALUES ('table', 'roads', NULL, NULL, '', 1, NULL)",
    query: METADATA,
    code: 'LAYER_CONTENT_DROPPED',
    message: /layer 'roads': metadata is not kept/,
  },
  'metadata of a feature': {
    sql: "INSERT INTO gpkg_metadata VALUES (7, 'dataset', 'u', 'text/xml', '<a/>'); INSERT INTO gpkg_metadata_reference VALUES ('row', 'ROADS', NULL, 1, '', 7, NULL)",
    query: `${METADATA} WHERE row_id_value = (SELECT min(fid) FROM roads)`,
    code: 'LAYER_CONTENT_DROPPED',
    message: /layer 'roads': metadata is not kept/,
  },
  'metadata of the file': {
    sql: "INSERT INTO gpkg_metadata VALUES (1, 'dataset', 'u', 'text/xml', '<a/>'); INSERT INTO gpkg_metadata_reference VALUES ('geopackage', NULL, NULL, NULL, '', 1, NULL)",
    query: METADATA,
    code: 'FILE_CONTENT_DROPPED',
    message: /metadata of the file is not kept/,
  },
  'a style': {
    sql: "CREATE TABLE layer_styles (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, f_table_name TEXT(256), f_geometry_column TEXT(256), styleQML TEXT); INSERT INTO layer_styles VALUES (3, 'roads', 'geom', '<qgis/>'); INSERT INTO gpkg_contents (table_name, data_type) VALUES ('layer_styles', 'attributes')",
    query: 'SELECT f_table_name, f_geometry_column, styleQML FROM layer_styles',
    code: 'LAYER_CONTENT_DROPPED',
    message: /layer 'roads': the style is not kept/,
  },
  'a table of attributes': {
    sql: "CREATE TABLE prices (id INTEGER PRIMARY KEY, p REAL NOT NULL DEFAULT 1.5, t TEXT(5) UNIQUE); INSERT INTO prices VALUES (9, 2.5, 'x'), (11, 3, NULL); INSERT INTO gpkg_contents (table_name, data_type, identifier, description) VALUES ('prices', 'attributes', 'Prices', 'all')",
    query:
      "SELECT p.*, identifier, description FROM prices p, gpkg_contents WHERE table_name = 'prices' ORDER BY 1",
    code: 'ATTRIBUTES_SKIPPED',
    message: /table 'prices' was skipped/,
  },
  'a relation': {
    sql: "CREATE TABLE owners (id INTEGER PRIMARY KEY); INSERT INTO owners VALUES (5); INSERT INTO gpkg_contents (table_name, data_type) VALUES ('owners', 'attributes'); CREATE TABLE owned (base_id INTEGER NOT NULL, related_id INTEGER NOT NULL); INSERT INTO owned VALUES (1, 5); CREATE TABLE gpkgext_relations (id INTEGER PRIMARY KEY AUTOINCREMENT, base_table_name TEXT NOT NULL, base_primary_column TEXT NOT NULL DEFAULT 'id', related_table_name TEXT NOT NULL, related_primary_column TEXT NOT NULL DEFAULT 'id', relation_name TEXT NOT NULL, mapping_table_name TEXT NOT NULL UNIQUE); INSERT INTO gpkgext_relations VALUES (1, 'roads', 'fid', 'owners', 'id', 'attributes', 'owned'); INSERT INTO gpkg_extensions VALUES ('gpkgext_relations', NULL, 'gpkg_related_tables', 'u', 'read-write')",
    query: 'SELECT * FROM gpkgext_relations, owned, owners',
    code: 'ATTRIBUTES_SKIPPED',
    message: /relations of the file/,
  },
  'NOT NULL': column('INTEGER NOT NULL DEFAULT 7', /layer 'roads': NOT NULL of 'n'/),
  'DEFAULT of a text': column("TEXT DEFAULT 'it''s; DROP TABLE x --'", /DEFAULT of 'n'/),
  'a width': column('TEXT(20)', /the width of 'n'/),
  UNIQUE: {
    sql: 'CREATE UNIQUE INDEX once ON roads (a)',
    query: `SELECT l."unique", i.name FROM pragma_index_list('roads') l, pragma_index_info(l.name) i`,
    code: 'FIELD_CONSTRAINTS_DROPPED',
    message: /UNIQUE of 'a'/,
  },
};

/** What no output has. */
const RULES: Readonly<Record<string, readonly [sql: string, code: string, message: RegExp]>> = {
  CHECK: [
    'ALTER TABLE roads ADD COLUMN n INTEGER CHECK (n > 0)',
    'LAYER_DESCRIPTION_DROPPED',
    /layer 'roads': CHECK is not kept/,
  ],
  'a foreign key': [
    'ALTER TABLE roads ADD COLUMN n INTEGER REFERENCES roads (fid)',
    'FIELD_CONSTRAINTS_DROPPED',
    /the foreign key of 'n'/,
  ],
  'UNIQUE over two columns': [
    'ALTER TABLE roads ADD COLUMN n; CREATE UNIQUE INDEX once ON roads (a, n)',
    'FIELD_CONSTRAINTS_DROPPED',
    /UNIQUE over several columns of 'a', 'n'/,
  ],
  'an extension of a layer': [
    "INSERT INTO gpkg_extensions VALUES ('roads', NULL, 'acme_labels', 'u', 'read-write')",
    'LAYER_DESCRIPTION_DROPPED',
    /layer 'roads': the extension 'acme_labels'/,
  ],
  'an extension of the file': [
    "INSERT INTO gpkg_extensions VALUES (NULL, NULL, 'acme_views', 'u', 'read-write')",
    'FILE_DESCRIPTION_DROPPED',
    /the extension 'acme_views' of the file/,
  ],
};

const INPUT = join(import.meta.dirname, '..', 'fixtures', 'geojson', 'gdal-areas.geojson');

interface Copy {
  readonly findings: readonly { readonly code: string; readonly message: string }[];
  /** The rows of the query, of the file and of the copy. */
  readonly rows: readonly unknown[];
}

async function copied(sql: string, to: 'gpkg' | 'geojson', query = 'SELECT 1'): Promise<Copy> {
  using workspace = makeWorkspace();
  const made = await convertFile(INPUT, workspace.path, {
    from: 'geojson',
    to: 'gpkg',
    layerName: 'roads',
    outputName: 'made',
    transformations: [{ type: 'rename', params: { fields: { id: 'a' } } }],
  });
  const rowsOf = (path: string, first = ''): unknown => {
    using database = new DatabaseSync(path);
    database.exec(first);
    return database.prepare(query).all();
  };
  const tables =
    'CREATE TABLE IF NOT EXISTS gpkg_extensions (table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL, definition TEXT NOT NULL, scope TEXT NOT NULL);';
  const before = rowsOf(made.outputPath, `${tables} ${SCHEMA} ${sql}`);
  const { report, outputPath } = await convertFile(made.outputPath, workspace.path, {
    from: 'gpkg',
    to,
    outputName: 'copy',
  });
  const after = to === 'gpkg' ? rowsOf(outputPath) : null;
  const findings = report.warnings.filter(({ code }) => /_(?:DROPPED|SKIPPED|COPIED|MET)$/.test(code));
  return { findings, rows: [before, after] };
}

for (const [what, { sql, query, code, message }] of Object.entries(THINGS))
  test(`a GeoPackage made of a GeoPackage has ${what}, and GeoJSON reports that it has not`, async () => {
    const same = await copied(sql, 'gpkg', query);
    assert.deepEqual(same.findings, []);
    assert.deepEqual(same.rows[1], same.rows[0]);
    assert.notDeepEqual(same.rows[0], []);
    const { findings } = await copied(sql, 'geojson', query);
    const finding = findings.find((one) => one.code === code && message.test(one.message));
    assert.ok(finding !== undefined, JSON.stringify(findings));
  });

for (const [what, [sql, code, message]] of Object.entries(RULES))
  test(`reports that ${what} is not kept`, async () => {
    const { findings } = await copied(sql, 'gpkg');
    const finding = findings.find((one) => one.code === code && message.test(one.message));
    assert.ok(finding !== undefined, JSON.stringify(findings));
  });

test('a GeoPackage that geomill wrote has nothing to report', async () => {
  assert.deepEqual((await copied('', 'geojson')).findings, []);
});

test('a relation names the key that the layer has in the copy', async () => {
  const { sql } = THINGS['a relation'];
  const renamed =
    "; UPDATE gpkgext_relations SET base_primary_column = 'id'; ALTER TABLE roads RENAME COLUMN fid TO id";
  const key = "(SELECT name FROM pragma_table_info('roads') WHERE pk = 1)";
  const query = `SELECT base_primary_column = ${key} AS isKey FROM gpkgext_relations`;
  const { rows } = await copied(sql + renamed, 'gpkg', query);
  assert.deepEqual(
    rows.map((found) => (found as { isKey: number }[]).map(({ isKey }) => isKey)),
    [[1], [1]],
  );
});
