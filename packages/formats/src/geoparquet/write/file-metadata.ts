/** The metadata at the end of a file (parquet.thrift: FileMetaData), with the key `geo` of GeoParquet. */
import { GEOMETRY_TYPE_NAMES } from '@geomill/core/geometry/geometry-column.ts';
import { T } from '../bytes/compact-reader.ts';
import { CODEC } from '../bytes/compression.ts';
import { PHYSICAL, REPETITION } from '../read/metadata.ts';
import { ENCODING } from '../read/values.ts';
import { SCHEMA_KEY } from '../schema-key.ts';
import { CompactWriter } from './compact-writer.ts';
import type { GeometryFacts } from './geometry-pages.ts';
import { type OutputLeaf, outputLeaves, type ParquetPlan, SIDES } from './plan.ts';

export interface RowGroup {
  readonly rowCount: number;
  /** By leaf. */
  readonly chunks: readonly ColumnChunk[];
  readonly facts: GeometryFacts;
}

export interface ColumnChunk {
  readonly start: number;
  readonly length: number;
  readonly unpackedBytes: number;
  readonly nullCount: number;
  readonly min: number | bigint | null;
  readonly max: number | bigint | null;
}

const FORMAT_VERSION = 2;
const CREATED_BY = 'geomill';
const encoder = new TextEncoder();

const PHYSICAL_TYPES: Readonly<Record<OutputLeaf['kind'], number>> = {
  boolean: PHYSICAL.boolean,
  int32: PHYSICAL.int32,
  int64: PHYSICAL.int64,
  float64: PHYSICAL.double,
  string: PHYSICAL.bytes,
  binary: PHYSICAL.bytes,
  json: PHYSICAL.bytes,
  date: PHYSICAL.int32,
  datetime: PHYSICAL.int64,
  geometry: PHYSICAL.bytes,
  box: PHYSICAL.float,
};

/** ConvertedType, for programs that do not know logical types. */
const CONVERTED: Readonly<Partial<Record<OutputLeaf['kind'], number>>> = {
  string: 0,
  date: 6,
  datetime: 10,
  json: 19,
};
/** Field of the union LogicalType, of those without members. */
const LOGICAL: Readonly<Partial<Record<OutputLeaf['kind'], number>>> = { string: 1, date: 6, json: 12 };
const TIMESTAMP = 8;
const GEOMETRY = 17;
const MICROS = 2;

/** `schema`: the text of SCHEMA_KEY. `utcTimes`: for each column whether its times are in UTC. */
export function fileMetadata(
  plan: ParquetPlan,
  schema: string | null,
  groups: readonly RowGroup[],
  facts: GeometryFacts,
  utcTimes: readonly boolean[],
): Uint8Array<ArrayBuffer> {
  const leaves = outputLeaves(plan);
  const out = new CompactWriter(1 << 16);
  out.element(() => {
    out.int(1, FORMAT_VERSION);
    out.list(2, T.struct, schemaElements(plan), (write) => out.element(() => write(out, utcTimes)));
    out.long(
      3,
      groups.reduce((sum, { rowCount }) => sum + rowCount, 0),
    );
    out.list(4, T.struct, groups, (group) => out.element(() => writeRowGroup(out, group, leaves, plan)));
    const { geometry } = plan;
    const keys: (readonly [key: string, text: string])[] = [];
    if (geometry !== null) keys.push(['geo', JSON.stringify(geoMetadata(plan, geometry, facts))]);
    if (schema !== null) keys.push([SCHEMA_KEY, schema]);
    if (keys.length > 0)
      out.list(5, T.struct, keys, ([key, text]) =>
        out.element(() => {
          out.text(1, key);
          out.text(2, text);
        }),
      );
    out.text(6, CREATED_BY);
    // Statistics are in the order of the type.
    out.list(7, T.struct, leaves, () => out.element(() => out.struct(1, () => {})));
  });
  return out.written();
}

type WriteElement = (out: CompactWriter, utcTimes: readonly boolean[]) => void;

function schemaElements(plan: ParquetPlan): WriteElement[] {
  const { columns, geometry, box, version, crs } = plan;
  const elements: WriteElement[] = [
    (out) => {
      out.text(4, 'schema');
      out.int(5, columns.length + (geometry === null ? 0 : 1) + (box === null ? 0 : 1));
    },
  ];
  for (const [i, { name, type }] of columns.entries())
    elements.push((out, utcTimes) => {
      writeElementHead(out, PHYSICAL_TYPES[type], REPETITION.optional, name);
      const converted = CONVERTED[type];
      if (converted !== undefined && (type !== 'datetime' || utcTimes[i])) out.int(6, converted);
      const logical = LOGICAL[type];
      if (logical !== undefined) out.struct(10, () => out.struct(logical, () => {}));
      if (type === 'datetime')
        out.struct(10, () =>
          out.struct(TIMESTAMP, () => {
            out.boolean(1, utcTimes[i]);
            out.struct(2, () => out.struct(MICROS, () => {}));
          }),
        );
    });
  if (geometry === null) return elements;
  elements.push((out) => {
    writeElementHead(out, PHYSICAL.bytes, REPETITION.optional, geometry);
    if (version === '2.0') out.struct(10, () => out.struct(GEOMETRY, () => out.text(1, crs ?? 'srid:0')));
  });
  if (box === null) return elements;
  elements.push((out) => {
    out.int(3, REPETITION.optional);
    out.text(4, box);
    out.int(5, SIDES.length);
  });
  for (const side of SIDES)
    elements.push((out) => writeElementHead(out, PHYSICAL.float, REPETITION.required, side));
  return elements;
}

