/** What a coordinate reference system is to the rooms that do no maths: text to identify it, facts to decide by. */

import { closest, didYouMean } from '../messages/did-you-mean.ts';
import { failure } from '../messages/errors.ts';
import { generalErrors } from '../messages/general-errors.ts';
import { field } from '../messages/message.ts';

/** A definition PROJ reads: "EPSG:4326", "ESRI:102100", WKT1, WKT2, PROJJSON or a PROJ string. */
export type CrsText = string;

export const WGS84: CrsText = 'EPSG:4326';

/** In place of the CRS of an output: the CRS that the data has after the steps, so no reprojection at their end. */
export const SOURCE_CRS: CrsText = 'source';

/** In place of a CRS: coordinates of a plan, whose position on the Earth is not known. */
export const LOCAL_CRS: CrsText = 'local';

/** Names of units by their length in metres. */
const UNIT_NAMES: readonly (readonly [metres: number, name: string])[] = [
  [1, 'metre'],
  [0.001, 'millimetre'],
  [0.01, 'centimetre'],
  [1000, 'kilometre'],
  [0.3048, 'foot'],
  [0.0254, 'inch'],
  [0.9144, 'yard'],
  [1200 / 3937, 'US survey foot'],
];

/** A local system in a unit. */
export function localCrs(metresPerUnit: number): CrsText {
  const name = UNIT_NAMES.find(([metres]) => metres === metresPerUnit)?.[1] ?? `${metresPerUnit} m`;
  return `LOCAL_CS["local",UNIT["${name}",${metresPerUnit}]]`;
}

export interface CrsDescription {
  /** The text it was made from. */
  readonly definition: CrsText;
  readonly name: string;
  /** Authority and code, when the definition has them or PROJ identifies it with certainty; e.g. EPSG 28350. */
  readonly authority: { readonly name: string; readonly code: string } | null;
  /** A code in the definition that no authority has, as "EPSG:102003"; the parameters, or ESRI's system of this number, are used. Default: none. */
  readonly unknownCode?: string;
  readonly kind: 'geographic' | 'projected' | 'other';
  /** Horizontal unit of the coordinates: "degree", "metre", "US survey foot", ... */
  readonly unitName: string;
  /** Metres per unit for projected systems, radians per unit for geographic ones. */
  readonly unitFactor: number;
  /** Null where there is none (engineering systems). A sphere has an inverse flattening of 0. */
  readonly ellipsoid: { readonly semiMajorMeters: number; readonly inverseFlattening: number } | null;
  /** Degrees; west > east where the area crosses the antimeridian. */
  readonly areaOfUse: {
    readonly west: number;
    readonly south: number;
    readonly east: number;
    readonly north: number;
  } | null;
  /** ESRI WKT1 on one line, for .prj files; null when the CRS cannot be expressed in it. */
  readonly wktEsri: string | null;
  /** WKT2:2019 on one line. */
  readonly wkt2: string | null;
  /** PROJJSON on one line. */
  readonly projjson: string | null;
  /** GDAL's WKT1 on one line, for programs that read no WKT2; null when the CRS cannot be expressed in it. */
  readonly wkt1: string | null;
}

/** Nine digits, as the schemas of configs have it; EPSG itself has six. */
const MAX_CODE = 999_999_999;

/**
 * An EPSG code as it may stand in a request: 28350, "28350" or "EPSG:28350" in any letter case.
 * Throws CRS_UNKNOWN for anything else; whether the code exists is for PROJ to say.
 */
export function parseEpsg(value: unknown, path: string): CrsText {
  const match = typeof value === 'string' ? /^\s*(?:epsg:)?(\d{1,9})\s*$/i.exec(value) : null;
  const code = match !== null ? Number(match[1]) : value;
  if (typeof code === 'number' && Number.isInteger(code) && code > 0 && code <= MAX_CODE)
    return `EPSG:${code}`;
  throw failure(generalErrors.CRS_UNKNOWN, {
    definition: typeof value === 'string' ? value.slice(0, 60) : (JSON.stringify(value) ?? 'nothing'),
    path: field(path),
    hint: crsHint(value),
    reason: 'write an EPSG code as 28350, "28350" or "EPSG:28350"',
  });
}

/** What a text may mean that is no CRS: a misspelled "EPSG" or keyword. */
export function crsHint(value: unknown): string {
  if (typeof value !== 'string') return '';
  const [, authority, code] = /^\s*([a-z]{3,6})\s*[: ]?\s*(\d{4,6})\s*$/i.exec(value) ?? [];
  const isLikeEpsg = authority?.toLowerCase() === 'epsg' || closest(authority ?? '', ['epsg']) !== null;
  if (isLikeEpsg && !/^\s*epsg:/i.test(value)) return ` (did you mean 'EPSG:${code}'?)`;
  return didYouMean(value.trim(), [SOURCE_CRS]);
}

/** The EPSG code of a definition that is just one, else null. */
export function epsgCode(definition: CrsText): number | null {
  const match = /^EPSG:(\d+)$/i.exec(definition);
  return match === null ? null : Number(match[1]);
}

/** As the CRS of an input, where LOCAL_CRS is possible, too. */
export function parseInputCrs(value: unknown, path: string, parse = parseEpsg): CrsText {
  const isLocal = typeof value === 'string' && value.trim().toLowerCase() === LOCAL_CRS;
  return isLocal ? LOCAL_CRS : parse(value, path);
}

/** As the CRS of an output, where LOCAL_CRS and SOURCE_CRS are possible, too. */
export function parseOutputCrs(value: unknown, path: string, parse = parseEpsg): CrsText {
  const isSource = typeof value === 'string' && value.trim().toLowerCase() === SOURCE_CRS;
  return isSource ? SOURCE_CRS : parseInputCrs(value, path, parse);
}

/** A CRS as it may be typed on a command line: an EPSG code in any form of `parseEpsg`, or any text that PROJ reads. */
export function parseCrs(value: unknown, path: string): CrsText {
  // Trimmed first: with blanks allowed on both sides of what may be empty, matching takes quadratic time.
  const text = typeof value === 'string' ? value.trim() : '';
  return text !== '' && !/^(?:epsg:)?\d*$/i.test(text) ? text : parseEpsg(value, path);
}

/** A CRS definition for a message: authority codes as they are, WKT by its name. */
export function shortDefinition(definition: string): string {
  return /^\s*\w+\s*\[\s*"([^"]+)"/.exec(definition)?.[1] ?? definition.slice(0, 80);
}
