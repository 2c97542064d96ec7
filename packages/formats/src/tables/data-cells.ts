/** Tells a record from a header: a geometry or a position is never the name of a column. */
import { findWord } from '@geomill/core/geometry/wkt-words.ts';
import { OrdinateScanner } from '@geomill/core/text/ordinate-text.ts';
import { PositionScanner } from '@geomill/core/text/position-text.ts';
import type { GeometryPlace } from './geometry-place.ts';
import { isMissingText } from './missing.ts';

export type GeometryNotation = 'WKT' | 'hexadecimal WKB' | 'GeoJSON';

/** So many characters show whether a text is a geometry. */
const HEAD_CHARACTERS = 300;

const NUMBER = /[-+]?(?:\.?\d[\d.]*(?:e[-+]?\d+)?|nan|inf)/.source;
/** "POINT (1 2", "LINESTRING Z ((1 2 3", "TIN EMPTY"; "Polygon (ha)" and "Point (1)" can be names. */
const WKT = new RegExp(
  `^(?:srid\\s*=\\s*\\d+\\s*;\\s*)?([a-z]{3,20})\\s*(?:(?:zm|z|m)\\s*)?(?:empty$|\\((?:[\\s(]|[a-z]+\\s*\\()*${NUMBER}[\\s,;]+${NUMBER})`,
  'i',
);
/** Byte order, the four bytes of the type, and a count or coordinates. */
const WKB = /^(?:\\x|0x)?(?:01[\da-f]{2}0[037b]00[02468ace]0|00[02468ace]0000[037b][\da-f]{2})[\da-f]{8}/i;
const GEOJSON = /^\{.*"(?:type|coordinates|geometries)"\s*:/is;

/** The notation of a text that has the form of a geometry, valid or not; null: it has none. */
export function geometryNotation(text: string): GeometryNotation | null {
  const head = text.slice(0, HEAD_CHARACTERS).trim();
  const [, word] = WKT.exec(head) ?? [];
  if (word !== undefined) {
    const bytes = new TextEncoder().encode(word);
    return findWord(bytes, 0, bytes.length) === null ? null : 'WKT';
  }
  return WKB.test(head) ? 'hexadecimal WKB' : GEOJSON.test(head) ? 'GeoJSON' : null;
}

export function hasGeometryText(names: readonly string[]): boolean {
  return names.some((name) => geometryNotation(name) !== null);
}

/** Whether the text can be the name of a column: it is not only a number, a text for a missing value or nothing. */
export function isName(text: string): boolean {
  const name = text.trim();
  return name !== '' && Number.isNaN(Number(name.replace(',', '.'))) && !isMissingText(name);
}

/** Names that no other column than one of geometries has. */
const GEOMETRY_NAME =
  /^(?:the_?)?(?:e?wk[tb]|geom|geometry|geometrie|geometría|geojson)(?:[_ ]?wk[tb])?$|_(?:wk[tb]|geom)$/i;

export function isGeometryName(name: string): boolean {
  return GEOMETRY_NAME.test(name.trim());
}

/** The cell by which the first line of a table is a record: a geometry, or numbers in the columns of the position; null: it can be a header. */
export function recordCell(names: readonly string[], place: GeometryPlace): string | null {
  const geometry = names.find((name) => geometryNotation(name) !== null);
  if (geometry !== undefined || place.kind === 'none' || place.kind === 'column') return geometry ?? null;
  const bytesOf = (column: number): Uint8Array => new TextEncoder().encode(names[column].trim());
  if (place.kind === 'point') {
    const bytes = bytesOf(place.index);
    return new PositionScanner(place.notation).parse(bytes, 0, bytes.length) ? names[place.index] : null;
  }
  const ordinates = new OrdinateScanner({ ...place.notation, letterO: place.notation.letterO ?? 'E' });
  const isNumber = (column: number): boolean => {
    const bytes = bytesOf(column);
    return bytes.length > 0 && !Number.isNaN(ordinates.parse(bytes, 0, bytes.length));
  };
  const [x, y] = place.kind === 'pair' ? [place.x, place.y] : [place.x.degrees, place.y.degrees];
  return isNumber(x) && isNumber(y) ? names[x] : null;
}
