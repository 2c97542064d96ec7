/** A GeoPackage with what real ones have besides layers, and its whole content for comparisons. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pointAt, writeFile } from './combine.ts';

/** Two layers, an attribute table, tiles, styles, metadata, a log kept by a trigger, an index, a view; in EPSG:25832. */
const MORE = `
CREATE TABLE lookup (fid INTEGER PRIMARY KEY, k TEXT, v REAL);
INSERT INTO lookup VALUES (1, 'a', 1.5), (2, 'b', NULL);
INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id) VALUES ('lookup', 'attributes', 'lookup', 0);
CREATE TABLE gpkg_tile_matrix_set (table_name TEXT NOT NULL PRIMARY KEY, srs_id INTEGER NOT NULL, min_x DOUBLE NOT NULL,
  min_y DOUBLE NOT NULL, max_x DOUBLE NOT NULL, max_y DOUBLE NOT NULL);
CREATE TABLE gpkg_tile_matrix (table_name TEXT NOT NULL, zoom_level INTEGER NOT NULL, matrix_width INTEGER NOT NULL,
  matrix_height INTEGER NOT NULL, tile_width INTEGER NOT NULL, tile_height INTEGER NOT NULL,
  pixel_x_size DOUBLE NOT NULL, pixel_y_size DOUBLE NOT NULL, PRIMARY KEY (table_name, zoom_level));
CREATE TABLE photo (id INTEGER PRIMARY KEY AUTOINCREMENT, zoom_level INTEGER NOT NULL, tile_column INTEGER NOT NULL,
  tile_row INTEGER NOT NULL, tile_data BLOB NOT NULL, UNIQUE (zoom_level, tile_column, tile_row));
INSERT INTO gpkg_contents (table_name, data_type, identifier, min_x, min_y, max_x, max_y, srs_id)
  VALUES ('photo', 'tiles', 'photo', 0, 0, 256, 256, 25832);
INSERT INTO gpkg_tile_matrix_set VALUES ('photo', 25832, 0, 0, 256, 256);
INSERT INTO gpkg_tile_matrix VALUES ('photo', 0, 1, 1, 256, 256, 1, 1);
INSERT INTO photo VALUES (1, 0, 0, 0, x'89504e47');
CREATE TABLE layer_styles (id INTEGER PRIMARY KEY, f_table_name TEXT, styleName TEXT, styleQML TEXT, useAsDefault BOOLEAN);
INSERT INTO layer_styles VALUES (1, 'roads', 'default', '<qgis/>', 1);
INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id) VALUES ('layer_styles', 'attributes', 'layer_styles', 0);
CREATE TABLE gpkg_metadata (id INTEGER PRIMARY KEY, md_scope TEXT NOT NULL, md_standard_uri TEXT NOT NULL,
  mime_type TEXT NOT NULL, metadata TEXT NOT NULL);
INSERT INTO gpkg_metadata VALUES (1, 'dataset', 'http://schemas.opengis.net/iso/19139/', 'text/xml', '<md/>');
CREATE TABLE gpkg_metadata_reference (reference_scope TEXT NOT NULL, table_name TEXT, column_name TEXT, row_id_value INTEGER,
  timestamp DATETIME NOT NULL, md_file_id INTEGER NOT NULL, md_parent_id INTEGER);
INSERT INTO gpkg_metadata_reference VALUES ('table', 'roads', NULL, NULL, '2026-01-01T00:00:00.000Z', 1, NULL);
CREATE TABLE log (entry TEXT);
CREATE TRIGGER roads_log AFTER INSERT ON roads BEGIN INSERT INTO log VALUES ('added ' || coalesce(NEW.name, '?')); END;
CREATE INDEX roads_n ON roads (n);
CREATE VIEW busy AS SELECT * FROM roads WHERE n > 1`;

export async function writeRichGeopackage(workspace: string): Promise<string> {
  const roads = [1, 2, 3].map((i) => pointAt([9 + i / 10, 50], { name: `road ${i}`, n: i }));
  const path = await writeFile(workspace, 'roads', 'gpkg', roads, 'EPSG:25832');
  const zones = await writeFile(workspace, 'zones', 'gpkg', [pointAt([9, 49], { z: 1 })], 'EPSG:25832');
  const target = join(workspace, 'master.gpkg');
  copyFileSync(path, target);
  changeDatabase(target, (database) => {
    database.exec(MORE);
    // A second layer, taken over from a file of its own.
    database.exec(`ATTACH '${zones}' AS other`);
    const [{ sql }] = database.prepare("SELECT sql FROM other.sqlite_schema WHERE name = 'zones'").all() as {
      sql: string;
    }[];
    database.exec(sql);
    for (const [table, where] of [
      ['zones', '1'],
      ['gpkg_contents', "table_name = 'zones'"],
      ['gpkg_geometry_columns', "table_name = 'zones'"],
    ])
      database.exec(`INSERT INTO main.${table} SELECT * FROM other.${table} WHERE ${where}`);
    database.exec('DETACH other');
  });
  return target;
}

export function changeDatabase(path: string, change: (database: DatabaseSync) => void): void {
  using database = new DatabaseSync(path, { defensive: false, enableForeignKeyConstraints: false });
  change(database);
}

/** Every row of every table, and the schema, by table; rows as JSON. */
export function contentOf(path: string): Record<string, readonly string[]> {
  using database = new DatabaseSync(path, { readOnly: true });
  const rows = (sql: string): string[] => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement
      .all()
      .map((row) =>
        JSON.stringify(row, (_, value: unknown) =>
          typeof value === 'bigint'
            ? String(value)
            : value instanceof Uint8Array
              ? Buffer.from(value).toString('hex')
              : value,
        ),
      );
  };
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name")
    .all() as { name: string }[];
  return {
    schema: rows('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid'),
    ...Object.fromEntries(tables.map(({ name }) => [name, rows(`SELECT * FROM "${name}" ORDER BY 1`)])),
  };
}

/** Throws if SQLite finds the file or a spatial index of it damaged, or a reference to a missing row. */
export function requireSound(path: string, layers: readonly string[]): void {
  using database = new DatabaseSync(path, { readOnly: true });
  const verdicts = [
    ...database.prepare('PRAGMA integrity_check').all(),
    ...database.prepare('PRAGMA foreign_key_check').all(),
    ...layers.map((layer) => database.prepare(`SELECT rtreecheck('rtree_${layer}_geom') AS verdict`).get()),
  ].flatMap((row) => Object.values(row ?? {}));
  const bad = verdicts.filter((verdict) => verdict !== 'ok');
  if (bad.length > 0) throw new Error(bad.join('; '));
}
