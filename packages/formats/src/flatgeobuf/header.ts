/** The header: what a file declares about itself, and the codes that header and features share. */
import type { FieldFacts } from '@geomill/core/columns/field-facts.ts';
import type { FieldType } from '@geomill/core/columns/schema.ts';
import type { CrsText } from '@geomill/core/crs/crs.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { FlatFault, FlatTables } from './flat-tables.ts';

/** "fgb", the major version, "fgb", the patch level, which does not matter. */
export const MAGIC = Uint8Array.of(0x66, 0x67, 0x62, 3, 0x66, 0x67, 0x62, 1);
export const PREFIX_BYTES = 4;
/** As in GDAL. Thousands of fields have a tenth of it. */
export const MAX_HEADER_BYTES = 10 << 20;

export const COLUMN_TYPE = {
  byte: 0,
  ubyte: 1,
  bool: 2,
  short: 3,
  ushort: 4,
  int: 5,
  uint: 6,
  long: 7,
  ulong: 8,
  float: 9,
  double: 10,
  string: 11,
  json: 12,
  dateTime: 13,
  binary: 14,
} as const;

const TYPE_NAMES = Object.keys(COLUMN_TYPE);

/** By column type. */
const FIELD_TYPES: readonly FieldType[] = [
  'int32',
  'int32',
  'boolean',
  'int32',
  'int32',
  'int32',
  'int64',
  'int64',
  'int64',
  'float64',
  'float64',
  'string',
  'json',
  'datetime',
  'binary',
];

/** The `metadata` of a column of dates: the format has a type for dates with a time alone. */
export const DATE_METADATA = '{"type":"date"}';

/** Slots of the tables, in the order of header.fbs and feature.fbs. */
export const HEADER = {
  name: 0,
  envelope: 1,
  geometryType: 2,
  hasZ: 3,
  hasM: 4,
  hasT: 5,
  hasTm: 6,
  columns: 7,
  featuresCount: 8,
  indexNodeSize: 9,
  crs: 10,
  title: 11,
  description: 12,
  metadata: 13,
} as const;
export const FEATURE = { geometry: 0, properties: 1, columns: 2 } as const;
export const COLUMN = {
  name: 0,
  type: 1,
  title: 2,
  description: 3,
  width: 4,
  nullable: 7,
  unique: 8,
  metadata: 10,
} as const;
export const CRS = { org: 0, code: 1, name: 2, description: 3, wkt: 4, codeString: 5 } as const;

export interface Column {
  readonly name: string;
  /** COLUMN_TYPE. */
  readonly type: number;
  readonly fieldType: FieldType;
  /** Name of the type, for messages. */
  readonly declared: string;
  readonly facts: FieldFacts;
}

export interface Header {
  readonly name: string | null;
  readonly envelope: Bounds | null;
  /** Code of the geometries that state none; 0: none. */
  readonly geometryType: number;
  /** Null: each feature may have columns of its own. */
  readonly columns: readonly Column[] | null;
  /** 0: unknown. */
  readonly featureCount: number;
  /** 0: there is no index. */
  readonly nodeSize: number;
  readonly crs: CrsText | null;
  /** WKT of the CRS, if `crs` is only its code. */
  readonly crsDefinition: CrsText | null;
  /** Empty: it has none. */
  readonly title: string;
  readonly description: string;
  /** What has metadata: "the file", "column 'a'". */
  readonly described: readonly string[];
}

/** Reads the buffer after its size. Throws FlatFault. */
export function readHeader(bytes: Uint8Array): Header {
  const tables = new FlatTables();
  tables.load(bytes);
  tables.open(0, bytes.length, SHARED_TEXTS);
  const described: string[] = [];
  if (isDescribed(tables, HEADER.metadata)) described.push('the file');
  const name = tables.text(HEADER.name);
  const title = tables.text(HEADER.title) ?? '';
  const description = tables.text(HEADER.description) ?? '';
  const envelope = readEnvelope(tables);
  const geometryType = tables.uint8(HEADER.geometryType);
  const count = tables.uint64(HEADER.featuresCount);
  if (count > MAX_FEATURES) throw new FlatFault(`it declares ${count} features`);
  const nodeSize = tables.uint16(HEADER.indexNodeSize, DEFAULT_NODE_SIZE);
  if (nodeSize === 1) throw new FlatFault('the nodes of its index have one entry each');
  const crsSlot = tables.slot(HEADER.crs, 4);
  const columnsSlot = tables.slot(HEADER.columns, 4);
  const columns = columnsSlot === 0 ? null : readColumns(tables, columnsSlot, described);
  const { crs, definition } = crsSlot === 0 ? NO_CRS : readCrs(tables, crsSlot);
  return {
    name,
    envelope,
    geometryType,
    columns,
    featureCount: Number(count),
    nodeSize,
    crs,
    crsDefinition: definition,
    title,
    description,
    described,
  };
}

