/**
 * Splits CSV bytes into records and cells (RFC 4180), by positions alone: nothing is copied or decoded here.
 *
 * A record ends at LF, CRLF or CR outside quotes. A cell whose first character is a quote, blanks before it aside, is
 * quoted; a quote further inside is an ordinary character, as in `5" pipe`. Blanks around a quoted cell are tolerated.
 */
const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const BLANK = 0x20;
const TAB = 0x09;
/** Behind the last byte. */
const NOTHING = -1;

export const CELL_QUOTED = 1;
/** The cell holds doubled quotes. */
export const CELL_ESCAPED = 2;

/** Outcome of `RecordScanner.next`. */
export const RECORD = 0;
/** A line without a character other than blanks was passed over. */
export const BLANK_LINE = 1;
/** The bytes end within the record; give the scanner more (`extend`) and call again. */
export const TRUNCATED = 2;
/** The record breaks the grammar: see `reason`. It was passed over up to the end of its line. */
export const MALFORMED = 3;

/** Cells of the kept rows: cell c of row r has index `r * columnCount + c`. Positions are those in `bytes`. */
export interface CellTable {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array; // exclusive, and without the quotes
  readonly flags: Uint8Array;
  readonly columnCount: number;
  readonly rowCount: number;
}

export class RecordScanner implements CellTable {
  bytes: Uint8Array;
  starts: Uint32Array;
  ends: Uint32Array;
  flags: Uint8Array;
  readonly columnCount: number;
  rowCount = 0;
  /** Where the next record begins. */
  at = 0;
  /** Cells of the record that was read last; those beyond `columnCount` are counted but not kept. */
  cellCount = 0;
  /** Why the last record is malformed. */
  reason = '';
  /** The malformed record swallowed the rest of the file: its quote has no end. */
  isUnclosed = false;
  /** Line ends before `at`. */
  lineCount = 0;
  readonly #delimiter: number;
  readonly #newline: number;
  /** Whether `bytes` reach to the end of the file. */
  #isComplete: boolean;
  /** The first line end that is not counted yet. */
  #nextNewline: number;

  /** `newline` is the byte that lines are counted by: LF, or CR in files that have no LF. */
  constructor(
    bytes: Uint8Array,
    isComplete: boolean,
    delimiter: number,
    newline: number,
    columnCount: number,
  ) {
    this.bytes = bytes;
    this.#isComplete = isComplete;
    this.#delimiter = delimiter;
    this.#newline = newline;
    this.columnCount = columnCount;
    const capacity = Math.max(columnCount * 2, 64);
    this.starts = new Uint32Array(capacity);
    this.ends = new Uint32Array(capacity);
    this.flags = new Uint8Array(capacity);
    this.#nextNewline = find(bytes, newline, 0);
  }