function writeElementHead(out: CompactWriter, type: number, repetition: number, name: string): void {
  out.int(1, type);
  out.int(3, repetition);
  out.text(4, name);
}

function writeRowGroup(
  out: CompactWriter,
  { rowCount, chunks, facts }: RowGroup,
  leaves: readonly OutputLeaf[],
  plan: ParquetPlan,
): void {
  out.list(1, T.struct, [...chunks.entries()], ([i, chunk]) =>
    out.element(() => {
      // The offset of a copy of the metadata, which is not written.
      out.long(2, 0);
      out.struct(3, () => writeColumn(out, leaves[i], chunk, rowCount, facts, plan));
    }),
  );
  const unpacked = chunks.reduce((sum, { unpackedBytes }) => sum + unpackedBytes, 0);
  out.long(2, unpacked);
  out.long(3, rowCount);
  out.long(5, chunks[0].start);
  out.long(
    6,
    chunks.reduce((sum, { length }) => sum + length, 0),
  );
}

/** ColumnMetaData. */
function writeColumn(
  out: CompactWriter,
  { kind, path }: OutputLeaf,
  { start, length, unpackedBytes, nullCount, min, max }: ColumnChunk,
  rowCount: number,
  facts: GeometryFacts,
  { version, compression }: ParquetPlan,
): void {
  out.int(1, PHYSICAL_TYPES[kind]);
  out.list(2, T.i32, [ENCODING.plain, ENCODING.rle], (encoding) => out.zigzag(encoding));
  out.list(3, T.binary, path, (name) => out.bytes(encoder.encode(name)));
  out.int(4, CODEC[compression]);
  out.long(5, rowCount);
  out.long(6, unpackedBytes);
  out.long(7, length);
  out.long(9, start);
  out.struct(12, () => {
    out.long(3, nullCount);
    if (min === null || max === null) return;
    out.binary(5, statisticBytes(kind, max, 0));
    out.binary(6, statisticBytes(kind, min, -0));
  });
  if (kind === 'geometry' && version === '2.0') out.struct(17, () => writeGeospatial(out, facts));
}

/** `zero`: that which 0 is written as, since -0 and 0 have no order. */
function statisticBytes(kind: OutputLeaf['kind'], value: number | bigint, zero: number): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  if (typeof value === 'bigint') view.setBigInt64(0, value, true);
  else if (kind === 'float64') view.setFloat64(0, value === 0 ? zero : value, true);
  else if (kind === 'box') view.setFloat32(0, value === 0 ? zero : value, true);
  else view.setInt32(0, value, true);
  return typeof value === 'bigint' || kind === 'float64' ? bytes : bytes.subarray(0, 4);
}

function writeGeospatial(out: CompactWriter, { ranges, types }: GeometryFacts): void {
  const [minX, minY, maxX, maxY, ...others] = ranges;
  if (minX <= maxX)
    out.struct(1, () => {
      for (const [i, value] of [minX, maxX, minY, maxY].entries()) out.double(i + 1, value);
      for (const at of [0, 2])
        if (others[at] <= others[at + 1]) {
          out.double(at + 5, others[at]);
          out.double(at + 6, others[at + 1]);
        }
    });
  const codes = geometryTypes(types).map(({ type, ordinates }) => type + 1000 * ordinates);
  out.list(2, T.i32, codes, (code) => out.zigzag(code));
}

/** `ordinates`: 1 with Z, 2 with M, 3 with both. */
function geometryTypes(types: number): { readonly type: number; readonly ordinates: number }[] {
  const found = [];
  for (let bit = 0; bit < 32; bit++)
    if ((types & (1 << bit)) !== 0) found.push({ type: bit & 7, ordinates: bit >> 3 });
  return found;
}

const SUFFIXES = ['', ' Z', ' M', ' ZM'];

function geoMetadata(
  { version, box, crs }: ParquetPlan,
  geometry: string,
  { ranges, types }: GeometryFacts,
): object {
  const [minX, minY, maxX, maxY, minZ, maxZ] = ranges;
  const bounds = minZ <= maxZ ? [minX, minY, minZ, maxX, maxY, maxZ] : [minX, minY, maxX, maxY];
  const covering =
    box === null ? {} : { covering: { bbox: Object.fromEntries(SIDES.map((side) => [side, [box, side]])) } };
  return {
    version: `${version}.0`,
    primary_column: geometry,
    columns: {
      [geometry]: {
        encoding: 'WKB',
        geometry_types: geometryTypes(types).map(
          ({ type, ordinates }) => GEOMETRY_TYPE_NAMES[type] + SUFFIXES[ordinates],
        ),
        crs: crs === null ? null : JSON.parse(crs),
        ...(minX <= maxX ? { bbox: bounds } : {}),
        ...covering,
      },
    },
  };
}
