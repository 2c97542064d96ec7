/** The key `geo` of GeoParquet 0.1 to 2.0 (format-specs/geoparquet.md) and the CRS of a geometry column. */
import type { CrsText } from '@geomill/core/crs/crs.ts';
import type { LogicalType } from './logical.ts';

/** What `geo` says of a column. */
export interface GeoColumn {
  /** Lower case: "wkb", "point", ... */
  readonly encoding: string;
  /** undefined: OGC:CRS84. null: unknown. */
  readonly crs: unknown;
  readonly edges: string;
  readonly epoch: number | null;
  /** minX, minY, maxX, maxY, or null. */
  readonly bounds: readonly [number, number, number, number] | null;
  /** Names of the columns of boxes. */
  readonly boxColumns: ReadonlySet<string>;
  /** Paths of minX, minY, maxX, maxY in a column of boxes, or null. */
  readonly boxPaths: readonly string[] | null;
}

export interface GeoMetadata {
  readonly primary: string;
  readonly columns: ReadonlyMap<string, GeoColumn>;
}

type Json = Readonly<Record<string, unknown>>;

const SIDES = ['xmin', 'ymin', 'xmax', 'ymax'];

/** The metadata, or the reason why it cannot be used. */
export function parseGeo(text: string): GeoMetadata | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return `it is no JSON (${(error as Error).message})`;
  }
  if (!isObject(parsed) || !isObject(parsed.columns)) return "it has no 'columns'";
  const columns = new Map<string, GeoColumn>();
  for (const [name, column] of Object.entries(parsed.columns))
    if (isObject(column)) columns.set(name, readColumn(column));
  const [first] = columns.keys();
  if (first === undefined) return 'it names no column';
  const { primary_column: primary } = parsed;
  return { primary: typeof primary === 'string' ? primary : first, columns };
}

function readColumn(column: Json): GeoColumn {
  const { encoding, edges, epoch, bbox, covering } = column;
  const box = isObject(covering) && isObject(covering.bbox) ? covering.bbox : {};
  const paths = SIDES.map((side) => box[side]);
  const isPath = (path: unknown): path is string[] =>
    Array.isArray(path) && path.every((name) => typeof name === 'string');
  return {
    encoding: typeof encoding === 'string' ? encoding.toLowerCase() : 'wkb',
    crs: Object.hasOwn(column, 'crs') ? column.crs : undefined,
    edges: typeof edges === 'string' ? edges : 'planar',
    epoch: typeof epoch === 'number' ? epoch : null,
    bounds: boundsOf(bbox),
    boxColumns: new Set(Object.values(box).flatMap((path) => (isPath(path) ? path.slice(0, 1) : []))),
    boxPaths: paths.every(isPath) ? paths.map((path) => path.join('\0')) : null,
  };
}

/** Of a bbox with two or three dimensions. */
function boundsOf(bbox: unknown): GeoColumn['bounds'] {
  if (!Array.isArray(bbox) || !bbox.every(Number.isFinite)) return null;
  const half = bbox.length / 2;
  return half === 2 || half === 3 || half === 4 ? [bbox[0], bbox[1], bbox[half], bbox[half + 1]] : null;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The default of GeoParquet and of the types of Parquet: longitude and latitude on WGS 84. */
const CRS84: CrsText = 'EPSG:4326';

/**
 * The CRS of a column by its entry in `geo` and its logical type; null: unknown. Coordinates are always x (longitude) and y,
 * whatever the CRS says of axes.
 */
export function crsOf(
  column: GeoColumn | undefined,
  logical: LogicalType | null,
  keys: ReadonlyMap<string, string>,
): CrsText | null {
  const native = logical?.kind === 'geometry' || logical?.kind === 'geography' ? logical : null;
  const stated = column === undefined ? undefined : column.crs;
  if (stated !== undefined && stated !== null) return textOf(stated);
  if (native !== null && (native.crs !== null || column === undefined || stated === null))
    return native.crs === null ? CRS84 : nativeCrs(native.crs, keys);
  return stated === null ? null : CRS84;
}

/** The CRS of a column in full, if `crsOf` gives only its code; null: it is not stated so. */
export function crsDefinitionOf(column: GeoColumn | undefined): CrsText | null {
  const stated = column?.crs;
  if (typeof stated === 'string') return /^OGC:/i.test(stated) ? null : stated;
  return isObject(stated) ? JSON.stringify(stated) : null;
}

/** A CRS of the types GEOMETRY and GEOGRAPHY (Geospatial.md, CRS customization). */
function nativeCrs(crs: string, keys: ReadonlyMap<string, string>): CrsText | null {
  const [, type, identifier] = /^(srid|projjson):(.*)$/is.exec(crs.trim()) ?? [];
  if (type?.toLowerCase() === 'srid')
    return identifier === '0' ? null : /^\d+$/.test(identifier) ? `EPSG:${identifier}` : identifier;
  if (type !== undefined) return textOf(keys.get(identifier) ?? identifier);
  return crs.trim() === '' ? CRS84 : textOf(crs);
}

/** A definition as an authority's code where it ends with one that PROJ knows. */
function textOf(crs: unknown): CrsText {
  if (typeof crs === 'string') {
    const text = crs.trim();
    if (text.startsWith('{')) {
      try {
        return textOf(JSON.parse(text));
      } catch {
        return text;
      }
    }
    const [, code] = /\bID\["EPSG",(\d+)\]\]\s*$/.exec(text) ?? [];
    return /^OGC:CRS84$/i.test(text) ? CRS84 : code === undefined ? text : `EPSG:${code}`;
  }
  const id = isObject(crs) && isObject(crs.id) ? crs.id : {};
  const code = String(id.code);
  if (id.authority === 'EPSG' && /^\d+$/.test(code)) return `EPSG:${code}`;
  if (id.authority === 'OGC' && code === 'CRS84') return CRS84;
  return JSON.stringify(crs);
}
