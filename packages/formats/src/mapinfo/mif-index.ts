/** Finds where the objects of a .mif and the rows of its .mid begin, so that partitions have both. */
import { LF, QUOTE, SPACE } from '@geomill/core/text/ascii.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';

/** Numbers of objects, bytes and lines before a place in the file. */
export interface ObjectMark {
  readonly record: number;
  readonly offset: number;
  readonly line: number;
}

export interface MifIndex {
  readonly objectCount: number;
  /** Places between objects, about so far apart as was wanted; the first is the first object, the last the end of the file. */
  readonly marks: readonly ObjectMark[];
  readonly hasTexts: boolean;
  /** Whether an object has a position. */
  readonly hasPositions: boolean;
  readonly hasStyles: boolean;
}

const CHUNK_BYTES = 1 << 22;
/** A line that begins with one of these words begins an object, or a part of a collection. */
const OBJECTS: ReadonlySet<string> = new Set([
  'none',
  'point',
  'line',
  'pline',
  'region',
  'arc',
  'text',
  'rect',
  'roundrect',
  'ellipse',
  'multipoint',
  'collection',
]);
const STYLES = /^(?:pen|brush|symbol|font)$/;
const LONGEST_WORD = 12;
const LOWER_CASE = 0x20;

/** Scans the objects from `start`, whose line has the number `line`. */
export function indexObjects(source: ByteSource, start: number, line: number, markBytes: number): MifIndex {
  const marks: ObjectMark[] = [];
  let objectCount = 0;
  let partsLeft = 0;
  let hasTexts = false;
  let hasPositions = false;
  let hasStyles = false;
  let lineNumber = line;
  let lastMark = start;
  // What stands before the first object is read with it, and refused.
  marks.push({ record: 0, offset: start, line });
  for (const { bytes, offset } of linesOf(source, start)) {
    for (let at = 0; at < bytes.length; ) {
      let first = at;
      while (first < bytes.length && bytes[first] <= SPACE && bytes[first] !== LF) first++;
      const word = isLetter(bytes[first]) ? wordAt(bytes, first) : '';
      if (OBJECTS.has(word)) {
        if (partsLeft > 0) partsLeft--;
        else {
          if (objectCount > 0 && offset + at - lastMark >= markBytes) {
            lastMark = offset + at;
            marks.push({ record: objectCount, offset: lastMark, line: lineNumber });
          }
          objectCount++;
          if (word === 'collection') partsLeft = numberAt(bytes, first + word.length);
        }
        if (word === 'text') hasTexts = true;
        if (word !== 'none') hasPositions = true;
      } else if (STYLES.test(word)) hasStyles = true;
      const end = bytes.indexOf(LF, at);
      at = end < 0 ? bytes.length : end + 1;
      lineNumber++;
    }
  }
  marks.push({ record: objectCount, offset: source.byteLength, line: lineNumber });
  return { objectCount, marks, hasTexts, hasPositions, hasStyles };
}

/** Whole lines of the source from `start`, some megabytes at a time; only what is longer than that is divided. */
function* linesOf(
  source: ByteSource,
  start: number,
): Generator<{ readonly bytes: Uint8Array; readonly offset: number }> {
  for (let offset = start; offset < source.byteLength; ) {
    const bytes = source.slice(offset, offset + CHUNK_BYTES);
    const isLast = offset + bytes.length >= source.byteLength;
    const end = isLast ? bytes.length : bytes.lastIndexOf(LF) + 1 || bytes.length;
    yield { bytes: bytes.subarray(0, end), offset };
    offset += end;
  }
}

function isLetter(byte: number): boolean {
  const lower = byte | LOWER_CASE;
  return lower >= 0x61 && lower <= 0x7a;
}

function wordAt(bytes: Uint8Array, start: number): string {
  let word = '';
  for (let at = start; at < start + LONGEST_WORD && isLetter(bytes[at]); at++)
    word += String.fromCharCode(bytes[at] | LOWER_CASE);
  return word;
}

function numberAt(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at] === SPACE) at++;
  let value = 0;
  for (; bytes[at] >= 0x30 && bytes[at] <= 0x39 && value < 1e8; at++) value = value * 10 + bytes[at] - 0x30;
  return value;
}

/** Finds the ends of rows of a .mid. A text in quotes begins a cell and may have line ends. */
export class RowScanner {
  readonly #delimiter: number;
  /** The bytes end within the row. */
  isOpen = false;

  constructor(delimiter: number) {
    this.#delimiter = delimiter;
  }

  /** Offset after the line end of the row at `at`; `bytes.length` if there is none. */
  endOf(bytes: Uint8Array, at: number): number {
    this.isOpen = false;
    let isCellStart = true;
    for (let i = at; i < bytes.length; i++) {
      const byte = bytes[i];
      if (byte === LF) return i + 1;
      if (byte === QUOTE && isCellStart) {
        i = endOfText(bytes, i);
        isCellStart = false;
      } else isCellStart = byte === this.#delimiter || (isCellStart && byte === SPACE);
    }
    this.isOpen = true;
    return bytes.length;
  }
}

/** Offset of the quote that ends the text in quotes at `at`; the length if there is none. */
export function endOfText(bytes: Uint8Array, at: number): number {
  for (let i = at + 1; i < bytes.length; i++) {
    if (bytes[i] !== QUOTE) continue;
    if (bytes[i + 1] !== QUOTE) return i;
    i++;
  }
  return bytes.length;
}

/** Offsets of the rows with these numbers, in ascending order, and the number of all rows. */
export function indexRows(
  source: ByteSource,
  delimiter: number,
  wanted: readonly number[],
): { readonly rowCount: number; readonly offsets: readonly number[] } {
  const scanner = new RowScanner(delimiter);
  const offsets: number[] = [];
  let rowCount = 0;
  let chunkBytes = CHUNK_BYTES;
  for (let offset = 0; offset < source.byteLength; ) {
    const bytes = source.slice(offset, offset + chunkBytes);
    const isLast = offset + bytes.length >= source.byteLength;
    let at = 0;
    while (at < bytes.length) {
      const end = scanner.endOf(bytes, at);
      if (scanner.isOpen && !isLast) break;
      while (wanted[offsets.length] === rowCount) offsets.push(offset + at);
      rowCount++;
      at = end;
    }
    // A row that is longer than the chunk is read with a larger one.
    if (at === 0) chunkBytes *= 2;
    offset += at;
  }
  while (offsets.length < wanted.length) offsets.push(source.byteLength);
  return { rowCount, offsets };
}
