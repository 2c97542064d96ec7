/**
 * The head of a .gdbtable: 40 bytes, and the section with the fields. All numbers are little-endian.
 *
 *      0  u32  3: row numbers of 32 bits, 4: of 64 bits
 *      4  i32  version 3: number of rows
 *     16  i64  version 4: number of rows
 *     24  u64  length of the file
 *     32  u64  offset of the section with the fields:
 *
 *      0  u32  its length, without these four bytes
 *      8  u32  flags: type of the geometries, encoding of texts, Z, M
 *     12  u16  number of fields, followed by the fields
 */
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { latin1Text } from '@geomill/platform/bytes.ts';
import { Cursor } from './cursor.ts';
import { filegdbErrors } from './messages.ts';

/** Codes of the types of fields. */
export const FIELD = {
  int16: 0,
  int32: 1,
  float32: 2,
  float64: 3,
  string: 4,
  datetime: 5,
  objectId: 6,
  geometry: 7,
  binary: 8,
  raster: 9,
  guid: 10,
  globalId: 11,
  xml: 12,
  int64: 13,
  date: 14,
  time: 15,
  timestampOffset: 16,
} as const;

/** Codes of the kinds of geometries of a table. */
export const TABLE_GEOMETRY = {
  none: 0,
  point: 1,
  multipoint: 2,
  line: 3,
  polygon: 4,
  multipatch: 9,
} as const;

/** How coordinates are stored: value = integer / scale + origin. */
export interface CoordinateGrid {
  readonly xOrigin: number;
  readonly yOrigin: number;
  readonly xyScale: number;
  readonly zOrigin: number;
  readonly zScale: number;
  readonly mOrigin: number;
  readonly mScale: number;
}

/** Where the values of a raster field are: outside as a path, in the tables of the raster, or in the row. */
export const RASTER = { external: 0, managed: 1, inline: 2 } as const;

/** A field as its table describes it. Plain data: it is sent to worker threads. */
export interface GdbField {
  readonly name: string;
  /** Empty: it has none. */
  readonly alias: string;
  readonly type: number;
  readonly isNullable: boolean;
  /** As a value of a row; null: it has none. */
  readonly defaultBytes: Uint8Array<ArrayBuffer> | null;
  /** Maximum length of a text in characters; 0 for other types. */
  readonly width: number;
  /** Only of a raster field. */
  readonly rasterKind: number;
}

export interface GeometryField {
  /** Empty: it has none. */
  readonly wkt: string;
  readonly grid: CoordinateGrid;
  /** minX, minY, maxX, maxY; NaN in a table without geometries. */
  readonly extent: readonly number[];
}

export interface TableHeader {
  /** 3 or 4. */
  readonly version: number;
  /** As the head states it; it can be wrong. */
  readonly rowCount: number;
  readonly geometryType: number;
  readonly isUtf8: boolean;
  readonly hasZ: boolean;
  readonly hasM: boolean;
  readonly fields: readonly GdbField[];
  readonly geometry: GeometryField | null;
}

const HEAD_BYTES = 40;
/** A section with all the fields that a table may have is smaller. */
const MAX_SECTION_BYTES = 64 << 20;
const NO_GRID: CoordinateGrid = {
  xOrigin: 0,
  yOrigin: 0,
  xyScale: 1,
  zOrigin: 0,
  zScale: 1,
  mOrigin: 0,
  mScale: 1,
};
/** Bits of the flags of a field. */
const NULLABLE = 1;
const HAS_DEFAULT = 4;
/** Bits of the flags of a table. */
const UTF8_TEXTS = 0x100;
const OUT_OF_LINE = 0x400;
const HAS_M = 1 << 30;
const HAS_Z = 1 << 31;

/** `file`: its name for messages; `table`: the name of the table. Throws FILEGDB_FILE, FILEGDB_COMPRESSED. */
export function readTableHeader(source: ByteSource, file: string, table: string): TableHeader {
  const refuse = (reason: string, offset: number): GeomillError =>
    failure(filegdbErrors.FILEGDB_FILE, { file, reason }, { offset });
  const head = source.slice(0, HEAD_BYTES);
  if (latin1Text(head.subarray(0, 5)) === '<?xml')
    throw failure(filegdbErrors.FILEGDB_COMPRESSED, { table, kind: 'CDF' });
  if (head.length < HEAD_BYTES)
    throw refuse(`it has ${head.length} bytes, and a table needs at least ${HEAD_BYTES}`, 0);
  const view = new DataView(head.buffer);
  const version = view.getUint32(0, true);
  if (version !== 3 && version !== 4)
    throw refuse(`it begins with ${version}, and a table of a file geodatabase with 3 or 4`, 0);
  const stated = uint64(view, 24);
  if (source.byteLength < stated)
    throw refuse(`it ends at byte ${source.byteLength} of ${stated}: it was cut off on its way`, 24);
  const at = uint64(view, 32);
  const length =
    at + 4 > source.byteLength ? 0 : new DataView(source.slice(at, at + 4).buffer).getUint32(0, true);
  if (at < HEAD_BYTES || length < 10 || length > MAX_SECTION_BYTES || at + 4 + length > source.byteLength)
    throw refuse(`the description of its fields is said to be at byte ${at}, where there is none`, 32);
  const section = source.slice(at + 4, at + 4 + length);
  const cursor = new Cursor(section, 0, section.length, (offset, reason) => {
    throw refuse(`at byte ${at + 4 + offset}, in the description of its fields: ${reason}`, at + 4 + offset);
  });
  const rowCount = version === 3 ? view.getInt32(4, true) : uint64(view, 16);
  return { version, rowCount, ...readFields(cursor) };
}

function uint64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}

