/**
 * Reads one ordinate of a position as people and instruments write it:
 *
 *     numbers   471000.25   -8.5   1e5   2'600'000.5   5 933 000,25   1.234,56   471000.25 m   8.55°
 *     angles    47°22'15.5"N   47° 22.25' N   N 47 22 15   47:22:15   47-22-15N   -8 33 0   8d33m0s
 *
 * A comma or a point is a decimal mark or separates thousands; which of the two is stated when the scanner is made. A
 * single group of three digits after the other mark ("1.234" where the comma is the decimal mark) can be meant either
 * way and is rejected, unless the caller knows better. "8.5E1" has an exponent, "8.5E" is 8.5 degrees east.
 */
import { COLON, COMMA, DOT, MINUS, NINE, PLUS, QUOTE, SPACE, ZERO } from './ascii.ts';
import { NumberScanner } from './number-scanner.ts';

/** The letter of a value. O is east in German and Dutch, west in French, Italian, Spanish and Portuguese. */
export type Hemisphere = '' | 'N' | 'S' | 'E' | 'W' | 'O';

export interface OrdinateNotation {
  /** COMMA or DOT. */
  readonly decimalMark: number;
  /** A single group after the other mark separates thousands: "471,000" is 471000 if the mark is the point. */
  readonly takesSingleGroup: boolean;
  /** Meaning of the letter O; null: values with it are rejected. */
  readonly letterO: 'E' | 'W' | null;
}

export const PLAIN_NOTATION: OrdinateNotation = {
  decimalMark: DOT,
  takesSingleGroup: false,
  letterO: null,
};

/** Longest text that is read. */
const MAX_BYTES = 64;
const APOSTROPHE = 0x27;
/** Stands for all degree signs in normalised text. */
const DEGREE = 0x01;
const EXPECTED = 'a number or an angle such as 47°22\'15"N is expected';

/** What the signs beyond ASCII are normalised to. */
const SIGNS = new Map<number, number>(
  [
    ['\u00a0\u2007\u2009\u202f\u2002\u2003\u200a', SPACE],
    ['°º˚', DEGREE],
    ['′’‘´ʹ‵ʼ', APOSTROPHE],
    ['″”“ʺ„', QUOTE],
    ['−–', MINUS],
  ].flatMap(([signs, byte]) => [...String(signs)].map((sign) => [sign.codePointAt(0) ?? 0, Number(byte)])),
);

const HEMISPHERES = new Map<string, Hemisphere>(
  Object.entries({
    N: 'n north nord norte noord',
    S: 's south sud sued sul sur zuid',
    E: 'e east est este ost oost leste',
    W: 'w west ouest oeste ovest',
    O: 'o',
  }).flatMap(([letter, words]) => words.split(' ').map((word) => [word, letter as Hemisphere])),
);

/** The letter of a word such as "n" or "Ost"; '' if it states no hemisphere. */
export function hemisphereOf(word: string): Hemisphere {
  return HEMISPHERES.get(word.toLowerCase()) ?? '';
}

export function isHemisphere(word: string): boolean {
  return hemisphereOf(word) !== '';
}

/** The reason if a latitude is in a column of longitudes, or the other way round. */
export function wrongLetter(letter: Hemisphere, axis: string): string {
  const states = letter === 'N' || letter === 'S' ? 'latitude' : 'longitude';
  return `the letter ${letter} states a ${states}, but the column is read as ${axis}`;
}

/** Instruments write 47 degrees and 22.25 minutes north as 4722.25N; a shorter value could be either. */
export function tooManyDegrees(letter: Hemisphere, limit: number, isSexagesimal: boolean): string {
  const reason = `with the letter ${letter} a value is in degrees, at most ${limit}`;
  return isSexagesimal
    ? reason
    : `${reason}; degrees and minutes without a separator (4722.25N) are not read: separate them`;
}

const WORD_DEGREE = new Set(['d', 'deg', 'degree', 'degrees']);
const WORD_MINUTE = new Set(['m', 'min']);
const WORD_SECOND = new Set(['s', 'sec']);

/** Reads one value per call; reuse one instance. */
export class OrdinateScanner {
  /** Of the last value; '' if it has no letter. */
  hemisphere: Hemisphere = '';
  /** The last value has minutes. */
  isSexagesimal = false;
  /** The last value has a degree sign, minutes or a letter, so it is an angle. */
  isAngle = false;
  /** The only comma or point of the last value can be a decimal mark as well as a separator of thousands. */
  isAmbiguous = false;
  /** Why the last text is not a value. */
  reason = '';
  readonly #notation: OrdinateNotation;
  readonly #numbers = new NumberScanner();
  /** The normalised text, and a zero byte after it. */
  readonly #text = new Uint8Array(MAX_BYTES + 1);
  readonly #digits = new Uint8Array(MAX_BYTES + 1);
  #at = 0;

