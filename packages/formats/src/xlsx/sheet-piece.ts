/** Reads a piece of a sheet; in a worker thread, if the sheet is large. */
import { XmlFault } from '@geomill/core/text/xml-fault.ts';
import { type FileSegment, openSegment } from '@geomill/io/file-segment.ts';
import { XmlWindow } from '@geomill/io/xml-window.ts';
import type { CellCounts } from './cell-notes.ts';
import { SharedStrings, type StringTable } from './shared-strings.ts';
import { type RowSetting, SheetRows } from './sheet-rows.ts';

/** What the pieces of a sheet have in common; plain data. */
export interface PieceSetting extends Omit<RowSetting, 'strings'> {
  readonly strings: StringTable;
  readonly segment: FileSegment;
  /** Names of the root and of sheetData, with their prefixes. */
  readonly open: readonly Uint8Array[];
}

/** Bytes `[start, end)` of a sheet; a row, or other content of sheetData, begins at `start`. Plain data. */
export interface PieceTask {
  readonly setting: PieceSetting;
  readonly start: number;
  readonly end: number;
  /** Number of the row before it; -1: not known. */
  readonly rowBefore: number;
  /** The reading ends after so many rows with values. */
  readonly maxRows: number;
}

/** The rows of a piece; plain data. See SheetRows. */
export interface PieceText
  extends Pick<
    SheetRows,
    'firstRead' | 'lastRead' | 'firstRow' | 'lastRow' | 'rowCount' | 'columnCount' | 'starts'
  > {
  /** One of ROWS_END. */
  readonly ending: number;
  /** Offset in the sheet after what was read. */
  readonly next: number;
  readonly text: Uint8Array<ArrayBuffer>;
  readonly lastRows: Int32Array;
  readonly counts: CellCounts;
}

/** Throws XLSX_INVALID, XML_SYNTAX, TEXT_ENCODING_INVALID and LIMIT_EXCEEDED. */
export function readPiece({ setting, start, end, rowBefore, maxRows }: PieceTask): PieceText {
  const { segment, open } = setting;
  using source = openSegment(segment);
  using strings = new SharedStrings(setting.strings);
  const window = new XmlWindow(source, segment.name);
  window.load(start, end);
  const { scanner } = window;
  for (const name of open) scanner.enter(name);
  const rows = new SheetRows({ ...setting, strings }, rowBefore, end - start, maxRows);
  let ending: number;
  try {
    ending = rows.read(scanner, window.reachesEnd);
  } catch (fault) {
    throw fault instanceof XmlFault ? window.failureOf(fault) : fault;
  }
  window.checkEncoding(rows.next);
  const { firstRead, lastRead, firstRow, lastRow, rowCount, columnCount, starts } = rows;
  return {
    firstRead,
    lastRead,
    firstRow,
    lastRow,
    rowCount,
    columnCount,
    starts,
    ending,
    next: start + rows.next,
    text: rows.out.written(),
    lastRows: rows.kinds.lastRows,
    counts: rows.notes.mark(),
  };
}
