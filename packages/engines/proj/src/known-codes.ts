/**
 * Codes of authorities in a definition that PROJ's database does not have. PROJ refuses a complete definition with such a code,
 * although its parameters say all that is needed: "EPSG 102003" is a code of ESRI, others were made up.
 */
import type { ProjContext } from './context.ts';

/** Keywords of WKT whose code PROJ looks up, with the kinds of object in URNs. */
const KINDS: readonly (readonly [keyword: RegExp, kinds: readonly string[]])[] = [
  [/CRS$|CS$/, ['crs']],
  [/DATUM$|^TRF$|^ENSEMBLE$|^MEMBER$/, ['datum', 'ensemble']],
  [/^SPHEROID$|^ELLIPSOID$/, ['ellipsoid']],
  [/^PRIMEM/, ['meridian']],
];
/** Members of PROJJSON, with the same. */
const JSON_KINDS: readonly (readonly [type: RegExp, kinds: readonly string[]])[] = [
  [/CRS$/, ['crs']],
  [/Frame$|Ensemble$/, ['datum', 'ensemble']],
  [/^Ellipsoid$/, ['ellipsoid']],
  [/^PrimeMeridian$/, ['meridian']],
];

/** The definition without codes that are unknown, and the first of these that is of the whole CRS, else of a part; null: all are known. */
export function withoutUnknownCodes(
  context: ProjContext,
  text: string,
): { readonly text: string; readonly code: string } | null {
  return text.trimStart().startsWith('{') ? jsonWithout(context, text) : wktWithout(context, text);
}

/** The code of ESRI for a code that EPSG does not have: programs write ESRI's as those of EPSG. Null: the text is not such a code. */
export function asEsriCode(text: string): { readonly text: string; readonly code: string } | null {
  const [, number] =
    /^(?:epsg:|urn:(?:x-)?ogc:def:crs:epsg:[^:]*:|https?:\/\/www\.opengis\.net\/(?:def\/crs\/epsg\/[^/]*\/|gml\/srs\/epsg\.xml#))(\d{5,6})$/i.exec(
      text,
    ) ?? [];
  return number === undefined ? null : { text: `ESRI:${number}`, code: `EPSG:${number}` };
}

function wktWithout(context: ProjContext, text: string): { text: string; code: string } | null {
  const open: string[] = [];
  let kept = '';
  let keptUntil = 0;
  let code: string | null = null;
  let depth = Number.POSITIVE_INFINITY;
  for (const match of text.matchAll(/"(?:[^"]|"")*"|([a-z]\w*)\s*[[(]|[\])]/gi)) {
    const [token, keyword] = match;
    if (token === ']' || token === ')') open.pop();
    if (keyword === undefined) continue;
    const kinds = KINDS.find(([pattern]) => pattern.test(open.at(-1) ?? ''))?.[1];
    open.push(keyword.toUpperCase());
    if (kinds === undefined || !/^(?:AUTHORITY|ID)$/i.test(keyword)) continue;
    const id =
      /^\w+\s*[[(]\s*"([^"]+)"\s*,\s*"?([\w.-]+)"?[^\])"]*(?:"[^"]*"[^\])"]*)?(?:[a-z]+\s*[[(]"[^"]*"[\])]\s*)?[\])]/i.exec(
        text.slice(match.index, match.index + 300),
      );
    if (id === null || isKnown(context, id[1], id[2], kinds)) continue;
    kept += text.slice(keptUntil, match.index).replace(/,\s*$/, '');
    keptUntil = match.index + id[0].length;
    if (open.length < depth) {
      code = `${id[1]}:${id[2]}`;
      depth = open.length;
    }
  }
  return code === null ? null : { text: kept + text.slice(keptUntil), code };
}

type Json = Record<string, unknown>;

function jsonWithout(context: ProjContext, text: string): { text: string; code: string } | null {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    // PROJ says what is wrong with it.
    return null;
  }
  let code: string | null = null;
  const clean = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => clean(item, key));
    if (typeof value !== 'object' || value === null) return value;
    const { type = JSON_TYPES[key] ?? '', id, ids } = value as Json;
    const kinds = JSON_KINDS.find(([pattern]) => pattern.test(String(type)))?.[1];
    const list = [id, ...(Array.isArray(ids) ? ids : [])].filter((item) => item !== undefined) as Json[];
    const unknown =
      kinds && list.find((item) => !isKnown(context, String(item.authority), String(item.code), kinds));
    if (unknown) code ??= `${unknown.authority}:${unknown.code}`;
    const entries = Object.entries(value).filter(([name]) => !unknown || (name !== 'id' && name !== 'ids'));
    return Object.fromEntries(entries.map(([name, item]) => [name, clean(item, name)]));
  };
  const cleaned = clean(root, '');
  return code === null ? null : { text: JSON.stringify(cleaned), code };
}

/** Types of the members that PROJJSON writes without their type. */
const JSON_TYPES: Readonly<Record<string, string>> = {
  ellipsoid: 'Ellipsoid',
  prime_meridian: 'PrimeMeridian',
  members: 'GeodeticReferenceFrame',
};

function isKnown(context: ProjContext, authority: string, code: string, kinds: readonly string[]): boolean {
  if (!/^[\w.-]+$/.test(authority) || !/^[\w.-]+$/.test(code)) return false;
  return kinds.some((kind) => {
    const urn = `urn:ogc:def:${kind}:${authority}::${code}`;
    const pointer = context.withString(urn, (text) => context.native.proj_create(context.pointer, text));
    context.clearMessages();
    if (pointer !== 0) context.native.proj_destroy(pointer);
    return pointer !== 0;
  });
}
