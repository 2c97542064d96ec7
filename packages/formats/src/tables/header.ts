/**
 * Finds the header of a table of text: its line, its delimiter and its names. Files of programs have lines before it (titles, comments,
 * "sep=;") and a line of units after it; whatever is skipped is reported.
 */

import { invalidUtf8At, UTF8 } from '@geomill/core/bytes/utf8.ts';
import { CR, LF, SPACE } from '@geomill/core/text/ascii.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { checkFieldCount } from '@geomill/io/limits.ts';
import { areUtf8, latin1Text } from '@geomill/platform/bytes.ts';
import type { InputFile, OpenContext } from '../reader.ts';
import { DELIMITERS } from './delimiter.ts';
import type { HeaderReading, LineStart } from './located.ts';
import type { TableMessages } from './messages.ts';
import {
  CELL_ESCAPED,
  CELL_QUOTED,
  MALFORMED,
  RECORD,
  RecordScanner,
  TRUNCATED,
  unescapeCell,
} from './records.ts';
import { type Sample, sampleRows } from './sample.ts';
import { invalidText } from './transcode.ts';
import { isEmptyColumn } from './typing.ts';

/** Bytes read first for the header; more if the header is longer. */
const HEAD_BYTES = 64 << 10;
const MAX_HEADER_BYTES = 16 << 20;
/** A header is looked for in this many lines. */
const MAX_LINES_BEFORE = 40;

export interface HeadSettings {
  readonly file: InputFile;
  readonly layerName: string;
  readonly source: ByteSource;
  readonly context: OpenContext;
  readonly messages: TableMessages;
  /** The byte that lines are counted by. */
  readonly newline: number;
  /** The delimiter that is stated; null: none is. */
  readonly delimiter: number | null;
  /** False: the first line is data. */
  readonly hasHeader: boolean;
}

/** Length of the UTF-8 byte order mark, 0 without one. */
function bomLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** The byte that ends lines: LF, or CR if the first lines end without LF. */
export function newlineOf(source: ByteSource): number {
  for (let size = HEAD_BYTES; ; size *= 4) {
    const bytes = source.slice(0, size);
    if (bytes.includes(LF)) return LF;
    if (bytes.includes(CR)) return CR;
    if (bytes.length === source.byteLength || size >= MAX_HEADER_BYTES) return LF;
  }
}

/** "sep=;" in the first line tells Excel the delimiter. */
const EXCEL_LINE = /^"?sep=(.)"?[ \t]*(?:\r\n|\n|\r|$)/is;

/** Where the text begins, after a byte order mark and a line for Excel. Throws SYNTAX for a delimiter that is not read. */
export function beginning(
  source: ByteSource,
  messages: TableMessages,
): {
  readonly start: LineStart;
  readonly delimiter: number | null;
} {
  const head = source.slice(0, 64);
  const offset = bomLength(head);
  const found = EXCEL_LINE.exec(latin1Text(head, offset));
  if (found === null) return { start: { offset, lines: 0 }, delimiter: null };
  const delimiter = found[1].charCodeAt(0);
  if (!DELIMITERS.includes(delimiter))
    throw messages.failure(
      'SYNTAX',
      {
        line: 1,
        reason: `'sep=${found[1]}' states a delimiter that is not read; use a comma, semicolon, tab or pipe`,
      },
      { line: 1 },
    );
  return { start: { offset: offset + found[0].length, lines: 1 }, delimiter };
}

/** The first line from `start` on that is not blank; `start` if all are. Exports can begin with megabytes of blank lines. */
export function firstLine({ source, newline }: HeadSettings, start: LineStart): LineStart {
  let { offset, lines } = start;
  for (let at = offset; at < source.byteLength; ) {
    const bytes = source.slice(at, at + HEAD_BYTES);
    for (const byte of bytes) {
      at++;
      if (byte === newline) {
        offset = at;
        lines++;
      } else if (byte !== SPACE && byte !== CR && byte !== LF) return { offset, lines };
    }
  }
  return start;
}

/** `start` and the starts of the next lines, while there are bytes after them. */
export function* linesFrom({ source, newline }: HeadSettings, start: LineStart): Generator<LineStart, void> {
  yield start;
  const bytes = source.slice(start.offset, start.offset + HEAD_BYTES);
  let at = 0;
  for (let i = 1; i <= MAX_LINES_BEFORE; i++) {
    at = bytes.indexOf(newline, at) + 1;
    if (at === 0 || start.offset + at >= source.byteLength) return;
    yield { offset: start.offset + at, lines: start.lines + i };
  }
}

/** The start of a line, counted from 1; null if the first bytes have fewer lines. */
export function lineStart({ source, newline }: HeadSettings, line: number): LineStart | null {
  const bytes = source.slice(0, MAX_HEADER_BYTES);
  let offset = bomLength(bytes);
  for (let i = 1; i < line; i++) {
    offset = bytes.indexOf(newline, offset) + 1;
    if (offset === 0) return null;
  }
  return offset < source.byteLength ? { offset, lines: line - 1 } : null;
}

/**
 * The header at `start`, one reading for each delimiter that is possible, the comma first. Throws what `recordAt` does if
 * there is none. Readings with fewer cells than `leastCells` are left out.
 */
