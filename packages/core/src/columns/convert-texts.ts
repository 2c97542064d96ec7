/**
 * Converts texts and JSON scalars to types other than text. Each target takes the value of a row or rejects it. Texts
 * are passed without surrounding blanks and are never empty.
 */
import { ByteWriter } from '../bytes/byte-writer.ts';
import { asciiSlice, COLON, DOT, ZERO } from '../text/ascii.ts';
import { NumberScanner } from '../text/number-scanner.ts';
import type { AttributeColumn, BytesColumn, Validity } from './attribute-column.ts';
import { FIRST_INEXACT, MAX_INT32, MIN_INT32 } from './convert-numbers.ts';
import type { ConvertedRows } from './convert-rows.ts';
import type { FieldType } from './schema.ts';
import { DATE_TEXT, DATETIME_TEXT, temporalKind } from './temporal-text.ts';

export interface ValueTarget {
  /** Takes `bytes[start, end)` as the value of a row; false if it is not a value of this type. */
  text(row: number, bytes: Uint8Array, start: number, end: number): boolean;
  /** The same for a JSON number. */
  number(row: number, bytes: Uint8Array, start: number, end: number): boolean;
  truth(row: number, isTrue: boolean): boolean;
  finish(validity: Validity): AttributeColumn;
}

export function valueTarget(to: Exclude<FieldType, 'string' | 'json'>, rowCount: number): ValueTarget {
  switch (to) {
    case 'boolean':
      return new BooleanTarget(rowCount);
    case 'int32':
    case 'float64':
      return new NumberTarget(to, rowCount);
    case 'int64':
      return new Int64Target(rowCount);
    case 'date':
    case 'datetime':
      return new TemporalTarget(to, rowCount);
    case 'binary':
      return new BinaryTarget(rowCount);
  }
}

/** Converts the rows of a string, date or datetime column. */
export function convertTexts(column: BytesColumn, target: ValueTarget, rows: ConvertedRows): AttributeColumn {
  const { bytes, offsets } = column;
  for (let row = 0; row < rows.rowCount; row++) {
    if (rows.hasValue(row)) putText(target, rows, row, bytes, offsets[row], offsets[row + 1]);
  }
  return target.finish(rows.validity);
}

