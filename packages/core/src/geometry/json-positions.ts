/** Parses positions and arrays of positions directly into the coordinates of a GeometryBuilder. */
import { failure } from '../messages/errors.ts';
import { generalErrors } from '../messages/general-errors.ts';
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from '../text/ascii.ts';
import type { JsonScanner } from '../text/json-scanner.ts';
import { type GeometryBuilder, hasZ } from './geometry-column.ts';

export class PositionParser {
  /** Positions with more than three numbers in the feature so far; the reader of this field resets it. */
  extraOrdinates = 0;
  /** Number of positions in the builder before the feature. */
  featureStart = 0;
  protected readonly scanner: JsonScanner;
  protected readonly builder: GeometryBuilder;
  readonly #positionLimit: number;

  constructor(scanner: JsonScanner, builder: GeometryBuilder, positionLimit: number) {
    this.scanner = scanner;
    this.builder = builder;
    this.#positionLimit = positionLimit;
  }

  /** An array of positions. The hot loop: compact text needs no calls except for the numbers. */
  list(at: number): number {
    const scanner = this.scanner;
    const builder = this.builder;
    const { bytes } = scanner;
    if (bytes[at] !== OPEN_BRACKET) throw this.noArray(at, 'positions');
    at++;
    if (bytes[at] !== OPEN_BRACKET) {
      at = scanner.space(at);
      if (bytes[at] === CLOSE_BRACKET) return at + 1;
    }
    let { coordinates } = builder;
    let length = builder.coordinateLength;
    const isFlat = builder.stride === 2;
    for (;;) {
      if (isFlat && bytes[at] === OPEN_BRACKET && length + 8 < coordinates.length) {
        const start = at;
        const x = scanner.number(bytes[at + 1] > 0x20 ? at + 1 : scanner.space(at + 1));
        at = scanner.numberEnd;
        if (bytes[at] !== COMMA) at = scanner.space(at);
        if (bytes[at] === COMMA) {
          const y = scanner.number(bytes[at + 1] > 0x20 ? at + 1 : scanner.space(at + 1));
          at = scanner.numberEnd;
          if (bytes[at] !== CLOSE_BRACKET) at = scanner.space(at);
          if (bytes[at] === CLOSE_BRACKET && x - x === 0 && y - y === 0) {
            coordinates[length] = x;
            coordinates[length + 1] = y;
            length += 2;
            at++;
          } else at = start;
        } else at = start;
        // Not two finite numbers: #slowPositions parses it again from the bracket.
        if (at === start) {
          builder.coordinateLength = length;
          return this.#slowPositions(at);
        }
      } else {
        builder.coordinateLength = length;
        if (!isFlat || bytes[at] !== OPEN_BRACKET) return this.#slowPositions(at);
        this.#room();
        coordinates = builder.coordinates;
        continue;
      }
      const byte = bytes[at];
      if (byte === COMMA && bytes[at + 1] === OPEN_BRACKET) at++;
      else if (byte === CLOSE_BRACKET) break;
      else {
        at = scanner.space(at);
        if (bytes[at] === CLOSE_BRACKET) break;
        at = scanner.punctuation(at, COMMA);
      }
    }
    builder.coordinateLength = length;
    return at + 1;
  }

  /** Parses the rest of an array of positions from the position at `at` on, with Z or with errors. */
  #slowPositions(at: number): number {
    const scanner = this.scanner;
    const { bytes } = scanner;
    for (;;) {
      at = this.single(at);
      if (bytes[at] === COMMA && bytes[at + 1] === OPEN_BRACKET) at++;
      else {
        at = scanner.space(at);
        if (bytes[at] === CLOSE_BRACKET) return at + 1;
        at = scanner.punctuation(at, COMMA);
      }
    }
  }

  /** Parses one position of two or more numbers; the first third ordinate widens the builder. */
  single(at: number): number {
    const scanner = this.scanner;
    const builder = this.builder;
    const { bytes } = scanner;
    if (bytes[at] !== OPEN_BRACKET) throw this.noArray(at, 'a position');
    const start = at;
    at = scanner.space(at + 1);
    if (bytes[at] === CLOSE_BRACKET) throw this.shortPosition(start);
    const x = this.#ordinate(at);
    at = scanner.space(scanner.numberEnd);
    if (bytes[at] === CLOSE_BRACKET) throw this.shortPosition(start);
    at = scanner.punctuation(at, COMMA);
    const y = this.#ordinate(at);
    at = scanner.space(scanner.numberEnd);
    let z = Number.NaN;
    if (bytes[at] === COMMA) {
      at = scanner.punctuation(at, COMMA);
      z = this.#ordinate(at);
      at = scanner.space(scanner.numberEnd);
      if (!hasZ(builder.dimensions)) builder.widen('XYZ');
      if (bytes[at] === COMMA) {
        this.extraOrdinates++;
        while (bytes[at] === COMMA) {
          at = scanner.punctuation(at, COMMA);
          this.#ordinate(at);
          at = scanner.space(scanner.numberEnd);
        }
      }
    }
    if (bytes[at] !== CLOSE_BRACKET) throw scanner.unexpected(at, "',' or ']'");
    let length = builder.coordinateLength;
    if (length + 4 > builder.coordinates.length) this.#room();
    const { coordinates } = builder;
    coordinates[length++] = x;
    coordinates[length++] = y;
    if (builder.stride === 3) coordinates[length++] = z;
    builder.coordinateLength = length;
    return at + 1;
  }

  #ordinate(at: number): number {
    const scanner = this.scanner;
    const byte = scanner.bytes[at];
    if (at < scanner.limit && byte !== 0x2d && (byte < 0x30 || byte > 0x39)) {
      if (scanner.endsWithComma(at)) throw scanner.unexpected(at, 'a number');
      const reason = `a position must hold numbers but here is ${scanner.byteName(at)}`;
      throw scanner.fault(at, reason, 'structure');
    }
    const value = scanner.number(at);
    if (value - value !== 0)
      throw scanner.fault(at, 'this coordinate is larger than any number', 'structure');
    return value;
  }

  #room(): void {
    const builder = this.builder;
    this.checkCount();
    builder.reserve(1 << 12);
  }

  /** Throws LIMIT_EXCEEDED if the feature has too many positions. */
  checkCount(): void {
    if (this.builder.positionCount - this.featureStart <= this.#positionLimit) return;
    throw failure(generalErrors.LIMIT_EXCEEDED, {
      what: 'the number of positions of a feature',
      actual: `more than ${this.#positionLimit}`,
      limit: this.#positionLimit,
      setting: 'MAX_FEATURE_COORDINATES',
    });
  }

  noArray(at: number, content: string): Error {
    const scanner = this.scanner;
    if (at >= scanner.limit) return scanner.unexpected(at, "'['");
    const reason = `expected an array for ${content} but found ${scanner.byteName(at)}`;
    return scanner.fault(at, reason, 'structure');
  }

  protected shortPosition(at: number): Error {
    return this.scanner.fault(at, 'a position needs at least two numbers', 'structure');
  }
}
