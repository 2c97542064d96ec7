/** Numbers with a decimal comma: "1234,50", "1.234,56". */
import { KIND, kindOf } from '@geomill/core/columns/text-kinds.ts';
import { COMMA, DOT, MINUS, NINE, ZERO } from '@geomill/core/text/ascii.ts';

/** Numbers with more characters stay text. */
const MAX_BYTES = 64;

/** Rewrites numbers with a decimal comma to a decimal point; reuse one instance. */
export class CommaNumber {
  /** The number with a decimal point, `length` bytes. */
  readonly text = new Uint8Array(MAX_BYTES);
  length = 0;
  /** The comma can as well separate thousands: "1,234". */
  isAmbiguous = false;

  /** Returns false if `bytes[start, end)` is no number with a decimal comma. Points can only separate thousands. */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    if (end - start > MAX_BYTES) return false;
    const { text } = this;
    let at = start;
    let length = 0;
    if (bytes[at] === MINUS) text[length++] = bytes[at++];
    const firstDigit = at;
    let groupStart = at;
    let groups = 0;
    for (; at < end && bytes[at] !== COMMA; at++) {
      const byte = bytes[at];
      if (byte === DOT) {
        const digits = at - groupStart;
        if (groups === 0 ? digits < 1 || digits > 3 : digits !== 3) return false;
        groups++;
        groupStart = at + 1;
      } else if (byte >= ZERO && byte <= NINE) text[length++] = byte;
      else return false;
    }
    if (at === end || (groups > 0 && at - groupStart !== 3)) return false;
    const leading = at - firstDigit;
    text[length++] = DOT;
    const fractionStart = ++at;
    while (at < end) text[length++] = bytes[at++];
    this.length = length;
    this.isAmbiguous =
      groups === 0 && leading >= 1 && leading <= 3 && bytes[firstDigit] !== ZERO && end - fractionStart === 3;
    return kindOf(text, 0, length) === KIND.float64;
  }
}

const number = new CommaNumber();

/** As `kindOf`, for files with decimal commas: a number with a decimal point is text. */
export function kindWithComma(bytes: Uint8Array, start: number, end: number): number {
  const kind = kindOf(bytes, start, end);
  if (kind === KIND.float64) return KIND.text;
  return kind === KIND.text && number.read(bytes, start, end) ? KIND.float64 : kind;
}