export function putText(
  target: ValueTarget,
  rows: ConvertedRows,
  row: number,
  bytes: Uint8Array,
  start: number,
  end: number,
): void {
  while (start < end && isBlank(bytes[start])) start++;
  while (start < end && isBlank(bytes[end - 1])) end--;
  if (start === end) rows.clear(row);
  else if (!target.text(row, bytes, start, end)) rows.fail(row);
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

const scanner = new NumberScanner();

class NumberTarget implements ValueTarget {
  readonly #type: 'int32' | 'float64';
  readonly #values: Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

  constructor(type: 'int32' | 'float64', rowCount: number) {
    this.#type = type;
    this.#values = type === 'int32' ? new Int32Array(rowCount) : new Float64Array(rowCount);
  }

  text(row: number, bytes: Uint8Array, start: number, end: number): boolean {
    const value = this.#type === 'int32' ? readInt32(bytes, start, end) : readFloat64(bytes, start, end);
    if (Number.isNaN(value)) return false;
    this.#values[row] = value;
    return true;
  }

  number(row: number, bytes: Uint8Array, start: number, end: number): boolean {
    return this.text(row, bytes, start, end);
  }

  truth(row: number, isTrue: boolean): boolean {
    this.#values[row] = isTrue ? 1 : 0;
    return true;
  }

  finish(validity: Validity): AttributeColumn {
    return { type: this.#type, values: this.#values, validity } as AttributeColumn;
  }
}

class Int64Target implements ValueTarget {
  readonly #values: BigInt64Array<ArrayBuffer>;

  constructor(rowCount: number) {
    this.#values = new BigInt64Array(rowCount);
  }

  text(row: number, bytes: Uint8Array, start: number, end: number): boolean {
    const value = scanner.scan(bytes, start, end);
    if (scanner.end !== end) return false;
    if (isDecided(value)) {
      if (!Number.isInteger(value)) return false;
      this.#values[row] = BigInt(value);
      return true;
    }
    const exact = integerOfDecimal(asciiSlice(bytes, start, end));
    if (exact === null || BigInt.asIntN(64, exact) !== exact) return false;
    this.#values[row] = exact;
    return true;
  }

  number(row: number, bytes: Uint8Array, start: number, end: number): boolean {
    return this.text(row, bytes, start, end);
  }

  truth(row: number, isTrue: boolean): boolean {
    this.#values[row] = isTrue ? 1n : 0n;
    return true;
  }

  finish(validity: Validity): AttributeColumn {
    return { type: 'int64', values: this.#values, validity };
  }
}

/** NaN if the text is not a decimal number or not an int32. */
function readInt32(bytes: Uint8Array, start: number, end: number): number {
  const value = scanner.scan(bytes, start, end);
  if (scanner.end !== end) return Number.NaN;
  if (isDecided(value)) return (value | 0) === value ? value : Number.NaN;
  const exact = integerOfDecimal(asciiSlice(bytes, start, end));
  return exact !== null && exact >= MIN_INT32 && exact <= MAX_INT32 ? Number(exact) : Number.NaN;
}

/**
 * Whether the scanned double determines if its text is an integer, and which one. Two decimals of up to 15 digits never
 * share a double, except those that underflow to 0. With more digits "1.0000000000000000001" reads as 1 but is not an
 * integer.
 */
function isDecided(value: number): boolean {
  if (value === 0) return scanner.digits === 0;
  return scanner.digits <= 15 && value < 1e15 && value > -1e15;
}

/**
 * The double nearest to a decimal number. NaN for other text, for numbers beyond all doubles, for nonzero numbers that
 * underflow to 0, and for integers beyond 2^53 that are not exact, because every digit may matter. Exception: the
 * shortest text of a double, which is how programs write 2^63 as a float (9223372036854776000).
 */
function readFloat64(bytes: Uint8Array, start: number, end: number): number {
  const value = scanner.scan(bytes, start, end);
  if (scanner.end !== end || !Number.isFinite(value)) return Number.NaN;
  if (value === 0) return scanner.digits === 0 ? value : Number.NaN;
  if (!scanner.isInteger || (value < FIRST_INEXACT && value > -FIRST_INEXACT)) return value;
  const exact = integerOfDecimal(asciiSlice(bytes, start, end));
  return exact === BigInt(value) || exact === integerOfDecimal(String(value)) ? value : Number.NaN;
}

const TRUE_WORDS = ['true', 't', 'yes', 'y', '1'];
const FALSE_WORDS = ['false', 'f', 'no', 'n', '0'];

class BooleanTarget implements ValueTarget {
  readonly #values: Uint8Array<ArrayBuffer>;

  constructor(rowCount: number) {
    this.#values = new Uint8Array(rowCount);
  }

  text(row: number, bytes: Uint8Array, start: number, end: number): boolean {
    if (end - start > 5) return false;
    const word = asciiSlice(bytes, start, end).toLowerCase();
    if (TRUE_WORDS.includes(word)) this.#values[row] = 1;
    else if (!FALSE_WORDS.includes(word)) return false;
    return true;
  }

  number(row: number, bytes: Uint8Array, start: number, end: number): boolean {
    // A float would do for "1.0", but would also accept a decimal so close to 1 or 0 that only its nearest double
    // equals it.
    const value = readInt32(bytes, start, end);
    if (value !== 0 && value !== 1) return false;
    this.#values[row] = value;
    return true;
  }

  truth(row: number, isTrue: boolean): boolean {
    this.#values[row] = isTrue ? 1 : 0;
    return true;
  }

  finish(validity: Validity): AttributeColumn {
    return { type: 'boolean', values: this.#values, validity };
  }
}

class TemporalTarget implements ValueTarget {
  readonly #type: 'date' | 'datetime';
  readonly #writer: ByteWriter;
  readonly #offsets: Uint32Array<ArrayBuffer>;
  /** Rows whose end offset is set; skipped rows end where the row before them ends. */
  #rowCount = 0;

  constructor(type: 'date' | 'datetime', rowCount: number) {
    this.#type = type;
    this.#writer = new ByteWriter(rowCount * (type === 'date' ? 10 : 20));
    this.#offsets = new Uint32Array(rowCount + 1);
  }

  text(row: number, bytes: Uint8Array, start: number, end: number): boolean {
    const kind = temporalKind(bytes, start, end);
    if (kind !== DATE_TEXT && kind !== DATETIME_TEXT) return false;
    if (this.#type === 'date' && kind === DATETIME_TEXT && !isMidnight(bytes, start + 11, end)) return false;
    this.#passTo(row);
    this.#writer.copy(bytes, start, this.#type === 'date' ? start + 10 : end);
    if (this.#type === 'datetime' && kind === DATE_TEXT) this.#writer.ascii('T00:00:00');
    this.#offsets[row + 1] = this.#writer.length;
    this.#rowCount = row + 1;
    return true;
  }

  number(): boolean {
    return false;
  }

  truth(): boolean {
    return false;
  }

  finish(validity: Validity): AttributeColumn {
    this.#passTo(this.#offsets.length - 1);
    return { type: this.#type, bytes: this.#writer.take(), offsets: this.#offsets, validity };
  }

  #passTo(row: number): void {
    this.#offsets.fill(this.#writer.length, this.#rowCount + 1, row + 1);
    this.#rowCount = row;
  }
}

/** Whether a time has only zeros and no zone: a date with a zone is more than a date. */
function isMidnight(bytes: Uint8Array, at: number, end: number): boolean {
  while (at < end && (bytes[at] === ZERO || bytes[at] === COLON || bytes[at] === DOT)) at++;
  return at === end;
}

/** Texts and scalars are not binary: reading them as base64 would turn words that look like it into noise. */
class BinaryTarget implements ValueTarget {
  readonly #rowCount: number;

  constructor(rowCount: number) {
    this.#rowCount = rowCount;
  }

  text(): boolean {
    return false;
  }

  number(): boolean {
    return false;
  }

  truth(): boolean {
    return false;
  }

  finish(validity: Validity): AttributeColumn {
    const offsets = new Uint32Array(this.#rowCount + 1);
    return { type: 'binary', bytes: new Uint8Array(0), offsets, validity };
  }
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
/** Digits of the largest double: a longer integer fits no number type and is not worth a bigint. */
const MOST_DIGITS = 309;

/**
 * Converts a decimal number with an integral value ("12", "12.0", "1.2e1") exactly; null if the value is not integral
 * or exceeds all doubles. The text must be a valid number.
 */
function integerOfDecimal(text: string): bigint | null {
  const [, sign, whole, fraction = '', exponentText = '0'] = DECIMAL.exec(text)!;
  const digits = whole + fraction;
  let first = 0;
  while (first < digits.length && digits[first] === '0') first++;
  if (first === digits.length) return 0n;
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const zeros = Number(exponentText) - fraction.length + (digits.length - end);
  if (zeros < 0 || end - first + zeros > MOST_DIGITS) return null;
  const magnitude = BigInt(digits.slice(first, end) + '0'.repeat(zeros));
  return sign === '-' ? -magnitude : magnitude;
}
