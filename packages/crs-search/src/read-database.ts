/** Reads the searched part of PROJ's database: the systems of EPSG that a request can name and positions can have. */
import { failure } from '@geomill/core/messages/errors.ts';
import { UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import { crsSearchErrors } from './errors.ts';

/** In the order of equally good hits. */
export const CRS_KINDS = ['projected', 'geographic', 'geographic_3d', 'compound'] as const;
export type CrsKind = (typeof CRS_KINDS)[number];

/** Degrees; west > east if the area crosses the antimeridian. */
export interface CrsArea {
  readonly name: string;
  /** Description of the area, usually a list of countries or states. */
  readonly description: string;
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export interface CrsRecord {
  /** EPSG code, unique among all kinds. */
  readonly code: number;
  readonly name: string;
  readonly kind: CrsKind;
  readonly isDeprecated: boolean;
  /** One per line; empty if there are none. */
  readonly aliases: string;
  readonly area: CrsArea | null;
  /** Unit of the first horizontal axis: "metre", "degree", "US survey foot", ... */
  readonly unit: string;
  /** How many coordinate operations begin or end at its datum: a measure of how widely it is used. */
  readonly operationCount: number;
}

/**
 * Geocentric systems are left out, as the X and Y of them alone are no position; vertical, engineering and other
 * authorities' systems, because requests cannot name them (crs.ts, parseEpsg).
 */
const RECORDS_SQL = `
  SELECT code, name, CASE type WHEN 'geographic 3D' THEN 'geographic_3d' ELSE 'geographic' END, deprecated,
    coordinate_system_code, code FROM geodetic_crs
    WHERE auth_name = 'EPSG' AND type IN ('geographic 2D', 'geographic 3D')
  UNION ALL SELECT code, name, 'projected', deprecated, coordinate_system_code, geodetic_crs_code FROM projected_crs
    WHERE auth_name = 'EPSG'
  UNION ALL SELECT c.code, c.name, 'compound', c.deprecated,
    coalesce(p.coordinate_system_code, g.coordinate_system_code), coalesce(p.geodetic_crs_code, g.code)
    FROM compound_crs c
    LEFT JOIN projected_crs p ON p.auth_name = c.horiz_crs_auth_name AND p.code = c.horiz_crs_code
    LEFT JOIN geodetic_crs g ON g.auth_name = c.horiz_crs_auth_name AND g.code = c.horiz_crs_code
    WHERE c.auth_name = 'EPSG'
  ORDER BY 1`;

const UNITS_SQL = `
  SELECT a.coordinate_system_code, replace(u.name, ' (supplier to define representation)', '') FROM axis a
    JOIN unit_of_measure u ON u.auth_name = a.uom_auth_name AND u.code = a.uom_code
    WHERE a.coordinate_system_auth_name = 'EPSG' AND a.coordinate_system_order = 1`;

/** Areas with the same bounds but for some hundredths of a degree are equally wide. */
const WIDER = 1.01;

const CRS_TABLES = "('geodetic_crs', 'projected_crs', 'compound_crs')";
/** Grouped by SQLite, which spares half of all rows. "(FR_RGF93 / LAMB93 - see alias remarks)" is no name of anybody. */
const ALIASES_SQL = `
  SELECT code, group_concat(replace(alt_name, ' - see alias remarks', ''), char(10)) FROM alias_name
    WHERE auth_name = 'EPSG' AND table_name IN ${CRS_TABLES} GROUP BY code`;
const USAGE_SQL = `
  SELECT object_code, extent_code FROM usage
    WHERE object_auth_name = 'EPSG' AND extent_auth_name = 'EPSG' AND object_table_name IN ${CRS_TABLES}
    ORDER BY extent_code`;
const EXTENTS_SQL = `
  SELECT code, name, description, west_lon, south_lat, east_lon, north_lat FROM extent
    WHERE auth_name = 'EPSG' AND west_lon IS NOT NULL AND south_lat IS NOT NULL`;

const OPERATION_TABLES = ['helmert_transformation_table', 'grid_transformation', 'other_transformation'];
const OPERATIONS_SQL = `SELECT crs, count(*) FROM (${OPERATION_TABLES.flatMap((table) =>
  ['source', 'target'].map(
    (side) => `SELECT ${side}_crs_code AS crs FROM ${table} WHERE ${side}_crs_auth_name = 'EPSG'`,
  ),
).join(' UNION ALL ')}) GROUP BY crs`;

/** All records in the order of their codes. Throws CRS_DATABASE for a file that is missing, damaged or another one. */
export function readCrsRecords(databasePath: string): CrsRecord[] {
  const records = readFrom(databasePath, recordsOf);
  if (records.length > 0) return records;
  throw failure(crsSearchErrors.CRS_DATABASE, { path: databasePath, reason: 'it holds no system of EPSG' });
}

/** Opened as a database of a user, which is only read: no journal is written beside the file of the package. */
function readFrom<Result>(databasePath: string, read: (database: UntrustedDatabase) => Result): Result {
  try {
    const database = new UntrustedDatabase(databasePath, { source: databasePath, mappedBytes: 0 });
    try {
      return read(database);
    } finally {
      database.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw failure(crsSearchErrors.CRS_DATABASE, { path: databasePath, reason }, undefined, error);
  }
}

/** Systems of any kind: PROJ says more about one that has no positions, when the job runs. */
const CODES_SQL = ['geodetic_crs', 'projected_crs', 'compound_crs', 'vertical_crs', 'engineering_crs']
  .map((table) => `SELECT code FROM ${table} WHERE auth_name IN ('EPSG', 'ESRI')`)
  .join(' UNION ');

/** The codes of all systems of EPSG and ESRI. Throws CRS_DATABASE. */
export function readCrsCodes(databasePath: string): ReadonlySet<number> {
  const rows = readFrom(databasePath, (database) => database.rows('projected_crs', CODES_SQL));
  return new Set(rows.map(([code]) => Number(code)));
}

type RecordRow = readonly [
  code: number,
  name: string,
  kind: CrsKind,
  deprecated: number,
  system: number,
  base: number,
];

function recordsOf(database: UntrustedDatabase): CrsRecord[] {
  const read = <Row>(table: string, sql: string): Row[] => database.rows(table, sql) as unknown as Row[];
  const units = new Map(read<[number, string]>('axis', UNITS_SQL));
  const operations = new Map(read<[number, number]>('helmert_transformation_table', OPERATIONS_SQL));
  const areas = areasByCrs(read('extent', EXTENTS_SQL), read('usage', USAGE_SQL));
  const aliases = new Map(read<[number, string]>('alias_name', ALIASES_SQL));
  return read<RecordRow>('projected_crs', RECORDS_SQL).map(
    ([code, name, kind, deprecated, system, base]) => ({
      code,
      name,
      kind,
      isDeprecated: deprecated !== 0,
      aliases: aliases.get(code) ?? '',
      area: areas.get(code) ?? null,
      unit: units.get(system) ?? 'unknown',
      operationCount: operations.get(base) ?? 0,
    }),
  );
}

type ExtentRow = readonly [
  code: number,
  name: string,
  description: string,
  west: number,
  south: number,
  east: number,
  north: number,
];

/** A few systems have several areas, by purpose (topographic mapping, offshore, ...): the widest counts, else the oldest. */
function areasByCrs(
  extents: readonly ExtentRow[],
  usages: readonly (readonly [crs: number, extent: number])[],
): Map<number, CrsArea> {
  const byCode = new Map<number, CrsArea>();
  for (const [code, name, description, west, south, east, north] of extents)
    byCode.set(code, { name, description, west, south, east, north });
  const areas = new Map<number, CrsArea>();
  for (const [crs, extent] of usages) {
    const area = byCode.get(extent);
    if (area === undefined) continue;
    const known = areas.get(crs);
    if (known === undefined || squareDegrees(area) > WIDER * squareDegrees(known)) areas.set(crs, area);
  }
  return areas;
}

function squareDegrees({ west, south, east, north }: CrsArea): number {
  return (east - west + (west > east ? 360 : 0)) * (north - south);
}
