/** Writes the values of cells as cells of a table of text: texts in quotes, other values without. */
import type { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { KIND, kindOf } from '@geomill/core/columns/text-kinds.ts';
import { asciiSlice, DOT, isBlank, MINUS, NINE, QUOTE, ZERO } from '@geomill/core/text/ascii.ts';
import { NumberScanner } from '@geomill/core/text/number-scanner.ts';
import { writeInteger, writeNumber } from '@geomill/core/text/number-text.ts';
import { appendQuoted } from '@geomill/core/text/quoted-text.ts';
import type { CellNotes } from './cell-notes.ts';
import { endOfCharacters, MAX_CHARACTERS } from './cell-text.ts';
import { VALUE } from './column-kinds.ts';
import { DATETIME_CELL, NUMBER_CELL } from './number-formats.ts';
import { isTime, kindOfSerial, writeSerial } from './serial-date.ts';

const MAX_INT32 = 2_147_483_647;
/** Doubles have 15 digits of every decimal text; programs write 17. */
const SURE_DIGITS = 15;

/** Outcome of a value that is empty: a null. */
export const EMPTY = -1;
/** An empty text, which says nothing about the type of its column. */
export const EMPTY_TEXT = -2;

export class CellValues {
  readonly #out: ByteWriter;
  readonly #numbers = new NumberScanner();
  readonly #is1904: boolean;
  readonly #notes: CellNotes;

  constructor(out: ByteWriter, is1904: boolean, notes: CellNotes) {
    this.#out = out;
    this.#is1904 = is1904;
    this.#notes = notes;
  }

  /** A number with a format (see number-formats.ts). Returns the kind of the value. */
  number(bytes: Uint8Array, start: number, end: number, format: number): number {
    while (start < end && isBlank(bytes[start])) start++;
    while (end > start && isBlank(bytes[end - 1])) end--;
    if (start === end) return EMPTY;
    const numbers = this.#numbers;
    const value = numbers.scan(bytes, start, end);
    if (numbers.end !== end || !Number.isFinite(value)) return this.text(bytes, start, end);
    if (format !== NUMBER_CELL) {
      const kind = this.#date(value, format);
      if (kind >= 0) return kind;
    }
    const out = this.#out;
    if (numbers.isInteger && Number.isSafeInteger(value)) {
      writeInteger(out, value);
      return Math.abs(value) <= MAX_INT32 ? VALUE.int32 : VALUE.int64;
    }
    if (numbers.digits <= SURE_DIGITS && isPlain(bytes, start, end)) out.copy(bytes, start, end);
    else writeNumber(out, value);
    return VALUE.float64;
  }

  #date(value: number, format: number): number {
    const out = this.#out;
    const kind = kindOfSerial(value, format);
    if (isTime(kind)) {
      // There is no type of times.
      const from = out.length;
      out.uint8(QUOTE);
      if (writeSerial(out, value, kind, this.#is1904)) {
        out.uint8(QUOTE);
        return VALUE.text;
      }
      out.length = from;
    } else if (writeSerial(out, value, kind, this.#is1904))
      return kind === DATETIME_CELL ? VALUE.datetime : VALUE.date;
    this.#notes.invalidDates++;
    return -1;
  }

  boolean(bytes: Uint8Array, start: number, end: number): number {
    const text = asciiSlice(bytes, start, Math.min(end, start + 8)).trim();
    if (text === '') return EMPTY;
    this.#out.ascii(text === '1' || /^true$/i.test(text) ? 'true' : 'false');
    return VALUE.boolean;
  }

  /** A date as ISO text. */
  isoDate(bytes: Uint8Array, start: number, end: number): number {
    if (start === end) return EMPTY;
    const kind = kindOf(bytes, start, end);
    if (kind !== KIND.date && kind !== KIND.datetime) return this.text(bytes, start, end);
    this.#out.copy(bytes, start, end);
    return kind === KIND.date ? VALUE.date : VALUE.datetime;
  }

  /** Of a longer text, the characters that a cell can have. */
  text(bytes: Uint8Array, start: number, end: number): number {
    if (end - start > MAX_CHARACTERS) {
      const last = endOfCharacters(bytes, start, end, MAX_CHARACTERS);
      if (last < end) this.#notes.cutTexts++;
      end = last;
    }
    appendQuoted(this.#out, bytes, start, end);
    return start === end ? EMPTY_TEXT : VALUE.text;
  }
}

/** Whether the text is digits with a decimal point between them. */
function isPlain(bytes: Uint8Array, start: number, end: number): boolean {
  let at = bytes[start] === MINUS ? start + 1 : start;
  if (bytes[at] === ZERO && bytes[at + 1] !== DOT) return false;
  const first = bytes[at];
  const last = bytes[end - 1];
  if (!(first >= ZERO && first <= NINE && last >= ZERO && last <= NINE)) return false;
  for (; at < end; at++) if (bytes[at] > NINE) return false;
  return true;
}
