/** Encodes a batch as records for the sink. Runs in the workers. */

import {
  type AttributeColumn,
  type BytesColumn,
  columnBuffers,
  type Float64Column,
  isValid,
} from '@geomill/core/columns/attribute-column.ts';
import { buffersOfGeometry, type FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { SphereBoxes } from '@geomill/core/sphere/sphere-boxes.ts';
import { asciiSlice, MINUS } from '@geomill/core/text/ascii.ts';
import { areAscii } from '@geomill/platform/bytes.ts';
import { formatFindings } from '../findings.ts';
import { noteDroppedGeometries } from '../table-output.ts';
import type { EncodedChunk } from '../writer.ts';
import type { GpkgChunk } from './chunk.ts';
import { type DatetimeZones, datetimeTexts } from './datetime-text.ts';
import { fidCandidates } from './fids.ts';
import type { LayerState } from './layer-state.ts';
import { encodeRecords } from './record-encode.ts';
import { rowsWithoutGeometry, withoutGeometryValues } from './table-records.ts';

/** `isSpent`: as in FormatWriter. */
export function encodeBatch(
  batch: FeatureBatch,
  { srsId, zones, isInDegrees, hasGeometry, table }: LayerState,
  isSpent: boolean,
): EncodedChunk {
  const findings = new Findings();
  const { rowCount } = batch;
  const columns = batch.columns.map((column, i) =>
    storedColumn(column, rowCount, batch.fields[i].name, zones, findings),
  );
  const ids = fidCandidates(batch.ids, rowCount);
  if (ids?.texts != null) columns.push(ids.texts);
  if (!hasGeometry)
    noteDroppedGeometries(batch, findings, table.kind === 'existing' ? table.plan.layer : null);
  const geometry = hasGeometry ? batch.geometry : rowsWithoutGeometry(rowCount);
  const wider = isInDegrees ? new SphereBoxes(geometry) : null;
  const spent = isSpent ? buffersOfGeometry(batch) : [];
  const encoded = encodeRecords(geometry, columns, rowCount, srsId, wider, spent);
  const data: GpkgChunk = {
    rowCount,
    hasGeometry,
    ...(hasGeometry ? encoded : withoutGeometryValues(encoded)),
    columns: columns.map((column) => ({
      type: column.type,
      isAscii: 'offsets' in column && column.type !== 'binary' && areAscii(column.bytes),
    })),
    ids,
    hasNumericTexts: columns.some((column) => isTime(column) && hasNumericTexts(column, rowCount)),
  };
  return { data, transfer: buffersOf(data), findings: findings.found() };
}

/** The column with the values that are written. */
function storedColumn(
  column: AttributeColumn,
  rowCount: number,
  name: string,
  zones: DatetimeZones,
  findings: Findings,
): AttributeColumn {
  switch (column.type) {
    case 'float64':
      return withoutNaN(column, rowCount, name, findings);
    case 'datetime':
      return datetimeTexts(column, rowCount, name, zones, findings);
    default:
      return column;
  }
}

/** SQLite supports infinities, but stores NaN as null. */
function withoutNaN(
  column: Float64Column,
  rowCount: number,
  name: string,
  findings: Findings,
): Float64Column {
  if (!column.values.includes(Number.NaN)) return column;
  let validity = column.validity;
  for (let row = 0; row < rowCount; row++) {
    if (!Number.isNaN(column.values[row])) continue;
    if (validity === column.validity)
      validity = validity?.slice() ?? new Uint8Array((rowCount + 7) >> 3).fill(255);
    const bit = 1 << (row & 7);
    if (validity === null || (validity[row >> 3] & bit) === 0) continue;
    validity[row >> 3] &= ~bit;
    findings.note(
      formatFindings.NUMBER_NOT_FINITE,
      { field: name, format: 'GeoPackage' },
      { record: row + 1, field: name },
    );
  }
  return validity === column.validity ? column : { ...column, validity };
}

/** The types of which SQLite stores texts that are numbers as numbers: their names do not contain TEXT. */
function isTime(column: AttributeColumn): column is BytesColumn {
  return column.type === 'date' || column.type === 'datetime';
}

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;
/** Length of a date, and where it has its first hyphen. */
const DATE_LENGTH = 10;
const HYPHEN_AT = 4;
const NO_MARK = 0x40; // '@' and beyond: also the mark of an exponent

function hasNumericTexts({ bytes, offsets, validity }: BytesColumn, rowCount: number): boolean {
  for (let row = 0; row < rowCount; row++) {
    const start = offsets[row];
    // The usual form. A number has a hyphen only at its beginning or after the mark of an exponent.
    const isDate = offsets[row + 1] - start >= DATE_LENGTH && bytes[start + HYPHEN_AT] === MINUS;
    if (isDate && bytes[start + HYPHEN_AT - 1] < NO_MARK) continue;
    if (!isValid(validity, row)) continue;
    if (NUMBER.test(asciiSlice(bytes, start, offsets[row + 1]))) return true;
  }
  return false;
}

/** Memory of the rows, at least. */
export function chunkByteLength(chunk: GpkgChunk): number {
  return buffersOf(chunk).reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/**
 * Frees the memory of the rows at once, if it is theirs alone (chunks from a file share it). The sink makes few objects, so that
 * a garbage collection may be many chunks away.
 */
export function releaseRows({ records, boxes }: GpkgChunk): void {
  for (const { byteLength, buffer } of [records.bytes, records.offsets, boxes])
    if (byteLength > 0 && byteLength === buffer.byteLength) buffer.transfer(0);
}

function buffersOf({ records, boxes, ids }: GpkgChunk): ArrayBuffer[] {
  const buffers = new Set([records.bytes.buffer, records.offsets.buffer, boxes.buffer]);
  if (ids !== null) {
    buffers.add(ids.values.buffer);
    if (ids.kinds !== null) buffers.add(ids.kinds.buffer);
    if (ids.texts !== null) for (const buffer of columnBuffers(ids.texts)) buffers.add(buffer);
  }
  return [...buffers];
}
