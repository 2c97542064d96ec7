/**
 * Reads a position from one text: two ordinates with `;`, `/`, `|`, a comma or a blank between them, in parentheses or
 * not, or two angles with letters ("47°22'N 8°33'E"), or ISO 6709 ("+47.37+008.55/", "+472215+0083300+408/").
 */
import { DOT } from './ascii.ts';
import { isHemisphere, type OrdinateNotation, OrdinateScanner } from './ordinate-text.ts';

/** Longest text that is read. */
const MAX_BYTES = 160;

const ISO_6709 =
  /^([+-])(\d{2})(\d{2})?(\d{2})?(\.\d+)?([+-])(\d{3})(\d{2})?(\d{2})?(\.\d+)?([+-]\d+(?:\.\d+)?)?(?:CRS\w+)?\/?$/;
const EXPECTED = 'two coordinates such as 47.37, 8.55 are expected';

/** Reads one position per call; reuse one instance. */
export class PositionScanner {
  /** In the order of the text. */
  first = 0;
  second = 0;
  /** NaN: the text has none. */
  z = Number.NaN;
  /** Order that the text itself states by its letters or its notation; null: it states none. */
  order: 'lat_lon' | 'lon_lat' | null = null;
  /** Why the last text is no position. */
  reason = '';
  /** One of the ordinates has minutes. */
  isSexagesimal = false;
  readonly #notation: OrdinateNotation;
  readonly #ordinates: OrdinateScanner;

  constructor(notation: OrdinateNotation) {
    this.#notation = notation;
    this.#ordinates = new OrdinateScanner(notation);
  }

  /** Reads `bytes[start, end)`, which has no blanks around it. Returns false if it is no position: see `reason`. */
  parse(bytes: Uint8Array, start: number, end: number): boolean {
    this.z = Number.NaN;
    this.order = null;
    this.isSexagesimal = false;
    this.reason = EXPECTED;
    if (end - start > MAX_BYTES) return false;
    const open = bytes[start];
    if ((open === 0x28 && bytes[end - 1] === 0x29) || (open === 0x5b && bytes[end - 1] === 0x5d)) {
      start++;
      end--;
    }
    // One character for each byte, so that an index is an offset.
    let text = '';
    for (let i = start; i < end; i++) text += String.fromCharCode(bytes[i]);
    if (this.#readIso(text)) return true;
    const split = this.#splitOf(text);
    if (split === null) return false;
    const [firstEnd, secondStart] = split;
    const ordinates = this.#ordinates;
    this.first = this.#ordinate(bytes, start, start + firstEnd);
    const { hemisphere } = ordinates;
    this.second = this.#ordinate(bytes, start + secondStart, end);
    if (Number.isNaN(this.first) || Number.isNaN(this.second)) return false;
    if ((hemisphere === '') !== (ordinates.hemisphere === ''))
      return this.#fail('only one coordinate has a letter');
    if (hemisphere === '') return true;
    const isLatitudeFirst = isLatitude(hemisphere);
    if (isLatitudeFirst === isLatitude(ordinates.hemisphere))
      return this.#fail(`both letters state a ${isLatitudeFirst ? 'latitude' : 'longitude'}`);
    this.order = isLatitudeFirst ? 'lat_lon' : 'lon_lat';
    return true;
  }

  #fail(reason: string): boolean {
    this.reason = reason;
    return false;
  }

  #ordinate(bytes: Uint8Array, start: number, end: number): number {
    while (start < end && bytes[start] <= 0x20) start++;
    while (start < end && bytes[end - 1] <= 0x20) end--;
    const value = this.#ordinates.parse(bytes, start, end);
    if (Number.isNaN(value)) this.reason = this.#ordinates.reason;
    this.isSexagesimal ||= this.#ordinates.isSexagesimal;
    return value;
  }

  /** The end of the first ordinate and the start of the second; null if the text cannot be split in one way only. */
  #splitOf(text: string): [number, number] | null {
    const marks = [...text.matchAll(/[;/|]/g)];
    if (marks.length > 0) return marks.length > 1 ? null : [marks[0].index, marks[0].index + 1];
    const letters = [...text.matchAll(/[A-Za-z]+/g)].filter(
      ([word]) => (word.length > 2 || word === word.toUpperCase()) && isHemisphere(word),
    );
    if (letters.length === 2) {
      const [first, second] = letters;
      const end = first.index === 0 ? second.index : first.index + first[0].length;
      return [
        text.slice(0, end).replace(/[\s,]+$/, '').length,
        text.length - text.slice(end).replace(/^[\s,]+/, '').length,
      ];
    }
    const commas = [...text.matchAll(this.#notation.decimalMark === DOT ? /\s*,\s*/g : /\s*,\s+/g)];
    const between = commas.length > 0 ? commas : [...text.matchAll(/\s+/g)];
    if (between.length !== 1) return null;
    const [{ index, 0: mark }] = between;
    const [first, second] = [text.slice(0, index), text.slice(index + mark.length)];
    // "47 8,5" can be 47 and 8.5.
    if (mark === ',' && /\d\s+\d/.test(first) !== /\d\s+\d/.test(second)) return null;
    return [index, index + mark.length];
  }

  #readIso(text: string): boolean {
    const found = ISO_6709.exec(text);
    if (found === null) return false;
    const [, south, d, m, s, fraction, west, lonD, lonM, lonS, lonFraction, height] = found;
    const latitude = isoAngle(d, m, s, fraction);
    const longitude = isoAngle(lonD, lonM, lonS, lonFraction);
    if (Number.isNaN(latitude) || Number.isNaN(longitude)) return false;
    this.first = south === '-' ? -latitude : latitude;
    this.second = west === '-' ? -longitude : longitude;
    this.z = height === undefined ? Number.NaN : Number(height);
    this.order = 'lat_lon';
    this.isSexagesimal = m !== undefined;
    return true;
  }
}

function isLatitude(hemisphere: string): boolean {
  return hemisphere === 'N' || hemisphere === 'S';
}

/** The fraction belongs to the last part that is there. NaN if minutes or seconds reach 60. */
function isoAngle(d: string, m: string | undefined, s: string | undefined, fraction = ''): number {
  if (m === undefined) return Number(d + fraction);
  const minutes = Number(s === undefined ? m + fraction : m);
  const seconds = s === undefined ? 0 : Number(s + fraction);
  return minutes < 60 && seconds < 60 ? Number(d) + (minutes * 60 + seconds) / 3600 : Number.NaN;
}
