/** The first rows of a CSV, by which its delimiter and its geometry are recognised. Bounded in bytes and rows. */
import type { ByteSource } from '@geomill/io/byte-source.ts';
import {
  CELL_ESCAPED,
  CELL_QUOTED,
  type CellTable,
  MALFORMED,
  RECORD,
  RecordScanner,
  TRUNCATED,
  unescapeCell,
} from './records.ts';

export const SAMPLE_BYTES = 256 << 10;
/** If the first row is longer than the sample. */
const MAX_SAMPLE_BYTES = 16 << 20;
const SAMPLE_ROWS = 1000;

export interface Sample extends CellTable {
  /** Share of the records that have as many cells as the header; 1 if there are none. */
  readonly share: number;
  /** Line of each row, counted from 1. */
  readonly lines: readonly number[];
  /** The end of the first row. */
  readonly firstEnd: { readonly offset: number; readonly lines: number };
}

/** The rows that begin at `start`, after the header and `linesBefore` lines. */
export function sampleRows(
  source: ByteSource,
  start: number,
  delimiter: number,
  newline: number,
  columnCount: number,
  linesBefore: number,
): Sample {
  for (let size = SAMPLE_BYTES; ; size *= 4) {
    const bytes = source.slice(start, start + size);
    const isComplete = start + bytes.length >= source.byteLength;
    const scanner = new RecordScanner(bytes, isComplete, delimiter, newline, columnCount);
    let records = 0;
    const lines: number[] = [];
    let firstEnd = { offset: start, lines: linesBefore };
    while (scanner.at < bytes.length && records < SAMPLE_ROWS) {
      const line = linesBefore + scanner.lineCount + 1;
      const outcome = scanner.next();
      if (outcome === TRUNCATED) break;
      if (outcome === RECORD || outcome === MALFORMED) records++;
      if (outcome !== RECORD || scanner.cellCount !== columnCount) continue;
      scanner.keep();
      if (lines.length === 0)
        firstEnd = { offset: start + scanner.at, lines: linesBefore + scanner.lineCount };
      lines.push(line);
    }
    if (records === 0 && !isComplete && size < MAX_SAMPLE_BYTES) continue;
    const { starts, ends, flags, rowCount } = scanner;
    const share = records === 0 ? 1 : rowCount / records;
    return { bytes, starts, ends, flags, columnCount, rowCount, share, lines, firstEnd };
  }
}

/** The bytes of one cell, without quotes and without blanks at its edges. Reuse one instance. */
export class CellBytes {
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0; // exclusive
  isQuoted = false;
  #scratch = new Uint8Array(256);

  /** Opens the cell with this index (see CellTable). Returns whether it has any text. */
  open(table: CellTable, cell: number): boolean {
    let { bytes } = table;
    let start = table.starts[cell];
    let end = table.ends[cell];
    if ((table.flags[cell] & CELL_ESCAPED) !== 0) {
      if (this.#scratch.length < end - start) this.#scratch = new Uint8Array((end - start) * 2);
      end = unescapeCell(bytes, start, end, this.#scratch);
      start = 0;
      bytes = this.#scratch;
    }
    while (start < end && bytes[start] <= 0x20) start++;
    while (start < end && bytes[end - 1] <= 0x20) end--;
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.isQuoted = (table.flags[cell] & CELL_QUOTED) !== 0;
    return start < end;
  }
}

const SHOWN_CHARACTERS = 60;

/** The text of a cell for messages. */
export function shownCell({ bytes, start, end }: CellBytes): string {
  const text = new TextDecoder().decode(bytes.subarray(start, Math.min(end, start + SHOWN_CHARACTERS * 4)));
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text;
}
