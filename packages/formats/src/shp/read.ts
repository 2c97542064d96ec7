/** Reads shapefiles: see docs/formats/shp.md for the rules. A partition is a range of record numbers, from 0. */
import { textDecoder } from '@geomill/core/bytes/text-encoding.ts';
import { UTF8 } from '@geomill/core/bytes/utf8.ts';
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { MisfitList } from '@geomill/core/columns/misfits.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { NO_ROW, RowTally } from '@geomill/core/messages/finding-rows.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { type FileSegment, openSegment, withSegment } from '@geomill/io/file-segment.ts';
import { checkFieldCount } from '@geomill/io/limits.ts';
import { ScratchSpace } from '@geomill/io/scratch-space.ts';
import { TextSamples } from '@geomill/io/text-samples.ts';
import { formatFindings } from '../findings.ts';
import { isCompressed, type PackedSet, unpackedSet } from '../packed-set.ts';
import type {
  EncodingOrigin,
  FileText,
  FormatReader,
  InputFile,
  OpenContext,
  Partition,
  PartitionRead,
  PartitionRequest,
  SourceLayer,
} from '../reader.ts';
import { type DbfColumn, planColumns, undeclaredColumn } from './dbf-columns.ts';
import { findEncoding } from './dbf-encoding.ts';
import { dbfHeadBytes, readDbfHeader } from './dbf-header.ts';
import { type DbfRows, DELETED_ROW, readColumn } from './dbf-read.ts';
import { declaredStatistics } from './declared-statistics.ts';
import { findShapefiles, otherMembers, type ShapefileSet } from './file-set.ts';
import { shpErrors, shpFindings } from './messages.ts';
import { partitionsNear } from './near-boxes.ts';
import { sampleTable } from './sample-table.ts';
import { HEADER_BYTES, RECORD_HEADER_BYTES, readShpHeader } from './shp-header.ts';
import { cutPartitions, findIndex, readIndexEntries } from './shp-index.ts';
import { ShapeReader } from './shp-records-read.ts';

interface ShpTable {
  readonly segment: FileSegment;
  readonly headerBytes: number;
  readonly rowBytes: number;
  readonly rowCount: number;
  readonly columns: readonly DbfColumn[];
  readonly encoding: string;
  readonly encodingOrigin: EncodingOrigin;
}

/** What a worker needs to read a partition. */
interface ShpState {
  readonly shp: FileSegment;
  readonly index: FileSegment;
  readonly shapeType: number;
  readonly shapeCount: number;
  readonly contiguous: boolean;
  readonly table: ShpTable | null;
  readonly packed: PackedSet | null;
}

/** A longer file is not a valid .prj or .cpg. */
const SMALL_FILE_BYTES = 1 << 20;
/** Scattered records are read with one read if that reads at most this many times their size. */
const STRETCH_FACTOR = 4;

async function open(file: InputFile, context: OpenContext): Promise<readonly SourceLayer[]> {
  const { sets, scratchPath } = await findShapefiles(file, context);
  const scratch = context.scratch ?? new ScratchSpace();
  const layers: SourceLayer[] = [];
  for (const set of sets) {
    const unpacked = set.packed === null ? null : unpackedSet(set.packed);
    if (unpacked !== null) await scratch.hold(unpacked);
    layers.push(openLayer(set, scratchPath, context));
    if (unpacked !== null) scratch.release(unpacked);
  }
  return layers;
}

/** The encoding of the first table with texts beyond ASCII: the option for another one is for all tables of the file. */
async function describeText(
  _file: InputFile,
  context: OpenContext,
  openFile: () => Promise<readonly SourceLayer[]>,
): Promise<FileText | null> {
  const scratch = context.scratch ?? new ScratchSpace();
  let text: FileText | null = null;
  for (const { state } of await openFile()) {
    const { table, packed } = state as ShpState;
    if (table === null) continue;
    const samples = new TextSamples();
    const unpacked = packed === null ? null : unpackedSet(packed);
    if (unpacked !== null) await scratch.hold(unpacked);
    sampleTable(table, samples);
    if (unpacked !== null) scratch.release(unpacked);
    const found = samples.texts.length > 0;
    const { encoding, encodingOrigin: origin } = table;
    if (found || text === null) text = { encoding, origin, samples: samples.texts, table: null };
    if (found) break;
  }
  return text;
}

