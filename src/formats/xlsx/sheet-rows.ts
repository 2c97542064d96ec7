/** Reads the rows of a sheet (ECMA-376 part 1, 18.3.1) and writes them as lines of a table of text. */
import { COMMA, CR, LF, NINE, ZERO } from '../../bytes/ascii.ts';
import { ByteWriter } from '../../bytes/byte-writer.ts';
import { asciiSlice, NumberScanner } from '../../bytes/number-text.ts';
import { NameTable } from '../../bytes/xml-names.ts';
import type { XmlScanner } from '../../bytes/xml-scanner.ts';
import { failure, type GeomillError } from '../../errors.ts';
import type { ByteSink } from '../../io/byte-sink.ts';
import { CellValues, EMPTY } from './cell-values.ts';
import { ColumnKinds, MAX_COLUMNS, MAX_ROWS } from './column-kinds.ts';
import { readRichText, readText } from './rich-text.ts';
import { SheetNotes } from './sheet-notes.ts';
import type { Workbook } from './workbook.ts';

const NAMES = new NameTable(['sheetData', 'row', 'c', 'v', 'f', 'is', 'mergeCell', 'mergeCells'] as const);
const encoder = new TextEncoder();
const REFERENCE = encoder.encode('r');
const TYPE = encoder.encode('t');
const STYLE = encoder.encode('s');
const MERGED_REFERENCE = encoder.encode('ref');
const FLUSH_BYTES = 1 << 20;
const MAX_LINE_BYTES = 128 << 20;

const LOWER_B = 0x62;
const LOWER_D = 0x64;
const LOWER_E = 0x65;
const LOWER_I = 0x69;
const LOWER_S = 0x73;

/** Where the rows are written; null: they are only looked at. */
export interface RowTarget {
  readonly sink: ByteSink;
  /** Wanted size of a partition in bytes. */
  readonly partitionBytes: number;
  /** Cells can repeat a shared text: what they are in the archive bounds nothing. */
  readonly maxBytes: number;
}

export class SheetRows {
  readonly kinds = new ColumnKinds();
  readonly notes = new SheetNotes();
  /** Number of columns up to the last one with a value. */
  columnCount = 0;
  /** The last row with a value, counted from 1. */
  lastRow = 0;
  /** Number of rows with a value. */
  rowCount = 0;
  /** Offsets in the target at which partitions can begin. */
  readonly starts: number[] = [];
  readonly #workbook: Workbook;
  readonly #fileName: string;
  readonly #sheet: string;
  readonly #width: number;
  readonly #maxRows: number;
  readonly #target: RowTarget | null;
  readonly #out = new ByteWriter(FLUSH_BYTES * 2);
  readonly #values: CellValues;
  readonly #scratch = new ByteWriter(1024);
  readonly #numbers = new NumberScanner();
  /** The row that was read last, with or without values. */
  #row = 0;
  /** Lines that were written. */
  #lines = 0;
  /** The column of the last value of the row; -1: it has none. */
  #written = -1;
  /** Bytes in the target. */
  #flushed = 0;
  /** The offset after the cell that was read last. */
  #after = 0;
  // Of the current cell:
  #column = 0;
  #type = 0;
  #format = 0;

  /** `width`: number of columns of the table; rows with more are not written (see `columnCount`). */
  constructor(
    workbook: Workbook,
    fileName: string,
    sheet: string,
    width: number,
    target: RowTarget | null,
    maxRows = Number.POSITIVE_INFINITY,
  ) {
    this.#workbook = workbook;
    this.#fileName = fileName;
    this.#sheet = sheet;
    this.#width = width;
    this.#target = target;
    this.#maxRows = maxRows;
    this.#values = new CellValues(this.#out, workbook.is1904);
  }

