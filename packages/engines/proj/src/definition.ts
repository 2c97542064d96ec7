/** Parses CRS definitions to PROJ objects, and rejects other texts. */
import { type CrsText, crsHint } from '@geomill/core/crs/crs.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { type ProjContext, ProjObject } from './context.ts';
import { asEsriCode, withoutUnknownCodes } from './known-codes.ts';
import { PJ_TYPE, type Pointer } from './native.ts';

/** Longer than any real definition; limits the work of the parser for hostile files. */
const MAX_DEFINITION_LENGTH = 100_000;
/** Deeper than any real definition (WKT2 of a compound bound CRS has about 12); PROJ's parsers recurse. */
const MAX_NESTING = 50;

const HINT = 'write an EPSG code such as EPSG:28350, WKT, PROJJSON or a PROJ string';

/**
 * The PROJ object of a CRS that has horizontal positions. Names ("WGS 84 / UTM zone 33N") are rejected, because PROJ
 * matches them approximately, and a wrong match moves data without a warning.
 * Throws CRS_UNKNOWN with PROJ's reason; `path`: where the definition was given.
 */
export function createCrs(context: ProjContext, definition: CrsText, path: string): ProjObject {
  const refuse = (reason: string): never => {
    throw failure(generalErrors.CRS_UNKNOWN, {
      definition: abbreviate(definition),
      path: field(path),
      hint: crsHint(definition),
      reason,
    });
  };
  const text = prepare(definition);
  if (text === null) return refuse(HINT);
  if (text.length > MAX_DEFINITION_LENGTH)
    return refuse(`it has ${text.length} characters; the limit is ${MAX_DEFINITION_LENGTH}`);
  if (nesting(text) > MAX_NESTING) return refuse(`it is nested deeper than ${MAX_NESTING} levels`);
  context.clearMessages();
  let pointer = create(context, text);
  const other = resolved(context, text, pointer !== 0);
  if (other !== null) {
    if (pointer !== 0) context.native.proj_destroy(pointer);
    context.clearMessages();
    pointer = create(context, other.text);
  }
  if (pointer === 0) return refuse(explain(text, context.reason(HINT)));
  const object = new ProjObject(context, pointer);
  const reason = unusable(context, object);
  if (reason === null) return object;
  object[Symbol.dispose]();
  return refuse(reason);
}

function create(context: ProjContext, text: string): Pointer {
  return context.withString(text, (string) => context.native.proj_create(context.pointer, string));
}

/** What is used in place of a definition with a code that is unknown; null: it has none. */
function resolved(
  context: ProjContext,
  text: string,
  isRead: boolean,
): { readonly text: string; readonly code: string } | null {
  if (!isAuthorityCode(text)) return withoutUnknownCodes(context, text);
  const esri = isRead ? null : asEsriCode(text);
  if (esri === null) return null;
  const pointer = create(context, esri.text);
  if (pointer === 0) return null;
  context.native.proj_destroy(pointer);
  return esri;
}

/** The code in a definition that PROJ's database does not have: "EPSG:102003"; null: it has none. */
export function unknownCode(context: ProjContext, definition: CrsText): string | null {
  const text = prepare(definition);
  if (text === null) return null;
  const pointer = isAuthorityCode(text) ? create(context, text) : 0;
  if (pointer !== 0) context.native.proj_destroy(pointer);
  const code = resolved(context, text, pointer !== 0)?.code ?? null;
  context.clearMessages();
  return code;
}

/** Whether the definition is a reference to PROJ's database: "EPSG:28350", a URN, an OGC URL. */
export function isAuthorityCode(definition: CrsText): boolean {
  return /^\s*[a-z][\w.-]*:[^\s[({]+\s*$/i.test(definition);
}

/** The definition on one line, shortened for messages. */
export function abbreviate(definition: CrsText): string {
  const line = definition.replace(/\s+/g, ' ').trim();
  return line.length <= 80 ? line : `${line.slice(0, 77)}...`;
}

function explain(text: string, reason: string): string {
  if (isAuthorityCode(text) && /not found/.test(reason)) return "PROJ's database has no such CRS";
  // Error codes of libraries inside PROJ mean nothing to users.
  return reason.replace(/^\[json[^\]]*\] /, 'not valid JSON: ').replace(/^Error \d+ \([^)]*\): /, '');
}

/** The text for PROJ; null if it is not a definition. */
function prepare(definition: CrsText): string | null {
  // .prj files come with byte order marks and padded with NUL.
  const text = definition
    .replace(/^\uFEFF/, '')
    .replace(/\0+$/, '')
    .trim();
  if (text.includes('\0')) return null;
  // PROJ reads "EPSG:4326+5773" only after an internal exception, which this module cannot catch (guard.ts).
  const compound = /^([a-z][\w.-]*):(\w+)\+(\w+)$/i.exec(text);
  if (compound !== null) return `${compound[1]}:${compound[2]}+${compound[1]}:${compound[3]}`;
  if (isAuthorityCode(text)) return text;
  if (/^(?:\{|[a-z]\w*\s*[[(])/i.test(text)) return text;
  // A pipeline is an operation; PROJ would read its first step as a CRS.
  if (!/^(?:\+|proj=|init=)/.test(text) || /\bproj=pipeline\b/.test(text)) return null;
  // Without it PROJ reads a conversion, not a CRS.
  return /\btype=crs\b/.test(text) ? text : `${text} +type=crs`;
}

function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x5b || c === 0x28 || c === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (c === 0x5d || c === 0x29 || c === 0x7d) depth--;
  }
  return deepest;
}

/** Why positions of a layer cannot be in this CRS; null: they can. */
function unusable(context: ProjContext, object: ProjObject): string | null {
  if (context.native.proj_is_crs(object.pointer) === 0) return 'it defines no CRS but something else';
  switch (context.native.proj_get_type(object.pointer)) {
    case PJ_TYPE.verticalCrs:
      return 'it is a vertical CRS, which says nothing of x and y';
    case PJ_TYPE.temporalCrs:
      return 'it is a temporal CRS, which says nothing of x and y';
    case PJ_TYPE.geocentricCrs:
      // Rejected for the input too: most features have no third ordinate, which this CRS needs.
      return 'it is a geocentric CRS, in which x and y without z are not a position';
    case PJ_TYPE.boundCrs: {
      const { native, pointer } = context;
      using base = new ProjObject(context, native.proj_get_source_crs(pointer, object.pointer));
      return unusable(context, base);
    }
    default:
      return null;
  }
}