  /** The same bytes and more of them. */
  extend(bytes: Uint8Array, isComplete: boolean): void {
    const searchedTo = this.bytes.length;
    this.bytes = bytes;
    this.#isComplete = isComplete;
    if (this.#nextNewline >= searchedTo) this.#nextNewline = find(bytes, this.#newline, searchedTo);
  }

  /** Keeps the record that was read last as a row. */
  keep(): void {
    this.rowCount++;
  }

  /** Reads the record at `at`; its cells stand behind those of the kept rows. */
  next(): number {
    const { bytes, columnCount } = this;
    const delimiter = this.#delimiter;
    const limit = bytes.length;
    let slot = this.rowCount * columnCount;
    if (slot + columnCount > this.starts.length) this.#grow();
    const { starts, ends, flags } = this;
    let at = this.at;
    let cells = 0;
    for (;;) {
      let start = at;
      let byte = at < limit ? bytes[at] : NOTHING;
      let flag = 0;
      if (byte === BLANK || (byte === TAB && delimiter !== TAB)) {
        at = skipBlanks(bytes, at, delimiter);
        byte = at < limit ? bytes[at] : NOTHING;
        if (byte === NOTHING && !this.#isComplete) return TRUNCATED;
        if (cells === 0 && (byte === LF || byte === CR || byte === NOTHING))
          return this.#endLine(at, BLANK_LINE);
        if (byte !== QUOTE) at = start;
      }
      if (byte === QUOTE) {
        start = ++at;
        flag = CELL_QUOTED;
        at = find(bytes, QUOTE, at);
        while (at + 1 < limit && bytes[at + 1] === QUOTE) {
          flag = CELL_QUOTED | CELL_ESCAPED;
          at = find(bytes, QUOTE, at + 2);
        }
        if (at + 1 >= limit && !this.#isComplete) return TRUNCATED;
        if (at >= limit) {
          this.isUnclosed = true;
          return this.#malformed(limit, `the quote that opens column ${cells + 1} is never closed`);
        }
        if (cells < columnCount) ends[slot] = at;
        at++;
        if (at < limit && bytes[at] <= BLANK) at = skipBlanks(bytes, at, delimiter);
        byte = at < limit ? bytes[at] : NOTHING;
        if (byte !== delimiter && byte !== LF && byte !== CR && byte !== NOTHING)
          return this.#malformed(at, `column ${cells + 1} has text behind its closing quote`);
      } else {
        while (at < limit) {
          byte = bytes[at];
          if (byte === delimiter || byte === LF || byte === CR) break;
          at++;
        }
        if (at === limit) byte = NOTHING;
        if (cells < columnCount) ends[slot] = at;
      }
      if (cells < columnCount) {
        starts[slot] = start;
        flags[slot++] = flag;
      }
      cells++;
      if (byte === delimiter) {
        at++;
        continue;
      }
      if (byte === NOTHING && !this.#isComplete) return TRUNCATED;
      this.cellCount = cells;
      return this.#endLine(at, cells === 1 && flag === 0 && start === at ? BLANK_LINE : RECORD);
    }
  }

  /** Passes over the line end at `at`. */
  #endLine(at: number, outcome: number): number {
    const { bytes } = this;
    if (at + 1 === bytes.length && bytes[at] === CR && !this.#isComplete) return TRUNCATED;
    if (at < bytes.length) at += bytes[at] === CR && bytes[at + 1] === LF ? 2 : 1;
    while (this.#nextNewline < at) {
      this.lineCount++;
      this.#nextNewline = find(bytes, this.#newline, this.#nextNewline + 1);
    }
    this.at = at;
    return outcome;
  }

  #malformed(at: number, reason: string): number {
    const end = find(this.bytes, this.#newline, at);
    if (end === this.bytes.length && !this.#isComplete) return TRUNCATED;
    this.reason = reason;
    return this.#endLine(end, MALFORMED);
  }

  #grow(): void {
    const capacity = this.starts.length * 2;
    const starts = new Uint32Array(capacity);
    starts.set(this.starts);
    this.starts = starts;
    const ends = new Uint32Array(capacity);
    ends.set(this.ends);
    this.ends = ends;
    const flags = new Uint8Array(capacity);
    flags.set(this.flags);
    this.flags = flags;
  }
}

/** The first `byte` at or behind `from`, or the length. Short distances in a loop: a native search costs a call. */
function find(bytes: Uint8Array, byte: number, from: number): number {
  const near = Math.min(from + 24, bytes.length);
  let at = from;
  for (; at < near; at++) if (bytes[at] === byte) return at;
  if (at >= bytes.length) return bytes.length;
  const found = bytes.indexOf(byte, at);
  return found < 0 ? bytes.length : found;
}

function skipBlanks(bytes: Uint8Array, at: number, delimiter: number): number {
  while (at < bytes.length && (bytes[at] === BLANK || (bytes[at] === TAB && delimiter !== TAB))) at++;
  return at;
}

/** Writes the content of an escaped cell, doubled quotes made single, to `target` at 0; returns its length. */
export function unescapeCell(bytes: Uint8Array, start: number, end: number, target: Uint8Array): number {
  let length = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i];
    target[length++] = byte;
    if (byte === QUOTE) i++;
  }
  return length;
}