  constructor(notation: OrdinateNotation = PLAIN_NOTATION) {
    this.#notation = notation;
  }

  /** The value of the text `bytes[start, end)`, without blanks around it; NaN if it is not a number: see `reason`. */
  parse(bytes: Uint8Array, start: number, end: number): number {
    this.hemisphere = '';
    this.isSexagesimal = false;
    this.isAngle = false;
    this.isAmbiguous = false;
    this.reason = '';
    if (!this.#normalise(bytes, start, end)) return this.#fail(EXPECTED);
    this.#at = 0;
    const prefix = this.#word();
    if (prefix !== '' && !this.#takeHemisphere(prefix)) return this.#fail(EXPECTED);
    this.#blanks();
    const text = this.#text;
    const sign = text[this.#at];
    const isNegative = sign === MINUS;
    if (isNegative || sign === PLUS) this.#at++;
    this.#blanks();
    let value = this.#number(true);
    if (Number.isNaN(value)) return this.#fail(this.reason || EXPECTED);
    value = this.#rest(value);
    if (Number.isNaN(value)) return this.#fail(this.reason || EXPECTED);
    return this.#signed(value, isNegative);
  }

  #fail(reason: string): number {
    this.reason = reason;
    return Number.NaN;
  }

  #signed(value: number, isNegative: boolean): number {
    let letter = this.hemisphere;
    if (letter === '') return isNegative ? -value : value;
    if (isNegative) return this.#fail('a minus sign and a letter contradict each other');
    if (letter === 'O') {
      if (this.#notation.letterO === null)
        return this.#fail('the letter O is east in German and west in French or Spanish; write E or W');
      letter = this.#notation.letterO;
      this.hemisphere = letter;
    }
    const limit = letter === 'N' || letter === 'S' ? 90 : 360;
    if (value > limit) return this.#fail(tooManyDegrees(letter, limit, this.isSexagesimal));
    return letter === 'S' || letter === 'W' ? -value : value;
  }

  /** Reads what follows the first number; returns the value without its sign. */
  #rest(first: number): number {
    const hadBlank = this.#blanks();
    const byte = this.#text[this.#at];
    if (byte === 0) return first;
    const isSeparated = byte === COLON || (byte === MINUS && isDigit(this.#text[this.#at + 1]));
    if (isSeparated) {
      this.#at++;
      return this.#minutes(first, byte);
    }
    if (hadBlank && isDigit(byte)) return this.#minutes(first, SPACE);
    if (byte === DEGREE) this.#at++;
    else {
      const word = this.#word();
      if (word === 'm' && this.hemisphere === '') return this.#ended(first);
      if (!WORD_DEGREE.has(word)) return this.#takeHemisphere(word) ? this.#ended(first) : Number.NaN;
    }
    this.isAngle = true;
    this.#blanks();
    return isDigit(this.#text[this.#at]) ? this.#minutes(first, 0) : this.#end(first);
  }

  /** `separator`: the byte between the numbers, 0 if each has its own sign. */
  #minutes(degrees: number, separator: number): number {
    if (!Number.isInteger(degrees) || degrees > 360) return Number.NaN;
    this.isSexagesimal = true;
    this.isAngle = true;
    const minutes = this.#number(false);
    if (!(minutes < 60)) return this.#fail('minutes are numbers from 0 up to, but not including, 60');
    const value = degrees + minutes / 60;
    const hadBlank = this.#blanks();
    const text = this.#text;
    const byte = text[this.#at];
    const hasMore =
      separator === 0
        ? this.#mark(APOSTROPHE, WORD_MINUTE)
        : byte === separator || (hadBlank && isDigit(byte));
    if (!hasMore) return this.#end(value);
    if (separator === byte) this.#at++;
    this.#blanks();
    if (!isDigit(text[this.#at])) return this.#end(value);
    if (!Number.isInteger(minutes)) return Number.NaN;
    const seconds = this.#number(false);
    if (!(seconds < 60)) return this.#fail('seconds are numbers from 0 up to, but not including, 60');
    this.#blanks();
    this.#mark(QUOTE, WORD_SECOND);
    return this.#end(degrees + (minutes * 60 + seconds) / 3600);
  }

  /** Takes the sign or the word of a unit, if it is there. */
  #mark(sign: number, words: ReadonlySet<string>): boolean {
    const start = this.#at;
    if (this.#text[start] === sign) {
      this.#at++;
      return true;
    }
    const word = this.#word();
    if (words.has(word)) return true;
    // "15.5sN"
    const isJoined = words.has(word.slice(0, 1)) && isHemisphere(word.slice(1));
    this.#at = isJoined ? start + 1 : start;
    return isJoined;
  }

  /** Takes an optional letter and the end of the text. */
  #end(value: number): number {
    this.#blanks();
    const word = this.#word();
    return word === '' || this.#takeHemisphere(word) ? this.#ended(value) : Number.NaN;
  }

  #ended(value: number): number {
    this.#blanks();
    return this.#text[this.#at] === 0 ? value : Number.NaN;
  }

  #takeHemisphere(word: string): boolean {
    const letter = HEMISPHERES.get(word);
    if (letter === undefined || this.hemisphere !== '') return false;
    this.hemisphere = letter;
    this.isAngle = true;
    return true;
  }

  /** The letters at the current position in lower case; an empty text if there are none. */
  #word(): string {
    let word = '';
    for (let byte = this.#text[this.#at]; ; byte = this.#text[++this.#at]) {
      const lower = byte | 0x20;
      if (lower < 0x61 || lower > 0x7a) return word;
      word += String.fromCharCode(lower);
    }
  }

  #blanks(): boolean {
    const start = this.#at;
    while (this.#text[this.#at] === SPACE) this.#at++;
    return this.#at > start;
  }

  /** A number without sign; the first one of a value may have groups of thousands and an exponent. */
  #number(isFirst: boolean): number {
    const text = this.#text;
    const digits = this.#digits;
    const { decimalMark } = this.#notation;
    const otherMark = decimalMark === DOT ? COMMA : DOT;
    let at = this.#at;
    let length = 0;
    while (isDigit(text[at])) digits[length++] = text[at++];
    const leading = length;
    let groups = 0;
    let mark = 0;
    while (isFirst && leading >= 1 && leading <= 3 && isGroup(text, at)) {
      const byte = text[at];
      if (byte !== APOSTROPHE && byte !== SPACE && byte !== otherMark) break;
      if (groups > 0 && byte !== mark) break;
      mark = byte;
      groups++;
      for (let i = 1; i <= 3; i++) digits[length++] = text[at + i];
      at += 4;
    }
    if (text[at] === decimalMark) {
      this.isAmbiguous =
        groups === 0 && leading >= 1 && leading <= 3 && digits[0] !== ZERO && isGroup(text, at);
      digits[length++] = DOT;
      at++;
      while (isDigit(text[at])) digits[length++] = text[at++];
    } else if (groups === 1 && mark === otherMark && !this.#notation.takesSingleGroup)
      return this.#fail(
        `it is unclear whether the ${mark === COMMA ? 'comma' : 'point'} is a decimal mark or separates thousands`,
      );
    if (isFirst && (text[at] | 0x20) === 0x65) {
      const exponentAt = text[at + 1] === MINUS || text[at + 1] === PLUS ? at + 2 : at + 1;
      if (isDigit(text[exponentAt])) {
        while (at < exponentAt) digits[length++] = text[at++];
        while (isDigit(text[at])) digits[length++] = text[at++];
      }
    }
    this.#at = at;
    const value = this.#numbers.scan(digits, 0, length);
    return this.#numbers.end === length && Number.isFinite(value) ? value : Number.NaN;
  }

  /** Copies the text with signs beyond ASCII replaced, and two apostrophes as one double quote. */
  #normalise(bytes: Uint8Array, start: number, end: number): boolean {
    if (end - start > MAX_BYTES) return false;
    const text = this.#text;
    let length = 0;
    for (let at = start; at < end; ) {
      let code = bytes[at++];
      if (code >= 0x80) {
        const extra = code >= 0xf0 ? 3 : code >= 0xe0 ? 2 : 1;
        code &= 0x3f >> extra;
        for (let i = 0; i < extra && at < end; i++) code = (code << 6) | (bytes[at++] & 0x3f);
        const sign = SIGNS.get(code);
        if (sign === undefined) return false;
        code = sign;
      } else if (code < SPACE) {
        if (code !== 0x09) return false;
        code = SPACE;
      } else if (code === 0x60) code = APOSTROPHE;
      if (code === APOSTROPHE && length > 0 && text[length - 1] === APOSTROPHE) text[length - 1] = QUOTE;
      else text[length++] = code;
    }
    text[length] = 0;
    return length > 0;
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

/** Whether exactly three digits follow the byte at `at`. */
function isGroup(text: Uint8Array, at: number): boolean {
  return isDigit(text[at + 1]) && isDigit(text[at + 2]) && isDigit(text[at + 3]) && !isDigit(text[at + 4]);
}
