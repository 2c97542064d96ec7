/**
 * Splits CSV bytes into records and cells (RFC 4180) as offsets: nothing is copied or decoded here.
 *
 * A record ends at LF, CRLF or CR outside quotes. A cell is quoted if its first character after blanks is a quote; a
 * later quote is an ordinary character, as in `5" pipe`. Blanks around a quoted cell are tolerated.
 */
import { CR, LF, QUOTE, SPACE, TAB } from '@geomill/core/text/ascii.ts';

/** Value for "after the last byte". */
const NOTHING = -1;

export const CELL_QUOTED = 1;
/** The cell contains doubled quotes. */
export const CELL_ESCAPED = 2;

/** Outcome of `RecordScanner.next`. */
export const RECORD = 0;
/** A line that is empty or has only blanks was skipped. */
export const BLANK_LINE = 1;
/** The bytes end within the record; provide more (`extend`) and call again. */
export const TRUNCATED = 2;
/** The record violates the grammar: see `reason`. It was skipped up to the end of its line. */
export const MALFORMED = 3;

/** Cells of the kept rows: cell c of row r has index `r * columnCount + c`. Offsets are relative to `bytes`. */
export interface CellTable {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array; // exclusive, and without the quotes
  readonly flags: Uint8Array;
  readonly columnCount: number;
  readonly rowCount: number;
}

/** Reads geometries during the scan, so that their bytes, which are most of the file, are read only once. */
export interface GeometryProbe {
  /**
   * Reads the geometry at `start`, after an opening quote; returns the offset of the closing quote. Returns -1 and
   * keeps nothing for any irregularity, such as other text, line ends or quotes inside.
   */
  probe(bytes: Uint8Array, start: number): number;
}

export class RecordScanner implements CellTable {
  bytes: Uint8Array;
  starts: Uint32Array;
  ends: Uint32Array;
  flags: Uint8Array;
  readonly columnCount: number;
  rowCount = 0;
  /** Offset of the next record. */
  at = 0;
  /** Number of cells of the last record; cells beyond `columnCount` are counted but not kept. */
  cellCount = 0;
  /** The probe read the geometry of the last record. */
  isProbed = false;
  /** Why the last record is malformed. */
  reason = '';
  /** The malformed record extends to the end of the file because its quote is not closed. */
  isUnclosed = false;
  /** Line ends before `at`. */
  lineCount = 0;
  readonly #delimiter: number;
  readonly #newline: number;
  /** Whether `bytes` reach the end of the file. */
  #isComplete: boolean;
  readonly #probeColumn: number;
  readonly #probe: GeometryProbe | null;
  /** Line ends within quoted cells of the current record. */
  #innerLines = 0;

  /** `newline` is the byte used to count lines: LF, or CR in files that have no LF. */
  constructor(
    bytes: Uint8Array,
    isComplete: boolean,
    delimiter: number,
    newline: number,
    columnCount: number,
    probeColumn = -1,
    probe: GeometryProbe | null = null,
  ) {
    this.bytes = bytes;
    this.#isComplete = isComplete;
    this.#delimiter = delimiter;
    this.#newline = newline;
    this.columnCount = columnCount;
    this.#probeColumn = probe === null ? -1 : probeColumn;
    this.#probe = probe;
    const capacity = Math.max(columnCount * 2, 64);
    this.starts = new Uint32Array(capacity);
    this.ends = new Uint32Array(capacity);
    this.flags = new Uint8Array(capacity);
  }

  /** Replaces `bytes` by a longer array with the same beginning. */
  extend(bytes: Uint8Array, isComplete: boolean): void {
    this.bytes = bytes;
    this.#isComplete = isComplete;
  }

  /** Keeps the last record as a row. */
  keep(): void {
    this.rowCount++;
  }

  /** Reads the record at `at`; its cells are stored after those of the kept rows. */
  next(): number {
    const { bytes, columnCount } = this;
    const delimiter = this.#delimiter;
    const limit = bytes.length;
    let slot = this.rowCount * columnCount;
    if (slot + columnCount > this.starts.length) this.#grow();
    const { starts, ends, flags } = this;
    const probeColumn = this.#probeColumn;
    let at = this.at;
    let cells = 0;
    this.isProbed = false;
    this.#innerLines = 0;
    for (;;) {
      let start = at;
      let byte = at < limit ? bytes[at] : NOTHING;
      let flag = 0;
      if (byte === SPACE || (byte === TAB && delimiter !== TAB)) {
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
        const probed = cells === probeColumn ? (this.#probe as GeometryProbe).probe(bytes, at) : -1;
        if (probed >= 0) {
          at = probed;
          this.isProbed = true;
        } else {
          at = this.#findQuote(at);
          while (at + 1 < limit && bytes[at + 1] === QUOTE) {
            flag = CELL_QUOTED | CELL_ESCAPED;
            at = this.#findQuote(at + 2);
          }
        }
        if (at + 1 >= limit && !this.#isComplete) return TRUNCATED;
        if (at >= limit) {
          this.isUnclosed = true;
          return this.#malformed(limit, `the quote that opens column ${cells + 1} is never closed`);
        }
        if (cells < columnCount) ends[slot] = at;
        at++;
        if (at < limit && bytes[at] <= SPACE) at = skipBlanks(bytes, at, delimiter);
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

  /** The next quote from `at` on, or the length; counts the line ends before it. */
  #findQuote(at: number): number {
    const { bytes } = this;
    const limit = bytes.length;
    const newline = this.#newline;
    while (at < limit) {
      const byte = bytes[at];
      if (byte === QUOTE) break;
      if (byte === newline) this.#innerLines++;
      at++;
    }
    return at;
  }

  /** Skips the line end at `at`. */
  #endLine(at: number, outcome: number): number {
    const { bytes } = this;
    if (at < bytes.length) {
      const isCarriageReturn = bytes[at] === CR;
      if (isCarriageReturn && at + 1 === bytes.length && !this.#isComplete) return TRUNCATED;
      const isPair = isCarriageReturn && bytes[at + 1] === LF;
      if (bytes[at] === this.#newline || isPair) this.lineCount++;
      at += isPair ? 2 : 1;
    }
    this.lineCount += this.#innerLines;
    this.at = at;
    return outcome;
  }

  #malformed(at: number, reason: string): number {
    const found = this.bytes.indexOf(this.#newline, at);
    if (found < 0 && !this.#isComplete) return TRUNCATED;
    this.reason = reason;
    return this.#endLine(found < 0 ? this.bytes.length : found, MALFORMED);
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

function skipBlanks(bytes: Uint8Array, at: number, delimiter: number): number {
  while (at < bytes.length && (bytes[at] === SPACE || (bytes[at] === TAB && delimiter !== TAB))) at++;
  return at;
}

/**
 * Writes the content of an escaped cell, with doubled quotes replaced by single ones, to `target` at 0; returns its
 * length.
 */
export function unescapeCell(bytes: Uint8Array, start: number, end: number, target: Uint8Array): number {
  let length = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i];
    target[length++] = byte;
    if (byte === QUOTE) i++;
  }
  return length;
}