export function* headerReadings(
  settings: HeadSettings,
  start: LineStart,
  leastCells = 1,
): Generator<HeaderReading, void> {
  const { hasHeader, delimiter: given, messages } = settings;
  let fault: unknown = null;
  let count = 0;
  for (const delimiter of given === null ? DELIMITERS : [given]) {
    let record: FirstRecord;
    try {
      record = recordAt(settings, start, delimiter);
    } catch (error) {
      // Text after a closing quote is only the sign of another delimiter.
      if (!messages.is(error, 'SYNTAX')) throw error;
      fault ??= error;
      continue;
    }
    count++;
    const { cells, from, end } = record;
    if (cells.length >= leastCells)
      yield readingOf(settings, delimiter, cells, start.lines + 1, hasHeader ? end : from);
  }
  if (count === 0) throw fault;
}

function readingOf(
  { source, newline, hasHeader, messages }: HeadSettings,
  delimiter: number,
  headerCells: readonly string[],
  line: number,
  dataStart: LineStart,
): HeaderReading {
  const { offset, lines } = dataStart;
  const rowsOf = (columnCount: number): Sample =>
    sampleRows(source, offset, delimiter, newline, columnCount, lines);
  let sample: Sample | null = null;
  let cells = headerCells;
  let hasTrailing = false;
  // A header of one cell is mostly the sign of another delimiter: its rows are read only if they are asked for.
  if (hasHeader && cells.length > 1) {
    const own = rowsOf(cells.length);
    const isOther = own.rowCount === 0 && own.share === 0;
    const longer = isOther ? rowsOf(cells.length + 1) : null;
    // GDAL writes a delimiter after the name of a single column, and none after its values.
    const named = cells.findLastIndex((cell) => cell !== '') + 1;
    const shorter = isOther && named > 0 && named < cells.length ? rowsOf(named) : null;
    hasTrailing = longer !== null && longer.share === 1 && isEmptyColumn(longer, cells.length);
    sample = hasTrailing ? longer : own;
    if (!hasTrailing && shorter?.share === 1) {
      cells = cells.slice(0, named);
      sample = shorter;
    }
  }
  const all = hasTrailing ? [...cells, ''] : cells;
  const names = hasHeader ? all : all.map((_, i) => `column_${i + 1}`);
  const sampleOf = (): Sample => {
    sample ??= rowsOf(names.length);
    return sample;
  };
  return { delimiter, messages, newline, names, line, dataStart, hasTrailing, sample: sampleOf };
}

/** The same header without the row after it. */
export function withoutFirstRow(settings: HeadSettings, reading: HeaderReading): HeaderReading {
  const { source, newline } = settings;
  const { delimiter, names, sample } = reading;
  const dataStart = sample().firstEnd;
  const rows = sampleRows(source, dataStart.offset, delimiter, newline, names.length, dataStart.lines);
  return { ...reading, dataStart, sample: () => rows };
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

interface FirstRecord {
  readonly cells: string[];
  /** The start of the record. */
  readonly from: LineStart;
  readonly end: LineStart;
}

/** The first record at or after `start` that is not a blank line. */
function recordAt(settings: HeadSettings, start: LineStart, delimiter: number): FirstRecord {
  const { file, layerName, source, newline, context, messages } = settings;
  for (let size = HEAD_BYTES; ; size *= 4) {
    const bytes = source.slice(start.offset, start.offset + size);
    const isComplete = start.offset + bytes.length >= source.byteLength;
    // Two passes: the first counts the cells, the second stores their positions.
    const counter = new RecordScanner(bytes, isComplete, delimiter, newline, 0);
    const outcome = nextRecord(counter);
    const isUnfinished = outcome === TRUNCATED || (outcome === null && !isComplete);
    if (isUnfinished && size < MAX_HEADER_BYTES) continue;
    if (outcome === null) throw messages.failure('BLANK', { source: file.name, bytes: source.byteLength });
    const line = start.lines + Math.max(counter.lineCount, 1);
    if (outcome === TRUNCATED) {
      const reason = `the header is longer than ${MAX_HEADER_BYTES} bytes`;
      throw messages.failure('SYNTAX', { line: start.lines + 1, reason }, { line: start.lines + 1 });
    }
    if (outcome === MALFORMED)
      throw messages.failure('SYNTAX', { line, reason: `in the header: ${counter.reason}` }, { line });
    const invalid = areUtf8(bytes.subarray(0, counter.at)) ? -1 : invalidUtf8At(bytes, 0, counter.at);
    if (invalid >= 0) throw invalidText(file.name, start.offset + invalid, UTF8);
    // At least one of the columns contains the geometries.
    checkFieldCount(layerName, counter.cellCount - 1, context.limits);
    const scanner = new RecordScanner(bytes, isComplete, delimiter, newline, counter.cellCount);
    nextRecord(scanner);
    return {
      cells: Array.from({ length: scanner.cellCount }, (_, i) => cellText(scanner, i)),
      from: start,
      end: { offset: start.offset + scanner.at, lines: start.lines + scanner.lineCount },
    };
  }
}

/** The outcome of the first record that is not a blank line; null if there is none. */
function nextRecord(scanner: RecordScanner): number | null {
  while (scanner.at < scanner.bytes.length) {
    const outcome = scanner.next();
    if (outcome === RECORD || outcome === MALFORMED || outcome === TRUNCATED) return outcome;
  }
  return null;
}

function cellText(scanner: RecordScanner, index: number): string {
  const start = scanner.starts[index];
  const end = scanner.ends[index];
  const flag = scanner.flags[index];
  if ((flag & CELL_ESCAPED) !== 0) {
    const target = new Uint8Array(end - start);
    return decoder.decode(target.subarray(0, unescapeCell(scanner.bytes, start, end, target)));
  }
  const text = decoder.decode(scanner.bytes.subarray(start, end));
  return (flag & CELL_QUOTED) !== 0 ? text : text.trim();
}
