/** The `crs` member of GeoJSON 2008, which RFC 7946 removed. */
import type { Findings } from '../../findings.ts';

/** Spellings of WGS 84 longitude and latitude: what GeoJSON is in anyway. */
const WGS84_NAMES =
  /^(urn:(x-)?ogc:def:crs:(OGC:[^:]*:CRS84h?|EPSG:[^:]*:(4326|4979))|(EPSG|epsg):(4326|4979)|(OGC:)?CRS84h?|WGS ?84|https?:\/\/www\.opengis\.net\/(def\/crs\/(OGC\/[^/]+\/CRS84h?|EPSG\/[^/]+\/4326)|gml\/srs\/epsg\.xml#4326))$/i;

/** Notes CRS_MEMBER_IGNORED when the member, given as JSON text, names another CRS than the one GeoJSON is in. */
export function noteCrsMember(json: string, findings: Findings): void {
  const crs = crsName(json);
  if (crs !== null && !WGS84_NAMES.test(crs)) findings.note('CRS_MEMBER_IGNORED', { crs: crs.slice(0, 200) });
}

function crsName(json: string): string | null {
  const member = JSON.parse(json) as { type?: unknown; properties?: Record<string, unknown> | null } | null;
  if (member === null) return null;
  if (typeof member !== 'object') return String(member);
  const { name, code, href } = member.properties ?? {};
  if (typeof name === 'string' || typeof name === 'number') return String(name);
  if (typeof code === 'string' || typeof code === 'number') return `EPSG:${code}`;
  return typeof href === 'string' ? href : json.slice(0, 200);
}
