/** The `crs` member of GeoJSON 2008, which RFC 7946 removed; TopoJSON files have it, too. */
import type { CrsDescription } from './crs.ts';

/** Spellings of WGS 84 longitude and latitude, the CRS of both formats. */
const WGS84_NAMES =
  /^(urn:(x-)?ogc:def:crs:(OGC:[^:]*:CRS84h?|EPSG:[^:]*:(4326|4979))|(EPSG|epsg):(4326|4979)|(OGC:)?CRS84h?|WGS ?84|https?:\/\/www\.opengis\.net\/(def\/crs\/(OGC\/[^/]+\/CRS84h?|EPSG\/[^/]+\/4326)|gml\/srs\/epsg\.xml#4326))$/i;

/** The CRS that a member, given as JSON text, names; null: WGS 84, or none. */
export function crsInMember(json: string): string | null {
  const crs = crsName(json);
  return crs === null || WGS84_NAMES.test(crs) ? null : crs;
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

/** Longitude and latitude of WGS 84. */
export function describesWgs84({ definition, authority }: CrsDescription): boolean {
  if (/^(EPSG:4326|OGC:CRS84)$/i.test(definition)) return true;
  return authority !== null && /^(EPSG:4326|OGC:CRS84)$/i.test(`${authority.name}:${authority.code}`);
}

/** The URN by which a member names a CRS; null: it has no code of an authority. */
export function crsUrn({ definition, authority }: CrsDescription): string | null {
  const match = /^([a-z]+):([a-z0-9]+)$/i.exec(definition);
  const name = authority?.name ?? match?.[1].toUpperCase();
  const code = authority?.code ?? match?.[2];
  return name !== undefined && code !== undefined ? `urn:ogc:def:crs:${name}::${code}` : null;
}
