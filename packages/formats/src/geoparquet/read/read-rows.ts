/** Reads ranges of rows into batches. */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import { MisfitList } from '@geomill/core/columns/misfits.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
} from '@geomill/core/geometry/geometry-column.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import type { Partition, PartitionRead } from '../../reader.ts';
import { unsupported } from '../fault.ts';
import { ChunkReader, type Segment } from './chunk-reader.ts';
import { type GeometryPlan, leavesOfField } from './columns.ts';
import { readScalarColumn } from './flat-column.ts';
import { readJsonColumn } from './json-column.ts';
import { readNativeGeometries } from './native-geometry.ts';
import { readPoints } from './point-geometry.ts';
import { chunkOf, groupOf } from './row-groups.ts';
import type { SchemaNode } from './schema.ts';
import type { ParquetState } from './state.ts';
import { checkPositions, readWkbGeometries } from './wkb-geometry.ts';

/**
 * The readers of the columns of the row group that was read last, by the number of the leaf: the next range often continues
 * it. They live as long as the layer is open in this thread.
 */
const openColumns = new WeakMap<object, Map<number, OpenColumn>>();

interface OpenColumn {
  readonly group: number;
  readonly reader: ChunkReader;
}

/** Of all columns in a range of rows: packed pages of a few KB may have this much each. */
const MAX_RANGE_BYTES = 2 ** 31;

/**
 * Throws ParquetFault and what is wrong with single rows. `mostBytes`: limit of the unpacked pages and the values of all
 * columns together.
 */
export function readRows(
  source: ByteSource,
  state: ParquetState,
  { start, end }: Partition,
  limits: InputLimits,
  mostBytes = MAX_RANGE_BYTES,
): PartitionRead {
  const rowCount = end - start;
  const findings = new Findings();
  const misfits = new MisfitList();
  const columns = new ColumnSource(source, state, { start, end }, mostBytes);
  const geometry = readGeometry(columns, state, rowCount, limits, findings);
  const context = { rowCount, findings, misfits };
  const read: AttributeColumn[] = state.fields.map((plan) => {
    const segments = leavesOfField(plan).map((leaf) => columns.segments(leaf));
    const column =
      plan.kind === 'scalar'
        ? readScalarColumn(plan, segments[0], context)
        : readJsonColumn(plan, segments, context);
    columns.spend('offsets' in column ? column.bytes.length : column.values.byteLength);
    return column;
  });
  columns.release();
  return {
    batch: { rowCount, geometry, fields: state.fields.map(({ field }) => field), columns: read, ids: null },
    nextStart: end,
    recordCount: rowCount,
    lineCount: 0,
    findings: findings.found(),
    misfits: misfits.list(),
  };
}

function readGeometry(
  columns: ColumnSource,
  { geometry: plan, source }: ParquetState,
  rowCount: number,
  { coordinatesPerFeature }: InputLimits,
  findings: Findings,
): GeometryColumn {
  if (plan === null) return noGeometries(rowCount);
  const context = { source, column: plan.name, coordinatesPerFeature, findings };
  if (plan.kind === 'wkb')
    return readWkbGeometries(plan.leaf, columns.segments(plan.leaf), rowCount, context);
  if (plan.kind === 'points') {
    const segments = ({ leaf }: { leaf: SchemaNode }): Segment[] => columns.segments(leaf);
    return readPoints(plan, { source, rowCount, findings, segments });
  }
  const geometry = readNative(columns, plan, rowCount, findings);
  const { partOffsets, ringOffsets, coordOffsets } = geometry;
  for (let row = 0; row < rowCount; row++) {
    const first = coordOffsets[ringOffsets[partOffsets[row]]];
    checkPositions(coordOffsets[ringOffsets[partOffsets[row + 1]]] - first, row, context);
  }
  return geometry;
}

function readNative(
  columns: ColumnSource,
  plan: Extract<GeometryPlan, { kind: 'native' }>,
  rowCount: number,
  findings: Findings,
): GeometryColumn {
  const segments = plan.leaves.map((leaf) => columns.segments(leaf));
  return readNativeGeometries(plan, segments, rowCount, findings);
}

function noGeometries(rowCount: number): GeometryColumn {
  const builder = new GeometryBuilder('XY', rowCount, 0);
  for (let row = 0; row < rowCount; row++) builder.endFeature(GEOMETRY_TYPE.none);
  return builder.finish();
}

/** The columns of a range of rows, which may be in several row groups. */
class ColumnSource {
  readonly #source: ByteSource;
  readonly #state: ParquetState;
  readonly #start: number;
  readonly #end: number;
  readonly #open: Map<number, OpenColumn>;
  readonly #mostBytes: number;
  readonly #used: ChunkReader[] = [];
  #bytes = 0;

  constructor(source: ByteSource, state: ParquetState, { start, end }: Partition, mostBytes: number) {
    this.#source = source;
    this.#state = state;
    this.#start = start;
    this.#end = end;
    this.#mostBytes = mostBytes;
    const open = openColumns.get(state.groups) ?? new Map<number, OpenColumn>();
    openColumns.set(state.groups, open);
    this.#open = open;
  }

  segments(leaf: SchemaNode): Segment[] {
    const { firstRows } = this.#state.groups;
    const segments: Segment[] = [];
    for (let group = groupOf(firstRows, this.#start); group + 1 < firstRows.length; group++) {
      const first = firstRows[group];
      if (first >= this.#end) break;
      const end = firstRows[group + 1];
      const reader = this.#reader(leaf, group);
      const from = Math.max(this.#start, first);
      const to = Math.min(this.#end, end);
      this.#used.push(reader);
      const read = reader.read(this.#source, from - first, to - first, (bytes) => this.spend(bytes));
      for (const segment of read) segments.push(segment);
      // Frees its memory; the rest of a group may be for another thread.
      if (to === end) this.#open.delete(leaf.firstLeaf);
    }
    return segments;
  }

  /** Frees the memory of pages that were read to their ends. No segment may be used afterwards. */
  release(): void {
    for (const reader of this.#used) reader.release();
  }

  /** Counts bytes that the range takes. Throws ParquetFault if they are too many. */
  spend(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#mostBytes)
      throw unsupported(
        `the columns of the rows ${this.#start + 1} to ${this.#end} have more than ${this.#mostBytes} bytes together, which would take too much memory; write it with smaller row groups`,
      );
  }

  #reader(leaf: SchemaNode, group: number): ChunkReader {
    const open = this.#open.get(leaf.firstLeaf);
    if (open?.group === group) return open.reader;
    const reader = new ChunkReader(leaf, chunkOf(this.#state.groups, group, leaf));
    this.#open.set(leaf.firstLeaf, { group, reader });
    return reader;
  }
}
