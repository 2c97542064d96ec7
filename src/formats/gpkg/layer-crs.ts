/** The CRS of a layer, from gpkg_spatial_ref_sys (12-128r19, 1.1.2). */
import type { CrsText } from '../../crs/crs.ts';
import type { UntrustedDatabase } from '../../engines/sqlite/untrusted-database.ts';
import { quoted } from './sql-names.ts';

export interface LayerCrs {
  readonly crs: CrsText | null;
  readonly missingReason: string;
}

const TABLE = 'gpkg_spatial_ref_sys';

/** `columns` are the names of the table's columns as they stand in it; none: there is no such table. */
export function readCrs(
  database: UntrustedDatabase,
  columns: ReadonlyMap<string, string>,
  srsId: number,
): LayerCrs {
  const missing = (missingReason: string): LayerCrs => ({ crs: null, missingReason });
  if (srsId === -1) return missing('srs_id is -1, an undefined Cartesian system');
  if (srsId === 0) return missing('srs_id is 0, an undefined geographic system');
  const select = (name: string): string => {
    const column = columns.get(name);
    return column === undefined ? 'NULL' : quoted(column);
  };
  if (!columns.has('srs_id')) return missing(`there is no table ${TABLE} with a column srs_id`);
  const names = ['organization', 'organization_coordsys_id', 'definition_12_063', 'definition'];
  const [row] = database.rows(
    TABLE,
    `SELECT ${names.map(select).join(', ')} FROM ${TABLE} WHERE srs_id = ? LIMIT 1`,
    [srsId],
  );
  if (row === undefined) return missing(`${TABLE} has no row of srs_id ${srsId}`);
  const [organization, code, wkt2, wkt1] = row;
  if (/^\s*epsg\s*$/i.test(String(organization)) && Number.isSafeInteger(Number(code)) && Number(code) > 0)
    return { crs: `EPSG:${Number(code)}`, missingReason: '' };
  for (const definition of [wkt2, wkt1]) {
    const text = typeof definition === 'string' ? definition.trim() : '';
    if (text !== '' && text.toLowerCase() !== 'undefined') return { crs: text, missingReason: '' };
  }
  return missing(`the definition of srs_id ${srsId} in ${TABLE} is undefined`);
}
