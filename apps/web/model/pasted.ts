/** Pasted text as a source: GeoJSON, WKT, or an address. Pure. */
import { isWebAddress } from './input-url.ts';
import { looksLikeDocument } from './read-document.ts';

/** Characters; more is a file. */
export const MAX_PASTE_LENGTH = 20_000_000;

export type Pasted =
  | { readonly kind: 'document'; readonly text: string }
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  /** `crs`: of the SRID that all geometries state; null: none does. */
  | { readonly kind: 'wkt'; readonly name: string; readonly text: string; readonly crs: string | null }
  | { readonly kind: 'url'; readonly url: string };

const WKT =
  /^(?:SRID=(\d{1,9});\s*)?(?:MULTI)?(?:POINT|LINESTRING|POLYGON|CURVE|SURFACE|GEOMETRYCOLLECTION|CIRCULARSTRING|COMPOUNDCURVE|CURVEPOLYGON|TRIANGLE|TIN|POLYHEDRALSURFACE)\b/i;

const GEOJSON_TYPES = new Set([
  'FeatureCollection',
  'Feature',
  ...['Point', 'LineString', 'Polygon'].flatMap((type) => [type, `Multi${type}`]),
  'GeometryCollection',
]);

/** Throws an Error with a sentence about what can be pasted. */
export function readPasted(pasted: string): Pasted {
  if (pasted.length > MAX_PASTE_LENGTH)
    throw new Error(
      `The text has more than ${MAX_PASTE_LENGTH / 1e6} million characters. Save it as a file, and add that.`,
    );
  const text = pasted.trim();
  if (isWebAddress(text) && !/\s/.test(text)) return { kind: 'url', url: text };
  if (text.startsWith('{')) return readJson(text);
  if (WKT.test(text)) return readWkt(text);
  throw new Error('This text is not GeoJSON, WKT, an http address or a job document.');
}

function readJson(text: string): Pasted {
  let value: { readonly type?: unknown };
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`The text begins like JSON, but is not: ${(error as Error).message}`);
  }
  if (looksLikeDocument(value)) return { kind: 'document', text };
  if (typeof value.type !== 'string' || !GEOJSON_TYPES.has(value.type))
    throw new Error('This JSON is neither GeoJSON nor a job document.');
  if (value.type === 'FeatureCollection') return { kind: 'file', name: 'pasted.geojson', text };
  const feature = value.type === 'Feature' ? text : `{"type":"Feature","properties":{},"geometry":${text}}`;
  const collection = `{"type":"FeatureCollection","features":[${feature}]}`;
  return { kind: 'file', name: 'pasted.geojson', text: collection };
}

/** One geometry per line; lines that do not begin with a type continue the one before. As CSV with the column `wkt`. */
function readWkt(text: string): Pasted {
  const geometries: string[] = [];
  for (const line of text.split(/\r?\n/).map((one) => one.trim())) {
    if (line === '') continue;
    // Within a collection members begin lines too: parentheses tell them apart.
    if (WKT.test(line) && isBalanced(geometries.at(-1) ?? '')) geometries.push(line);
    else geometries.push(`${geometries.pop() ?? ''} ${line}`);
  }
  const srids = new Set(geometries.map((geometry) => WKT.exec(geometry)?.[1] ?? null));
  const [srid] = srids;
  if (srids.size > 1)
    throw new Error('The geometries have different SRIDs. Paste those of each SRID by themselves.');
  const rows = geometries.map(
    (geometry) => `"${geometry.replace(/^SRID=\d+;\s*/i, '').replaceAll('"', '""')}"`,
  );
  const crs = srid === null || srid === undefined ? null : `EPSG:${Number(srid)}`;
  return { kind: 'wkt', name: 'pasted.csv', text: `wkt\n${rows.join('\n')}\n`, crs };
}

function isBalanced(text: string): boolean {
  let open = 0;
  for (const character of text) open += character === '(' ? 1 : character === ')' ? -1 : 0;
  return open <= 0;
}