function openLayer(set: ShapefileSet, scratchPath: () => string, context: OpenContext): SourceLayer {
  const { shp } = set;
  const { findings } = context;
  const header = withSegment(shp, (source) =>
    readShpHeader(source.slice(0, HEADER_BYTES), source.byteLength, shp.name),
  );
  const index = findIndex(shp, header.byteLength, set.shx, scratchPath, findings);
  const table = openTable(set, context);
  const { shapeCount } = index;
  const rowCount = table?.rowCount ?? shapeCount;
  if (table === null)
    findings.note(shpFindings.ATTRIBUTES_MISSING, {
      file: `${shp.name} (no .dbf)`,
      found: 0,
      expected: shapeCount,
    });
  else if (rowCount < shapeCount)
    findings.note(shpFindings.ATTRIBUTES_MISSING, {
      file: table.segment.name,
      found: rowCount,
      expected: shapeCount,
    });
  else if (rowCount > shapeCount)
    findings.note(shpFindings.SHAPES_MISSING, { file: shp.name, found: shapeCount, expected: rowCount });
  const featureCount = Math.max(shapeCount, rowCount);
  if (featureCount > context.limits.features)
    throw failure(generalErrors.LIMIT_EXCEEDED, {
      what: `the number of features in ${shp.name}`,
      actual: featureCount,
      limit: context.limits.features,
      setting: 'MAX_FEATURES',
    });
  const crs = set.prj === null ? '' : readSmallText(set.prj);
  const state: ShpState = {
    shp,
    index: index.segment,
    shapeType: header.shapeType,
    shapeCount,
    contiguous: index.contiguous,
    table,
    packed: set.packed,
  };
  return {
    name: set.name,
    fields: (table?.columns ?? []).map(({ name, type }) => ({ name, type })),
    featureCount,
    declaredStatistics: declaredStatistics(header.shapeType, featureCount, table),
    crs: crs === '' ? null : crs,
    statedExtent: header.extent,
    crsMissingReason: set.prj === null ? 'there is no .prj' : 'the .prj is empty',
    encoding: table?.encoding ?? null,
    ...(table === null ? {} : { encodingOrigin: table.encodingOrigin }),
    partitions: cutPartitions(index, featureCount, table?.rowBytes ?? 0, context.partitionBytes),
    state,
  };
}

function openTable(set: ShapefileSet, context: OpenContext): ShpTable | null {
  const { dbf } = set;
  if (dbf === null) return null;
  const { findings, options } = context;
  const option = typeof options.encoding === 'string' ? options.encoding : null;
  return withSegment(dbf, (source) => {
    const headBytes = dbfHeadBytes(source.slice(0, 32), source.byteLength, dbf.name);
    const header = readDbfHeader(source.slice(0, headBytes), source.byteLength, dbf.name);
    checkFieldCount(set.name, header.fields.length, context.limits);
    const { encoding, origin } = findEncoding(
      {
        codePage: set.cpg === null ? null : readSmallText(set.cpg),
        codePageFile: set.cpg?.name ?? '',
        option,
      },
      header,
      source,
      dbf.name,
      findings,
    );
    const columns = planColumns(header, encoding, source, set.name, findings);
    const { headerBytes, rowBytes, rowCount } = header;
    return { segment: dbf, headerBytes, rowBytes, rowCount, columns, encoding, encodingOrigin: origin };
  });
}

const decodeUtf8 = textDecoder(UTF8);

function readSmallText(segment: FileSegment): string {
  const bytes = withSegment(segment, (source) => source.slice(0, SMALL_FILE_BYTES));
  return decodeUtf8(bytes, 0, bytes.length)
    .replace(/^\ufeff/, '')
    .replaceAll('\0', '')
    .trim();
}

