/** Encodes a batch as pages of each column. Runs in the workers. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { SphereBoxes } from '@geomill/core/sphere/sphere-boxes.ts';
import { formatFindings } from '../../findings.ts';
import { noteDroppedGeometries } from '../../table-output.ts';
import type { EncodedChunk } from '../../writer.ts';
import { pack, release } from '../bytes/compression.ts';
import { geoparquetFindings } from '../messages.ts';
import { ENCODING } from '../read/values.ts';
import {
  booleanPages,
  type ColumnPages,
  encodedPages,
  numberPages,
  PAGE_ROWS,
  textPages,
  writeLevels,
} from './column-pages.ts';
import { CompactWriter } from './compact-writer.ts';
import { type EncodedGeometries, encodeGeometries, type GeometryFacts } from './geometry-pages.ts';
import type { ParquetPlan } from './plan.ts';
import { dateValues, timeValues } from './temporal-values.ts';

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

/** Memory that a thread keeps for the next batch. */
const KEPT_BYTES = 1 << 25;
let writtenPages = new ByteWriter();
let unpackedPage = new ByteWriter();

/** The writer without its bytes, or a new one if it became large. */
function emptied(writer: ByteWriter): ByteWriter {
  if (writer.bytes.length > KEPT_BYTES) return new ByteWriter();
  writer.reset();
  return writer;
}

export function encodeBatch(batch: FeatureBatch, plan: ParquetPlan): EncodedChunk {
  const findings = new Findings();
  const { rowCount } = batch;
  const geometries = encodeGeometries(
    batch.geometry,
    rowCount,
    plan.isInDegrees ? new SphereBoxes(batch.geometry) : null,
  );
  const zones: ([number, number] | null)[] = [];
  const columns = batch.columns.map((column, i) => {
    const { pages, zone } = columnPages(column, rowCount, batch.fields[i].name, findings);
    zones.push(zone);
    return pages;
  });
  if (plan.geometry === null) noteDroppedGeometries(batch, findings);
  else columns.push(encodedPages(geometries.bytes, geometries.offsets, geometries.present));
  if (plan.box !== null)
    for (const side of geometries.sides) columns.push(numberPages(side, geometries.boxed));
  const out = emptied(writtenPages);
  const body = emptied(unpackedPage);
  writtenPages = out;
  unpackedPage = body;
  const slices: Slice[] = [];
  for (let from = 0; from < rowCount; ) {
    const to = sliceEnd(batch, geometries, from);
    const pages = columns.map((column) => writePage(out, body, column, from, to, plan));
    slices.push({ rowCount: to - from, pages, facts: geometries.facts(from, to) });
    from = to;
  }
  if (batch.ids !== null)
    findings.note(formatFindings.IDS_DROPPED, { format: 'GeoParquet' }, undefined, rowCount);
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
  const packed = pack(compression, unpacked, column.isGeometries);
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
  if (packed !== unpacked) release(packed);
  const [min, max] = column.range(from, to) ?? [null, null];
  return { start, end: out.length, unpackedBytes: headBytes.length + unpacked.length, nullCount, min, max };
}

interface Prepared {
  readonly pages: ColumnPages;
  readonly zone: [number, number] | null;
}

function columnPages(column: AttributeColumn, rowCount: number, field: string, findings: Findings): Prepared {
  const invalid = { field, format: 'GeoParquet' };
  switch (column.type) {
    case 'boolean':
      return { pages: booleanPages(column), zone: null };
    case 'int32':
    case 'int64':
    case 'float64':
      return { pages: numberPages(column.values, column.validity), zone: null };
    case 'date': {
      const dates = dateValues(column, rowCount);
      findings.noteTally(formatFindings.VALUE_NOT_WRITTEN, { ...invalid, type: 'date' }, dates.invalid);
      return { pages: numberPages(dates.values, dates.present), zone: null };
    }
    case 'datetime': {
      const times = timeValues(column, rowCount);
      findings.noteTally(formatFindings.VALUE_NOT_WRITTEN, { ...invalid, type: 'timestamp' }, times.invalid);
      findings.noteTally(geoparquetFindings.TIMES_TO_UTC, { field }, times.moved);
      findings.noteTally(geoparquetFindings.TIMES_CUT, { field }, times.cut);
      return { pages: numberPages(times.values, times.present), zone: [times.withZone, times.withoutZone] };
    }
    default:
      return { pages: textPages(column), zone: null };
  }
}
