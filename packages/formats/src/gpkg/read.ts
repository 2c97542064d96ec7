/**
 * Reads GeoPackage into batches. A partition is a range of rows, read from the pages of the file if they have the usual
 * form (docs/decisions/gpkg-pages.md), else through its own connection.
 */
import { type AttributeColumn, ColumnBuilder } from '@geomill/core/columns/attribute-column.ts';
import { MisfitList } from '@geomill/core/columns/misfits.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { sqliteErrors } from '@geomill/sqlite/errors.ts';
import { type SqlRow, UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import type { FormatReader, Partition, PartitionRead, PartitionRequest, SourceLayer } from '../reader.ts';
import { type BlobContext, GeometryBlobReader } from './geometry-blob-reader.ts';
import { quoted } from './names.ts';
import { partitionsNear } from './near-boxes.ts';
import { openGpkg } from './open.ts';
import { otherContent } from './other-content.ts';
import { rowRange } from './partitions.ts';
import { expectedRows, readPages } from './read-pages.ts';
import { selectFeatures } from './select-features.ts';
import type { GpkgState } from './state.ts';
import { readValues } from './value-column.ts';

/** Covers any file: only the pages of the current partition are accessed before the connection is closed. */
const MAPPED_BYTES = 2 ** 31 - 2 ** 16;

export const reader: FormatReader = {
  typing: 'declared',
  mixedType: 'string',
  ids: 'row numbers',
  excerpts: {
    boundaries: 'known',
    countFeatures({ state }, partition) {
      const { runs } = state as GpkgState;
      return runs === null ? null : expectedRows(runs.rowCounts, partition);
    },
    partitionsNear,
    selectFeatures,
  },
  open: async (file, context) => openGpkg(file, context),
  readPartition(layer: SourceLayer, partition: Partition, request: PartitionRequest): PartitionRead {
    const stated = layer.state as GpkgState;
    const state = request.fields?.length === 0 ? withoutFields(stated) : stated;
    const read = readPages(state, partition, request);
    if (read !== null) return read;
    // Opened and closed here: runner processes outlive jobs, and paths are reused.
    const database = new UntrustedDatabase(state.path, { source: state.source, mappedBytes: MAPPED_BYTES });
    try {
      return readRows(database, state, partition, request);
    } finally {
      database.close();
    }
  },
  target(layer: SourceLayer): SourceLayer {
    const state = layer.state as GpkgState;
    // A column without a known type stores any value; as text none is refused.
    const fields = state.fields
      .filter(({ isGenerated }) => !isGenerated)
      .map(({ name, type }) => ({ name, type: type ?? 'string' }));
    return { ...layer, fields, partitions: [], isTarget: true };
  },
  otherContent: async (file, layers) => otherContent(file, layers),
  undeclare(layer: SourceLayer, names: ReadonlySet<string>): SourceLayer {
    const state = layer.state as GpkgState;
    const fields = state.fields.map((field) => (names.has(field.name) ? { ...field, type: null } : field));
    return { ...layer, fields: null, state: { ...state, fields } };
  },
};

/** The values of the fields are not read. */
function withoutFields(state: GpkgState): GpkgState {
  return { ...state, fields: [] };
}

function readRows(
  database: UntrustedDatabase,
  state: GpkgState,
  partition: Partition,
  request: PartitionRequest,
): PartitionRead {
  const geometryColumn = state.geometry === null ? 'NULL' : quoted(state.geometry);
  const names = [geometryColumn, ...state.fields.map(({ name }) => quoted(name))];
  const { where, values } = rowRange(state, partition);
  const key = state.key ?? 'NULL';
  const order = state.key === null ? '' : ` ORDER BY ${key}`;
  const sql = `SELECT ${[key, ...names].join(', ')} FROM ${state.from} ${where}${order}`;
  const rows = database.rows(state.table, sql, values);
  if (state.runs !== null && rows.length !== expectedRows(state.runs.rowCounts, partition))
    throw failure(sqliteErrors.DATABASE_DAMAGED, {
      source: state.source,
      table: state.table,
      reason: 'other rows than when it was opened: it was changed in between',
    });
  const findings = new Findings();
  const misfits = new MisfitList();
  const rowName = (record: number): string =>
    state.key === null ? String(partition.start + record) : String(rows[record - 1][0]);
  const geometry = readGeometries(rows, {
    table: state.table,
    geometryType: state.geometryType,
    srsId: state.srsId,
    coordinatesPerFeature: request.limits.coordinatesPerFeature,
    rowName,
    findings,
  });
  const fields: Field[] = [];
  const columns: AttributeColumn[] = [];
  state.fields.forEach((tableField, i) => {
    const { field, column } = readValues(
      tableField,
      rows.map((row) => row[i + 2]),
      { findings, misfits, rowName },
    );
    fields.push(field);
    columns.push(column);
  });
  return {
    batch: {
      rowCount: rows.length,
      geometry,
      fields,
      columns,
      ids: state.key === null ? null : readIds(rows),
    },
    nextStart: partition.end,
    recordCount: rows.length,
    lineCount: 0,
    findings: findings.found(),
    misfits: misfits.list(),
  };
}

function readGeometries(rows: readonly SqlRow[], context: BlobContext) {
  let bytes = 0;
  for (const [, value] of rows) if (value instanceof Uint8Array) bytes += value.length;
  const blobs = new GeometryBlobReader(context, rows.length, bytes);
  for (let row = 0; row < rows.length; row++) {
    const value = rows[row][1];
    if (value === null) blobs.none();
    else if (value instanceof Uint8Array) blobs.read(value, 0, value.length);
    else blobs.notBytes();
  }
  return blobs.finish();
}

function readIds(rows: readonly SqlRow[]): AttributeColumn {
  const ids = new ColumnBuilder('int64', rows.length);
  for (const [id] of rows) {
    if (typeof id === 'number') ids.appendBigInt(BigInt(id));
    else if (typeof id === 'bigint') ids.appendBigInt(id);
    else throw failure(generalErrors.INTERNAL, { reason: 'a row has no integer key' });
  }
  return ids.finish();
}
