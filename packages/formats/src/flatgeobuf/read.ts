/** Reads FlatGeobuf into batches. A partition is a range of bytes with whole features. */
import { MisfitList } from '@geomill/core/columns/misfits.ts';
import { GEOMETRY_TYPE, GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE_FINDINGS } from '@geomill/core/geometry/geometry-notes.ts';
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { type ByteSource, openFileSource, ReusedMemory } from '@geomill/io/byte-source.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import { assumedDegrees } from '../assumed-degrees.ts';
import type { FormatReader, Partition, PartitionRead, PartitionRequest, SourceLayer } from '../reader.ts';
import { FlatFault, FlatTables } from './flat-tables.ts';
import { GeometryReader } from './geometry-read.ts';
import { FEATURE, PREFIX_BYTES, readColumns } from './header.ts';
import { flatgeobufErrors, flatgeobufFindings } from './messages.ts';
import { partitionsNear } from './near-boxes.ts';
import { type FlatGeobufState, featureEnd, fieldsOf, openFlatGeobuf } from './open.ts';
import { PropertyReader } from './properties-read.ts';

/** Bytes that are read at once, unless a feature has more. */
const WINDOW_BYTES = 4 << 20;
/** Bytes of a usual feature, to reserve memory. */
const USUAL_BYTES = 200;
/** For the window of the partition that is read. */
const memory = new ReusedMemory();

export const reader: FormatReader = {
  typing: 'declared',
  mixedType: 'string',
  ids: 'none',
  excerpts: { boundaries: 'known', countFeatures, partitionsNear },
  async open(file, context) {
    const layer = openFlatGeobuf(file, context);
    if (layer.crs !== null) return [layer];
    // Programs that write FlatGeobuf from GeoJSON, as the JavaScript library of the format, leave out the CRS.
    const reason = 'its coordinates can be longitudes and latitudes, as in files made of GeoJSON';
    return [{ ...layer, assumedCrs: assumedDegrees(layer, reader, context.limits, { reason }) }];
  },
  readPartition(layer: SourceLayer, partition: Partition, request: PartitionRequest): PartitionRead {
    const state = layer.state as FlatGeobufState;
    using source = openFileSource(state.path);
    return new PartitionReader(source, state, partition, request).read();
  },
  undeclare(layer: SourceLayer, names: ReadonlySet<string>): SourceLayer {
    const state = layer.state as FlatGeobufState;
    const columns = (state.columns ?? []).map((column) =>
      names.has(column.name) ? { ...column, fieldType: 'string' as const } : column,
    );
    return { ...layer, fields: fieldsOf(columns), state: { ...state, columns } };
  },
};

function countFeatures({ partitions, featureCount, state }: SourceLayer, { start, end }: Partition): number {
  const { featuresBefore } = state as FlatGeobufState;
  const before = (offset: number): number => {
    let low = 0;
    let high = partitions.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (partitions[middle].start < offset) low = middle + 1;
      else high = middle;
    }
    return low < partitions.length ? featuresBefore[low] : (featureCount ?? 0);
  };
  return before(end) - before(start);
}

class PartitionReader {
  readonly #source: ByteSource;
  readonly #state: FlatGeobufState;
  readonly #partition: Partition;
  readonly #limits: InputLimits;
  readonly #findings = new Findings();
  readonly #tables = new FlatTables();
  readonly #builder: GeometryBuilder;
  readonly #geometries: GeometryReader;
  readonly #properties: PropertyReader;
  readonly #notes = GEOMETRY_NOTE_FINDINGS.map(([bit, entry]) => ({ bit, entry, rows: new RowTally() }));
  readonly #times = new RowTally();
  #row = 0;

