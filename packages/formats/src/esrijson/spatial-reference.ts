/** The spatial references of ArcGIS: codes of EPSG and Esri in one number, or WKT. */
import type { CrsDescription, CrsText } from '@geomill/core/crs/crs.ts';

/** EPSG has no larger code; Esri has no smaller one of its own. */
const GREATEST_EPSG = 32_767;
/** Codes of Web Mercator before EPSG had one. */
const WEB_MERCATOR: ReadonlySet<number> = new Set([102_100, 102_113, 900_913]);
const WEB_MERCATOR_ESRI = 102_100;
const WEB_MERCATOR_EPSG = 3857;
/** Longest WKT that is looked at. */
const MAX_WKT = 65_536;

/** Null: the value of a member `spatialReference` states no CRS. */
export function crsOf(reference: unknown): CrsText | null {
  if (typeof reference !== 'object' || reference === null) return null;
  const { latestWkid, wkid, wkt, wkt2 } = reference as Readonly<Record<string, unknown>>;
  const code = codeOf(latestWkid) ?? codeOf(wkid);
  if (code !== null) return crsOfCode(code);
  for (const text of [wkt2, wkt])
    if (typeof text === 'string' && text.trim() !== '' && text.length <= MAX_WKT) return text;
  return null;
}

function codeOf(value: unknown): number | null {
  const code = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof code === 'number' && Number.isInteger(code) && code > 0 ? code : null;
}

function crsOfCode(code: number): CrsText {
  if (WEB_MERCATOR.has(code)) return `EPSG:${WEB_MERCATOR_EPSG}`;
  return code <= GREATEST_EPSG ? `EPSG:${code}` : `ESRI:${code}`;
}

/** As a member of a feature set; null: it has no form there. */
export function spatialReferenceOf({ authority, definition, wktEsri }: CrsDescription): object | null {
  const [, ownName, ownCode] = /^(EPSG|ESRI):(\d+)$/i.exec(definition) ?? [];
  const name = (authority?.name ?? ownName ?? '').toUpperCase();
  const code = Number(authority?.code ?? ownCode);
  if ((name === 'EPSG' || name === 'ESRI') && Number.isInteger(code)) {
    if (code === WEB_MERCATOR_EPSG) return { wkid: WEB_MERCATOR_ESRI, latestWkid: code };
    return { wkid: code, latestWkid: code };
  }
  return wktEsri === null ? null : { wkt: wktEsri };
}