/** Some writers store equal texts once. */
const SHARED_TEXTS = 16;
const DEFAULT_NODE_SIZE = 16;
/** Missing means -1, which is no width either. */
const NO_WIDTH = 0;
/** As in GDAL; with it, all offsets in an index are exact as numbers. */
const MAX_FEATURES = 100_000_000_000n;

/** The columns to which a slot refers, with unique names if there are few enough; `described` gets those with descriptions. */
export function readColumns(tables: FlatTables, slot: number, described: string[] = []): Column[] {
  const start = tables.vectorAt(slot, 4);
  return Array.from({ length: tables.count }, (_, i): Column => {
    tables.enter(tables.tableAt(start + 4 * i));
    const type = tables.uint8(COLUMN.type);
    const declared = TYPE_NAMES[type];
    if (declared === undefined) throw new FlatFault(`column ${i + 1} has the unknown type ${type}`);
    const name = tables.text(COLUMN.name);
    if (name === null) throw new FlatFault(`column ${i + 1} has no name`);
    const metadata = tables.text(COLUMN.metadata);
    const isDate = type === COLUMN_TYPE.dateTime && metadata === DATE_METADATA;
    if (metadata !== null && !isDate) described.push(`column '${name}'`);
    return {
      name,
      type,
      fieldType: isDate ? 'date' : FIELD_TYPES[type],
      declared,
      facts: readFacts(tables, type),
    };
  });
}

function readFacts(tables: FlatTables, type: number): FieldFacts {
  const alias = tables.text(COLUMN.title) ?? '';
  const description = tables.text(COLUMN.description) ?? '';
  const hasWidth = type === COLUMN_TYPE.string || type === COLUMN_TYPE.binary;
  const width = hasWidth ? tables.int32(COLUMN.width) : NO_WIDTH;
  return {
    ...(alias === '' ? {} : { alias }),
    ...(description === '' ? {} : { description }),
    ...(width > 0 ? { width } : {}),
    ...(tables.slot(COLUMN.nullable, 1) !== 0 && tables.uint8(COLUMN.nullable) === 0
      ? { notNull: true }
      : {}),
    ...(tables.uint8(COLUMN.unique) === 0 ? {} : { unique: true }),
  };
}

function isDescribed(tables: FlatTables, ...fields: readonly number[]): boolean {
  return fields.some((field) => (tables.text(field) ?? '') !== '');
}

function readEnvelope(tables: FlatTables): Bounds | null {
  const slot = tables.slot(HEADER.envelope, 4);
  if (slot === 0) return null;
  const at = tables.vectorAt(slot, 8);
  if (tables.count < 4) return null;
  const envelope = [0, 8, 16, 24].map((i) => tables.view.getFloat64(at + i, true)) as Bounds;
  return envelope[0] <= envelope[2] && envelope[1] <= envelope[3] ? envelope : null;
}

/** An EPSG code if there is one, else the WKT, else the code of another organisation. */
interface StatedCrs {
  readonly crs: CrsText | null;
  readonly definition: CrsText | null;
}

const NO_CRS: StatedCrs = { crs: null, definition: null };

function readCrs(tables: FlatTables, slot: number): StatedCrs {
  tables.enter(tables.tableAt(slot));
  const org = tables.text(CRS.org)?.trim() ?? '';
  const number = tables.int32(CRS.code);
  const code = number > 0 ? String(number) : (tables.text(CRS.codeString)?.trim() ?? '');
  const wkt = withoutEpoch(tables.text(CRS.wkt)?.trim() ?? '');
  if (number > 0 && /^(?:epsg)?$/i.test(org))
    return { crs: `EPSG:${number}`, definition: wkt === '' ? null : wkt };
  if (wkt !== '') return { crs: wkt, definition: null };
  return org !== '' && code !== '' ? { crs: `${org.toUpperCase()}:${code}`, definition: null } : NO_CRS;
}

/** WKT2 with a coordinate epoch: the CRS alone. */
function withoutEpoch(wkt: string): string {
  return /^COORDINATEMETADATA\[(.*),\s{0,9}EPOCH\[[^\]]{0,40}\]\s{0,9}\]$/is.exec(wkt)?.[1] ?? wkt;
}
