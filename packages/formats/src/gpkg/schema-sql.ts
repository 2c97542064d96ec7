/** The tables of GeoPackage 1.4 (OGC 12-128r19) as SQL; the declarations are those of its annex C. */
import type { FieldFacts } from '@geomill/core/columns/field-facts.ts';
import type { FieldType } from '@geomill/core/columns/schema.ts';
import type { BulkDatabase, Trigger } from '@geomill/sqlite/bulk-database.ts';
import { defaultSql } from './default-values.ts';
import { quoted } from './names.ts';

/** "GPKG" and 1.4.0, for the header of the database file (clause 1.1.1.1.1). */
export const APPLICATION_ID = 0x47504b47;
export const USER_VERSION = 10400;

export const SPATIAL_REF_SYS_SQL = `CREATE TABLE gpkg_spatial_ref_sys (
  srs_name TEXT NOT NULL,
  srs_id INTEGER NOT NULL PRIMARY KEY,
  organization TEXT NOT NULL,
  organization_coordsys_id INTEGER NOT NULL,
  definition TEXT NOT NULL,
  description TEXT,
  definition_12_063 TEXT NOT NULL
)`;

export const EXTENSIONS_SQL = `CREATE TABLE gpkg_extensions (
  table_name TEXT,
  column_name TEXT,
  extension_name TEXT NOT NULL,
  definition TEXT NOT NULL,
  scope TEXT NOT NULL,
  CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name)
)`;

export const CORE_SQL = `CREATE TABLE gpkg_contents (
  table_name TEXT NOT NULL PRIMARY KEY,
  data_type TEXT NOT NULL,
  identifier TEXT UNIQUE,
  description TEXT DEFAULT '',
  last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
  min_x DOUBLE,
  min_y DOUBLE,
  max_x DOUBLE,
  max_y DOUBLE,
  srs_id INTEGER,
  CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id)
);
CREATE TABLE gpkg_geometry_columns (
  table_name TEXT NOT NULL,
  column_name TEXT NOT NULL,
  geometry_type_name TEXT NOT NULL,
  srs_id INTEGER NOT NULL,
  z TINYINT NOT NULL,
  m TINYINT NOT NULL,
  CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name),
  CONSTRAINT uk_gc_table_name UNIQUE (table_name),
  CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
  CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id)
);
CREATE TABLE gpkg_ogr_contents (
  table_name TEXT NOT NULL PRIMARY KEY,
  feature_count INTEGER DEFAULT NULL
);
${EXTENSIONS_SQL};
INSERT INTO gpkg_extensions VALUES ('gpkg_spatial_ref_sys', 'definition_12_063', 'gpkg_crs_wkt',
  'http://www.geopackage.org/spec140/#extension_crs_wkt', 'read-write')`;

/** Tables of the schema extension; made only if a layer has JSON, or facts of its fields. */
export const SCHEMA_EXTENSION_SQL = `CREATE TABLE IF NOT EXISTS gpkg_data_columns (
  table_name TEXT NOT NULL,
  column_name TEXT NOT NULL,
  name TEXT,
  title TEXT,
  description TEXT,
  mime_type TEXT,
  constraint_name TEXT,
  CONSTRAINT pk_gdc PRIMARY KEY (table_name, column_name),
  CONSTRAINT gdc_tn UNIQUE (table_name, name)
);
CREATE TABLE IF NOT EXISTS gpkg_data_column_constraints (
  constraint_name TEXT NOT NULL,
  constraint_type TEXT NOT NULL,
  value TEXT,
  min NUMERIC,
  min_is_inclusive BOOLEAN,
  max NUMERIC,
  max_is_inclusive BOOLEAN,
  description TEXT,
  CONSTRAINT gdcc_ntv UNIQUE (constraint_name, constraint_type, value)
)`;

const COLUMN_TYPES: Readonly<Record<FieldType, string>> = {
  boolean: 'BOOLEAN',
  int32: 'MEDIUMINT',
  int64: 'INTEGER',
  float64: 'REAL',
  string: 'TEXT',
  binary: 'BLOB',
  date: 'DATE',
  datetime: 'DATETIME',
  json: 'TEXT',
};

export interface TableDeclaration {
  readonly table: string;
  readonly key: string;
  /** Null: a table of attributes. */
  readonly geometry: string | null;
  readonly columns: readonly ColumnDeclaration[];
}

export interface ColumnDeclaration {
  readonly name: string;
  readonly type: FieldType;
  /** Default: nothing is declared but the type. */
  readonly facts?: Pick<FieldFacts, 'width' | 'notNull' | 'default'>;
}

export function createTableSql(declaration: TableDeclaration, geometryType: string): string {
  const columns = [
    `${quoted(declaration.key)} INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL`,
    ...(declaration.geometry === null ? [] : [`${quoted(declaration.geometry)} ${geometryType}`]),
    ...declaration.columns.map(columnSql),
  ];
  return `CREATE TABLE ${quoted(declaration.table)} (${columns.join(', ')})`;
}

