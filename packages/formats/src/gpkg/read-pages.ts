/** Reads a partition from the pages of the database, three times as fast as SQLite returns the rows. */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import { MisfitList } from '@geomill/core/columns/misfits.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { readRecords, SERIAL } from '@geomill/sqlite/records.ts';
import { readRowPayloads } from '@geomill/sqlite/table-pages.ts';
import type { Partition, PartitionRead, PartitionRequest } from '../reader.ts';
import { GeometryBlobReader } from './geometry-blob-reader.ts';
import { byteLengthOf, isBlob, type PageValues, readPageColumn, valuesOf, viewsOf } from './page-values.ts';
import { keyRange } from './partitions.ts';
import { readPlainGeometries } from './plain-geometries.ts';
import type { GpkgState } from './state.ts';
import type { CellContext } from './value-column.ts';

/** Null if SQLite has to read the partition. */
export function readPages(
  state: GpkgState,
  partition: Partition,
  request: PartitionRequest,
): PartitionRead | null {
  const { runs, stored } = state;
  if (runs === null || stored === null) return null;
  const payloads = readRowPayloads(state.path, runs.pages, {
    leafStart: runs.leafStarts[partition.start],
    leafEnd: runs.leafEnds[partition.end - 1],
    ...keyRange(state, partition),
    wantedKeys: runs.wantedKeys,
    rowCount: expectedRows(runs.rowCounts, partition),
  });
  const records =
    payloads === null ? null : readRecords(payloads, stored.columnCount, stored.leastColumnCount);
  if (payloads === null || records === null) return null;
  const { rowCount, keys } = payloads;
  const findings = new Findings();
  const misfits = new MisfitList();
  const context: CellContext = { findings, misfits, rowName: (record) => String(keys[record - 1]) };
  const geometry = readGeometries(valuesOf(records, stored.geometry), state, request, context);
  const fields: Field[] = [];
  const columns: AttributeColumn[] = [];
  state.fields.forEach((tableField, i) => {
    const values = valuesOf(records, stored.fields[i]);
    const { field, column } = readPageColumn(tableField, values, context);
    fields.push(field);
    columns.push(column);
  });
  return {
    batch: { rowCount, geometry, fields, columns, ids: { type: 'int64', values: keys, validity: null } },
    nextStart: partition.end,
    recordCount: rowCount,
    lineCount: 0,
    findings: findings.found(),
    misfits: misfits.list(),
  };
}

/** The number of rows counted when the file was opened. */
export function expectedRows(rowCounts: Uint32Array, { start, end }: Partition): number {
  let sum = 0;
  for (let i = start; i < end; i++) sum += rowCounts[i];
  return sum;
}

function readGeometries(
  values: PageValues,
  { table, geometryType, srsId }: GpkgState,
  { limits: { coordinatesPerFeature } }: PartitionRequest,
  context: CellContext,
): GeometryColumn {
  const plain = readPlainGeometries(values, srsId, coordinatesPerFeature);
  if (plain !== null) return plain;
  const { rowCount } = values.payloads;
  const { bytes, serialTypes, offsets } = viewsOf(values);
  let total = 0;
  for (let row = 0; row < rowCount; row++)
    if (isBlob(serialTypes[row])) total += byteLengthOf(serialTypes[row]);
  const blobs = new GeometryBlobReader(
    { table, geometryType, srsId, coordinatesPerFeature, ...context },
    rowCount,
    total,
  );
  for (let row = 0; row < rowCount; row++) {
    const serialType = serialTypes[row];
    const start = offsets[row];
    if (isBlob(serialType)) blobs.read(bytes, start, start + byteLengthOf(serialType));
    else if (serialType === SERIAL.none) blobs.none();
    else blobs.notBytes();
  }
  return blobs.finish();
}
