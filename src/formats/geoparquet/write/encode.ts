/** Encodes a batch as pages of each column. Runs in the workers. */
import { type AttributeColumn, isValid } from '../../../batch/attribute-column.ts';
import type { FeatureBatch } from '../../../batch/feature-batch.ts';
import { ByteWriter } from '../../../bytes/byte-writer.ts';
import { Findings } from '../../../findings.ts';
import type { EncodedChunk } from '../../format.ts';
import { pack } from '../bytes/compression.ts';
import { ENCODING } from '../read/values.ts';
import { CompactWriter } from './compact-writer.ts';
import { type EncodedGeometries, encodeGeometries, type GeometryFacts } from './geometry-pages.ts';
import type { ParquetPlan } from './plan.ts';
import { dateValues, timeValues } from './temporal-values.ts';

/** Rows of a page, at most; a multiple of 8. */
const PAGE_ROWS = 1 << 14;
/** Bytes of texts and geometries of a page, about. */
const PAGE_BYTES = 1 << 22;

/** A page of each column for the same rows. */
export interface Slice {
  readonly rowCount: number;
  /** By leaf. */
  readonly pages: readonly PageData[];
  readonly facts: GeometryFacts;
}

export interface PageData {
  /** Where head and data are in the bytes of the chunk. */
  readonly start: number;
  readonly end: number;
  /** Bytes of head and data before compression. */
  readonly unpackedBytes: number;
  readonly nullCount: number;
  /** Least and largest value of columns of numbers and times; null: there is none. */
  readonly min: number | bigint | null;
  readonly max: number | bigint | null;
}

export interface ParquetChunk {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly slices: readonly Slice[];
  /** By column: numbers of times with a zone and without; null: it has none. */
  readonly zones: readonly (readonly [withZone: number, withoutZone: number] | null)[];
}

/** A column as plain values, a range of rows at a time. */
interface ColumnPages {
  /** 1: the row has a value; null: all rows have one. */
  readonly present: Uint8Array | null;
  write(out: ByteWriter, from: number, to: number): void;
  /** Null: no statistics are written. */
  readonly range: ((from: number, to: number) => readonly [number | bigint, number | bigint] | null) | null;
}

export function encodeBatch(batch: FeatureBatch, plan: ParquetPlan): EncodedChunk {
  const findings = new Findings();
  const { rowCount } = batch;
  const geometries = encodeGeometries(batch.geometry, rowCount);
  const zones: ([number, number] | null)[] = [];
  const columns = batch.columns.map((column, i) => {
    const { pages, zone } = columnPages(column, rowCount, batch.fields[i].name, findings);
    zones.push(zone);
    return pages;
  });
  columns.push(geometryPages(geometries));
  if (plan.box !== null) for (let side = 0; side < 4; side++) columns.push(boxPages(geometries, side));
  const out = new ByteWriter(geometries.bytes.length + (1 << 16));
  const body = new ByteWriter(1 << 16);
  const slices: Slice[] = [];
  for (let from = 0; from < rowCount; ) {
    const to = sliceEnd(batch, geometries, from);
    const pages = columns.map((column) => writePage(out, body, column, from, to, plan));
    slices.push({ rowCount: to - from, pages, facts: geometries.facts(from, to) });
    from = to;
  }
  if (batch.ids !== null) findings.note('IDS_DROPPED', { format: 'GeoParquet' }, undefined, rowCount);
  const data: ParquetChunk = { bytes: out.take(), slices, zones };
  return { data, transfer: [data.bytes.buffer], findings: findings.found() };
}

/** The row after those of the next page, by rows and bytes. */
function sliceEnd({ columns, rowCount }: FeatureBatch, { offsets }: EncodedGeometries, from: number): number {
  const texts = columns.flatMap((column) => ('offsets' in column ? [column.offsets] : []));
  const bytesBefore = (row: number): number => texts.reduce((sum, own) => sum + own[row], offsets[row]);
  const last = Math.min(rowCount, from + PAGE_ROWS);
  const start = bytesBefore(from);
  if (bytesBefore(last) - start <= PAGE_BYTES) return last;
  // Ranges begin at multiples of 8 rows, where the bits of a byte begin.
  let to = from + 8;
  while (to < last && bytesBefore(Math.min(rowCount, to + 8)) - start <= PAGE_BYTES) to += 8;
  return Math.min(to, last);
}

function writePage(
  out: ByteWriter,
  body: ByteWriter,
  column: ColumnPages,
  from: number,
  to: number,
  { compression }: ParquetPlan,
): PageData {
  body.reset();
  const nullCount = writeLevels(body, column.present, from, to);
  column.write(body, from, to);
  const unpacked = body.written();
  const packed = pack(compression, unpacked);
  const head = new CompactWriter(64);
  head.element(() => {
    head.int(1, 0);
    head.int(2, unpacked.length);
    head.int(3, packed.length);
    head.struct(5, () => {
      head.int(1, to - from);
      head.int(2, ENCODING.plain);
      head.int(3, ENCODING.rle);
      head.int(4, ENCODING.rle);
    });
  });
  const start = out.length;
  const headBytes = head.written();
  out.copy(headBytes);
  out.copy(packed);
  const [min, max] = column.range?.(from, to) ?? [null, null];
  return { start, end: out.length, unpackedBytes: headBytes.length + unpacked.length, nullCount, min, max };
}

