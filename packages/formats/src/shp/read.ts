/** Reads shapefiles: see docs/formats/shp.md for the rules. A partition is a range of record numbers, from 0. */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { MisfitList } from '@geomill/core/columns/misfits.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { type FileSegment, openSegment, withSegment } from '@geomill/io/file-segment.ts';
import { ScratchSpace } from '@geomill/io/scratch-space.ts';
import { TextSamples } from '@geomill/io/text-samples.ts';
import { formatFindings } from '../findings.ts';
import { isCompressed, type PackedSet, unpackedSet } from '../packed-set.ts';
import type {
  FileText,
  FormatReader,
  InputFile,
  OpenContext,
  Partition,
  PartitionRead,
  PartitionRequest,
  SourceLayer,
} from '../reader.ts';
import type { DbfRows } from './dbf-cells.ts';
import { undeclaredColumn } from './dbf-columns.ts';
import { readColumn } from './dbf-read.ts';
import { deletedRows, openTable, readRows, readSmallText, type ShpTable } from './dbf-table.ts';
import { declaredStatistics } from './declared-statistics.ts';
import { findShapefiles, otherMembers, type ShapefileSet } from './file-set.ts';
import { checkFeatureCount, layersOf, loneTable, widthsOf } from './lone-table.ts';
import { shpErrors, shpFindings } from './messages.ts';
import { partitionsNear } from './near-boxes.ts';
import { sampleTable } from './sample-table.ts';
import { HEADER_BYTES, RECORD_HEADER_BYTES, readShpHeader, SHAPE_TYPE } from './shp-header.ts';
import { cutPartitions, findIndex, readIndexEntries } from './shp-index.ts';
import { ShapeReader } from './shp-records-read.ts';

interface ShapeFiles {
  readonly shp: FileSegment;
  readonly index: FileSegment;
  readonly shapeType: number;
  readonly shapeCount: number;
  readonly contiguous: boolean;
}

/** What a worker needs to read a partition. */
interface ShpState {
  /** Null: a table without geometries. */
  readonly shapes: ShapeFiles | null;
  readonly table: ShpTable | null;
  readonly packed: PackedSet | null;
}

/** Scattered records are read with one read if that reads at most this many times their size. */
const STRETCH_FACTOR = 4;

async function open(file: InputFile, context: OpenContext): Promise<readonly SourceLayer[]> {
  const { sets, scratchPath } = await findShapefiles(file, context);
  const scratch = context.scratch ?? new ScratchSpace();
  const layers: SourceLayer[] = [];
  for (const set of layersOf(sets, context)) {
    const unpacked = set.packed === null ? null : unpackedSet(set.packed);
    if (unpacked !== null) await scratch.hold(unpacked);
    layers.push(
      set.shp === null ? openLoneTable(set, context) : openLayer(set, set.shp, scratchPath, context),
    );
    if (unpacked !== null) scratch.release(unpacked);
  }
  return layers;
}

function openLoneTable(set: ShapefileSet, context: OpenContext): SourceLayer {
  const table = openTable(set, context);
  const state: ShpState = { shapes: null, table, packed: set.packed };
  return { ...loneTable(set.name, table, context), state };
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

function openLayer(
  set: ShapefileSet,
  shp: FileSegment,
  scratchPath: () => string,
  context: OpenContext,
): SourceLayer {
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
  checkFeatureCount(shp.name, featureCount, context);
  const crs = set.prj === null ? '' : readSmallText(set.prj);
  const { segment, contiguous } = index;
  const shapes: ShapeFiles = { shp, index: segment, shapeType: header.shapeType, shapeCount, contiguous };
  const state: ShpState = { shapes, table, packed: set.packed };
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
    facts: widthsOf(table),
    state,
  };
}

function readPartition(layer: SourceLayer, partition: Partition, request: PartitionRequest): PartitionRead {
  const state = layer.state as ShpState;
  const findings = new Findings();
  const misfits = new MisfitList();
  const rows = readRows(state.table, partition, findings);
  const shapes =
    state.shapes === null
      ? noShapes(rows)
      : readShapes(state.shapes, partition, rows, request.limits.coordinatesPerFeature);
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
  findings.noteTally(
    shpFindings.RECORD_LENGTHS_CORRECTED,
    { file: state.shapes?.shp.name ?? '' },
    lengthsCorrected,
  );
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

function noShapes({ rowCount }: DbfRows): ShapeReader {
  const shapes = new ShapeReader(SHAPE_TYPE.null, '', 0, { features: rowCount, bytes: 0 });
  for (let row = 0; row < rowCount; row++) shapes.nullShape();
  return shapes;
}

/** Appends the shape of every row that is not deleted, and of the features after the last row. */
function readShapes(
  state: ShapeFiles,
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
  state: ShapeFiles,
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
    ...(state.shapes === null
      ? {}
      : { declaredStatistics: declaredStatistics(state.shapes.shapeType, layer.featureCount ?? 0, table) }),
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
      const { shapes, packed } = state as ShpState;
      return isCompressed(packed) || shapes === null ? null : partitionsNear(shapes, partitions, near);
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
