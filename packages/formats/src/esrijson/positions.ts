/** Positions of EsriJSON: the third ordinate is Z or M, and ordinates can be null or "NaN". */
import { hasM, hasZ } from '@geomill/core/geometry/geometry-column.ts';
import { PositionParser } from '@geomill/core/geometry/json-positions.ts';
import { CLOSE_BRACKET, COMMA, LOWER_N, MINUS, OPEN_BRACKET, QUOTE } from '@geomill/core/text/ascii.ts';

const NAN = new TextEncoder().encode('NaN');

export class EsriPositions extends PositionParser {
  /** The third ordinate of a position with three is M. */
  thirdIsM = false;
  /** There was a position with three ordinates since this was reset. */
  hasThree = false;
  /** Offset after the last value that `ordinate` read. */
  end = 0;

  override single(at: number): number {
    const { scanner } = this;
    const { bytes } = scanner;
    if (bytes[at] !== OPEN_BRACKET) throw this.noArray(at, 'a position');
    const start = at;
    at = scanner.space(at + 1);
    let count = 0;
    let x = Number.NaN;
    let y = Number.NaN;
    let third = Number.NaN;
    let fourth = Number.NaN;
    while (bytes[at] !== CLOSE_BRACKET) {
      const value = this.ordinate(at);
      count++;
      if (count === 1) x = value;
      else if (count === 2) y = value;
      else if (count === 3) third = value;
      else if (count === 4) fourth = value;
      at = scanner.space(this.end);
      if (bytes[at] === CLOSE_BRACKET) break;
      at = scanner.punctuation(at, COMMA);
      if (bytes[at] === CLOSE_BRACKET) throw scanner.unexpected(at, 'a number');
    }
    if (count < 2) throw this.shortPosition(start);
    if (x - x !== 0 || y - y !== 0)
      throw scanner.fault(start, 'a position in a list needs numbers as x and y', 'structure');
    if (count === 3) this.hasThree = true;
    if (count > 4) this.extraOrdinates++;
    if (count === 3 && this.thirdIsM) this.append(x, y, Number.NaN, third);
    else this.append(x, y, third, fourth);
    return at + 1;
  }

  /** Appends a position; the first Z or M that is a number widens the builder. */
  append(x: number, y: number, z: number, m: number): void {
    const { builder } = this;
    if (!Number.isNaN(z) && !hasZ(builder.dimensions)) builder.widen('XYZ');
    if (!Number.isNaN(m) && !hasM(builder.dimensions)) builder.widen('XYM');
    builder.position(x, y, z, m);
    this.checkCount();
  }

  /** A number, null or "NaN"; NaN for both. Sets `end`. */
  ordinate(at: number): number {
    const { scanner } = this;
    const byte = scanner.bytes[at];
    if (byte === LOWER_N) {
      this.end = scanner.literal(at);
      return Number.NaN;
    }
    if (byte === QUOTE) {
      const end = scanner.string(at);
      this.end = end + 1;
      if (scanner.equals(at + 1, end, NAN)) return Number.NaN;
      throw scanner.fault(at, "a coordinate is a number, null or 'NaN' but here is a text", 'structure');
    }
    if (at < scanner.limit && byte !== MINUS && (byte < 0x30 || byte > 0x39)) {
      if (scanner.endsWithComma(at)) throw scanner.unexpected(at, 'a number');
      const reason = `a position must hold numbers but here is ${scanner.byteName(at)}`;
      throw scanner.fault(at, reason, 'structure');
    }
    const value = scanner.number(at);
    if (value - value !== 0)
      throw scanner.fault(at, 'this coordinate is larger than any number', 'structure');
    this.end = scanner.numberEnd;
    if (this.end >= scanner.limit) throw scanner.unexpected(this.end, 'the rest of a number');
    return value;
  }
}
