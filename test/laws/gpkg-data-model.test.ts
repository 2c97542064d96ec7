/**
 * Law: what the tables of the standard and the columns of a GeoPackage say beyond names and types of fields, and a GeoPackage made of it
 * does not, is in the report, with layer and field.
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

/** Statements that add one thing to a GeoPackage with the layer 'roads' and its field 'a', and what the report says of it. */
const THINGS: Readonly<Record<string, readonly [sql: string, code: string, message: RegExp]>> = {
  'a domain': [
    "INSERT INTO gpkg_data_columns VALUES ('roads', 'a', NULL, NULL, NULL, NULL, 'kind'); INSERT INTO gpkg_data_column_constraints VALUES ('kind', 'enum', '1', NULL, NULL, NULL, NULL, 'path')",
    'FIELD_DESCRIPTIONS_DROPPED',
    /layer 'roads': the domain of 'a' is not kept/,
  ],
  'an alternative name': [
    "INSERT INTO gpkg_data_columns VALUES ('ROADS', 'a', 'alias', NULL, NULL, NULL, NULL)",
    'FIELD_DESCRIPTIONS_DROPPED',
    /the alternative name of 'a'/,
  ],
  'a title': [
    "INSERT INTO gpkg_data_columns VALUES ('roads', 'a', NULL, 'Title', NULL, NULL, NULL)",
    'FIELD_DESCRIPTIONS_DROPPED',
    /the title of 'a'/,
  ],
  'the description of a field': [
    "INSERT INTO gpkg_data_columns VALUES ('roads', 'a', NULL, NULL, 'text', NULL, NULL)",
    'FIELD_DESCRIPTIONS_DROPPED',
    /the description of 'a'/,
  ],
  'a media type': [
    "INSERT INTO gpkg_data_columns VALUES ('roads', 'a', NULL, NULL, NULL, 'text/html', NULL)",
    'FIELD_DESCRIPTIONS_DROPPED',
    /the media type of 'a'/,
  ],
  'an identifier': [
    "UPDATE gpkg_contents SET identifier = 'my id'",
    'LAYER_DESCRIPTION_DROPPED',
    /the identifier 'my id'/,
  ],
  'the description of a layer': [
    "UPDATE gpkg_contents SET description = 'all roads'",
    'LAYER_DESCRIPTION_DROPPED',
    /layer 'roads': the description is not kept/,
  ],
  'metadata of a layer': [
    "INSERT INTO gpkg_metadata VALUES (1, 'dataset', 'u', 'text/xml', '<a/>'); INSERT INTO gpkg_metadata_reference VALUES ('table', 'roads', NULL, NULL, '', 1, NULL)",
    'LAYER_DESCRIPTION_DROPPED',
    /layer 'roads': metadata is not kept/,
  ],
  'metadata of the file': [
    "INSERT INTO gpkg_metadata VALUES (1, 'dataset', 'u', 'text/xml', '<a/>'); INSERT INTO gpkg_metadata_reference VALUES ('geopackage', NULL, NULL, NULL, '', 1, NULL)",
    'FILE_DESCRIPTION_DROPPED',
    /metadata of the file is not kept/,
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
  'NOT NULL': [
    'ALTER TABLE roads ADD COLUMN n INTEGER NOT NULL DEFAULT 7',
    'FIELD_CONSTRAINTS_DROPPED',
    /layer 'roads': NOT NULL of 'n'/,
  ],
  DEFAULT: ["ALTER TABLE roads ADD COLUMN n TEXT DEFAULT 'x'", 'FIELD_CONSTRAINTS_DROPPED', /DEFAULT of 'n'/],
  'a width': ['ALTER TABLE roads ADD COLUMN n TEXT(20)', 'FIELD_CONSTRAINTS_DROPPED', /the width of 'n'/],
  UNIQUE: ['CREATE UNIQUE INDEX once ON roads (a)', 'FIELD_CONSTRAINTS_DROPPED', /UNIQUE of 'a'/],
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
};

const INPUT = join(import.meta.dirname, '..', 'fixtures', 'geojson', 'gdal-areas.geojson');

async function findingsOf(sql: string, layers: readonly string[] | undefined = undefined) {
  using workspace = makeWorkspace();
  const made = await convertFile(INPUT, workspace.path, {
    from: 'geojson',
    to: 'gpkg',
    layerName: 'roads',
    outputName: 'made',
    transformations: [{ type: 'rename', params: { fields: { id: 'a' } } }],
  });
  const database = new DatabaseSync(made.outputPath);
  database.exec(
    `CREATE TABLE IF NOT EXISTS gpkg_extensions (table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL, definition TEXT NOT NULL, scope TEXT NOT NULL); ${SCHEMA} ${sql}`,
  );
  database.close();
  const { report } = await convertFile(made.outputPath, workspace.path, {
    from: 'gpkg',
    to: 'gpkg',
    outputName: 'copy',
    ...(layers === undefined ? {} : { layers }),
  });
  return report.warnings.filter(({ code }) => /_(?:DESCRIPTIONS?|CONSTRAINTS)_DROPPED$/.test(code));
}

for (const [what, [sql, code, message]] of Object.entries(THINGS))
  test(`reports that ${what} is not kept`, async () => {
    const found = await findingsOf(sql);
    const finding = found.find((one) => one.code === code && message.test(one.message));
    assert.ok(finding !== undefined, JSON.stringify(found));
  });

test('a GeoPackage that geomill wrote has nothing to report', async () => {
  assert.deepEqual(await findingsOf(''), []);
});