function readPartition(layer: SourceLayer, partition: Partition, request: PartitionRequest): PartitionRead {
  const state = layer.state as ShpState;
  const findings = new Findings();
  const misfits = new MisfitList();
  const rows = readRows(state, partition, findings);
  const shapes = readShapes(state, partition, rows, request.limits.coordinatesPerFeature);
  const noteTally = (
    entry:
      | typeof generalFindings.RING_CLOSED
      | typeof formatFindings.RINGS_REORDERED
      | typeof generalFindings.GEOMETRY_DEGENERATE,
    tally: RowTally,
  ): void => {
    if (tally.count > 0) findings.note(entry, {}, { record: tally.firstRecord }, tally.count, tally);
  };
  noteTally(generalFindings.RING_CLOSED, shapes.ringsClosed);
  noteTally(formatFindings.RINGS_REORDERED, shapes.ringsReordered);
  noteTally(generalFindings.GEOMETRY_DEGENERATE, shapes.degenerate);
  const { patches, lengthsCorrected } = shapes;
  findings.noteTally(shpFindings.RECORD_LENGTHS_CORRECTED, { file: state.shp.name }, lengthsCorrected);
  if (patches.count > 0)
    findings.note(
      formatFindings.MULTIPATCH_TO_POLYGONS,
      {},
      { record: patches.firstRecord },
      patches.count,
      patches,
    );
  // Rows are read even then: they contain the deletion marks.
  const table = request.fields?.length === 0 ? null : state.table;
  const columns: AttributeColumn[] =
    table === null
      ? []
      : table.columns.map((column) => readColumn(column, rows, table.encoding, findings, misfits));
  const batch: FeatureBatch = {
    rowCount: rows.rowCount + rows.missingRows,
    geometry: shapes.builder.finish(),
    fields: table === null ? [] : (layer.fields ?? []),
    columns,
    ids: null,
  };
  return {
    batch,
    nextStart: partition.end,
    recordCount: partition.end - partition.start,
    lineCount: 0,
    findings: findings.found(),
    misfits: misfits.list(),
  };
}

/** Bytes of the .dbf read at once to find deletion marks. */
const MARKS_BYTES = 8 << 20;

/** The number of rows that are marked as deleted. */
function deletedRows(table: ShpTable | null, start: number, end: number): number {
  if (table === null || table.rowBytes === 0) return 0;
  const { headerBytes, rowBytes, rowCount } = table;
  const last = Math.min(end, rowCount);
  const rowsAtOnce = Math.max(1, Math.floor(MARKS_BYTES / rowBytes));
  let deleted = 0;
  withSegment(table.segment, (source) => {
    for (let row = start; row < last; row += rowsAtOnce) {
      const rows = Math.min(rowsAtOnce, last - row);
      const bytes = source.slice(headerBytes + row * rowBytes, headerBytes + (row + rows) * rowBytes);
      for (let at = 0; at < bytes.length; at += rowBytes) if (bytes[at] === DELETED_ROW) deleted++;
    }
  });
  return deleted;
}

/** The rows of the partition that are not deleted; features after the last row have none. */
function readRows(state: ShpState, partition: Partition, findings: Findings): DbfRows {
  const { table } = state;
  const count = partition.end - partition.start;
  const declared = table === null ? 0 : Math.max(0, Math.min(count, table.rowCount - partition.start));
  const rowStarts = new Uint32Array(declared);
  const records = new Uint32Array(declared);
  const missingRows = count - declared;
  if (table === null || declared === 0)
    return { bytes: new Uint8Array(0), rowStarts, rowCount: 0, records, missingRows };
  const { headerBytes, rowBytes } = table;
  const bytes = withSegment(table.segment, (source) =>
    source.slice(
      headerBytes + partition.start * rowBytes,
      headerBytes + (partition.start + declared) * rowBytes,
    ),
  );
  let rowCount = 0;
  const deleted = new RowTally();
  for (let row = 0; row < declared; row++) {
    if (bytes[row * rowBytes] === DELETED_ROW) {
      deleted.add(NO_ROW, row + 1);
      continue;
    }
    rowStarts[rowCount] = row * rowBytes;
    records[rowCount++] = row + 1;
  }
  if (deleted.count > 0)
    findings.note(shpFindings.RECORD_DELETED, {}, { record: deleted.firstRecord }, deleted.count, deleted);
  return { bytes, rowStarts, rowCount, records, missingRows };
}

/** Appends the shape of every row that is not deleted, and of the features after the last row. */
function readShapes(
  state: ShpState,
  partition: Partition,
  rows: DbfRows,
  coordinatesPerFeature: number,
): ShapeReader {
  const count = partition.end - partition.start;
  const shapeCount = Math.max(0, Math.min(count, state.shapeCount - partition.start));
  const entries = withSegment(state.index, (source) =>
    readIndexEntries(source, partition.start, partition.start + shapeCount),
  );
  const stretch = extent(entries, shapeCount, state.contiguous);
  const shapes = new ShapeReader(state.shapeType, state.shp.name, coordinatesPerFeature, {
    features: rows.rowCount + rows.missingRows,
    bytes: stretch.needed,
  });
  using source = openSegment(state.shp);
  const read = recordReader(source, state, entries, stretch, shapes);
  const readOrNull = (i: number): void => {
    if (i < shapeCount) read(i);
    else shapes.nullShape();
  };
  for (let row = 0; row < rows.rowCount; row++) readOrNull(rows.records[row] - 1);
  for (let i = count - rows.missingRows; i < count; i++) readOrNull(i);
  return shapes;
}

