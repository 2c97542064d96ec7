/**
 * Reads all rows of a sheet in pieces. That a row begins where a piece does is a guess: what was read from there is used only if
 * the piece before ended there; otherwise it is discarded, with any error, and read again from the right place.
 */

import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { OrderedTasks, type Outcome } from '@geomill/core/ordered-tasks.ts';
import { CR, LF } from '@geomill/core/text/ascii.ts';
import type { ByteSink } from '@geomill/io/byte-sink.ts';
import { openSegment } from '@geomill/io/file-segment.ts';
import type { Unpacking } from '@geomill/io/unpacking.ts';
import { byteView } from '@geomill/platform/bytes.ts';
import type { OpenThreads } from '../reader.ts';
import { CellNotes } from './cell-notes.ts';
import { ColumnKinds } from './column-kinds.ts';
import { ROW_TAG_BYTES, rowTagIn } from './row-tags.ts';
import { invalidSheet } from './sheet-faults.ts';
import { type PieceSetting, type PieceTask, type PieceText, readPiece } from './sheet-piece.ts';
import { ROWS_END } from './sheet-rows.ts';

/** Rows by which the number of columns is guessed: what a sheet states about its size is often wrong. */
const SAMPLE_ROWS = 100;
const PIECE_BYTES = 1 << 20;
/** Smaller sheets are read in this thread. */
const LARGE_BYTES = 4 << 20;
/** A piece ends at the first row that begins in so many bytes, or anywhere. */
const SEARCHED_BYTES = 4 << 20;
const SEARCH_BYTES = 64 << 10;
/** One row is held in memory as a whole, with up to as much after it. */
const MAX_ROW_BYTES = 128 << 20;

/** Where the rows are, and how they are read. */
export interface RowArea {
  readonly unpacking: Unpacking;
  /** Offset of the first row. */
  readonly start: number;
  /** Called with the bytes that are added to the text, and how many of them separate cells at most. Throws LIMIT_EXCEEDED. */
  readonly count: (byteLength: number, separators: number) => void;
  readonly threads: OpenThreads | undefined;
}

/** Offsets in the sheet. */
interface PieceRange {
  readonly start: number;
  readonly end: number;
}

export class SheetPass {
  readonly kinds = new ColumnKinds();
  readonly notes = new CellNotes();
  /** Number of columns up to the last one with a value. If it is greater than the width, the text is not complete. */
  columnCount = 0;
  /** Offsets in the text at which partitions can begin. */
  readonly starts: number[] = [];
  /** Offset in the sheet after what was read; at the end, that after the end tag of sheetData. */
  next: number;
  readonly #setting: PieceSetting;
  readonly #area: RowArea;
  readonly #sink: ByteSink;
  readonly #pieces: OrderedTasks<PieceRange, PieceText>;
  /** Number of the row that was read last. */
  #row = 0;
  /** Lines that were written. */
  #lines = 0;

