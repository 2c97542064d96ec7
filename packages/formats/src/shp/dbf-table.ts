/** The table of a shapefile: what opening its .dbf shows, and the rows of a partition. */
import { textDecoder } from '@geomill/core/bytes/text-encoding.ts';
import { UTF8 } from '@geomill/core/bytes/utf8.ts';
import { NO_ROW, RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { type FileSegment, withSegment } from '@geomill/io/file-segment.ts';
import { checkFieldCount } from '@geomill/io/limits.ts';
import type { EncodingOrigin, OpenContext, Partition } from '../reader.ts';
import { type DbfRows, DELETED_ROW } from './dbf-cells.ts';
import { type DbfColumn, planColumns } from './dbf-columns.ts';
import { findEncoding } from './dbf-encoding.ts';
import { dbfHeadBytes, readDbfHeader } from './dbf-header.ts';
import type { ShapefileSet } from './file-set.ts';
import { shpFindings } from './messages.ts';

export interface ShpTable {
  readonly segment: FileSegment;
  readonly headerBytes: number;
  readonly rowBytes: number;
  readonly rowCount: number;
  readonly columns: readonly DbfColumn[];
  readonly encoding: string;
  readonly encodingOrigin: EncodingOrigin;
}

/** A longer file is not a valid .prj or .cpg. */
const SMALL_FILE_BYTES = 1 << 20;

export function openTable(set: ShapefileSet, context: OpenContext): ShpTable | null {
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

export function readSmallText(segment: FileSegment): string {
  const bytes = withSegment(segment, (source) => source.slice(0, SMALL_FILE_BYTES));
  return decodeUtf8(bytes, 0, bytes.length)
    .replace(/^\ufeff/, '')
    .replaceAll('\0', '')
    .trim();
}

/** Bytes of the .dbf read at once to find deletion marks. */
const MARKS_BYTES = 8 << 20;

/** The number of rows that are marked as deleted. */
export function deletedRows(table: ShpTable | null, start: number, end: number): number {
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
export function readRows(table: ShpTable | null, partition: Partition, findings: Findings): DbfRows {
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
