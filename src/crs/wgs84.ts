/**
 * EPSG:4326 described without loading PROJ, for the many conversions that never leave it.
 * test/unit/proj.test.ts holds it against what PROJ says.
 */
import { type CrsDescription, type CrsText, WGS84 } from './crs.ts';

export const WGS84_DESCRIPTION: CrsDescription = {
  definition: WGS84,
  name: 'WGS 84',
  authority: { name: 'EPSG', code: '4326' },
  kind: 'geographic',
  unitName: 'degree',
  unitFactor: 0.017453292519943295,
  areaOfUse: { west: -180, south: -90, east: 180, north: 90 },
  wktEsri:
    'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]',
  wkt2: null,
  wkt1: null,
};

/** Whether the text says EPSG:4326 in the one spelling that most .prj files have; any other is for PROJ to judge. */
export function isPlainWgs84(definition: CrsText): boolean {
  return definition === WGS84 || definition.trim() === WGS84_DESCRIPTION.wktEsri;
}