function columnSql({ name, type, facts = {} }: ColumnDeclaration): string {
  const hasWidth = facts.width !== undefined && (type === 'string' || type === 'binary');
  const words = [quoted(name), COLUMN_TYPES[type] + (hasWidth ? `(${facts.width})` : '')];
  if (facts.notNull) words.push('NOT NULL');
  if (facts.default !== undefined) words.push(`DEFAULT ${defaultSql(facts.default)}`);
  return words.join(' ');
}

export function hasTable(database: BulkDatabase, name: string): boolean {
  const sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND lower(name) = lower(?)";
  return database.value(sql, name) !== null;
}

/** Keep GDAL's stored feature count up to date, which it reads instead of counting the rows. */
export function countTriggers(table: string): Trigger[] {
  const trigger = (event: string, sign: string): Trigger => {
    const name = `trigger_${event.toLowerCase()}_feature_count_${table}`;
    const update = `UPDATE gpkg_ogr_contents SET feature_count = feature_count ${sign} 1 WHERE lower(table_name) = lower(${quotedText(table)})`;
    return {
      name,
      sql: `CREATE TRIGGER ${quoted(name)} AFTER ${event} ON ${quoted(table)} BEGIN ${update}; END`,
    };
  };
  return [trigger('INSERT', '+'), trigger('DELETE', '-')];
}

export function rtreeName(table: string, geometry: string): string {
  return `rtree_${table}_${geometry}`;
}

export function createRtreeSql(rtree: string): string {
  return `CREATE VIRTUAL TABLE ${quoted(rtree)} USING rtree(id, minx, maxx, miny, maxy)`;
}

/**
 * The triggers of the RTree extension of 1.4 (annex F.3): 1.4 replaced update1 by update6 and update7, and update3 by
 * update5, which work with upserts. Validators of earlier versions, including GDAL's, still require four triggers
 * update1 to update4, so triggers with these two names exist but never fire.
 */
export function rtreeTriggers({ table, key }: TableDeclaration, geometry: string): Trigger[] {
  const rtree = rtreeName(table, geometry);
  const [t, r, c, i] = [table, rtree, geometry, key].map(quoted);
  const box = `ST_MinX(NEW.${c}), ST_MaxX(NEW.${c}), ST_MinY(NEW.${c}), ST_MaxY(NEW.${c})`;
  const hasNew = `(NEW.${c} NOTNULL AND NOT ST_IsEmpty(NEW.${c}))`;
  const lacksNew = `(NEW.${c} ISNULL OR ST_IsEmpty(NEW.${c}))`;
  const hadOld = `(OLD.${c} NOTNULL AND NOT ST_IsEmpty(OLD.${c}))`;
  const lackedOld = `(OLD.${c} ISNULL OR ST_IsEmpty(OLD.${c}))`;
  const same = `OLD.${i} = NEW.${i}`;
  const moved = `OLD.${i} != NEW.${i}`;
  const trigger = (change: string, event: string, when: string, action: string): Trigger => {
    const name = `${rtree}_${change}`;
    return {
      name,
      sql: `CREATE TRIGGER ${quoted(name)} AFTER ${event} ON ${t} WHEN ${when} BEGIN ${action}; END`,
    };
  };
  const removeOld = `DELETE FROM ${r} WHERE id = OLD.${i}`;
  const replace = `INSERT OR REPLACE INTO ${r} VALUES (NEW.${i}, ${box})`;
  const set = `UPDATE ${r} SET minx = ST_MinX(NEW.${c}), maxx = ST_MaxX(NEW.${c}), miny = ST_MinY(NEW.${c}), maxy = ST_MaxY(NEW.${c}) WHERE id = NEW.${i}`;
  return [
    trigger('insert', 'INSERT', `(NEW.${c} NOT NULL AND NOT ST_IsEmpty(NEW.${c}))`, replace),
    trigger('update1', 'UPDATE', '0', 'SELECT 1'),
    trigger('update2', `UPDATE OF ${c}`, `${same} AND ${lacksNew}`, removeOld),
    trigger('update3', 'UPDATE', '0', 'SELECT 1'),
    trigger(
      'update4',
      'UPDATE',
      `${moved} AND ${lacksNew}`,
      `DELETE FROM ${r} WHERE id IN (OLD.${i}, NEW.${i})`,
    ),
    trigger('update5', 'UPDATE', `${moved} AND ${hasNew}`, `${removeOld}; ${replace}`),
    trigger('update6', `UPDATE OF ${c}`, `${same} AND ${hasNew} AND ${hadOld}`, set),
    trigger(
      'update7',
      `UPDATE OF ${c}`,
      `${same} AND ${hasNew} AND ${lackedOld}`,
      `INSERT INTO ${r} VALUES (NEW.${i}, ${box})`,
    ),
    trigger('delete', 'DELETE', `OLD.${c} NOT NULL`, removeOld),
  ];
}

function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
