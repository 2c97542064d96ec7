/** Registers a new feature table in the catalogue of a GeoPackage, or removes a layer from it. */
import type { LayerFacts } from '@geomill/core/columns/field-facts.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import type { BulkDatabase } from '@geomill/sqlite/bulk-database.ts';
import type { FeatureTable } from './feature-table.ts';
import { factColumns, registerFields } from './field-rows.ts';
import type { GeometryFacts } from './geometry-facts.ts';
import type { LayerModel } from './layer-state.ts';
import { quoted } from './names.ts';
import { countTriggers, createTableSql, EXTENSIONS_SQL, hasTable, rtreeTriggers } from './schema-sql.ts';

const TYPE_NAMES = [
  'GEOMETRY',
  'POINT',
  'LINESTRING',
  'POLYGON',
  'MULTIPOINT',
  'MULTILINESTRING',
  'MULTIPOLYGON',
  'GEOMETRYCOLLECTION',
] as const;
const RTREE_DEFINITION = 'http://www.geopackage.org/spec140/#extension_rtree';
/** srs_id of tables of attributes, as GDAL writes them. */
const UNDEFINED_SRS = 0;
const PROHIBITED = 0;
const MANDATORY = 1;
const OPTIONAL = 2;

/** Contents, geometry column, facts of the fields, extensions and triggers of a filled table. `model` null: nothing is known besides. */
export function registerLayer(
  database: BulkDatabase,
  featureTable: FeatureTable,
  model: LayerModel | null,
  findings: Findings,
): void {
  const { facts, rowCount, declaration, plan } = featureTable;
  const { table, geometry } = plan;
  registerContents(database, featureTable, model?.facts ?? null);
  const typeName = geometryTypeName(facts);
  const columns =
    model === null ? null : factColumns(database, declaration, model, { layer: plan.layer, findings });
  if (typeName !== TYPE_NAMES[0] || columns !== null) {
    const declared = columns === null ? declaration : { ...declaration, columns };
    database.redeclareTable(table, createTableSql(declared, typeName));
  }
  if (geometry !== null) registerGeometry(database, featureTable, geometry);
  if (hasTable(database, 'gpkg_ogr_contents')) {
    database.prepare('INSERT INTO gpkg_ogr_contents VALUES (?, ?)').run([table, rowCount]);
    database.addTriggers(table, countTriggers(table));
  }
  registerFields(database, plan, model, findings);
  if (!plan.hasIndex || geometry === null) return;
  if (!hasTable(database, 'gpkg_extensions')) database.exec(EXTENSIONS_SQL);
  database
    .prepare("INSERT INTO gpkg_extensions VALUES (?, ?, 'gpkg_rtree_index', ?, 'write-only')")
    .run([table, geometry, RTREE_DEFINITION]);
  database.addTriggers(table, rtreeTriggers(declaration, geometry));
}

function registerGeometry(database: BulkDatabase, { facts, plan }: FeatureTable, geometry: string): void {
  const { table, srsId } = plan;
  const ordinates = [presence(facts.countZ, facts.count), presence(facts.countM, facts.count)];
  database
    .prepare(
      `INSERT INTO gpkg_geometry_columns (table_name, column_name, geometry_type_name, srs_id, z, m)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
    .run([table, geometry, geometryTypeName(facts), srsId, ...ordinates]);
}

/** States the time of the last change of a layer, where it is not to be that of now. */
export function stateChangeTime(database: BulkDatabase, table: string, time: Date | undefined): void {
  if (time === undefined) return;
  database
    .prepare('UPDATE gpkg_contents SET last_change = ? WHERE lower(table_name) = lower(?)')
    .run([time.toISOString(), table]);
}

/** A layer that replaces another keeps the identifier and the description of that one. */
function registerContents(
  database: BulkDatabase,
  { facts, plan }: FeatureTable,
  texts: Omit<LayerFacts, 'fields'> | null,
): void {
  const { table, layer } = plan;
  const [dataType, srsId] = plan.geometry === null ? ['attributes', UNDEFINED_SRS] : ['features', plan.srsId];
  const [minX, minY, maxX, maxY] = facts.bounds;
  const extent = minX <= maxX && minY <= maxY ? [minX, minY, maxX, maxY] : [null, null, null, null];
  const replaced = database
    .prepare(
      `UPDATE gpkg_contents SET last_change = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'),
         table_name = ?, data_type = ?, min_x = ?, min_y = ?, max_x = ?, max_y = ?, srs_id = ? WHERE lower(table_name) = lower(?)`,
    )
    .run([table, dataType, ...extent, srsId, table]);
  if (replaced > 0) return;
  // Identifiers are unique; that of a layer is its name where possible.
  const isTaken = (identifier: string): boolean =>
    database.value('SELECT 1 FROM gpkg_contents WHERE identifier = ?', identifier) !== null;
  const names = texts?.title === undefined ? [layer, table] : [texts.title, layer, table];
  const identifier = names.find((name) => !isTaken(name)) ?? null;
  database
    .prepare(
      `INSERT INTO gpkg_contents (table_name, data_type, identifier, description, min_x, min_y, max_x, max_y, srs_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run([table, dataType, identifier, texts?.description ?? '', ...extent, srsId]);
}

/**
 * Removes a layer with its indexes and triggers. Its row in gpkg_contents stays for the layer that replaces it, as do its
 * styles and the metadata of the whole table. Does nothing if there is no such table.
 */
export function removeLayer(database: BulkDatabase, table: string): void {
  if (!hasTable(database, table)) return;
  const geometry = database.value(
    'SELECT column_name FROM gpkg_geometry_columns WHERE lower(table_name) = lower(?)',
    table,
  );
  const rtree = `rtree_${table}_${String(geometry)}`;
  if (hasTable(database, rtree)) database.exec(`DROP TABLE ${quoted(rtree)}`);
  database.exec(`DROP TABLE ${quoted(table)}`);
  for (const [catalogue, rows] of [
    ['gpkg_geometry_columns', ''],
    ['gpkg_ogr_contents', ''],
    ['gpkg_data_columns', ''],
    ['gpkg_extensions', ''],
    ['gpkg_metadata_reference', ' AND (row_id_value IS NOT NULL OR column_name IS NOT NULL)'],
  ])
    if (hasTable(database, catalogue))
      database.prepare(`DELETE FROM ${catalogue} WHERE lower(table_name) = lower(?)${rows}`).run([table]);
}

/** The type that all geometries have, or GEOMETRY, which allows any. */
function geometryTypeName({ typeCounts }: GeometryFacts): string {
  let found = 0;
  for (let type = 1; type < typeCounts.length; type++) {
    if (typeCounts[type] === 0) continue;
    if (found !== 0) return TYPE_NAMES[0];
    found = type;
  }
  return TYPE_NAMES[found];
}

function presence(countWith: number, count: number): number {
  if (countWith === 0) return PROHIBITED;
  return countWith === count ? MANDATORY : OPTIONAL;
}