  constructor(setting: PieceSetting, area: RowArea, sink: ByteSink) {
    this.#setting = setting;
    this.#area = area;
    this.#sink = sink;
    this.next = area.start;
    const { threads, unpacking } = area;
    const isSmall = unpacking.segment.byteLength < LARGE_BYTES;
    this.#pieces = new OrderedTasks({
      tasks: piecesOf(area),
      run: (range) => this.#read(range, isSmall ? undefined : threads),
      width: threads === undefined || isSmall ? 1 : threads.width * 2,
      release: ({ text }) => void text.buffer.transfer(0),
    });
  }

  /** The number of columns of the first rows. */
  static async guessWidth(setting: Omit<PieceSetting, 'width'>, area: RowArea): Promise<number> {
    const { start } = area;
    const end = await borderAfter(area.unpacking, start + PIECE_BYTES);
    const task = { setting: { ...setting, width: 0 }, start, end, rowBefore: 0, maxRows: SAMPLE_ROWS };
    return readPiece(task).columnCount;
  }

  /** Appends the text to the sink. Throws XLSX_INVALID, XML_SYNTAX, LIMIT_EXCEEDED and ZIP_INVALID. */
  async run(): Promise<void> {
    try {
      while (!(await this.#runPiece()));
    } finally {
      await this.#pieces.close();
    }
  }

  /** Whether the rows end in the piece. */
  async #runPiece(): Promise<boolean> {
    const { byteLength } = this.#area.unpacking.segment;
    let { start, end, outcome } = await this.#nextPiece();
    if (start < this.next) {
      this.#pieces.discard(outcome);
      if (end <= this.next) return false;
      outcome = await this.#pieces.runNow({ start: this.next, end });
    }
    for (;;) {
      if ('error' in outcome) throw outcome.error;
      const { ending, next } = outcome.result;
      if (ending !== ROWS_END.unnumbered) this.#take(outcome.result);
      if (ending === ROWS_END.sheetData) return true;
      // At the end of the sheet, a last reading of nothing fails.
      if (ending === ROWS_END.full && next >= end && end < byteLength) return false;
      // What begins there ends in a later piece.
      if (ending === ROWS_END.cut) end = await this.#endAfter(start, next, end);
      start = this.next;
      outcome = await this.#pieces.runNow({ start, end });
    }
  }

  /** A later end, for what begins at `next` and is longer than a piece from `start` to `end`. Throws LIMIT_EXCEEDED. */
  async #endAfter(start: number, next: number, end: number): Promise<number> {
    const { byteLength } = this.#area.unpacking.segment;
    const wanted = next === start ? Math.min(start + 2 * (end - start), byteLength) : end + 1;
    while (end < wanted) {
      const piece = await this.#nextPiece();
      this.#pieces.discard(piece.outcome);
      ({ end } = piece);
    }
    if (end - next <= 2 * MAX_ROW_BYTES) return end;
    throw failure(generalErrors.LIMIT_EXCEEDED, {
      what: 'the length of one row or text in bytes',
      actual: end - next,
      limit: MAX_ROW_BYTES,
      setting: 'a fixed limit',
    });
  }

  async #nextPiece(): Promise<PieceRange & { readonly outcome: Outcome<PieceText> }> {
    const next = await this.#pieces.next();
    if (next === null) throw new Error('the rows end after the last piece');
    return { ...next.task, outcome: next.outcome };
  }

  async #read({ start, end }: PieceRange, threads: OpenThreads | undefined): Promise<PieceText> {
    const rowBefore = start === this.next ? this.#row : -1;
    const task: PieceTask = { setting: this.#setting, start, end, rowBefore, maxRows: Number.MAX_VALUE };
    return threads === undefined ? readPiece(task) : ((await threads.work(task)) as PieceText);
  }

  #take(piece: PieceText): void {
    const { fileName, sheet, width } = this.#setting;
    this.next = piece.next;
    if (piece.firstRead > 0) {
      if (piece.firstRead <= this.#row)
        throw invalidSheet(fileName, sheet, `row ${piece.firstRead} comes after row ${this.#row}`);
      this.#row = piece.lastRead;
    }
    this.kinds.merge(piece.lastRows);
    this.notes.add(piece.counts);
    this.columnCount = Math.max(this.columnCount, piece.columnCount);
    if (piece.firstRow > 0 && this.columnCount <= width) this.#append(piece);
  }

  #append({ text, starts, firstRow, lastRow, rowCount }: PieceText): void {
    const { partitionBytes, width } = this.#setting;
    const sink = this.#sink;
    const begin = (start: number): void => {
      const last = this.starts.at(-1);
      if (last === undefined || start - last >= partitionBytes) this.starts.push(start);
    };
    begin(sink.byteLength);
    // Blank lines stand for rows without values, so that lines and rows have the same numbers.
    sink.append(lineEnds(firstRow - this.#lines - 1));
    const base = sink.byteLength;
    for (const start of starts) begin(base + start);
    this.#area.count(text.length, rowCount * width);
    sink.append(text);
    this.#lines = lastRow;
    // Frees its memory at once.
    text.buffer.transfer(0);
  }
}

function lineEnds(count: number): Uint8Array {
  const lines = new Uint8Array(2 * count);
  for (let i = 0; i < lines.length; i += 2) {
    lines[i] = CR;
    lines[i + 1] = LF;
  }
  return lines;
}

/** Each begins where a row seems to begin. */
async function* piecesOf({ unpacking, start: first }: RowArea): AsyncGenerator<PieceRange> {
  const { byteLength } = unpacking.segment;
  for (let start = first; start < byteLength; ) {
    const end = await borderAfter(unpacking, start + PIECE_BYTES);
    yield { start, end };
    start = end;
  }
}

/** Where a row seems to begin, at `from` or after it; the end of the sheet if that comes first. */
async function borderAfter(unpacking: Unpacking, from: number): Promise<number> {
  const { segment } = unpacking;
  const { byteLength } = segment;
  const last = Math.min(from + SEARCHED_BYTES, byteLength);
  let at = from;
  while (at < last) {
    await unpacking.reach(at + SEARCH_BYTES);
    using source = openSegment(segment);
    const bytes = source.slice(at, at + SEARCH_BYTES);
    const found = rowTagIn(byteView(bytes));
    if (found >= 0) return at + found;
    at += SEARCH_BYTES - ROW_TAG_BYTES;
  }
  await unpacking.reach(last);
  return last;
}