  constructor(source: ByteSource, state: FlatGeobufState, partition: Partition, request: PartitionRequest) {
    this.#source = source;
    this.#state = state;
    this.#partition = partition;
    this.#limits = request.limits;
    const bytes = Math.min(partition.end - partition.start, WINDOW_BYTES);
    const expectedRows = Math.ceil(bytes / (USUAL_BYTES + (state.columns?.length ?? 0) * 6));
    this.#builder = new GeometryBuilder('XY', expectedRows, Math.ceil(bytes / 16));
    this.#geometries = new GeometryReader(this.#tables, this.#builder);
    this.#properties = new PropertyReader(this.#tables, state.columns, {
      expectedRows,
      ignoresAll: request.fields?.length === 0,
      limits: request.limits,
    });
  }

  read(): PartitionRead {
    const nextStart = this.#readFeatures();
    const misfits = new MisfitList();
    const findings = this.#findings;
    for (const { entry, rows } of this.#notes) findings.noteTally(entry, {}, rows);
    findings.noteTally(flatgeobufFindings.TIMES_DROPPED, {}, this.#times);
    const { fields, columns } = this.#properties.finish(this.#row, findings, misfits);
    return {
      batch: { rowCount: this.#row, geometry: this.#builder.take(), fields, columns, ids: null },
      nextStart,
      recordCount: this.#row,
      lineCount: 0,
      findings: findings.found(),
      misfits: misfits.list(),
    };
  }

  /** Reads the features that begin in the partition; returns the end of the last one. */
  #readFeatures(): number {
    const { end } = this.#partition;
    const { byteLength } = this.#source;
    const { fileName } = this.#state;
    let start = this.#partition.start;
    let base = start;
    let loadedTo = start;
    const load = (to: number): void => {
      base = start;
      loadedTo = Math.min(Math.max(to, Math.min(end, start + WINDOW_BYTES)), byteLength);
      const bytes = memory.take(loadedTo - base).subarray(0, loadedTo - base);
      this.#source.readInto(bytes, base);
      this.#tables.load(bytes);
    };
    while (start < end) {
      if (start + PREFIX_BYTES > loadedTo) load(start + PREFIX_BYTES);
      const isWhole = start + PREFIX_BYTES <= loadedTo;
      const size = isWhole ? this.#tables.view.getUint32(start - base, true) : null;
      const next = featureEnd(start, size, byteLength, fileName, this.#row + 1);
      if (next > loadedTo) load(next);
      try {
        this.#readFeature(start + PREFIX_BYTES - base, next - base);
      } catch (error) {
        if (error instanceof FlatFault) throw this.#fail(start, error.message);
        throw error;
      }
      start = next;
    }
    return start;
  }

  #readFeature(start: number, end: number): void {
    const tables = this.#tables;
    const row = this.#row;
    if (row >= this.#limits.features)
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: 'the number of features',
        actual: row + 1,
        limit: this.#limits.features,
        setting: 'MAX_FEATURES',
      });
    tables.open(start, end);
    const geometry = tables.slot(FEATURE.geometry, 4);
    const properties = tables.slot(FEATURE.properties, 4);
    const columns = tables.slot(FEATURE.columns, 4);
    if (geometry === 0) this.#builder.endFeature(GEOMETRY_TYPE.none);
    else this.#readGeometry(tables.tableAt(geometry));
    if (properties !== 0) {
      const at = tables.vectorAt(properties, 1);
      const endAt = at + tables.count;
      this.#properties.read(row, at, endAt, columns === 0 ? null : readColumns(tables, columns));
    }
    this.#row++;
  }

  #readGeometry(table: number): void {
    const builder = this.#builder;
    const row = this.#row;
    const before = builder.positionCount;
    this.#geometries.read(table, this.#state.geometryType);
    const { notes, hasTimes } = this.#geometries;
    if (notes !== 0) for (const { bit, rows } of this.#notes) if ((notes & bit) !== 0) rows.add(row);
    if (hasTimes) this.#times.add(row);
    const actual = builder.positionCount - before;
    const limit = this.#limits.coordinatesPerFeature;
    if (actual > limit)
      throw failure(
        generalErrors.LIMIT_EXCEEDED,
        {
          what: 'the number of positions of one feature',
          actual,
          limit,
          setting: 'MAX_FEATURE_COORDINATES',
        },
        { record: row + 1 },
      );
  }

  #fail(offset: number, reason: string): GeomillError {
    const record = this.#row + 1;
    const params = { source: this.#state.fileName, record, offset, reason };
    return failure(flatgeobufErrors.FLATGEOBUF_FEATURE, params, { record, offset });
  }
}
