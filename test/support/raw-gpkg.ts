/** Creates GeoPackages statement by statement, for content that no writer would write. */
import { DatabaseSync } from 'node:sqlite';

const CORE = `
CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY, organization TEXT NOT NULL,
  organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT, description TEXT,
  last_change DATETIME NOT NULL DEFAULT '2026-01-01T00:00:00.000Z', min_x DOUBLE, min_y DOUBLE, max_x DOUBLE,
  max_y DOUBLE, srs_id INTEGER);
CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL,
  srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL, PRIMARY KEY (table_name, column_name));
INSERT INTO gpkg_spatial_ref_sys VALUES ('Undefined Cartesian', -1, 'NONE', -1, 'undefined', NULL),
  ('Undefined geographic', 0, 'NONE', 0, 'undefined', NULL), ('WGS 84', 4326, 'EPSG', 4326, 'undefined', NULL);
`;

export interface RawGeopackage {
  /** Bytes of a page, a power of two; 512 to 65536. */
  readonly pageBytes?: number;
  /** Executed after the required tables are created. */
  readonly sql: string;
  /** Tables or views with a geometry column `geom` in EPSG:4326, registered as layers. */
  readonly layers: readonly string[];
}

/** Writes the file and passes its open database to `more`, for changes that SQL text cannot express. */
export function writeRawGeopackage(
  path: string,
  { pageBytes = 512, sql, layers }: RawGeopackage,
  more: (database: DatabaseSync) => void = () => {},
): string {
  const database = new DatabaseSync(path, { allowExtension: false, defensive: false });
  try {
    database.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      PRAGMA application_id = ${0x47504b47}; PRAGMA user_version = 10300; BEGIN;`);
    database.exec(CORE);
    database.exec(sql);
    for (const layer of layers) {
      database
        .prepare("INSERT INTO gpkg_contents (table_name, data_type, srs_id) VALUES (?, 'features', 4326)")
        .run(layer);
      database
        .prepare("INSERT INTO gpkg_geometry_columns VALUES (?, 'geom', 'GEOMETRY', 4326, 2, 2)")
        .run(layer);
    }
    database.exec('COMMIT');
    more(database);
  } finally {
    database.close();
  }
  return path;
}

/** SQL literal of a point's blob: header without an envelope, then WKB, all little-endian. */
export function pointBlob(x: number, y: number): string {
  const bytes = Buffer.alloc(29);
  bytes.set([0x47, 0x50, 0, 1]);
  bytes.writeInt32LE(4326, 4);
  bytes.set([1, 1], 8);
  bytes.writeDoubleLE(x, 13);
  bytes.writeDoubleLE(y, 21);
  return `x'${bytes.toString('hex')}'`;
}
