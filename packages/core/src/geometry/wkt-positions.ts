/** Reads lists of positions in well-known text directly into a GeometryBuilder. */
import { CLOSE_PAREN, COMMA, DOT, MINUS, NINE, OPEN_PAREN, SPACE, ZERO } from '../text/ascii.ts';
import type { Dimensions, GeometryBuilder } from './geometry-column.ts';
import { WktScanner } from './wkt-scanner.ts';
import { LETTER_M, LETTER_Z } from './wkt-words.ts';

const POWERS_OF_TEN = Float64Array.from({ length: 10 }, (_, exponent) => 10 ** exponent);
const LETTER_NAMES = ['', 'Z', 'M', 'ZM'] as const;
/** Index: the bits LETTER_Z and LETTER_M. */
const DIMENSIONS: readonly Dimensions[] = ['XY', 'XYZ', 'XYM', 'XYZM'];

export class WktPositions extends WktScanner {
  protected builder!: GeometryBuilder;
  /** Z, M or both as written after the name of the current geometry (bits LETTER_Z and LETTER_M). */
  protected letters = 0;
  /** Numbers per position of the current geometry; 0 before its first position. */
  protected ordinates = 0;
  #isListRead = false;

  /** Reads "(x y, x y, ...)"; returns the number of positions. */
  protected readPositions(): number {
    this.take(OPEN_PAREN, "'('");
    let count = 0;
    for (;;) {
      if (this.letters === 0 && this.builder.stride === 2) {
        count += this.#readPlainPositions();
        if (this.#isListRead) return count;
      }
      this.readPosition();
      count++;
      if (!this.more()) return count;
    }
  }

  /**
   * The hot loop: positions "x y," of plain decimals of at most 15 digits, each read as two integers below 2^31 (before
   * and after the point) and one exact division. Stops after the closing parenthesis or before the first position of
   * another form; returns the number of positions read.
   */
  #readPlainPositions(): number {
    const bytes = this.bytes;
    const builder = this.builder;
    const end = this.endAt;
    let { coordinates } = builder;
    let length = builder.coordinateLength;
    let next = this.at;
    let count = 0;
    let isListRead = false;
    while (!isListRead) {
      if (length + 2 > coordinates.length) {
        builder.coordinateLength = length;
        builder.reserve(2);
        coordinates = builder.coordinates;
      }
      let at = next;
      let byte = bytes[at];
      if (byte === SPACE) byte = bytes[++at];
      let ordinate = 0;
      for (; ordinate < 2; ordinate++) {
        const isNegative = byte === MINUS;
        if (isNegative) byte = bytes[++at];
        const wholeStart = at;
        let whole = 0;
        while (byte >= ZERO && byte <= NINE) {
          whole = (Math.imul(whole, 10) + (byte - ZERO)) | 0;
          byte = bytes[++at];
        }
        const wholeDigits = at - wholeStart;
        let decimals = 0;
        let fraction = 0;
        if (byte === DOT) {
          const fractionStart = ++at;
          byte = bytes[at];
          while (byte >= ZERO && byte <= NINE) {
            fraction = (Math.imul(fraction, 10) + (byte - ZERO)) | 0;
            byte = bytes[++at];
          }
          decimals = at - fractionStart;
        }
        if (byte !== (ordinate === 0 ? SPACE : COMMA) && (byte !== CLOSE_PAREN || ordinate === 0)) break;
        if (wholeDigits === 0 || wholeDigits > 9 || decimals > 9 || wholeDigits + decimals > 15) break;
        const power = POWERS_OF_TEN[decimals];
        const value = (whole * power + fraction) / power;
        coordinates[length + ordinate] = isNegative ? -value : value;
        isListRead = byte === CLOSE_PAREN;
        byte = bytes[++at];
      }
      if (ordinate < 2 || at > end) {
        isListRead = false;
        break;
      }
      next = at;
      length += 2;
      count++;
    }
    if (count > 0) {
      // Positions without a third number: the same result as readPosition.
      if (this.ordinates !== 2) this.#settleOrdinates(2);
      this.at = next;
      builder.coordinateLength = length;
    }
    this.#isListRead = isListRead;
    return count;
  }

  protected readPosition(): void {
    const x = this.readNumber();
    const y = this.readNumber();
    if (!Number.isFinite(x) || !Number.isFinite(y))
      throw this.fail(this.at, 'x and y must be finite numbers');
    let third = Number.NaN;
    let fourth = Number.NaN;
    let count = 2;
    let next = this.peek();
    if (next !== COMMA && next !== CLOSE_PAREN && next !== -1) {
      third = this.readNumber();
      count = 3;
      next = this.peek();
      if (next !== COMMA && next !== CLOSE_PAREN && next !== -1) {
        fourth = this.readNumber();
        count = 4;
      }
    }
    if (count !== this.ordinates) this.#settleOrdinates(count);
    const builder = this.builder;
    if (builder.stride !== 2) {
      if (count === 3 && this.letters === LETTER_M) builder.position(x, y, Number.NaN, third);
      else builder.position(x, y, third, fourth);
      return;
    }
    let length = builder.coordinateLength;
    if (length + 2 > builder.coordinates.length) builder.reserve(2);
    builder.coordinates[length++] = x;
    builder.coordinates[length++] = y;
    builder.coordinateLength = length;
  }

  /**
   * At the first position of a geometry: checks that its number of ordinates matches the letters, and widens the batch.
   */
  #settleOrdinates(count: number): void {
    const letters = this.letters;
    if (this.ordinates !== 0)
      throw this.fail(
        this.at,
        `a position has ${count} numbers where the ones before have ${this.ordinates}`,
      );
    const wanted = 2 + (letters & 1) + (letters >> 1);
    if (letters !== 0 && count !== wanted)
      throw this.fail(
        this.at,
        `a position has ${count} numbers where ${LETTER_NAMES[letters]} wants ${wanted}`,
      );
    this.ordinates = count;
    if (count > 2) this.builder.widen(DIMENSIONS[letters !== 0 ? letters : count === 3 ? LETTER_Z : 3]);
  }
}
