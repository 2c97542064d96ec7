/** Rows of gpkg_spatial_ref_sys: the three that every file has (clause 1.1.2), and one per CRS of the output. */
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import { WGS84_DESCRIPTION } from '@geomill/core/crs/wgs84.ts';

export interface CrsRow {
  readonly name: string;
  readonly srsId: number;
  readonly organization: string;
  readonly organizationId: number;
  /** WKT1 as GDAL writes it. */
  readonly definition: string;
  readonly description: string | null;
  /** WKT2, for the column `definition_12_063`. */
  readonly definition12063: string;
}

const UNDEFINED = 'undefined';
/** First id for systems without an authority number; the same as in GDAL. */
const FIRST_CUSTOM_ID = 100_000;

export const REQUIRED_ROWS: readonly CrsRow[] = [
  undefinedRow('Undefined Cartesian SRS', -1, 'undefined Cartesian coordinate reference system'),
  undefinedRow('Undefined geographic SRS', 0, 'undefined geographic coordinate reference system'),
  {
    ...rowOf(WGS84_DESCRIPTION, 4326, 'EPSG', 4326),
    name: 'WGS 84 geodetic',
    description: 'longitude/latitude coordinates in decimal degrees on the WGS 84 spheroid',
  },
];

/** A row of an existing file. */
export type KnownSystem = Pick<
  CrsRow,
  'srsId' | 'organization' | 'organizationId' | 'definition' | 'definition12063'
>;

/**
 * The rows of the systems, in their order; equal systems have equal rows. A system that is among the rows of an existing
 * file has the number of that row.
 */
export function crsRows(systems: readonly CrsDescription[], known: readonly KnownSystem[] = []): CrsRow[] {
  const byDefinition = new Map<string, CrsRow>();
  const takenIds = new Map<number, string>([
    [-1, 'NONE:-1'],
    [0, 'NONE:0'],
    [4326, 'EPSG:4326'],
    ...known.map(({ srsId }) => [srsId, ''] as const),
  ]);
  // Authority numbers first: systems without one get free ids.
  const isNumbered = (crs: CrsDescription): boolean => numberOf(crs) !== null;
  for (const crs of [...systems.filter(isNumbered), ...systems.filter((crs) => !isNumbered(crs))]) {
    const number = numberOf(crs);
    const key = number === null ? (crs.wkt2 ?? crs.definition) : `${number.organization}:${number.code}`;
    if (byDefinition.has(key)) continue;
    const own = rowOf(crs, 0, number?.organization ?? 'NONE', number?.code ?? 0);
    const same = known.find((row) => isSameSystem(row, own));
    if (same !== undefined) {
      byDefinition.set(key, { ...own, srsId: same.srsId });
      continue;
    }
    let srsId = number?.code ?? FIRST_CUSTOM_ID;
    if (takenIds.has(srsId) && takenIds.get(srsId) !== key) srsId = FIRST_CUSTOM_ID;
    while (takenIds.has(srsId) && takenIds.get(srsId) !== key) srsId++;
    takenIds.set(srsId, key);
    const row =
      srsId === 4326
        ? REQUIRED_ROWS[2]
        : rowOf(crs, srsId, number?.organization ?? 'NONE', number?.code ?? srsId);
    byDefinition.set(key, row);
  }
  return systems.map((crs) => {
    const number = numberOf(crs);
    const key = number === null ? (crs.wkt2 ?? crs.definition) : `${number.organization}:${number.code}`;
    return byDefinition.get(key) as CrsRow;
  });
}

function isSameSystem(row: KnownSystem, own: CrsRow): boolean {
  if (own.organization !== 'NONE')
    return row.organization.toUpperCase() === own.organization && row.organizationId === own.organizationId;
  const isStated = (definition: string): boolean => definition !== '' && definition !== UNDEFINED;
  return (
    (isStated(own.definition12063) && row.definition12063 === own.definition12063) ||
    (isStated(own.definition) && row.definition === own.definition)
  );
}

function numberOf(crs: CrsDescription): { readonly organization: string; readonly code: number } | null {
  const match = /^([a-z]+):(\w+)$/i.exec(crs.definition);
  const organization = (crs.authority?.name ?? match?.[1])?.toUpperCase();
  const code = crs.authority?.code ?? match?.[2];
  if (organization === undefined || code === undefined) return null;
  // A GeoPackage stores x before y regardless of the CRS, so this is EPSG:4326.
  if (organization === 'OGC' && code === 'CRS84') return { organization: 'EPSG', code: 4326 };
  return /^[1-9]\d{0,8}$/.test(code) ? { organization, code: Number(code) } : null;
}

function rowOf(crs: CrsDescription, srsId: number, organization: string, organizationId: number): CrsRow {
  return {
    name: crs.name,
    srsId,
    organization,
    organizationId,
    definition: crs.wkt1 ?? UNDEFINED,
    description: null,
    definition12063: crs.wkt2 ?? UNDEFINED,
  };
}

function undefinedRow(name: string, srsId: number, description: string): CrsRow {
  return {
    name,
    srsId,
    organization: 'NONE',
    organizationId: srsId,
    definition: UNDEFINED,
    description,
    definition12063: UNDEFINED,
  };
}
