/** Reads the rows of a piece of a sheet (ECMA-376 part 1, 18.3.1) and writes them as lines of a table of text. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { GeomillError } from '@geomill/core/messages/errors.ts';
import { asciiSlice, COMMA, CR, LF, NINE, SPACE, ZERO } from '@geomill/core/text/ascii.ts';
import { NumberScanner } from '@geomill/core/text/number-scanner.ts';
import { XmlFault } from '@geomill/core/text/xml-fault.ts';
import { NameTable } from '@geomill/core/text/xml-names.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import type { CellFormats } from './cell-formats.ts';
import { CellNotes } from './cell-notes.ts';
import { CellValues, EMPTY } from './cell-values.ts';
import { ColumnKinds, MAX_COLUMNS, MAX_ROWS } from './column-kinds.ts';
import { NO_CONTENT, PlainCell, STR_TYPE, TEXT_CONTENT } from './plain-cell.ts';
import { readRichText, readText } from './rich-text.ts';
import type { SharedStrings } from './shared-strings.ts';
import { invalidSheet, rowTooLarge } from './sheet-faults.ts';

const NAMES = new NameTable(['row', 'c', 'v', 'f', 'is'] as const);
const encoder = new TextEncoder();
const REFERENCE = encoder.encode('r');
const TYPE = encoder.encode('t');
const STYLE = encoder.encode('s');
const MAX_LINE_BYTES = 128 << 20;
/** Cells can repeat a shared text: the text of a piece can be much longer than the piece. Reading stops at the end of a row. */
const MAX_TEXT_BYTES = 8 << 20;

const LOWER_B = 0x62;
const LOWER_D = 0x64;
const LOWER_E = 0x65;
const LOWER_I = 0x69;
const LOWER_S = 0x73;

/** What the rows of a sheet have in common. */
export interface RowSetting {
  readonly is1904: boolean;
  readonly formats: CellFormats;
  readonly strings: SharedStrings;
  readonly fileName: string;
  readonly sheet: string;
  /** Number of columns of the table; rows with more are not written (see `columnCount`). */
  readonly width: number;
  /** Wanted size of a partition in bytes. */
  readonly partitionBytes: number;
}

/** How the reading of rows ended. */
export const ROWS_END = { full: 0, cut: 1, sheetData: 2, unnumbered: 3 } as const;

export class SheetRows {
  readonly kinds = new ColumnKinds();
  readonly notes = new CellNotes();
  /** Number of columns up to the last one with a value. */
  columnCount = 0;
  /** Numbers of the first and the last row, and of those with a value; counted from 1, 0: there are none. */
  firstRead = 0;
  firstRow = 0;
  lastRow = 0;
  /** Number of rows with a value. */
  rowCount = 0;
  /** Offsets in `out` at which partitions can begin. */
  readonly starts: number[] = [];
  /** The lines of the rows from `firstRow` to `lastRow`. */
  readonly out: ByteWriter;
  readonly #setting: RowSetting;
  readonly #maxRows: number;
  readonly #values: CellValues;
  readonly #plain = new PlainCell();
  readonly #scratch = new ByteWriter(1024);
  readonly #numbers = new NumberScanner();
  /** The row that was read last, with or without values; -1: the row before the first one is not known. */
  #row: number;
  /** Where the partition of the row begins in `out`. */
  #partition = 0;
  /** The column of the last value of the row; -1: it has none. */
  #written = -1;
  /** The offset after the cell that was read last. */
  #after = 0;
  // Of the current cell:
  #column = 0;
  #type = 0;
  #format = 0;

  constructor(setting: RowSetting, rowBefore: number, byteLength: number, maxRows: number) {
    this.#setting = setting;
    this.#row = rowBefore;
    this.#maxRows = maxRows;
    this.out = new ByteWriter(byteLength);
    this.#values = new CellValues(this.out, setting.is1904, this.notes);
  }

  /** The row that was read last, with or without values. */
  get lastRead(): number {
    return this.#row;
  }