function readFields(cursor: Cursor): Omit<TableHeader, 'version' | 'rowCount'> {
  cursor.take(4, 'the version');
  const flags = cursor.uint32('flags');
  const geometryType = flags & 0xff;
  if ((flags & OUT_OF_LINE) !== 0 && geometryType !== TABLE_GEOMETRY.none)
    cursor.refuse(
      'its geometries are stored outside of its rows, which is not supported; export the table anew',
    );
  const isUtf8 = (flags & UTF8_TEXTS) !== 0;
  const hasZ = (flags & HAS_Z) !== 0;
  const hasM = (flags & HAS_M) !== 0;
  const count = cursor.uint16('the number of fields');
  const fields: GdbField[] = [];
  let geometry: GeometryField | null = null;
  for (let i = 0; i < count; i++) {
    const name = cursor.text16(cursor.uint8('a name'), 'the name of a field');
    const alias = cursor.text16(cursor.uint8('an alias'), 'the alias of a field');
    const type = cursor.uint8('the type of a field');
    if (type === FIELD.geometry) {
      cursor.take(1, 'a geometry field');
      const isNullable = (cursor.uint8('flags of a field') & NULLABLE) !== 0;
      fields.push({ name, alias, type, isNullable, defaultBytes: null, width: 0, rasterKind: 0 });
      geometry = readGeometryField(cursor, hasZ, hasM);
    } else fields.push(readField(cursor, name, alias, type));
  }
  return { geometryType, isUtf8, hasZ, hasM, fields, geometry };
}

function readField(cursor: Cursor, name: string, alias: string, type: number): GdbField {
  const field = { name, alias, type, defaultBytes: null, width: 0, rasterKind: 0 };
  switch (type) {
    case FIELD.string: {
      const width = cursor.uint32('the width of a text field');
      const flags = cursor.uint8('flags of a field');
      const defaultBytes = readDefault(cursor, flags, cursor.varuint('the length of a default'));
      return { ...field, width, isNullable: (flags & NULLABLE) !== 0, defaultBytes };
    }
    case FIELD.objectId:
      cursor.take(2, 'an object id field');
      return { ...field, isNullable: false };
    case FIELD.binary:
    case FIELD.guid:
    case FIELD.globalId:
    case FIELD.xml:
      cursor.take(1, 'the width of a field');
      return { ...field, isNullable: (cursor.uint8('flags of a field') & NULLABLE) !== 0 };
    case FIELD.raster:
      return { ...field, ...readRasterField(cursor) };
    case FIELD.int16:
    case FIELD.int32:
    case FIELD.float32:
    case FIELD.float64:
    case FIELD.datetime:
    case FIELD.int64:
    case FIELD.date:
    case FIELD.time:
    case FIELD.timestampOffset: {
      cursor.take(1, 'the width of a field');
      const flags = cursor.uint8('flags of a field');
      const defaultBytes = readDefault(cursor, flags, cursor.uint8('the length of a default'));
      return { ...field, isNullable: (flags & NULLABLE) !== 0, defaultBytes };
    }
    default:
      return cursor.refuse(`field '${name.slice(0, 60)}' has the type ${type}, which is not known`);
  }
}

/** The bytes of a default are there only if the flags say so. */
function readDefault(cursor: Cursor, flags: number, length: number): GdbField['defaultBytes'] {
  if ((flags & HAS_DEFAULT) === 0 || length === 0) return null;
  const at = cursor.take(length, 'the default of a field');
  return cursor.bytes.slice(at, at + length);
}

function readRasterField(cursor: Cursor): Pick<GdbField, 'isNullable' | 'rasterKind'> {
  cursor.take(1, 'a raster field');
  const isNullable = (cursor.uint8('flags of a field') & NULLABLE) !== 0;
  cursor.text16(cursor.uint8('a description'), 'the description of a raster field');
  cursor.take(cursor.uint16('the length of a CRS'), 'the CRS of a raster field');
  const dimensions = cursor.uint8('the dimensions of a raster field');
  if (dimensions > 0) {
    const numbers = 4 + 3 * (((dimensions >> 1) & 1) + ((dimensions >> 2) & 1));
    cursor.take(numbers * 8, 'the grid of a raster field');
  }
  return { isNullable, rasterKind: cursor.uint8('the kind of a raster field') };
}

/** Origins have M before Z, the extent Z before M; which are there, a byte says for the origins and the table for the extent. */
function readGeometryField(cursor: Cursor, hasZ: boolean, hasM: boolean): GeometryField {
  const wktBytes = cursor.uint16('the length of the CRS');
  const wkt = cursor.text16(wktBytes >> 1, 'the CRS');
  const dimensions = cursor.uint8('the dimensions of the grid');
  const number = (): number => cursor.float64('a number of the grid');
  let grid: CoordinateGrid = { ...NO_GRID, xOrigin: number(), yOrigin: number(), xyScale: number() };
  const hasMeasures = (dimensions & 2) !== 0;
  const hasHeights = (dimensions & 4) !== 0;
  if (hasMeasures) grid = { ...grid, mOrigin: number(), mScale: number() };
  if (hasHeights) grid = { ...grid, zOrigin: number(), zScale: number() };
  cursor.take(8 * (1 + (hasMeasures ? 1 : 0) + (hasHeights ? 1 : 0)), 'the tolerances');
  const extent = [number(), number(), number(), number()];
  cursor.take(16 * ((hasZ ? 1 : 0) + (hasM ? 1 : 0)), 'the extent');
  cursor.take(1, 'the spatial index');
  const sizes = cursor.uint32('the number of grids of the spatial index');
  cursor.take(8 * sizes, 'the grids of the spatial index');
  return { wkt: wkt.replace(/\0+$/, ''), grid, extent };
}
