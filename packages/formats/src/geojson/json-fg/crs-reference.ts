/** The values of the member `coordRefSys` of JSON-FG (OGC 21-045r1), and the member for a CRS. */
import type { CrsDescription, CrsText } from '@geomill/core/crs/crs.ts';
import { shortText } from '@geomill/core/messages/short-text.ts';

export interface CrsReference {
  /** Null: the value is not understood. */
  readonly crs: CrsText | null;
  /** As people write it: for messages and names of layers. */
  readonly label: string;
  /** Longitude before latitude, whatever the CRS says: that is what the codes CRS84 and CRS84h are for. */
  readonly isLongitudeFirst: boolean;
  /** Epoch of coordinates in a dynamic CRS; null: it states none. */
  readonly epoch: number | null;
}

/** WGS 84 longitude and latitude: of positions in `geometry`, and in `place` where no member says otherwise. */
export const CRS84: CrsReference = {
  crs: 'EPSG:4326',
  label: 'OGC:CRS84',
  isLongitudeFirst: true,
  epoch: null,
};

const OGC_URI = /^https?:\/\/www\.opengis\.net\/def\/crs\/([A-Za-z_]+)\/([\w.]+)\/([\w.-]+)$/;
const COMPOUND_URI = /^https?:\/\/www\.opengis\.net\/def\/crs-compound\?(.+)$/;
const URN = /^urn:(?:x-)?ogc:def:crs:([A-Za-z_]+):([\w.]*):([\w.-]+)$/i;
/** A safe CURIE, as drafts of JSON-FG have it, or a code without its brackets. */
const CURIE = /^(?:\[([A-Za-z_]\w*):([\w.-]+)\]|([A-Za-z_]\w*):([\w.-]+))$/;

/** Members of a compound CRS: a horizontal and a vertical one, and at most one of time, which has no use here. */
const MAX_MEMBERS = 3;

/** `json`: the text of the value, which is valid JSON. */
export function crsReference(json: string): CrsReference {
  return referenceOf(JSON.parse(json) as unknown) ?? { ...CRS84, crs: null, label: shortText(json) };
}

function referenceOf(value: unknown): CrsReference | null {
  if (typeof value === 'string') return referenceOfText(value.trim());
  if (Array.isArray(value)) return compound(value);
  if (typeof value !== 'object' || value === null) return null;
  const { type, href, value: definition, epoch } = value as Readonly<Record<string, unknown>>;
  let found: CrsReference | null = null;
  if (typeof href === 'string') found = referenceOf(href);
  else if (type === 'PROJJSON' && typeof definition === 'object' && definition !== null) {
    const { name } = definition as Readonly<Record<string, unknown>>;
    const label = typeof name === 'string' ? name : 'PROJJSON';
    found = { crs: JSON.stringify(definition), label, isLongitudeFirst: false, epoch: null };
  }
  return found === null || typeof epoch !== 'number' ? found : { ...found, epoch };
}

function referenceOfText(text: string): CrsReference | null {
  const [, query] = COMPOUND_URI.exec(text) ?? [];
  if (query !== undefined) return compound(query.split('&').map((part) => part.replace(/^\d+=/, '')));
  const [, authority, version, code] = OGC_URI.exec(text) ?? URN.exec(text) ?? [];
  if (authority !== undefined) return ofCode(authority, version, code);
  const [, name, own, bareName, bareOwn] = CURIE.exec(text) ?? [];
  const curie = name ?? bareName;
  return curie === undefined ? null : ofCode(curie, '', own ?? bareOwn);
}

function ofCode(authority: string, version: string, code: string): CrsReference {
  const name = authority.toUpperCase();
  if (name === 'OGC' && /^CRS84h?$/i.test(code)) return { ...CRS84, label: `OGC:${code}` };
  // Codes of the IAU differ between years, so PROJ has the year in the name of the authority.
  const crs = name === 'IAU' && /^\d{4}$/.test(version) ? `IAU_${version}:${code}` : `${name}:${code}`;
  return { crs, label: crs, isLongitudeFirst: false, epoch: null };
}

/** PROJ reads compound systems whose members have codes; those with members in full are rare, and are not read. */
function compound(values: readonly unknown[]): CrsReference | null {
  if (values.length === 0 || values.length > MAX_MEMBERS) return null;
  const members = values.map((value) => (Array.isArray(value) ? null : referenceOf(value)));
  const [first] = members;
  const codes = members.map((member) => member?.crs ?? null);
  if (first === null || codes.some((code) => code === null || code.startsWith('{'))) return null;
  const crs = codes.join('+');
  // The order of the first member counts: CRS84 with a height has the code of EPSG:4326, but longitudes first.
  return { ...first, crs, label: members.map((member) => member?.label).join('+') };
}

/** The value for a CRS; null: it has no code of an authority, and no PROJJSON. */
export function coordRefSys({ definition, authority, projjson }: CrsDescription): string | null {
  const [, ownName, ownCode] = /^([a-z_]+):([\w.]+)$/i.exec(definition) ?? [];
  const name = authority?.name ?? ownName?.toUpperCase();
  const code = authority?.code ?? ownCode;
  if (name === 'EPSG' || name === 'OGC')
    return JSON.stringify(`http://www.opengis.net/def/crs/${name}/0/${code}`);
  return projjson === null ? null : `{"type":"PROJJSON","value":${projjson}}`;
}