  /** Where `read` ended: after the rows that were read. */
  next = 0;

  /**
   * Reads the rows of the window, and returns how it ended: full (`next` is the limit, or the limits of text or
   * rows are reached), cut (the window ends within what begins at `next`), sheetData (its end is before `next`), unnumbered (the
   * first row has no number, and that of the row before is not known). `isLast`: the sheet ends with the window. Throws an
   * XmlFault for broken XML.
   */
  read(scanner: XmlScanner, isLast: boolean): number {
    let at = 0;
    for (;;) {
      try {
        if (scanner.find(at) < 0 && !isLast) {
          this.next = scanner.limit;
          return ROWS_END.full;
        }
        at = scanner.tag(at);
        if (scanner.isEnd) {
          this.next = at;
          return ROWS_END.sheetData;
        }
        if (NAMES.find(scanner) !== 'row') at = scanner.skip(at);
        else {
          const next = this.#readRow(scanner, at);
          if (next < 0) return ROWS_END.unnumbered;
          at = next;
        }
      } catch (fault) {
        if (!(fault instanceof XmlFault) || isLast || fault.at < scanner.limit) throw fault;
        return ROWS_END.cut;
      }
      this.next = at;
      if (this.rowCount >= this.#maxRows || this.out.length >= MAX_TEXT_BYTES) return ROWS_END.full;
    }
  }

  /** -1: its number is not known. */
  #readRow(scanner: XmlScanner, at: number): number {
    const before = this.#row;
    const hasNumber = scanner.attribute(REFERENCE);
    if (!hasNumber && before < 0) return -1;
    const row = hasNumber ? this.#number(scanner) : before + 1;
    if (!Number.isInteger(row) || row <= Math.max(before, 0) || row > MAX_ROWS)
      throw this.#invalid(`row ${row} comes after row ${Math.max(before, 0)}`);
    const { out } = this;
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
    if (this.firstRead === 0) this.firstRead = row;
    if (this.#written >= 0) this.#endLine(from, row);
    return next;
  }

  /** Appends the cells of the row, after blank lines for rows without values, and sets `#written`. */
  #readCells(scanner: XmlScanner, at: number, row: number): number {
    this.#written = -1;
    if (scanner.isEmpty) return at;
    const { out } = this;
    const plain = this.#plain;
    const depth = scanner.depth;
    let last = -1;
    for (;;) {
      const isPlain = plain.read(scanner.bytes, at);
      if (isPlain) {
        at = plain.after;
        this.#column = plain.column < 0 ? last + 1 : plain.column;
      } else {
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
      }
      const column = this.#column;
      if (column <= last || column >= MAX_COLUMNS)
        throw this.#invalid(`row ${row} has no order of its columns`);
      last = column;
      if (isPlain ? plain.content === NO_CONTENT : scanner.isEmpty) continue;
      const before = out.length;
      if (this.#written < 0) this.#beginLine(row);
      for (let i = Math.max(this.#written, 0); i < column; i++) out.uint8(COMMA);
      let kind: number;
      if (isPlain) kind = this.#readPlain(scanner.bytes, row);
      else {
        kind = this.#readCell(scanner, at, row);
        at = this.#after;
      }
      if (kind === EMPTY) {
        out.length = before;
        continue;
      }
      this.#written = column;
      if (kind >= 0) this.kinds.add(column, kind, row);
      if (out.length > MAX_LINE_BYTES) throw rowTooLarge(this.#setting.sheet, out.length, MAX_LINE_BYTES);
    }
    return at;
  }

  /** Appends the value of the plain cell and returns its kind. */
  #readPlain(bytes: Uint8Array, row: number): number {
    const { type, style, content, start, end } = this.#plain;
    if (content === TEXT_CONTENT) return this.#values.text(bytes, start, end);
    this.#type = type;
    this.#format = style < 0 ? 0 : (this.#setting.formats[style] ?? 0);
    return this.#convert(bytes, start, end, row);
  }

  /** Blank lines stand for rows without values, so that lines and rows have the same numbers. */
  #beginLine(row: number): void {
    const { out } = this;
    for (let line = this.lastRow + 1; this.lastRow > 0 && line < row; line++) {
      out.uint8(CR);
      out.uint8(LF);
    }
  }

  /** Ends the line that begins at `from`, with the blank lines before it. */
  #endLine(from: number, row: number): void {
    const { out } = this;
    const { width, partitionBytes } = this.#setting;
    this.rowCount++;
    if (this.firstRow === 0) this.firstRow = row;
    this.lastRow = row;
    if (this.#written >= this.columnCount) this.columnCount = this.#written + 1;
    if (this.columnCount > width) {
      out.reset();
      return;
    }
    for (let i = this.#written + 1; i < width; i++) out.uint8(COMMA);
    out.uint8(CR);
    out.uint8(LF);
    if (from - this.#partition < partitionBytes) return;
    this.starts.push(from);
    this.#partition = from;
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
      this.#type = first === LOWER_S && scanner.valueEnd - scanner.valueStart > 1 ? STR_TYPE : first;
    }
    this.#format = scanner.attribute(STYLE) ? (this.#setting.formats[this.#number(scanner)] ?? 0) : 0;
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
        `'${asciiSlice(bytes, valueStart, Math.min(valueEnd, valueStart + 20))}' in row ${row} is not a cell`,
      );
    return column - 1;
  }

  /** Appends the value of the cell and returns its kind. */
  #readCell(scanner: XmlScanner, at: number, row: number): number {
    const depth = scanner.depth;
    const { out } = this;
    const start = out.length;
    // Spreadsheet programs use the element that the type of the cell names, and ignore the other.
    const preferred = this.#type === LOWER_I ? 'is' : 'v';
    let taken = '';
    let kind = EMPTY;
    let hasFormula = false;
    for (;;) {
      at = scanner.tag(at);
      if (scanner.isEnd) {
        if (scanner.depth < depth) break;
        continue;
      }
      const name = NAMES.find(scanner);
      if (kind !== EMPTY && (name === 'v' || name === 'is')) {
        if (name === taken) throw this.#invalid(`row ${row} has a cell with two values`);
        this.notes.ignoredValues++;
        if (taken === preferred) {
          at = scanner.skip(at);
          continue;
        }
        out.length = start;
      }
      if (name === 'v' || name === 'is') taken = name;
      switch (name) {
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
    if (hasFormula && kind === EMPTY && this.#type !== STR_TYPE && this.#type !== LOWER_E)
      this.notes.formulas++;
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
      case STR_TYPE:
      case LOWER_I:
        return values.text(bytes, start, end);
      case LOWER_B:
        return values.boolean(bytes, start, end);
      case LOWER_D:
        return values.isoDate(bytes, start, end);
      case LOWER_E:
        this.notes.addError(asciiSlice(bytes, start, Math.min(end, start + 20)));
        return EMPTY;
      default:
        return values.number(bytes, start, end, this.#format);
    }
  }

  #sharedString(bytes: Uint8Array, start: number, end: number, row: number): number {
    while (start < end && bytes[start] <= SPACE) start++;
    while (end > start && bytes[end - 1] <= SPACE) end--;
    if (start === end) return EMPTY;
    const { strings } = this.#setting;
    const index = this.#numbers.scan(bytes, start, end);
    if (this.#numbers.end !== end || !strings.find(index))
      throw this.#invalid(
        `row ${row} refers to the shared text ${asciiSlice(bytes, start, Math.min(end, start + 20))}, of which there are ${strings.count}`,
      );
    return this.#values.text(strings.bytes, strings.start, strings.end);
  }

  #number({ bytes, valueStart, valueEnd }: XmlScanner): number {
    const value = this.#numbers.scan(bytes, valueStart, valueEnd);
    return this.#numbers.end === valueEnd ? value : Number.NaN;
  }

  #invalid(reason: string): GeomillError {
    const { fileName, sheet } = this.#setting;
    return invalidSheet(fileName, sheet, reason);
  }
}
