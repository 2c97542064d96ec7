/** Reads the positions of coordinates elements of KML into a geometry builder. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import type { GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { COMMA } from '@geomill/core/text/ascii.ts';
import { NumberScanner } from '@geomill/core/text/number-scanner.ts';
import { XmlFault } from '@geomill/core/text/xml-fault.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';

const LESS = 0x3c;
const SLASH = 0x2f;

const decoder = new TextDecoder();

export class PositionReader {
  /** Number of positions in the builder before the feature; its reader sets it. */
  featureStart = 0;
  readonly #scanner: XmlScanner;
  readonly #builder: GeometryBuilder;
  readonly #limit: number;
  readonly #numbers = new NumberScanner();
  readonly #scratch = new ByteWriter(256);

  /** `limit`: greatest number of positions of a feature. */
  constructor(scanner: XmlScanner, builder: GeometryBuilder, limit: number) {
    this.#scanner = scanner;
    this.#builder = builder;
    this.#limit = limit;
  }

  /** The text of a coordinates element whose start tag was read last. */
  read(at: number): number {
    const scanner = this.#scanner;
    if (scanner.isEmpty) return at;
    const { coordinateLength } = this.#builder;
    const end = this.#positions(scanner.bytes, at, scanner.limit);
    if (scanner.bytes[end] === LESS && scanner.bytes[end + 1] === SLASH) return scanner.tag(end);
    // Comments or a CDATA section.
    this.#builder.coordinateLength = coordinateLength;
    const scratch = this.#scratch;
    scratch.reset();
    const next = scanner.text(at, scratch);
    scratch.uint8(LESS);
    const last = this.#positions(scratch.bytes, 0, scratch.length - 1, at);
    if (last < scratch.length - 1) throw new XmlFault(at, 'coordinates contain an element');
    return next;
  }

  /**
   * Reads positions up to the next `<` and returns its offset. The hot loop. `faultAt`: where errors are reported, if the bytes
   * are not those of the window.
   */
  #positions(bytes: Uint8Array, at: number, limit: number, faultAt = -1): number {
    const builder = this.#builder;
    const numbers = this.#numbers;
    let { coordinates, coordinateLength: length, stride } = builder;
    for (;;) {
      while (bytes[at] <= 0x20) at++;
      if (bytes[at] === LESS) {
        builder.coordinateLength = length;
        return at;
      }
      const start = at;
      const x = numbers.scan(bytes, at, limit);
      if (numbers.end === at) throw this.#notAPosition(bytes, faultAt < 0 ? at : faultAt, at);
      at = numbers.end;
      while (bytes[at] <= 0x20) at++;
      if (bytes[at] !== COMMA) throw this.#notAPosition(bytes, faultAt < 0 ? at : faultAt, start);
      at++;
      while (bytes[at] <= 0x20) at++;
      const y = numbers.scan(bytes, at, limit);
      if (numbers.end === at) throw this.#notAPosition(bytes, faultAt < 0 ? at : faultAt, start);
      at = numbers.end;
      let z = Number.NaN;
      const afterY = at;
      while (bytes[at] <= 0x20) at++;
      if (bytes[at] === COMMA) {
        at++;
        while (bytes[at] <= 0x20) at++;
        z = numbers.scan(bytes, at, limit);
        if (numbers.end !== at) {
          at = numbers.end;
          if (stride === 2) {
            builder.coordinateLength = length;
            builder.widen('XYZ');
            ({ coordinates, coordinateLength: length, stride } = builder);
          }
          if (bytes[at] === COMMA) throw this.#notAPosition(bytes, faultAt < 0 ? at : faultAt, start);
        }
      } else at = afterY;
      const byte = bytes[at];
      if (byte > 0x20 && byte !== LESS && Number.isNaN(z))
        throw this.#notAPosition(bytes, faultAt < 0 ? at : faultAt, start);
      if (x - x !== 0 || y - y !== 0 || z === Number.POSITIVE_INFINITY || z === Number.NEGATIVE_INFINITY)
        throw new XmlFault(faultAt < 0 ? start : faultAt, 'this coordinate is larger than any number');
      if (length + 4 > coordinates.length) {
        builder.coordinateLength = length;
        this.checkFeature();
        builder.reserve(1 << 12);
        ({ coordinates } = builder);
      }
      coordinates[length++] = x;
      coordinates[length++] = y;
      if (stride === 3) coordinates[length++] = z;
    }
  }

  #notAPosition(bytes: Uint8Array, at: number, start: number): Error {
    if (at >= this.#scanner.limit) return new XmlFault(at, 'the file ends here');
    let end = start;
    while (end < start + 40 && bytes[end] > 0x20 && bytes[end] !== LESS) end++;
    const found = decoder.decode(bytes.subarray(start, end));
    const reason = `'${found}' is not a position; expected longitude,latitude[,altitude], with white space between positions`;
    return new XmlFault(at, reason);
  }

  /** Throws LIMIT_EXCEEDED if the feature has too many positions. */
  checkFeature(): void {
    this.checkCount(this.#builder.positionCount - this.featureStart);
  }

  /** As `checkFeature`, for what a feature has one of for each position. */
  checkCount(count: number): void {
    if (count <= this.#limit) return;
    throw failure(generalErrors.LIMIT_EXCEEDED, {
      what: 'the number of positions of a feature',
      actual: `more than ${this.#limit}`,
      limit: this.#limit,
      setting: 'MAX_FEATURE_COORDINATES',
    });
  }
}
