/**
 * The meaning of a declared column type: GeoPackage table 1 first, then the rules of SQLite (datatype3.html 3.1), which
 * accepts any text as a type.
 */
import type { FieldType } from '@geomill/core/columns/schema.ts';

const TABLE_1: Readonly<Record<string, FieldType>> = {
  BOOLEAN: 'boolean',
  BOOL: 'boolean',
  TINYINT: 'int32',
  SMALLINT: 'int32',
  MEDIUMINT: 'int32',
  INT: 'int64',
  INTEGER: 'int64',
  FLOAT: 'float64',
  DOUBLE: 'float64',
  REAL: 'float64',
  NUMERIC: 'float64',
  DECIMAL: 'float64',
  NUMBER: 'float64',
  TEXT: 'string',
  BLOB: 'binary',
  DATE: 'date',
  DATETIME: 'datetime',
};

const GEOMETRY_TYPES = new Set(
  (
    'GEOMETRY POINT LINESTRING POLYGON MULTIPOINT MULTILINESTRING MULTIPOLYGON GEOMETRYCOLLECTION GEOMCOLLECTION ' +
    'CIRCULARSTRING COMPOUNDCURVE CURVEPOLYGON MULTICURVE MULTISURFACE CURVE SURFACE POLYHEDRALSURFACE TIN TRIANGLE'
  ).split(' '),
);

/** Greatest length of a type; SQLite accepts text of any length. */
const MAX_TYPE_CHARACTERS = 200;
const SHOWN_CHARACTERS = 40;

/** The type in normalized form: without a size, in capitals, with single blanks. */
function baseType(declared: string): string {
  return spaced(declared.split('(', 1)[0]).slice(0, MAX_TYPE_CHARACTERS).toUpperCase();
}

function spaced(text: string): string {
  return text.trim().split(/\s+/).join(' ');
}

/** The declaration for messages. */
export function shownType(declared: string): string {
  const text = spaced(declared);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text;
}

/** Whether an SQL column type is a geometry type: POINT, "MULTIPOLYGON Z", ... */
export function isGeometryType(declared: string): boolean {
  return GEOMETRY_TYPES.has(baseType(declared).replace(/ ?(?:Z|M|ZM)$/, ''));
}

/** Null if the declaration determines no type: then each value has its own type. */
export function fieldTypeOf(declared: string): FieldType | null {
  if (isGeometryType(declared)) return 'binary'; // a second geometry column; the names contain INT and would be integers
  const base = baseType(declared);
  const known = TABLE_1[base];
  if (known !== undefined) return known;
  if (base.includes('INT')) return 'int64';
  if (/CHAR|CLOB|TEXT/.test(base)) return 'string';
  if (base.includes('BLOB')) return 'binary';
  if (/REAL|FLOA|DOUB/.test(base)) return 'float64';
  return null;
}