  /** An ElementStep. */
  step(scanner: XmlScanner, at: number): number {
    if (scanner.isEnd) return at;
    const depth = scanner.isEmpty ? scanner.depth + 1 : scanner.depth;
    const name = depth === 1 ? null : NAMES.find(scanner);
    if (depth === 3 && name === 'row') return this.#readRow(scanner, at);
    if (depth === 3 && name === 'mergeCell') {
      this.notes.addMerged(scanner.attributeText(MERGED_REFERENCE, this.#scratch) ?? '');
      return at;
    }
    if (depth === 1 || name === 'sheetData' || name === 'mergeCells') return at;
    return scanner.skip(at);
  }

  /** Writes what is left; returns the length of the text. */
  finish(): number {
    this.#flush();
    return this.#flushed;
  }

  #readRow(scanner: XmlScanner, at: number): number {
    const row = scanner.attribute(REFERENCE) ? this.#number(scanner) : this.#row + 1;
    if (!Number.isInteger(row) || row <= this.#row || row > MAX_ROWS)
      throw this.#invalid(`row ${row} comes after row ${this.#row}`);
    const out = this.#out;
    const from = out.length;
    const notes = this.notes.mark();
    let next = at;
    try {
      next = this.#readCells(scanner, at, row);
    } catch (fault) {
      out.length = from;
      this.notes.reset(notes);
      throw fault;
    }
    this.#row = row;
    if (this.#written < 0) return next;
    this.#endLine(from, row);
    return this.rowCount >= this.#maxRows ? -1 : next;
  }

  /** Appends the cells of the row, after blank lines for rows without values, and sets `#written`. */
  #readCells(scanner: XmlScanner, at: number, row: number): number {
    this.#written = -1;
    if (scanner.isEmpty) return at;
    const out = this.#out;
    const depth = scanner.depth;
    const blank = row - this.#lines - 1;
    let last = -1;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) {
        if (scanner.depth < depth) break;
        continue;
      }
      if (NAMES.find(scanner) !== 'c') {
        at = scanner.skip(at);
        continue;
      }
      this.#readAttributes(scanner, last + 1, row);
      const column = this.#column;
      if (column <= last || column >= MAX_COLUMNS)
        throw this.#invalid(`row ${row} has no order of its columns`);
      last = column;
      if (scanner.isEmpty) continue;
      const before = out.length;
      if (this.#written < 0) this.#beginLine(blank);
      for (let i = Math.max(this.#written, 0); i < column; i++) out.uint8(COMMA);
      const kind = this.#readCell(scanner, at, row);
      at = this.#after;
      if (kind === EMPTY) {
        out.length = before;
        continue;
      }
      this.#written = column;
      if (kind >= 0) this.kinds.add(column, kind, row);
      if (out.length > MAX_LINE_BYTES)
        throw this.#tooLarge('the text of one row in bytes', out.length, MAX_LINE_BYTES, 'a fixed limit');
    }
    return at;
  }

  /** Blank lines stand for rows without values, so that lines and rows have the same numbers. */
  #beginLine(blank: number): void {
    const out = this.#out;
    for (let i = 0; i < blank; i++) {
      out.uint8(CR);
      out.uint8(LF);
    }
  }

  /** Ends the line that begins at `from`. */
  #endLine(from: number, row: number): void {
    const out = this.#out;
    this.rowCount++;
    this.lastRow = row;
    if (this.#written >= this.columnCount) this.columnCount = this.#written + 1;
    if (this.#target === null || this.columnCount > this.#width) {
      out.reset();
      return;
    }
    for (let i = this.#written + 1; i < this.#width; i++) out.uint8(COMMA);
    out.uint8(CR);
    out.uint8(LF);
    const { partitionBytes } = this.#target;
    const blankBytes = 2 * (row - this.#lines - 1);
    const start = this.#flushed + from + blankBytes;
    if (this.starts.length === 0 || start - this.starts[this.starts.length - 1] >= partitionBytes)
      this.starts.push(start - blankBytes);
    this.#lines = row;
    if (out.length >= FLUSH_BYTES) this.#flush();
  }

  /** Sets the column, type and format of the cell. */
  #readAttributes(scanner: XmlScanner, next: number, row: number): void {
    const { bytes } = scanner;
    this.#column = next;
    if (scanner.attribute(REFERENCE)) this.#column = this.#columnOf(scanner, row);
    this.#type = 0;
    if (scanner.attribute(TYPE)) {
      const first = bytes[scanner.valueStart];
      // "s" and "str", which is longer.
      this.#type = first === LOWER_S && scanner.valueEnd - scanner.valueStart > 1 ? 1 : first;
    }
    this.#format = scanner.attribute(STYLE) ? (this.#workbook.formats[this.#number(scanner)] ?? 0) : 0;
  }

  #columnOf({ bytes, valueStart, valueEnd }: XmlScanner, row: number): number {
    let column = 0;
    let at = valueStart;
    for (; at < valueEnd; at++) {
      const letter = bytes[at] & 0xdf;
      if (letter < 0x41 || letter > 0x5a || column > MAX_COLUMNS) break;
      column = column * 26 + letter - 0x40;
    }
    const digits = bytes[at];
    if (column === 0 || column > MAX_COLUMNS || !(digits >= ZERO && digits <= NINE))
      throw this.#invalid(
        `'${asciiSlice(bytes, valueStart, Math.min(valueEnd, valueStart + 20))}' in row ${row} is no cell`,
      );
    return column - 1;
  }

  /** Appends the value of the cell and returns its kind. */
  #readCell(scanner: XmlScanner, at: number, row: number): number {
    const depth = scanner.depth;
    let kind = EMPTY;
    let hasFormula = false;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) {
        if (scanner.depth < depth) break;
        continue;
      }
      switch (NAMES.find(scanner)) {
        case 'v':
          kind = this.#readValue(scanner, at, row);
          at = this.#after;
          break;
        case 'f':
          hasFormula = true;
          at = scanner.skip(at);
          break;
        case 'is': {
          const scratch = this.#scratch;
          scratch.reset();
          at = readRichText(scanner, at, scratch);
          kind = this.#values.text(scratch.bytes, 0, scratch.length);
          break;
        }
        default:
          at = scanner.skip(at);
      }
    }
    // A formula whose text is empty has an empty value.
    if (hasFormula && kind === EMPTY && this.#type !== 1 && this.#type !== LOWER_E) this.notes.formulas++;
    this.#after = at;
    return kind;
  }

  #readValue(scanner: XmlScanner, at: number, row: number): number {
    const end = scanner.plainText(at);
    if (end >= 0) {
      const kind = this.#convert(scanner.bytes, at, end, row);
      this.#after = scanner.tag(end);
      return kind;
    }
    const scratch = this.#scratch;
    scratch.reset();
    this.#after = readText(scanner, at, scratch);
    return this.#convert(scratch.bytes, 0, scratch.length, row);
  }

  #convert(bytes: Uint8Array, start: number, end: number, row: number): number {
    const values = this.#values;
    switch (this.#type) {
      case LOWER_S:
        return this.#sharedString(bytes, start, end, row);
      case 1:
      case LOWER_I:
        return values.text(bytes, start, end);
      case LOWER_B:
        return values.boolean(bytes, start, end);
      case LOWER_D:
        return values.isoDate(bytes, start, end);
      case LOWER_E:
        this.notes.addError(asciiSlice(bytes, start, Math.min(end, start + 20)));
        return EMPTY;
      default: {
        const kind = values.number(bytes, start, end, this.#format);
        this.notes.invalidDates += values.invalidDates;
        values.invalidDates = 0;
        return kind;
      }
    }
  }

  #sharedString(bytes: Uint8Array, start: number, end: number, row: number): number {
    if (start === end) return EMPTY;
    const { strings } = this.#workbook;
    const index = this.#numbers.scan(bytes, start, end);
    if (!strings.find(index))
      throw this.#invalid(
        `row ${row} refers to the shared text ${index}, of which there are ${strings.count}`,
      );
    return this.#values.text(strings.bytes, strings.start, strings.end);
  }

  #number({ bytes, valueStart, valueEnd }: XmlScanner): number {
    const value = this.#numbers.scan(bytes, valueStart, valueEnd);
    return this.#numbers.end === valueEnd ? value : Number.NaN;
  }

  #flush(): void {
    if (this.#target === null) return;
    const { sink, maxBytes } = this.#target;
    sink.append(this.#out.written());
    this.#flushed += this.#out.length;
    this.#out.reset();
    if (this.#flushed > maxBytes)
      throw this.#tooLarge('the length of its texts in bytes', this.#flushed, maxBytes, 'MAX_UNZIPPED');
  }

  #invalid(reason: string): GeomillError {
    const where = `in sheet '${this.#sheet.slice(0, 60)}', ${reason}`;
    return failure('XLSX_INVALID', { source: this.#fileName, reason: where }, { layer: this.#sheet });
  }

  #tooLarge(what: string, actual: number, limit: number, setting: string): GeomillError {
    return failure('LIMIT_EXCEEDED', { what, actual, limit, setting }, { layer: this.#sheet });
  }
}