/** Definition levels with their length in front; returns the number of nulls. */
function writeLevels(body: ByteWriter, present: Uint8Array | null, from: number, to: number): number {
  const count = to - from;
  let values = count;
  if (present !== null) {
    values = 0;
    for (let row = from; row < to; row++) values += present[row];
  }
  const start = body.length;
  body.uint32(0, true);
  if (values === count || values === 0) {
    writeVarint(body, count * 2);
    body.uint8(values === 0 ? 0 : 1);
  } else {
    writeVarint(body, Math.ceil(count / 8) * 2 + 1);
    writeBits(body, from, to, (row) => present?.[row] ?? 1);
  }
  new DataView(body.bytes.buffer).setUint32(start, body.length - start - 4, true);
  return count - values;
}

function writeVarint(out: ByteWriter, value: number): void {
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) out.uint8((rest % 128) | 128);
  out.uint8(rest);
}

/** Least significant bit first. */
function writeBits(out: ByteWriter, from: number, to: number, bitOf: (row: number) => number): void {
  for (let row = from; row < to; row += 8) {
    let byte = 0;
    for (let i = 0, most = Math.min(8, to - row); i < most; i++) byte |= bitOf(row + i) << i;
    out.uint8(byte);
  }
}

interface Prepared {
  readonly pages: ColumnPages;
  readonly zone: [number, number] | null;
}

function columnPages(column: AttributeColumn, rowCount: number, field: string, findings: Findings): Prepared {
  const invalid = { field, format: 'GeoParquet' };
  switch (column.type) {
    case 'boolean': {
      const present = presentRows(column, rowCount);
      return { pages: booleanPages(column.values, present), zone: null };
    }
    case 'int32':
    case 'int64':
    case 'float64':
      return { pages: numberPages(column.values, presentRows(column, rowCount)), zone: null };
    case 'date': {
      const dates = dateValues(column, rowCount);
      findings.noteTally('VALUE_NOT_WRITTEN', { ...invalid, type: 'date' }, dates.invalid);
      return { pages: numberPages(dates.values, dates.present), zone: null };
    }
    case 'datetime': {
      const times = timeValues(column, rowCount);
      findings.noteTally('VALUE_NOT_WRITTEN', { ...invalid, type: 'timestamp' }, times.invalid);
      findings.noteTally('TIMES_TO_UTC', { field }, times.moved);
      findings.noteTally('TIMES_CUT', { field }, times.cut);
      return { pages: numberPages(times.values, times.present), zone: [times.withZone, times.withoutZone] };
    }
    default: {
      const { bytes, offsets } = column;
      const present = presentRows(column, rowCount);
      const write = (out: ByteWriter, from: number, to: number): void => {
        out.reserve((to - from) * 4 + offsets[to] - offsets[from]);
        for (let row = from; row < to; row++) {
          if (present !== null && present[row] === 0) continue;
          out.uint32(offsets[row + 1] - offsets[row], true);
          out.copy(bytes, offsets[row], offsets[row + 1]);
        }
      };
      return { pages: { present, write, range: null }, zone: null };
    }
  }
}

function presentRows({ validity }: AttributeColumn, rowCount: number): Uint8Array | null {
  if (validity === null) return null;
  const present = new Uint8Array(rowCount);
  for (let row = 0; row < rowCount; row++) present[row] = isValid(validity, row) ? 1 : 0;
  return present;
}

function booleanPages(values: Uint8Array, present: Uint8Array | null): ColumnPages {
  return {
    present,
    range: null,
    write(out, from, to) {
      if (present === null) {
        writeBits(out, from, to, (row) => (values[row] === 0 ? 0 : 1));
        return;
      }
      const dense = values.subarray(from, to).filter((_, i) => present[from + i] === 1);
      writeBits(out, 0, dense.length, (row) => (dense[row] === 0 ? 0 : 1));
    },
  };
}

type Numbers = Int32Array | BigInt64Array | Float64Array | Float32Array;

function numberPages(values: Numbers, present: Uint8Array | null): ColumnPages {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const width = values.BYTES_PER_ELEMENT;
  return {
    present,
    range: (from, to) => rangeOf(values, present, from, to),
    write(out, from, to) {
      out.reserve((to - from) * width);
      // Runs of rows with a value; typed arrays are little-endian wherever Node runs.
      for (let row = from; row < to; ) {
        while (row < to && present?.[row] === 0) row++;
        const start = row;
        while (row < to && present?.[row] !== 0) row++;
        if (row > start) out.copy(bytes, start * width, row * width);
      }
    },
  };
}

/** NaN is not counted: it has no place in an order. */
function rangeOf(
  values: Numbers,
  present: Uint8Array | null,
  from: number,
  to: number,
): readonly [number | bigint, number | bigint] | null {
  let min: number | bigint | null = null;
  let max: number | bigint | null = null;
  for (let row = from; row < to; row++) {
    const value = values[row];
    // biome-ignore lint/suspicious/noSelfCompare: NaN is the only value that differs from itself, also among bigints
    if (present?.[row] === 0 || value !== value) continue;
    if (min === null || value < min) min = value;
    if (max === null || value > max) max = value;
  }
  return min === null || max === null ? null : [min, max];
}

function geometryPages({ bytes, offsets, present }: EncodedGeometries): ColumnPages {
  return {
    present,
    range: null,
    write: (out, from, to) => out.copy(bytes, offsets[from], offsets[to]),
  };
}

/** One side of the boxes. */
function boxPages({ boxes, boxed }: EncodedGeometries, side: number): ColumnPages {
  const values = new Float32Array(boxed.length);
  for (let row = 0; row < values.length; row++) values[row] = boxes[row * 4 + side];
  return numberPages(values, boxed);
}
