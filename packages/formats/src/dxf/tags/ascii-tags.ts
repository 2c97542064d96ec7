/**
 * Reads tags from lines of text: a line with the group code, a line with the value. Lines end in CR LF, LF or CR; codes
 * may be surrounded by blanks.
 *
 * This is the hot loop of reading: one pass over the bytes, no string, no object. A line feed after the window stops
 * every inner loop, so none of them checks for the end.
 */
import { CR, isBlank, LF, MINUS, SPACE, TAB, ZERO } from '@geomill/core/text/ascii.ts';
import type { TagList } from './tag-list.ts';
import { IS_BROKEN, NEEDS_MORE, type TagScanner } from './tag-scanner.ts';
import { TAG_VALUE, TAG_VALUES } from './tag-values.ts';

const POINT_DIGIT = 0x2e - ZERO;
/** Larger group codes would not fit the list; no edition of the format has any above 1071. */
const MAX_CODE = 32_767;

const POWERS_OF_TEN = Float64Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

export class AsciiTagScanner implements TagScanner {
  readonly list: TagList;
  type = '';
  faultAt = 0;
  faultReason = '';
  #bytes: Uint8Array = new Uint8Array(2);
  #limit = 0;
  #reachesEnd = false;

  constructor(list: TagList) {
    this.list = list;
  }

  attach(bytes: Uint8Array, limit: number, reachesEnd: boolean): void {
    bytes[limit] = LF;
    bytes[limit + 1] = 0;
    this.#bytes = bytes;
    this.#limit = limit;
    this.#reachesEnd = reachesEnd;
    this.list.attach(bytes);
  }

  head(at: number): number {
    const bytes = this.#bytes;
    let i = at;
    while (isBlank(bytes[i])) i++;
    const digit = bytes[i];
    while (bytes[i] === ZERO) i++;
    if (i >= this.#limit) return NEEDS_MORE;
    while (isBlank(bytes[i])) i++;
    if (digit !== ZERO || (bytes[i] !== CR && bytes[i] !== LF)) return this.#broken(at);
    i += bytes[i] === CR && bytes[i + 1] === LF ? 2 : 1;
    if (i >= this.#limit) return NEEDS_MORE;
    let start = i;
    while (isBlank(bytes[start])) start++;
    let end = start;
    while (bytes[end] !== LF && bytes[end] !== CR) end++;
    const next = end + (bytes[end] === CR && bytes[end + 1] === LF ? 2 : 1);
    if (next > this.#limit && !this.#reachesEnd) return NEEDS_MORE;
    while (end > start && isBlank(bytes[end - 1])) end--;
    this.type = this.list.text.read(bytes, start, end);
    return next;
  }

  tags(at: number): number {
    const { list } = this;
    const bytes = this.#bytes;
    const limit = this.#limit;
    let { codes, starts, ends, reals, count } = list;
    for (;;) {
      const tagStart = at;
      let byte = bytes[at];
      while (byte === SPACE || byte === TAB) byte = bytes[++at];
      let code = byte - ZERO;
      if (code < 0 || code > 9) return this.#fault(tagStart, at, count);
      byte = bytes[++at];
      for (let digit = byte - ZERO; digit >= 0 && digit <= 9 && code <= MAX_CODE; digit = byte - ZERO) {
        code = code * 10 + digit;
        byte = bytes[++at];
      }
      while (byte === SPACE || byte === TAB) byte = bytes[++at];
      if (byte === LF) at++;
      else if (byte === CR) at += bytes[at + 1] === LF ? 2 : 1;
      else return this.#fault(tagStart, at, count);
      // The line was ended by the line feed after the window, or the CR at its end may be followed by an LF.
      if (at >= limit && !(at === limit && this.#reachesEnd)) return this.#more(count);
      if (code === 0) {
        list.count = count;
        return tagStart;
      }
      if (code > MAX_CODE) return this.#fault(tagStart, tagStart, count);
      const start = at;
      let real = Number.NaN;
      if (TAG_VALUES[code] === TAG_VALUE.real) {
        // Up to nine digits on either side of the point, fifteen together, are read as 32-bit integers and combined by
        // one exact division; other forms of numbers are parsed when they are used.
        const isNegative = bytes[at] === MINUS;
        if (isNegative) at++;
        const wholeStart = at;
        let whole = 0;
        let digit = bytes[at] - ZERO;
        while (digit >= 0 && digit <= 9) {
          whole = (whole * 10 + digit) | 0;
          digit = bytes[++at] - ZERO;
        }
        const wholeDigits = at - wholeStart;
        let fraction = 0;
        let fractionDigits = 0;
        if (digit === POINT_DIGIT) {
          const fractionStart = ++at;
          digit = bytes[at] - ZERO;
          while (digit >= 0 && digit <= 9) {
            fraction = (fraction * 10 + digit) | 0;
            digit = bytes[++at] - ZERO;
          }
          fractionDigits = at - fractionStart;
        }
        byte = bytes[at];
        if (
          (byte === LF || byte === CR) &&
          wholeDigits !== 0 &&
          wholeDigits <= 9 &&
          fractionDigits <= 9 &&
          wholeDigits + fractionDigits <= 15
        ) {
          real =
            fractionDigits === 0
              ? whole
              : (whole * POWERS_OF_TEN[fractionDigits] + fraction) / POWERS_OF_TEN[fractionDigits];
          if (isNegative) real = -real;
        }
      }
      byte = bytes[at];
      while (byte !== LF && byte !== CR) byte = bytes[++at];
      const end = at;
      at += byte === CR && bytes[at + 1] === LF ? 2 : 1;
      if (at > limit && !(this.#reachesEnd && end <= limit)) return this.#more(count);
      if (count === codes.length) {
        list.grow();
        ({ codes, starts, ends, reals } = list);
      }
      codes[count] = code;
      starts[count] = start;
      ends[count] = end;
      reals[count] = real;
      count++;
      if (at >= limit) return this.#more(count);
    }
  }

  #more(count: number): number {
    this.list.count = count;
    return NEEDS_MORE;
  }

  #fault(tagStart: number, at: number, count: number): number {
    this.list.count = count;
    return at >= this.#limit ? NEEDS_MORE : this.#broken(tagStart);
  }

  #broken(at: number): number {
    const bytes = this.#bytes;
    let end = at;
    while (end < at + 40 && bytes[end] !== LF && bytes[end] !== CR) end++;
    this.faultAt = at;
    this.faultReason = `expected a group code but found '${this.list.text.read(bytes, at, end).trim()}'`;
    return IS_BROKEN;
  }
}