/**
 * Returns a reader for the `i`th record of a partition, with one read of the file if the records are close together.
 */
function recordReader(
  source: ByteSource,
  state: ShpState,
  entries: DataView,
  { first, end, needed }: Stretch,
  shapes: ShapeReader,
): (i: number) => void {
  const inOneStretch = state.contiguous || end - first <= needed * STRETCH_FACTOR;
  const stretch = inOneStretch ? new DataView(source.slice(first, end).buffer) : null;
  return (i) => {
    const offset = entries.getUint32(i * 8) * 2;
    let view = stretch;
    let at = offset - first;
    if (view === null) {
      const head = new DataView(source.slice(offset, offset + RECORD_HEADER_BYTES).buffer);
      const contentBytes = head.byteLength < RECORD_HEADER_BYTES ? 0 : head.getUint32(4) * 2;
      view = new DataView(source.slice(offset, offset + RECORD_HEADER_BYTES + contentBytes).buffer);
      at = 0;
    }
    const stated = at + RECORD_HEADER_BYTES > view.byteLength ? -1 : view.getUint32(at + 4) * 2;
    // The lengths of such an index add up to the length of the file, so a record that contradicts it is wrong.
    const contentBytes = state.contiguous ? entries.getUint32(i * 8 + 4) * 2 : stated;
    if (contentBytes !== stated) shapes.lengthsCorrected.add(shapes.builder.featureCount);
    if (contentBytes < 0 || at + RECORD_HEADER_BYTES + contentBytes > view.byteLength)
      throw failure(
        shpErrors.SHP_RECORD,
        {
          file: state.shp.name,
          record: i + 1,
          reason: `at byte ${offset} it declares ${Math.max(0, contentBytes)} bytes, which end behind the next record or the end of the file`,
        },
        { record: i + 1, offset },
      );
    shapes.read(view, at + RECORD_HEADER_BYTES, contentBytes, i + 1);
  };
}

/** The range in the .shp that contains some records, and the size of the records themselves. */
interface Stretch {
  readonly first: number;
  readonly end: number; // exclusive
  readonly needed: number;
}

function extent(entries: DataView, count: number, contiguous: boolean): Stretch {
  const endOf = (i: number): number =>
    entries.getUint32(i * 8) * 2 + RECORD_HEADER_BYTES + entries.getUint32(i * 8 + 4) * 2;
  if (count === 0) return { first: 0, end: 0, needed: 0 };
  if (contiguous) {
    const first = entries.getUint32(0) * 2;
    const end = endOf(count - 1);
    return { first, end, needed: end - first };
  }
  let first = Number.POSITIVE_INFINITY;
  let end = 0;
  let needed = 0;
  for (let i = 0; i < count; i++) {
    const offset = entries.getUint32(i * 8) * 2;
    first = Math.min(first, offset);
    end = Math.max(end, endOf(i));
    needed += endOf(i) - offset;
  }
  return { first, end, needed };
}

function undeclare(layer: SourceLayer, names: ReadonlySet<string>): SourceLayer {
  const state = layer.state as ShpState;
  if (state.table === null) return layer;
  const columns = state.table.columns.map((column) =>
    names.has(column.name) ? undeclaredColumn(column) : column,
  );
  const table = { ...state.table, columns };
  return {
    ...layer,
    fields: columns.map(({ name, type }) => ({ name, type })),
    declaredStatistics: declaredStatistics(state.shapeType, layer.featureCount ?? 0, table),
    state: { ...state, table },
  };
}

export const reader: FormatReader = {
  typing: 'declared',
  mixedType: 'string',
  ids: 'none',
  excerpts: {
    boundaries: 'known',
    // Compressed files are unpacked only while partitions are read.
    countFeatures({ state }, { start, end }) {
      const { table, packed } = state as ShpState;
      return isCompressed(packed) ? null : end - start - deletedRows(table, start, end);
    },
    partitionsNear({ partitions, state }, near) {
      const { shp, index, shapeCount, packed } = state as ShpState;
      return isCompressed(packed) ? null : partitionsNear({ shp, index, shapeCount }, partitions, near);
    },
  },
  open,
  describeText,
  otherContent: (file, _layers, limits) => otherMembers(file, limits),
  readPartition,
  undeclare,
  unpackedSet({ state }) {
    const { packed } = state as ShpState;
    return packed === null ? null : unpackedSet(packed);
  },
};
