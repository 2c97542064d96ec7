/** Encodes a batch as the values that the sink binds to its INSERT statement. Runs in the workers. */
import { type AttributeColumn, columnBuffers, type Float64Column } from '../../batch/attribute-column.ts';
import type { FeatureBatch } from '../../batch/feature-batch.ts';
import { Findings } from '../../findings.ts';
import type { EncodedChunk } from '../format.ts';
import { type DatetimeZones, datetimeTexts } from './datetime-text.ts';
import { type FidCandidates, fidCandidates } from './fids.ts';
import { encodeGeometries, type GeometryBlobs } from './geometry-encode.ts';

export interface GpkgChunk {
  readonly rowCount: number;
  readonly geometry: GeometryBlobs;
  readonly columns: readonly ChunkColumn[];
  readonly ids: FidCandidates | null;
}

export interface ChunkColumn {
  readonly column: AttributeColumn;
  /** Every byte of a text column is below 0x80, so that byte offsets are character offsets. */
  readonly isAscii: boolean;
}

export function encodeBatch(batch: FeatureBatch, srsId: number, zones: DatetimeZones): EncodedChunk {
  const findings = new Findings();
  const { rowCount } = batch;
  const geometry = encodeGeometries(batch.geometry, rowCount, srsId);
  const columns = batch.columns.map((column, i) =>
    chunkColumn(column, rowCount, batch.fields[i].name, zones, findings),
  );
  const ids = fidCandidates(batch.ids, rowCount);
  const data: GpkgChunk = { rowCount, geometry, columns, ids };
  return { data, transfer: buffersOf(data), findings: findings.found() };
}

function chunkColumn(
  column: AttributeColumn,
  rowCount: number,
  name: string,
  zones: DatetimeZones,
  findings: Findings,
): ChunkColumn {
  switch (column.type) {
    case 'float64':
      return { column: withoutNaN(column, rowCount, name, findings), isAscii: false };
    case 'datetime': {
      const texts = datetimeTexts(column, rowCount, name, zones, findings);
      return { column: texts, isAscii: isAscii(texts.bytes) };
    }
    case 'string':
    case 'date':
    case 'json':
      return { column, isAscii: isAscii(column.bytes) };
    default:
      return { column, isAscii: false };
  }
}

/** SQLite supports infinities, but stores NaN as null. */
function withoutNaN(
  column: Float64Column,
  rowCount: number,
  name: string,
  findings: Findings,
): Float64Column {
  let validity = column.validity;
  for (let row = 0; row < rowCount; row++) {
    if (!Number.isNaN(column.values[row])) continue;
    if (validity === column.validity)
      validity = validity?.slice() ?? new Uint8Array((rowCount + 7) >> 3).fill(255);
    const bit = 1 << (row & 7);
    if (validity === null || (validity[row >> 3] & bit) === 0) continue;
    validity[row >> 3] &= ~bit;
    findings.note(
      'NUMBER_NOT_FINITE',
      { field: name, format: 'GeoPackage' },
      { record: row + 1, field: name },
    );
  }
  return validity === column.validity ? column : { ...column, validity };
}

function isAscii(bytes: Uint8Array): boolean {
  let all = 0;
  for (let i = 0; i < bytes.length; i++) all |= bytes[i];
  return all < 0x80;
}

/** Memory of the values, at least. */
export function chunkByteLength(chunk: GpkgChunk): number {
  return buffersOf(chunk).reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Columns of a batch may share a buffer, which can only be transferred once. */
function buffersOf({ geometry, columns, ids }: GpkgChunk): ArrayBuffer[] {
  const buffers = new Set([geometry.bytes.buffer, geometry.offsets.buffer, geometry.boxes.buffer]);
  for (const { column } of columns) for (const buffer of columnBuffers(column)) buffers.add(buffer);
  if (ids !== null) {
    buffers.add(ids.values.buffer);
    if (ids.kinds !== null) buffers.add(ids.kinds.buffer);
    if (ids.texts !== null) for (const buffer of columnBuffers(ids.texts)) buffers.add(buffer);
  }
  return [...buffers];
}
