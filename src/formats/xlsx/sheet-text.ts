/** Writes a sheet as a table of text to a file of the job. */
import { createFileSink } from '../../io/byte-sink.ts';
import { type FileSegment, openSegment } from '../../io/file-segment.ts';
import type { InputLimits } from '../../io/limits.ts';
import type { Partition } from '../format.ts';
import { MAX_COLUMNS } from './column-kinds.ts';
import type { WorkbookPackage } from './package.ts';
import { type RowTarget, SheetRows } from './sheet-rows.ts';
import type { Workbook } from './workbook.ts';
import { XmlParts } from './xml-parts.ts';

/** Rows by which the number of columns is guessed: what a sheet states about its size is often wrong. */
const SAMPLE_ROWS = 100;

export interface SheetText {
  readonly path: string;
  readonly rows: SheetRows;
  readonly partitions: readonly Partition[];
}

interface Sheet {
  readonly name: string;
  readonly segment: FileSegment;
}

/** Null: the sheet has no values. Throws XLSX_INVALID, XML_SYNTAX and LIMIT_EXCEEDED. */
export function writeSheetText(
  parts: WorkbookPackage,
  workbook: Workbook,
  sheet: Sheet,
  partitionBytes: number,
  limits: InputLimits,
): SheetText | null {
  const read = (width: number, target: RowTarget | null, maxRows?: number): SheetRows => {
    using source = openSegment(sheet.segment);
    const rows = new SheetRows(workbook, parts.name, sheet.name, width, target, maxRows);
    new XmlParts(source, sheet.segment.name).read((scanner, at) => rows.step(scanner, at));
    return rows;
  };
  let { columnCount } = read(MAX_COLUMNS, null, SAMPLE_ROWS);
  if (columnCount === 0) return null;
  for (;;) {
    const path = parts.scratchPath('sheet.txt');
    const sink = createFileSink(path);
    try {
      const rows = read(columnCount, { sink, partitionBytes, maxBytes: limits.unzippedBytes });
      const byteLength = rows.finish();
      if (rows.columnCount <= columnCount)
        return { path, rows, partitions: partitionsOf(rows.starts, byteLength) };
      // A later row has more columns: once more with all of them.
      columnCount = rows.columnCount;
    } finally {
      sink.close();
    }
  }
}

function partitionsOf(starts: readonly number[], byteLength: number): Partition[] {
  return starts.map((start, i) => ({ start: i === 0 ? 0 : start, end: starts[i + 1] ?? byteLength }));
}
