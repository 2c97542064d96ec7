/** Reads file geodatabases: see docs/formats/filegdb.md for the rules. A partition is a range of slots of the row index. */
import { type AttributeColumn, ColumnBuilder, nullColumn } from '@geomill/core/columns/attribute-column.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
} from '@geomill/core/geometry/geometry-column.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { unpackedSet } from '../packed-set.ts';
import type { FormatReader, Partition, PartitionRead, PartitionRequest, SourceLayer } from '../reader.ts';
import { textColumn } from './coded-columns.ts';
import { GeometryReader } from './geometry-reader.ts';
import { filegdbFindings } from './messages.ts';
import { openGeodatabase } from './open.ts';
import { countRows } from './partitions.ts';
import type { StoredRows } from './rows.ts';
import type { GdbState } from './state.ts';
import { type ReadRows, readTableRows } from './table-reader.ts';

function readPartition(layer: SourceLayer, partition: Partition, request: PartitionRequest): PartitionRead {
  const state = layer.state as GdbState;
  const findings = new Findings();
  const hasFields = request.fields?.length !== 0;
  let geometry: GeometryReader | null = null;
  const geometryFor = ({ count, bytes }: StoredRows): GeometryReader | null => {
    if (state.grid === null) return null;
    const place = { table: state.open.name, file: state.open.table.name };
    const limit = request.limits.coordinatesPerFeature;
    geometry = new GeometryReader(state.grid, place, limit, count, bytes.length);
    return geometry;
  };
  const read = readTableRows(
    state.open,
    [partition.start, partition.end],
    () => hasFields,
    geometryFor,
    findings,
  );
  const { rows } = read;
  if (rows.deleted.count > 0)
    findings.note(filegdbFindings.FILEGDB_ROW_DELETED, {}, undefined, rows.deleted.count, rows.deleted);
  const { fields, columns } = hasFields ? attributes(state, read, findings) : { fields: [], columns: [] };
  return {
    batch: {
      rowCount: rows.count,
      geometry: finishGeometry(geometry, rows.count, findings),
      fields,
      columns,
      ids: idsOf(rows),
    },
    nextStart: partition.end,
    recordCount: rows.count,
    lineCount: 0,
    findings: findings.found(),
  };
}

function finishGeometry(reader: GeometryReader | null, rowCount: number, findings: Findings): GeometryColumn {
  if (reader !== null) return reader.finish(findings);
  const builder = new GeometryBuilder('XY', rowCount, 0);
  for (let row = 0; row < rowCount; row++) builder.endFeature(GEOMETRY_TYPE.none);
  return builder.take();
}

/** Object ids are the numbers of rows. */
function idsOf({ numbers, count }: StoredRows): AttributeColumn {
  const ids = new ColumnBuilder('int64', count);
  for (let i = 0; i < count; i++) ids.appendBigInt(BigInt(numbers[i]));
  return ids.finish();
}

function attributes(
  { coded }: GdbState,
  read: ReadRows,
  findings: Findings,
): { readonly fields: Field[]; readonly columns: AttributeColumn[] } {
  const fields: Field[] = [];
  const columns: AttributeColumn[] = [];
  const columnOf = (name: string | null): AttributeColumn | null => {
    const at = read.fields.findIndex((field) => field.name.toLowerCase() === name?.toLowerCase());
    return at < 0 ? null : read.columns[at];
  };
  for (const [i, { name, valueType }] of read.fields.entries()) {
    const type = valueType ?? 'string';
    const column = read.columns[i] ?? nullColumn(type, read.rows.count);
    const own = coded.find(({ field }) => field === name);
    if (own === undefined || own.textField !== name) {
      fields.push({ name, type });
      columns.push(column);
    }
    if (own === undefined) continue;
    fields.push({ name: own.textField, type: 'string' });
    columns.push(textColumn(column, columnOf(own.subtypeField), own, read.rows.count, findings));
  }
  return { fields, columns };
}

export const reader: FormatReader = {
  typing: 'declared',
  mixedType: 'string',
  ids: 'row numbers',
  excerpts: {
    boundaries: 'known',
    countFeatures({ state }, partition) {
      const { cut, isCountExact } = state as GdbState;
      return isCountExact ? countRows(cut, partition) : null;
    },
  },
  open: openGeodatabase,
  readPartition,
  unpackedSet({ state }) {
    const { packed } = state as GdbState;
    return packed === null ? null : unpackedSet(packed);
  },
};
